#include "tandem/study/run_outcome.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/io/files.h"

namespace tandem {
namespace {

using nlohmann::json;

constexpr std::string_view kDiverged = "diverged: ";

RunOutcome parse(const json& result) {
  RunOutcome outcome{.why = result.at("why_ended").get<std::string>(),
                     .score = {},
                     .steps = result.at("steps").get<std::int64_t>(),
                     .frames = result.at("frames").get<std::int64_t>(),
                     .episodes = result.at("episodes").get<std::int64_t>(),
                     .seconds = result.at("seconds").get<double>(),
                     .reached = {},
                     .message = {}};
  if (outcome.why.starts_with(kDiverged)) {
    outcome.message = outcome.why.substr(kDiverged.size());
    outcome.why = "diverged";
    return outcome;
  }
  if (const auto& mean = result.at("mean_return"); !mean.is_null()) {
    outcome.score = mean.get<double>();
  }
  if (const auto& reached = result.at("reached_return"); !reached.is_null()) {
    outcome.reached = {reached.at("frames").get<std::int64_t>(),
                       reached.at("seconds").get<double>()};
  }
  return outcome;
}

/// The bytes of a file; empty if there is none. Another job of the sweep, which goes on with the
/// run, may remove the file at any moment.
std::optional<std::vector<std::byte>> read_if_there(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    return read_file(file);
  } catch (const Error&) {
    if (!std::filesystem::exists(file)) return std::nullopt;
    throw;
  }
}

}  // namespace

std::optional<RunOutcome> read_outcome(const std::filesystem::path& result_file) {
  const auto bytes = read_if_there(result_file);
  if (!bytes) return std::nullopt;
  try {
    auto outcome = parse(json::parse(as_text(*bytes)));
    if (outcome.why == "signal" || outcome.why.starts_with("error: ")) return std::nullopt;
    return outcome;
  } catch (const json::exception& error) {
    throw Error(
        fmt::format("{} is not what a run wrote ({}): delete the run's folder to train it "
                    "again",
                    result_file.string(), error.what()));
  }
}

}  // namespace tandem
