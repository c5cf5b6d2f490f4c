// JSON as a text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tandem {

/// The text of a JSON value, indented. Paths may hold bytes that are no UTF-8; U+FFFD takes their
/// place. Pure.
inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tandem
