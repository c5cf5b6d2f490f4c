#include "tandem/run/interval.h"

#include <algorithm>
#include <string>

namespace tandem {
namespace {

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// The value of a key, which is added if it is missing. There are so few keys that a linear search
/// is fast.
template <class T>
T& of_key(std::vector<std::pair<std::string, T>>& all, const char* key) {
  const auto found = std::ranges::find(all, key, &std::pair<std::string, T>::first);
  return found != all.end() ? found->second : all.emplace_back(key, T{}).second;
}

}  // namespace

void Interval::add(const UpdateReport& report) {
  steps_ += report.steps;
  updates_ += report.updates;
  loss_ += report.loss;
  gradient_norm_ += report.gradient_norm;
  if (report.updates > 0) learning_rate_ = report.learning_rate;
  time_ += report.seconds;
  for (const auto& episode : report.episodes) {
    const double value = episode.episode_return;
    least_return_ = episodes_ == 0 ? value : std::min(least_return_, value);
    most_return_ = episodes_ == 0 ? value : std::max(most_return_, value);
    returns_ += value;
    episode_steps_ += episode.steps;
    episodes_ += 1;
  }
  for (const Measure& measure : report.measures) {
    auto& sum = of_key(measures_, measure.key);
    sum.sum += measure.sum;
    sum.count += measure.count;
  }
  for (const Spread& spread : report.spreads) of_key(spreads_, spread.key) += *spread.values;
}

double Interval::steps_per_second() const { return ratio(static_cast<double>(steps_), seconds()); }

nlohmann::ordered_json Interval::scalars(Metrics metrics, std::int64_t frames_per_step) const {
  const double rate = steps_per_second();
  const auto updates = static_cast<double>(updates_);
  nlohmann::ordered_json line;
  if (updates_ > 0) {
    for (const Metric& metric : metrics) line[metric.key] = metric.mean(loss_);
    line["optimizer/gradient_norm"] = ratio(gradient_norm_, updates);
    line["optimizer/learning_rate"] = learning_rate_;
  }
  if (episodes_ > 0) {
    const auto episodes = static_cast<double>(episodes_);
    line["episode/return_mean"] = returns_ / episodes;
    line["episode/return_min"] = least_return_;
    line["episode/return_max"] = most_return_;
    line["episode/steps_mean"] = static_cast<double>(episode_steps_) / episodes;
  }
  line["rate/steps_per_second"] = rate;
  line["rate/frames_per_second"] = rate * static_cast<double>(frames_per_step);
  line["rate/updates_per_second"] = ratio(updates, seconds());
  line["time/stepping"] = ratio(time_.stepping, time_.total());
  line["time/inferring"] = ratio(time_.inferring, time_.total());
  line["time/learning"] = ratio(time_.learning, time_.total());
  line["time/waiting"] = ratio(time_.waiting, time_.total());
  for (const auto& [key, sum] : measures_) {
    line[key] = ratio(sum.sum, sum.count > 0 ? sum.count : seconds());
  }
  for (const auto& [key, values] : spreads_) {
    line[key + "_median"] = values.quantile(0.5);
    line[key + "_p99"] = values.quantile(0.99);
  }
  return line;
}

}  // namespace tandem
