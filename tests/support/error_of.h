// The messages that users see after a failure.
#pragma once

#include <functional>
#include <string>

#include "tandem/base/error.h"

namespace tandem {

/// The message of the Error that `action` throws; empty if it throws none.
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace tandem
