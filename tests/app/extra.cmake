target_link_libraries(app_tests PRIVATE tandem_app)
if(TARGET tandem_atari)
  add_dependencies(app_tests tandem_atari)
endif()

# Tests of the built program, end to end, if it can compute networks.
if(TARGET tandem AND (TARGET tandem_torch OR TARGET onednn))
  set(tests cli config rollout verify)
  if(NOT TANDEM_SANITIZE)
    # These measure speed or start many processes, which a sanitizer would slow down.
    list(APPEND tests help hts_football measures sweep)
  endif()
  foreach(test ${tests})
    add_test(NAME app.${test} COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/${test}_test.py -v)
    set_tests_properties(app.${test} PROPERTIES
      ENVIRONMENT "TANDEM=$<TARGET_FILE:tandem>;PYTHONDONTWRITEBYTECODE=1")
  endforeach()
  if(TEST app.measures)
    set_tests_properties(app.measures PROPERTIES COST 200)
  endif()
  add_dependencies(app_tests tandem)
endif()

# Whole trainings, which take too long under a sanitizer.
if(TARGET tandem AND (TARGET tandem_torch OR TARGET onednn) AND NOT TANDEM_SANITIZE)
  # Each class is a test of its own, so that two run at once.
  set(same_bits_test ${CMAKE_CURRENT_LIST_DIR}/same_bits_test.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${same_bits_test})
  file(STRINGS ${same_bits_test} classes REGEX "^class [A-Za-z0-9]+\\(")
  foreach(class ${classes})
    string(REGEX REPLACE "^class ([A-Za-z0-9]+).*" "\\1" class ${class})
    string(TOLOWER ${class} name)
    add_test(NAME app.same_bits_${name} COMMAND ${TANDEM_TEST_PYTHON} ${same_bits_test} -v ${class})
    set_tests_properties(app.same_bits_${name} PROPERTIES
      ENVIRONMENT "TANDEM=$<TARGET_FILE:tandem>;PYTHONDONTWRITEBYTECODE=1")
  endforeach()
  set(learning_test ${CMAKE_CURRENT_LIST_DIR}/learning_test.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${learning_test})
  file(STRINGS ${learning_test} methods REGEX "^    def test_")
  foreach(method ${methods})
    string(REGEX REPLACE "^    def test_([a-z0-9_]*).*" "\\1" task ${method})
    add_test(NAME app.learns_${task}
      COMMAND ${TANDEM_TEST_PYTHON} ${learning_test} -v Learning.test_${task})
    set_tests_properties(app.learns_${task} PROPERTIES
      ENVIRONMENT "TANDEM=$<TARGET_FILE:tandem>;PYTHONDONTWRITEBYTECODE=1" PROCESSORS 2)
  endforeach()
endif()
