# Builds the engine as a static library that goes into a shared one.
cmake_minimum_required(VERSION 3.20)
project(football_engine CXX)

find_package(PkgConfig REQUIRED)
pkg_check_modules(SDL2 REQUIRED IMPORTED_TARGET sdl2 SDL2_ttf SDL2_gfx)
set(CMAKE_CXX_STANDARD 17)

# Most of the compile time goes into headers, so the files of a group are compiled as one.
function(group name)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${ARGN})
  set_source_files_properties(${files} PROPERTIES UNITY_GROUP ${name})
  target_sources(football_engine PRIVATE ${files})
endfunction()

add_library(football_engine STATIC)
group(scene src/*.cpp)
group(drawing src/systems/*.cpp)
group(player src/onthepitch/player/*.cpp)
group(body src/onthepitch/player/humanoid/*base.cpp src/onthepitch/player/humanoid/animcollection.cpp)
file(GLOB pitch CONFIGURE_DEPENDS src/onthepitch/*.cpp src/onthepitch/AIsupport/*.cpp)
set_source_files_properties(${pitch} PROPERTIES UNITY_GROUP pitch)
set_source_files_properties(src/onthepitch/proceduralpitch.cpp PROPERTIES UNITY_GROUP scene)

target_include_directories(football_engine PRIVATE src src/cmake)
target_link_libraries(football_engine PRIVATE PkgConfig::SDL2)
# No option may change a result of floating point: games are the same, bit by bit, as those of the
# engine as it is.
target_compile_options(football_engine PRIVATE
  -w -fno-math-errno -fno-trapping-math -ffp-contract=off "-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=")
set_target_properties(football_engine PROPERTIES
  POSITION_INDEPENDENT_CODE ON UNITY_BUILD ON UNITY_BUILD_MODE GROUP)

file(GLOB_RECURSE headers RELATIVE "${CMAKE_SOURCE_DIR}/src" CONFIGURE_DEPENDS src/*.h src/*.hpp)
foreach(header IN LISTS headers)
  get_filename_component(folder "${header}" DIRECTORY)
  install(FILES "src/${header}" DESTINATION "include/${folder}")
endforeach()
install(TARGETS football_engine DESTINATION lib)
install(DIRECTORY data DESTINATION .)
