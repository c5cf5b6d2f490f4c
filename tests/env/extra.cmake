# Good and bad plug-ins for plugin_test.cc.
foreach(plugin good grouped old mute incomplete empty childless)
  add_library(tandem_${plugin} MODULE ${CMAKE_CURRENT_SOURCE_DIR}/env/plugins/${plugin}.cc)
  tandem_own(tandem_${plugin})
  target_link_libraries(tandem_${plugin} PRIVATE tandem_base)
  set_target_properties(tandem_${plugin} PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test_plugins)
  add_dependencies(env_tests tandem_${plugin})
endforeach()

# Environments in Python.
target_compile_definitions(env_tests PRIVATE TANDEM_TEST_PYTHON="${TANDEM_TEST_PYTHON}")
foreach(part spaces making)
  add_test(NAME env.${part}
    COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/gym/${part}_test.py)
  set_tests_properties(env.${part} PROPERTIES ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endforeach()
