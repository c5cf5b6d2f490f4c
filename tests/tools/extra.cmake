add_test(NAME tools.check_layers
  COMMAND ${TANDEM_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/tools/check_layers_test.py)
add_test(NAME tools.setup COMMAND ${TANDEM_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/tools/setup_test.py)

set(plot_test ${CMAKE_CURRENT_SOURCE_DIR}/tools/plot_test.py)
if(TARGET tandem)
  list(APPEND plot_test $<TARGET_FILE:tandem>)
endif()
add_test(NAME tools.plot COMMAND ${TANDEM_PYTHON} ${plot_test})
foreach(picture plot_sweep plot_ga3c_grid)
  add_test(NAME tools.${picture}
    COMMAND ${TANDEM_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/tools/${picture}_test.py)
endforeach()
