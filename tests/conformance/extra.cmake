# Environments of plug-ins are listed when the tests are discovered.
if(TARGET tandem_atari)
  add_dependencies(conformance_tests tandem_atari)
endif()
