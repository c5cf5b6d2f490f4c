# Tests of the Python package, if it is built and the tests' Python is the one for which it is built
# (or has the same version). With AddressSanitizer the interpreter loads its library first;
# ThreadSanitizer cannot be loaded that way.
if(NOT TARGET tandem_python OR TANDEM_SANITIZE MATCHES thread)
  return()
endif()
set(python_environment "PYTHONPATH=${PROJECT_BINARY_DIR}/python;PYTHONDONTWRITEBYTECODE=1")
if(TANDEM_SANITIZE MATCHES address)
  nanobind_sanitizer_preload_env(preload tandem_python)
  list(APPEND python_environment "${preload}" "PYTHONMALLOC=malloc" "ASAN_OPTIONS=detect_leaks=0")
endif()
set(python_tests vector_env arrays misuse single_env parallel_env atari replay replay_content
  replay_misuse training training_end training_process training_start)
if(TARGET tandem AND (TARGET tandem_torch OR TARGET onednn))
  list(APPEND python_tests agent)
  list(APPEND python_environment "TANDEM=$<TARGET_FILE:tandem>")
endif()
if(NOT TANDEM_SANITIZE)
  list(APPEND python_tests types sb3 examples notebook)
  if(EXISTS ${PROJECT_SOURCE_DIR}/src/tandem/env/gym)
    list(APPEND python_tests gym gym_scripts action_numbers)
  endif()
endif()
foreach(test ${python_tests})
  add_test(NAME python.${test}
    COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/python/${test}_test.py)
  set_tests_properties(python.${test} PROPERTIES SKIP_RETURN_CODE 77
    ENVIRONMENT "${python_environment}")
endforeach()

# Environments that tandem itself does not have.
add_library(tandem_team MODULE ${CMAKE_CURRENT_SOURCE_DIR}/python/plugins/team.cc)
tandem_own(tandem_team)
target_link_libraries(tandem_team PRIVATE tandem_base)
set_target_properties(tandem_team PROPERTIES PREFIX ""
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test_plugins/python)
set_property(TEST python.parallel_env APPEND PROPERTY
  ENVIRONMENT "TANDEM_PLUGIN_PATH=${PROJECT_BINARY_DIR}/test_plugins/python:${PROJECT_BINARY_DIR}/plugins")
