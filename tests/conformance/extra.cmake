# The discovery of the tests lists the environments of plug-ins, so it needs the plug-ins.
if(TARGET tandem_atari)
  add_dependencies(conformance_tests tandem_atari)
endif()
