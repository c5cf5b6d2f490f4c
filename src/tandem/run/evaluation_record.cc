#include "tandem/run/evaluation_record.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tandem/base/error.h"

namespace tandem {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

}  // namespace

ordered_json to_json(const EvaluationRecord& record) {
  const bool has_deviation = std::isfinite(record.deviation);
  return {{"step", record.step},
          {"episodes", record.episodes},
          {"mean", record.mean},
          {"std", has_deviation ? ordered_json(record.deviation) : ordered_json()},
          {"min", record.least},
          {"max", record.most},
          {"protocol", record.protocol.actions},
          {"start", record.protocol.start},
          {"seconds", record.seconds},
          {"training_seconds", record.training_seconds},
          {"returns", record.returns}};
}

EvaluationRecord record_from_json(const json& json, const std::string& where) {
  try {
    const auto& deviation = json.at("std");
    return {
        .step = json.at("step").get<std::int64_t>(),
        .episodes = json.at("episodes").get<std::int64_t>(),
        .mean = json.at("mean").get<double>(),
        .deviation = deviation.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                         : deviation.get<double>(),
        .least = json.at("min").get<double>(),
        .most = json.at("max").get<double>(),
        .protocol = {json.at("protocol").get<std::string>(), json.at("start").get<std::string>()},
        .seconds = json.at("seconds").get<double>(),
        .training_seconds = json.value("training_seconds", 0.0),
        .returns = json.value("returns", std::vector<double>())};
  } catch (const json::exception& error) {
    throw Error(fmt::format("{} has no result of an evaluation that this version can read ({})",
                            where, error.what()));
  }
}

}  // namespace tandem
