# The tests use internal interfaces of the plug-in.
target_link_libraries(torcs_tests PRIVATE tandem_torcs_env)
target_compile_definitions(torcs_tests PRIVATE TANDEM_TORCS_FOLDER="${TANDEM_TORCS_DIR}")
