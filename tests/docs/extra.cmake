# Tests of the documents, which no sanitizer sees.
if(TANDEM_SANITIZE)
  return()
endif()
add_test(NAME docs.check_docs COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/docs/check_docs.py)
add_test(NAME docs.api COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/docs/api_test.py)
set_tests_properties(docs.api PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME docs.pictures COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/docs/pictures_test.py)
add_test(NAME docs.system_pages
  COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/docs/system_pages_test.py)
add_test(NAME docs.check_papers COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/docs/check_papers.py)
