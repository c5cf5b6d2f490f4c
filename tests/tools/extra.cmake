add_test(NAME tools.check_layers
  COMMAND ${TANDEM_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/tools/check_layers_test.py)
