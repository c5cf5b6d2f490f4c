# Ends the configuration with advice where there is no C++ compiler. It comes before project(), whose
# own message does not say which package to install.
find_program(TANDEM_ANY_COMPILER NAMES c++ g++ clang++)
mark_as_advanced(TANDEM_ANY_COMPILER)
if(NOT TANDEM_ANY_COMPILER AND NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  message(FATAL_ERROR "There is no C++ compiler. tandem needs one for C++20, GCC 12 for instance: "
    "apt-get install g++ (then try again), or name one in the environment variable CXX")
endif()
