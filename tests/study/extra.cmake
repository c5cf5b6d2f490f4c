target_link_libraries(study_tests PRIVATE tandem_app)
if(TARGET tandem_atari)
  add_dependencies(study_tests tandem_atari)
endif()
