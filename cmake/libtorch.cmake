# libtorch as one target, `libtorch`, from a torch folder: that of a Python environment, or an
# unpacked libtorch. Torch's own CMake files ask for the whole CUDA toolkit where torch was built
# with CUDA; tandem calls no CUDA by itself, so the libraries are enough.
if(NOT TANDEM_TORCH_DIR)
  unset(TANDEM_TORCH_DIR CACHE)  # given as empty: to be found
endif()
file(GLOB venv_torch ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch)
find_path(TANDEM_TORCH_DIR include/torch/csrc/api/include/torch/torch.h
  HINTS ${venv_torch} PATHS ${CMAKE_PREFIX_PATH} PATH_SUFFIXES ../..
  DOC "Folder with torch's include and lib" NO_DEFAULT_PATH)
if(NOT EXISTS ${TANDEM_TORCH_DIR}/lib/libtorch_cpu.so)
  message(FATAL_ERROR "No torch in '${TANDEM_TORCH_DIR}'. Run tools/setup.sh, which installs it, "
    "or name a folder that holds torch's include and lib with -DTANDEM_TORCH_DIR=")
endif()

message(STATUS "Torch: ${TANDEM_TORCH_DIR}")

add_library(libtorch INTERFACE IMPORTED)
target_include_directories(libtorch SYSTEM INTERFACE ${TANDEM_TORCH_DIR}/include
  ${TANDEM_TORCH_DIR}/include/torch/csrc/api/include)
# libtorch.so draws in the CUDA backend, which no symbol names.
target_link_libraries(libtorch INTERFACE -Wl,--push-state,--no-as-needed
  ${TANDEM_TORCH_DIR}/lib/libtorch.so -Wl,--pop-state
  ${TANDEM_TORCH_DIR}/lib/libtorch_cpu.so ${TANDEM_TORCH_DIR}/lib/libc10.so)
