# Tests of the Python package's metadata and of its installer, with stand-ins for all that is large.
# tools/try_wheel.sh tries the real things. A sanitizer finds nothing in them.
if(TANDEM_SANITIZE)
  return()
endif()
add_test(NAME packages.metadata
  COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/packages/metadata_test.py)
add_test(NAME packages.installer
  COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/packages/installer_test.py)
if(TARGET tandem)
  add_test(NAME packages.program COMMAND ${TANDEM_TEST_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/packages/program_test.py $<TARGET_FILE:tandem>)
endif()
