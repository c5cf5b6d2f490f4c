# Compares the plug-in with Gymnasium, in the Python environment of the set-up. With a sanitizer,
# the comparison of the emulators runs the same code instead.
add_executable(dump_rollout ${unless_sanitized} ${CMAKE_CURRENT_SOURCE_DIR}/atari/dump_rollout.cc)
tandem_own(dump_rollout)
tandem_test_options(dump_rollout)
target_link_libraries(dump_rollout PRIVATE tandem_core)
if(NOT TANDEM_SANITIZE)
  foreach(cases games options)
    add_test(NAME atari.gymnasium_oracle_${cases}
      COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/atari/gymnasium_oracle.py
        $<TARGET_FILE:dump_rollout> ${cases})
    set_tests_properties(atari.gymnasium_oracle_${cases} PROPERTIES
      ENVIRONMENT "TANDEM_PLUGIN_PATH=${PROJECT_BINARY_DIR}/plugins")
  endforeach()
endif()

# Compares the fast emulator with the reference; by hand: compare_emulators .deps/ale/roms 20000.
# Seen failing when unseen frames were not drawn again after a short one (TicTacToe3D), when one
# round too many of a waiting loop was skipped, when a write to GRP0 that changes GRP1 was deferred,
# and when the players' collision was not checked.
add_executable(compare_emulators ${CMAKE_CURRENT_SOURCE_DIR}/atari/compare_emulators.cc)
tandem_own(compare_emulators)
target_link_libraries(compare_emulators PRIVATE tandem_atari_env)
set(suffixes "")
if(NOT TANDEM_SANITIZE)  # a sanitizer would see the same loops, with registers of another width
  set(suffixes _portable)
endif()
foreach(suffix "" ${suffixes})
  string(REPLACE "_" "" cpu "${suffix}")
  set(steps 2000)
  if(suffix)
    set(steps 500)  # games are drawn by the same few loops at every step
  endif()
  add_test(NAME atari.emulators_are_the_same${suffix}
    COMMAND compare_emulators ${TANDEM_ALE_DIR}/roms ${steps} Pong Breakout Qbert Seaquest Enduro
      BeamRider SpaceInvaders MontezumaRevenge Pitfall Robotank TicTacToe3D)
  set_tests_properties(atari.emulators_are_the_same${suffix} PROPERTIES
    ENVIRONMENT "TANDEM_CPU=${cpu}")
endforeach()

# Compares the table of facts with the games. Seen failing with a wrong number of lives.
add_executable(measure_game_facts ${CMAKE_CURRENT_SOURCE_DIR}/atari/measure_game_facts.cc)
tandem_own(measure_game_facts)
target_link_libraries(measure_game_facts PRIVATE tandem_atari_env)
add_test(NAME atari.game_facts COMMAND measure_game_facts ${TANDEM_ALE_DIR}/roms)

# observer_test.cc uses internal interfaces of the plug-in.
target_link_libraries(atari_tests PRIVATE tandem_atari_env)
target_compile_definitions(atari_tests PRIVATE TANDEM_ROM_FOLDER="${TANDEM_ALE_DIR}/roms")
