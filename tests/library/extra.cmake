# Tests of the installed tree as other programs see it. Builds with a sanitizer leave them out.
if(TANDEM_SANITIZE OR NOT TANDEM_INSTALL)
  return()
endif()
add_test(NAME library.headers COMMAND ${TANDEM_TEST_PYTHON}
  ${CMAKE_CURRENT_SOURCE_DIR}/library/headers_test.py ${CMAKE_CXX_COMPILER})
set_tests_properties(library.headers PROPERTIES PROCESSORS 2)
add_test(NAME library.installed COMMAND ${TANDEM_TEST_PYTHON}
  ${CMAKE_CURRENT_SOURCE_DIR}/library/installed_test.py ${CMAKE_COMMAND} ${PROJECT_BINARY_DIR})
set_tests_properties(library.installed PROPERTIES
  ENVIRONMENT "TANDEM_PYTHON=${TANDEM_TEST_PYTHON};PYTHONDONTWRITEBYTECODE=1")
