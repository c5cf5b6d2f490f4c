// A plug-in of another interface version, for plugin_test.cc: it has only the first member.
#include <cstdint>

extern "C" const std::uint32_t* tandem_plugin() {
  static constexpr std::uint32_t kAbi = 999;
  return &kAbi;
}
