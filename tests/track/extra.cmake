# Tests of `tandem track`, which is Python code: a sanitizer finds nothing in it. The real trackers
# are tried where they are installed.
if(TANDEM_SANITIZE)
  return()
endif()
set(environment PYTHONDONTWRITEBYTECODE=1)
if(TARGET tandem AND (TARGET tandem_torch OR TARGET onednn))  # a real training is followed, too
  list(APPEND environment TANDEM=$<TARGET_FILE:tandem>)
endif()
foreach(test adapters follower command trackers)
  add_test(NAME track.${test}
    COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/track/${test}_test.py)
  set_tests_properties(track.${test} PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
endforeach()
