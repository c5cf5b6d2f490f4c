# The files that scikit-build-core puts into a wheel, besides the package's Python code. The program
# lies beside the extension module, so both find plug-ins and backends in the same folders.
set(package tandem)
install(TARGETS tandem_python LIBRARY DESTINATION ${package})
set_target_properties(tandem PROPERTIES INSTALL_RPATH $ORIGIN)
install(TARGETS tandem RUNTIME DESTINATION ${package})
if(TARGET onednn)
  install(FILES ${own_dnnl} DESTINATION ${package})
endif()
if(TARGET tandem_torch)
  install(TARGETS tandem_torch LIBRARY DESTINATION ${package}/backends)
endif()
include(cmake/drawing_scripts.cmake)
install(FILES ${drawing_scripts} DESTINATION ${package}/scripts)
install(DIRECTORY configs/studies DESTINATION ${package})

# For plug-ins that are built on the user's machine: find_package(tandem) finds tandem::plugin and
# fmt, whose headers come along.
install(TARGETS tandem_base ARCHIVE DESTINATION ${package}/lib)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tandemConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES cmake/wheel/tandemConfig.cmake cmake/tandem_add_plugin.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/tandemConfigVersion.cmake DESTINATION ${package}/lib/cmake/tandem)
foreach(folder base env)  # the folders that a plug-in may include
  file(GLOB headers CONFIGURE_DEPENDS src/tandem/${folder}/*.h)
  install(FILES ${headers} DESTINATION ${package}/include/tandem/${folder})
endforeach()
get_target_property(fmt_include fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
install(DIRECTORY ${fmt_include}/fmt DESTINATION ${package}/include)

# The licences of libraries that the wheel holds copies of, or whose headers are compiled in.
foreach(library libdnnl2 libfmt9 libspdlog1.10 libtomlplusplus3 libpng16-16 libzstd1 liblz4-1 libssl3
    libgomp1 ocl-icd-libopencl1 nlohmann-json3-dev libcli11-dev libxxhash-dev)
  install(FILES /usr/share/doc/${library}/copyright DESTINATION ${package}/licences
    RENAME ${library} OPTIONAL)
endforeach()
# nanobind's own folder holds no licence; its package's metadata does.
file(GLOB nanobind_licence ${nanobind_ROOT}/../../nanobind-*.dist-info/licenses/LICENSE)
if(nanobind_licence)
  install(FILES ${nanobind_licence} DESTINATION ${package}/licences RENAME nanobind)
endif()
# A header's first comment is the licence of the library that nanobind brings along.
file(READ ${nanobind_ROOT}/../ext/robin_map/include/tsl/robin_map.h robin_map LIMIT 2000)
string(REGEX MATCH "MIT License.*SOFTWARE\\." robin_map "${robin_map}")
string(REGEX REPLACE "\n [*] ?" "\n" robin_map "${robin_map}")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/licences/robin_map "${robin_map}\n")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/licences/robin_map DESTINATION ${package}/licences)
