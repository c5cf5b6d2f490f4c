#include "tandem/study/cluster_forecast.h"

#include <algorithm>
#include <functional>

namespace tandem {
namespace {

/// The largest number in [0, most] that fits, if all below it do.
double largest(double most, const std::function<bool(double)>& fits) {
  if (fits(most)) return most;
  double low = 0;
  double high = most;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

/// The part of the cores beside the learner that the parts can keep busy. They wait for each
/// other's messages, and the threads of an update for the slowest of them:
/// docs/results/cluster_forecast.md has the trainings that show it.
constexpr double kUsableCores = 0.9;

/// A training on a cluster whose rates are sought.
class ClusterLimits {
 public:
  ClusterLimits(const ClusterWork& work, const CarrierCosts& carrier, const ClusterShape& shape)
      : work_(work), carrier_(carrier), shape_(shape) {}

  [[nodiscard]] ClusterRates coupled() const {
    const double per_step = work_.samples_per_insert * work_.copies / work_.batch;
    const double far_most = far_steps();
    const double near_fair = shape_.near_actors() * fair_part() / work_.step_span;
    const auto rates_of = [&](double steps) {
      const auto even = even_rates(shape_, steps, per_step * steps);
      if (shape_.shared_cores) return even;
      // An actor that is slow, because the learner has its core, lets the others play more.
      auto rates = even;
      rates.near_steps = std::max(steps - far_most, std::min(even.near_steps, near_fair));
      rates.far_steps = steps - rates.near_steps;
      return rates;
    };
    return rates_of(largest(most_steps(), [&](double steps) { return fits(rates_of(steps)); }));
  }

  [[nodiscard]] ClusterRates free() const {
    const double learner = work_.apply_seconds + work_.gradient_seconds / work_.threads;
    const double most_updates = 1 / std::max(learner, work_.unpack_seconds);
    const double near = shape_.near_actors() / work_.step_span;
    const double far = shape_.shared_cores ? shape_.far_actors() / work_.step_span : far_steps();
    const auto rates_of = [&](double share, double far_part) {
      return ClusterRates{.near_steps = share * near,
                          .far_steps = far_part * far,
                          .updates = std::min(most_updates, share / learner)};
    };
    const auto cores_suffice = [&](const ClusterRates& rates) {
      return load_of(work_, carrier_, shape_, rates).near_cores <= kUsableCores * shape_.cores;
    };
    // The actors of other machines run freely, unless their messages alone keep the learner's
    // machine so busy that its own threads get little.
    const double alone =
        largest(1, [&](double share) { return cores_suffice(rates_of(share, 1)); });
    const bool crowded = shape_.shared_cores || alone < fair_part() / 2;
    const double all =
        largest(1, [&](double share) { return cores_suffice(rates_of(share, share)); });
    const auto rates = crowded ? rates_of(all, all) : rates_of(alone, 1);
    // The resources beside the cores.
    const auto scaled = [&](double share) {
      return ClusterRates{share * rates.near_steps, share * rates.far_steps, share * rates.updates};
    };
    return scaled(largest(1, [&](double share) { return fits(scaled(share)); }));
  }

 private:
  [[nodiscard]] bool fits(const ClusterRates& rates) const {
    constexpr double kRounding = 1e-9;
    return forecast_at(work_, carrier_, shape_, rates).uses.front().share <= 1 + kRounding;
  }

  [[nodiscard]] double most_steps() const {
    return (shape_.near_actors() + shape_.far_actors()) / work_.step_span;
  }

  /// Steps a second that the actors of the other machines can make.
  [[nodiscard]] double far_steps() const {
    const double far = shape_.far_actors();
    if (far <= 0) return 0;
    return largest(far / work_.step_span, [&](double steps) {
      return load_of(work_, carrier_, shape_, {.far_steps = steps}).far_cores <= shape_.cores;
    });
  }

  /// The part of a core that each busy thread of the learner's machine gets at least.
  [[nodiscard]] double fair_part() const {
    return std::min(1.0, shape_.cores / (shape_.near_actors() + work_.threads));
  }

  const ClusterWork& work_;
  const CarrierCosts& carrier_;
  const ClusterShape& shape_;
};

}  // namespace

ClusterRates even_rates(const ClusterShape& shape, double steps, double updates) {
  const double playing = shape.near_actors() + shape.far_actors();
  const double near = playing > 0 ? steps * shape.near_actors() / playing : 0;
  return {.near_steps = near, .far_steps = steps - near, .updates = updates};
}

ClusterForecast forecast_at(const ClusterWork& work, const CarrierCosts& carrier,
                            const ClusterShape& shape, const ClusterRates& rates) {
  ClusterForecast result{.rates = rates,
                         .load = load_of(work, carrier, shape, rates),
                         .memory = memory_of(work, carrier, shape, rates)};
  const auto& load = result.load;
  result.uses = {{"actors", load.actor},
                 {"learner", load.learner},
                 {"learner's unpacking", load.unpacking},
                 {"learner's messages", load.messages / carrier.most_messages},
                 {"shards", load.shard},
                 {shape.shared_cores || shape.machines <= 1 ? "cores" : "learner's machine's cores",
                  load.near_cores / (kUsableCores * shape.cores)}};
  if (!shape.shared_cores && shape.machines > 1) {
    result.uses.push_back({"other machines' cores", load.far_cores / shape.cores});
  }
  if (shape.network_bytes > 0) {
    result.uses.push_back({"network to the learner", load.network_in / shape.network_bytes});
    result.uses.push_back({"network from the learner", load.network_out / shape.network_bytes});
  }
  std::ranges::stable_sort(result.uses, std::ranges::greater(), &ClusterUse::share);
  return result;
}

ClusterForecast forecast_cluster(const ClusterWork& work, const CarrierCosts& carrier,
                                 const ClusterShape& shape) {
  const ClusterLimits limits(work, carrier, shape);
  const auto rates = work.samples_per_insert > 0 ? limits.coupled() : limits.free();
  return forecast_at(work, carrier, shape, rates);
}

}  // namespace tandem
