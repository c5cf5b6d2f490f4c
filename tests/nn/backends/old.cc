// A backend that was built for another version of the interface.
#include "tandem/nn/backend.h"

extern "C" const tandem::BackendInfo* tandem_backend() {
  static constexpr tandem::BackendInfo kInfo = {.abi = 999, .name = "old", .make_network = nullptr};
  return &kInfo;
}
