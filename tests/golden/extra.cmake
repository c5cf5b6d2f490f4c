# Checks that the committed files hold the results that the installed PyTorch computes; skipped
# without PyTorch.
if(NOT TANDEM_SANITIZE)
  add_test(NAME golden.files_are_those_of_the_script
    COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/golden/make_golden.py --check)
  set_tests_properties(golden.files_are_those_of_the_script PROPERTIES SKIP_RETURN_CODE 77)

  # Tests the networks once more as on a CPU without AVX. A sanitizer would see the same loops, with
  # registers of another width.
  add_test(NAME golden.networks_portable
    COMMAND golden_tests --gtest_filter=*NetworkGolden*:*LstmGolden*)
  set_tests_properties(golden.networks_portable PROPERTIES ENVIRONMENT "TANDEM_CPU=portable")
endif()
