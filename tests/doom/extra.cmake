# The tests use internal interfaces of the plug-in.
target_link_libraries(doom_tests PRIVATE tandem_doom_env)
target_compile_definitions(doom_tests PRIVATE TANDEM_DOOM_FOLDER="${TANDEM_DOOM_DIR}")

# Plays the episodes of Python's ViZDoom again: recorded ones if the Python has none. Seen failing
# with the reward of the last tic alone, and with red and blue exchanged.
add_executable(doom_trace ${unless_sanitized} ${CMAKE_CURRENT_SOURCE_DIR}/doom/doom_trace.cc)
tandem_own(doom_trace)
tandem_test_options(doom_trace)
target_link_libraries(doom_trace PRIVATE tandem_doom_env)
if(NOT TANDEM_SANITIZE)  # the plug-in's own tests run the same code
  add_test(NAME doom.vizdoom_oracle
    COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/doom/vizdoom_oracle.py
      $<TARGET_FILE:doom_trace> ${TANDEM_DOOM_DIR})
endif()
