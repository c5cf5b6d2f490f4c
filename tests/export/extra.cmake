# Tests of exported agents: onnxruntime and PyTorch against tandem, for the networks of all presets.
if(NOT TARGET tandem OR NOT (TARGET tandem_torch OR TARGET onednn) OR TANDEM_SANITIZE)
  return()
endif()
add_executable(write_agents export/write_agents.cc)
tandem_own(write_agents)
tandem_test_options(write_agents)
target_link_libraries(write_agents PRIVATE tandem_trainer)
foreach(plugin atari mujoco)
  if(TARGET tandem_${plugin})
    add_dependencies(write_agents tandem_${plugin})
  endif()
endforeach()
set(export_environment PYTHONDONTWRITEBYTECODE=1)
if(TARGET tandem_python)
  list(APPEND export_environment "PYTHONPATH=${PROJECT_BINARY_DIR}/python")
endif()
foreach(test networks command)
  add_test(NAME export.${test} COMMAND ${TANDEM_TEST_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/export/${test}_test.py $<TARGET_FILE:tandem>
    $<TARGET_FILE:write_agents>)
  set_tests_properties(export.${test} PROPERTIES SKIP_RETURN_CODE 77
    ENVIRONMENT "${export_environment};TANDEM_PLUGIN_PATH=${PROJECT_BINARY_DIR}/plugins")
endforeach()
