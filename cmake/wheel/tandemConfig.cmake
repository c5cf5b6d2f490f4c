# The parts of the wheel that a plug-in needs: tandem::plugin with the headers of environments, fmt's
# headers, and tandem_add_plugin(). The whole library comes by `cmake --install`.
get_filename_component(tandem_package "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET tandem::plugin)
  add_library(tandem::plugin STATIC IMPORTED)
  set_target_properties(tandem::plugin PROPERTIES
    IMPORTED_LOCATION "${tandem_package}/lib/libtandem_base.a"
    INTERFACE_INCLUDE_DIRECTORIES "${tandem_package}/include"
    INTERFACE_COMPILE_FEATURES cxx_std_20)
endif()
if(NOT TARGET fmt::fmt)
  add_library(fmt::fmt INTERFACE IMPORTED)
  set_target_properties(fmt::fmt PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${tandem_package}/include"
    INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/tandem_add_plugin.cmake)
