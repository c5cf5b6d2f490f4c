# Tests of `tandem track`, which is Python code: a sanitizer finds nothing in it. The real trackers
# are tried where they are installed.
if(TANDEM_SANITIZE)
  return()
endif()
foreach(test follower command trackers)
  add_test(NAME track.${test}
    COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/track/${test}_test.py)
  set_tests_properties(track.${test} PROPERTIES SKIP_RETURN_CODE 77
    ENVIRONMENT "TANDEM=$<$<TARGET_EXISTS:tandem>:$<TARGET_FILE:tandem>>;PYTHONDONTWRITEBYTECODE=1")
endforeach()
