# Makes the target `libtorch` from a torch folder, that of a Python environment or an unpacked
# libtorch. Torch's own CMake files ask for the whole CUDA toolkit where torch was built with CUDA;
# tandem calls no CUDA by itself, so the libraries are enough. Without torch there is no such
# target, or an error if TANDEM_TORCH is ON.
file(GLOB torch_records ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch-*.dist-info/RECORD)
set(venv_torch "")
if(torch_records)  # pip writes it last, so torch is complete
  list(GET torch_records 0 venv_torch)
  cmake_path(GET venv_torch PARENT_PATH venv_torch)
  cmake_path(REPLACE_FILENAME venv_torch torch)
endif()
cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${TANDEM_TORCH_DIR}" own_torch)
if(NOT TANDEM_TORCH_DIR OR own_torch)
  unset(TANDEM_TORCH_DIR CACHE)  # it is empty, or that of .venv: find it anew
endif()
find_path(TANDEM_TORCH_DIR include/torch/csrc/api/include/torch/torch.h
  HINTS ${venv_torch} PATHS ${CMAKE_PREFIX_PATH} PATH_SUFFIXES ../..
  DOC "Folder with torch's include and lib" NO_DEFAULT_PATH)
if(NOT TANDEM_TORCH_DIR AND TANDEM_TORCH STREQUAL AUTO)
  message(STATUS "Torch: none; no backend for CUDA. `make torch` brings it")
  return()
endif()
if(NOT EXISTS ${TANDEM_TORCH_DIR}/lib/libtorch_cpu.so)
  message(FATAL_ERROR "No torch in '${TANDEM_TORCH_DIR}'. Run `make torch`, which installs it, name a "
    "folder that holds torch's include and lib with -DTANDEM_TORCH_DIR=, or do without it: "
    "-DTANDEM_TORCH=OFF")
endif()
message(STATUS "Torch: ${TANDEM_TORCH_DIR}")

add_library(libtorch INTERFACE IMPORTED)
target_include_directories(libtorch SYSTEM INTERFACE ${TANDEM_TORCH_DIR}/include
  ${TANDEM_TORCH_DIR}/include/torch/csrc/api/include)
# libtorch.so loads the CUDA backend, although no symbol refers to it.
target_link_libraries(libtorch INTERFACE -Wl,--push-state,--no-as-needed
  ${TANDEM_TORCH_DIR}/lib/libtorch.so -Wl,--pop-state
  ${TANDEM_TORCH_DIR}/lib/libtorch_cpu.so ${TANDEM_TORCH_DIR}/lib/libc10.so)
