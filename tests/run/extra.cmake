# Reads a run's files with the Python packages that define their formats, which shows a sanitizer
# nothing that the tests of runs do not.
if(TANDEM_SANITIZE)
  return()
endif()
add_executable(write_run run/write_run.cc)
tandem_own(write_run)
tandem_test_options(write_run)
target_link_libraries(write_run PRIVATE tandem_core)
add_test(NAME run.read_run COMMAND ${TANDEM_TEST_PYTHON}
  ${CMAKE_CURRENT_SOURCE_DIR}/run/read_run_test.py $<TARGET_FILE:write_run>)
