// Lets every test find the backends, which lie beside the program.
#include <cstdlib>

namespace {
[[maybe_unused]] const int kBackendPath =
    setenv("TANDEM_BACKEND_PATH", TANDEM_BINARY_DIR "/backends", 0);
}  // namespace
