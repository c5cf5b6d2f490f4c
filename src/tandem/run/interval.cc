#include "tandem/run/interval.h"

#include <algorithm>
#include <string>

namespace tandem {
namespace {

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

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
  if (measures_.empty()) measures_.resize(report.measures.size(), {nullptr});
  for (std::size_t i = 0; i < report.measures.size(); ++i) {
    const Measure& measure = report.measures[i];
    measures_[i] = {measure.key, measures_[i].sum + measure.sum,
                    measures_[i].count + measure.count};
  }
  if (spreads_.empty()) spreads_.resize(report.spreads.size());
  for (std::size_t i = 0; i < report.spreads.size(); ++i) {
    spreads_[i].first = report.spreads[i].key;
    spreads_[i].second += *report.spreads[i].values;
  }
}

double Interval::steps_per_second() const { return ratio(static_cast<double>(steps_), seconds()); }

nlohmann::ordered_json Interval::scalars(Metrics metrics, std::int64_t frames_per_step) const {
  const double rate = steps_per_second();
  const auto updates = static_cast<double>(updates_);
  nlohmann::ordered_json line;
  for (const Metric& metric : metrics) line[metric.key] = metric.mean(loss_);
  line["optimizer/gradient_norm"] = ratio(gradient_norm_, updates);
  line["optimizer/learning_rate"] = learning_rate_;
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
  for (const Measure& measure : measures_) {
    line[measure.key] = ratio(measure.sum, measure.count > 0 ? measure.count : seconds());
  }
  for (const auto& [key, values] : spreads_) {
    line[std::string(key) + "_median"] = values.quantile(0.5);
    line[std::string(key) + "_p99"] = values.quantile(0.99);
  }
  return line;
}

}  // namespace tandem
