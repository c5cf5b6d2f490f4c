# The files that `cmake --install build --prefix P` installs, and their places. The tree can be
# moved: its parts find each other by relative paths. Only libtorch, which is large and lies
# elsewhere, is found by its path at build time.
include(CMakePackageConfigHelpers)

install(TARGETS tandem_library EXPORT tandemTargets LIBRARY DESTINATION lib)
install(TARGETS tandem_base EXPORT tandemTargets ARCHIVE DESTINATION lib/tandem)
if(TARGET tandem)
  install(TARGETS tandem RUNTIME DESTINATION bin)
endif()
if(TARGET tandem_torch)
  install(TARGETS tandem_torch LIBRARY DESTINATION lib/tandem/backends)
endif()
if(TARGET onednn)
  install(FILES ${own_dnnl} DESTINATION lib/tandem)
endif()

# The licences of the copied and compiled-in libraries, from Debian's packages.
foreach(package libdnnl2 nlohmann-json3-dev libcli11-dev libxxhash-dev)
  install(FILES /usr/share/doc/${package}/copyright DESTINATION share/tandem/licences
    RENAME ${package} OPTIONAL)
endforeach()

# The plug-ins. The Atari plug-in is under GPL-2.0-only as a whole (see NOTICE), and comes without
# ROMs.
if(TARGET tandem_atari)
  install(TARGETS tandem_atari LIBRARY DESTINATION lib/tandem/plugins)
  install(FILES ${TANDEM_ALE_DIR}/LICENSE.md DESTINATION share/tandem/licences
    RENAME arcade-learning-environment.md)
endif()
if(TARGET tandem_mujoco)
  install(TARGETS tandem_mujoco LIBRARY DESTINATION lib/tandem/plugins)
  file(REAL_PATH ${TANDEM_MUJOCO_DIR}/lib/libmujoco.so mujoco_library)
  install(FILES ${mujoco_library} DESTINATION lib/tandem)
  install(DIRECTORY ${TANDEM_MUJOCO_DIR}/suite DESTINATION share/tandem)
  install(DIRECTORY ${TANDEM_MUJOCO_DIR}/licenses/ DESTINATION share/tandem/licences/mujoco OPTIONAL)
endif()
if(TARGET tandem_football)
  install(TARGETS tandem_football LIBRARY DESTINATION lib/tandem/plugins)
  install(DIRECTORY ${TANDEM_FOOTBALL_DIR}/data DESTINATION share/tandem/football)
  install(FILES ${TANDEM_FOOTBALL_DIR}/scenarios.txt ${TANDEM_FOOTBALL_DIR}/font.ttf
    DESTINATION share/tandem/football)
  foreach(licence LICENSE LICENSE.font LICENSE.gameplay_football)
    install(FILES ${TANDEM_FOOTBALL_DIR}/${licence} DESTINATION share/tandem/licences/football)
  endforeach()
endif()
if(TARGET tandem_doom)
  install(TARGETS tandem_doom LIBRARY DESTINATION lib/tandem/plugins)
  install(DIRECTORY ${TANDEM_DOOM_DIR}/engine ${TANDEM_DOOM_DIR}/bin DESTINATION share/tandem/doom
    USE_SOURCE_PERMISSIONS)
  install(DIRECTORY ${TANDEM_DOOM_DIR}/licences/ DESTINATION share/tandem/licences/doom)
endif()
if(TARGET tandem_torcs)
  install(TARGETS tandem_torcs LIBRARY DESTINATION lib/tandem/plugins)
  install(DIRECTORY ${TANDEM_TORCS_DIR}/bin ${TANDEM_TORCS_DIR}/lib ${TANDEM_TORCS_DIR}/share
    DESTINATION share/tandem/torcs USE_SOURCE_PERMISSIONS)
  install(DIRECTORY ${TANDEM_TORCS_DIR}/licences/ DESTINATION share/tandem/licences/torcs)
endif()

file(STRINGS cmake/public_headers.txt public_headers REGEX "^tandem/")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cmake/public_headers.txt)
foreach(header IN LISTS public_headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES src/${header} DESTINATION include/${folder})
endforeach()

include(cmake/drawing_scripts.cmake)
install(FILES ${drawing_scripts} NOTICE LICENSE DESTINATION share/tandem)
install(DIRECTORY python/tandem_track DESTINATION share/tandem PATTERN __pycache__ EXCLUDE)
install(DIRECTORY python/tandem_cluster DESTINATION share/tandem PATTERN __pycache__ EXCLUDE)
install(DIRECTORY python/tandem_export DESTINATION share/tandem PATTERN __pycache__ EXCLUDE)
install(DIRECTORY python/tandem_reproduce DESTINATION share/tandem PATTERN __pycache__ EXCLUDE)
install(DIRECTORY configs DESTINATION share/tandem)  # for readers; the library embeds them

set(package_folder lib/cmake/tandem)
configure_package_config_file(cmake/tandemConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/tandemConfig.cmake INSTALL_DESTINATION ${package_folder})
# Before 1.0 a new minor version may change the public interface.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tandemConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(EXPORT tandemTargets NAMESPACE tandem:: DESTINATION ${package_folder})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tandemConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/tandemConfigVersion.cmake cmake/tandem_add_plugin.cmake
  DESTINATION ${package_folder})
