# The Python package `tandem`. A build folder has it as python/tandem, importable with
# PYTHONPATH=build/python. Needs nanobind and the headers of a Python: that of .venv, or
# Python_EXECUTABLE.
if(NOT Python_EXECUTABLE AND EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python)
endif()
if(Python_EXECUTABLE)
  execute_process(COMMAND ${Python_EXECUTABLE} -V OUTPUT_VARIABLE version
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  # find_package keeps what it knew of the version that was at this path before.
  if(NOT version STREQUAL TANDEM_PYTHON_VERSION)
    foreach(known EXECUTABLE INTERPRETER_PROPERTIES INTERPRETER_SIGNATURE INCLUDE_DIR
        DEVELOPMENT_MODULE_SIGNATURE)
      unset(_Python_${known} CACHE)
    endforeach()
    set(TANDEM_PYTHON_VERSION "${version}" CACHE INTERNAL "")
  endif()
endif()
find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module)
set(nanobind_missing 1)
if(Python_FOUND)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
    RESULT_VARIABLE nanobind_missing OUTPUT_VARIABLE nanobind_ROOT ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(nanobind_missing)
  if(TANDEM_PYTHON STREQUAL AUTO)
    message(STATUS "Python package: left out; no Python headers or no nanobind")
    return()
  endif()
  message(FATAL_ERROR "The Python package needs nanobind and the headers of a Python from 3.10 on. "
    "Run `make setup`, or apt-get install python3-dev, name a Python that has nanobind with -DPython_EXECUTABLE=, or do without the "
    "package: -DTANDEM_PYTHON=OFF")
endif()
message(STATUS "Python package: for ${Python_EXECUTABLE}")
find_package(nanobind CONFIG REQUIRED)

file(GLOB python_sources CONFIGURE_DEPENDS python/src/*.cc)
nanobind_add_module(tandem_python NB_STATIC NOMINSIZE NB_SUPPRESS_WARNINGS ${python_sources})
tandem_own(tandem_python)
target_link_libraries(tandem_python PRIVATE tandem_cluster)
# Other extension modules of the same process may have other versions of the same libraries.
target_link_options(tandem_python PRIVATE -Wl,--exclude-libs,ALL)
set_target_properties(tandem_python PROPERTIES OUTPUT_NAME _core
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/tandem INSTALL_RPATH $ORIGIN)
if(TANDEM_SANITIZE)
  # Nothing here is worth the time that optimising takes the compiler.
  target_compile_options(tandem_python PRIVATE -O0)
  target_compile_options(nanobind-static PRIVATE -fsanitize=${TANDEM_SANITIZE} -g1)
endif()

# The package's files are links, so that a change needs no build. Parts of the program that the
# library looks for beside itself are links, too, and so is the program, for `python -m tandem`.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/tandem)
file(GLOB python_files CONFIGURE_DEPENDS python/tandem/*)
foreach(file ${python_files})
  cmake_path(GET file FILENAME name)
  if(NOT IS_DIRECTORY ${file})
    file(CREATE_LINK ${file} ${PROJECT_BINARY_DIR}/python/tandem/${name} SYMBOLIC)
  endif()
endforeach()
foreach(part plugins backends)
  file(CREATE_LINK ${PROJECT_BINARY_DIR}/${part} ${PROJECT_BINARY_DIR}/python/tandem/${part} SYMBOLIC)
endforeach()
file(CREATE_LINK ${PROJECT_BINARY_DIR}/tandem ${PROJECT_BINARY_DIR}/python/tandem/tandem SYMBOLIC)
foreach(package tandem_program tandem_cluster)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/${package}
    ${PROJECT_BINARY_DIR}/python/${package} SYMBOLIC)
endforeach()
