target_link_libraries(trainer_tests PRIVATE tandem_trainer)
if(TARGET tandem_atari)
  add_dependencies(trainer_tests tandem_atari)
endif()
