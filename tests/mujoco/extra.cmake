# Compares the plug-in with dm_control; skipped if the Python has none. Seen failing without the
# first half of the next step at the end of a step, with a cheetah that does not settle, and with
# rows upside down.
add_executable(mujoco_trace ${CMAKE_CURRENT_SOURCE_DIR}/mujoco/mujoco_trace.cc)
tandem_own(mujoco_trace)
tandem_test_options(mujoco_trace)
target_link_libraries(mujoco_trace PRIVATE tandem_mujoco_env)
set(TANDEM_DM_CONTROL_PYTHON ${TANDEM_TEST_PYTHON} CACHE FILEPATH "A Python that has dm_control")
find_package(OpenGL QUIET COMPONENTS EGL)
set(parts steps starts)
if(TARGET OpenGL::EGL)
  list(APPEND parts pixels)
endif()
foreach(part ${parts})
  add_test(NAME mujoco.suite_oracle_${part}
    COMMAND ${TANDEM_DM_CONTROL_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/mujoco/suite_oracle.py
      $<TARGET_FILE:mujoco_trace> ${TANDEM_MUJOCO_DIR}/suite ${part})
  set_tests_properties(mujoco.suite_oracle_${part} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()

# The tests use internal interfaces of the plug-in.
target_link_libraries(mujoco_tests PRIVATE tandem_mujoco_env)
target_compile_definitions(mujoco_tests PRIVATE TANDEM_SUITE_FOLDER="${TANDEM_MUJOCO_DIR}/suite")
if(TARGET OpenGL::EGL)
  target_link_libraries(mujoco_tests PRIVATE OpenGL::EGL)
  target_compile_definitions(mujoco_tests PRIVATE TANDEM_TESTS_HAVE_EGL)
endif()
