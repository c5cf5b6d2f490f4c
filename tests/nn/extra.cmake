# Backends that must be refused, for backend_test.cc.
foreach(backend old empty)
  add_library(backend_${backend} MODULE ${CMAKE_CURRENT_SOURCE_DIR}/nn/backends/${backend}.cc)
  tandem_own(backend_${backend})
  target_link_libraries(backend_${backend} PRIVATE tandem_base)
  set_target_properties(backend_${backend} PROPERTIES PREFIX "" OUTPUT_NAME tandem_${backend}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test_backends)
  add_dependencies(nn_tests backend_${backend})
endforeach()
