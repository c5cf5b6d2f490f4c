target_link_libraries(app_tests PRIVATE tandem_app)
if(TARGET tandem_atari)
  add_dependencies(app_tests tandem_atari)
endif()

# The built program, end to end.
if(TARGET tandem)
  add_test(NAME app.cli COMMAND ${TANDEM_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/cli_test.py -v)
  set_tests_properties(app.cli PROPERTIES
    ENVIRONMENT "TANDEM=$<TARGET_FILE:tandem>;PYTHONDONTWRITEBYTECODE=1")
  add_dependencies(app_tests tandem)
endif()
