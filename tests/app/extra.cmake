target_link_libraries(app_tests PRIVATE tandem_app)
if(TARGET tandem_atari)
  add_dependencies(app_tests tandem_atari)
endif()
