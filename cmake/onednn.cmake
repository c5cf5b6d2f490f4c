# Makes the target `onednn` from oneDNN 2, Debian's libdnnl: a copy that hides its inner symbols.
#
# libtorch contains another version of oneDNN. It exports none of that version's C functions, but
# weak C++ symbols, which the linker would merge with those of libdnnl: among them std::call_once of
# dnnl::impl::gemm_info_t. The library that starts second would then initialise the first one's
# tables instead of its own, and its matrix products would fail (dnnl_unimplemented). So the copy
# shares no symbols but dnnl_*.
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp DOC "Folder with oneDNN's headers")
find_library(DNNL_LIBRARY dnnl DOC "oneDNN's shared library")
set(TANDEM_ONEDNN_FOUND OFF)
if(DNNL_INCLUDE_DIR AND DNNL_LIBRARY)
  file(STRINGS ${DNNL_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h dnnl_major
    REGEX "define DNNL_VERSION_MAJOR +2")
  if(dnnl_major)
    set(TANDEM_ONEDNN_FOUND ON)
  endif()
endif()
if(NOT TANDEM_ONEDNN_FOUND)
  message(STATUS "oneDNN: none of version 2 (Debian's libdnnl-dev); libtorch computes all networks")
  return()
endif()
message(STATUS "oneDNN: ${DNNL_LIBRARY}")

find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(own_dnnl ${PROJECT_BINARY_DIR}/onednn/libdnnl.so.2)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/onednn)
add_custom_command(OUTPUT ${own_dnnl} VERBATIM
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/hide_symbols.py ${DNNL_LIBRARY}
    ${own_dnnl} dnnl_
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/hide_symbols.py ${DNNL_LIBRARY})
add_custom_target(own_dnnl DEPENDS ${own_dnnl})

add_library(onednn SHARED IMPORTED)
set_target_properties(onednn PROPERTIES IMPORTED_LOCATION ${own_dnnl} IMPORTED_SONAME libdnnl.so.2)
target_include_directories(onednn SYSTEM INTERFACE ${DNNL_INCLUDE_DIR})
# For omp_set_num_threads of the OpenMP that libdnnl runs on; nothing here is compiled for OpenMP.
target_link_libraries(onednn INTERFACE gomp)
add_dependencies(onednn own_dnnl)
