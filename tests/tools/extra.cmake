# Tests of Python code, in which a sanitizer of C++ finds nothing.
if(TANDEM_SANITIZE)
  return()
endif()
add_test(NAME tools.check_layers
  COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/tools/check_layers_test.py)
add_test(NAME tools.check_system_names
  COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/tools/check_system_names_test.py)
add_test(NAME tools.check_prose
  COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/tools/check_prose_test.py)
add_test(NAME tools.mutate COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/tools/mutate_test.py)
add_test(NAME tools.judge_round
  COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/tools/judge_round_test.py)
add_test(NAME tools.setup COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/tools/setup_test.py)

foreach(tool plot compare compare_versions)
  set(words ${CMAKE_CURRENT_SOURCE_DIR}/tools/${tool}_test.py)
  if(TARGET tandem AND (TARGET tandem_torch OR TARGET onednn))
    list(APPEND words $<TARGET_FILE:tandem>)
  endif()
  add_test(NAME tools.${tool} COMMAND ${TANDEM_TEST_PYTHON} ${words})
endforeach()
foreach(picture plot_sweep plot_item plot_ga3c_grid plot_hts_runtime plot_hts_step_times)
  add_test(NAME tools.${picture}
    COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/tools/${picture}_test.py)
endforeach()
