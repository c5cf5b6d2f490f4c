# tandem_add_plugin(NAME SOURCE...): makes a plug-in tandem_NAME.so with the environments NAME:...
# It is a target tandem_NAME, to which target_link_libraries adds what the environments need. Within
# tandem's own tree it is compiled with tandem's flags and lies where the program finds it.
function(tandem_add_plugin name)
  if(NOT name MATCHES "^[a-z0-9_-]+$")
    message(FATAL_ERROR "tandem_add_plugin: '${name}' is no name of environments; it takes small "
      "letters, digits, _ and -")
  endif()
  add_library(tandem_${name} MODULE ${ARGN})
  target_link_libraries(tandem_${name} PRIVATE tandem::plugin)
  # Hides the symbols of the libraries that are linked in.
  target_link_options(tandem_${name} PRIVATE -Wl,--exclude-libs,ALL)
  # A function that is missing is found here, and not when the plug-in is loaded. A sanitizer's own
  # functions come with the program.
  if(NOT "${TANDEM_SANITIZE}${CMAKE_CXX_FLAGS}" MATCHES "sanitize|address|thread|undefined")
    target_link_options(tandem_${name} PRIVATE -Wl,--no-undefined)
  endif()
  # A project may hide symbols, and tandem looks for tandem_plugin().
  set_target_properties(tandem_${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET default)
  if(tandem_SOURCE_DIR)
    cmake_path(IS_PREFIX tandem_SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR} within)
    if(within)
      tandem_own(tandem_${name})
      set_target_properties(tandem_${name} PROPERTIES
        LIBRARY_OUTPUT_DIRECTORY ${tandem_BINARY_DIR}/plugins)
    endif()
  endif()
endfunction()
