#include "tandem/learn/learner.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tandem/base/streams.h"
#include "tandem/learn/observe.h"

namespace tandem {

Learner::Learner(Architecture architecture, const OptimizerConfig& config, std::uint64_t seed)
    : architecture_(std::move(architecture)),
      config_(config),
      parameters_(static_cast<std::size_t>(architecture_.parameter_count())),
      trained_(static_cast<std::size_t>(architecture_.trained_count())),
      sum_(trained_),
      squares_((trained_ + kPart - 1) / kPart),
      optimizer_(make_optimizer(config, architecture_.trained_count())) {
  Stream stream(seed, streams::kInitialisation.id());
  initialise(architecture_, stream, parameters_);
}

UpdateInfo Learner::apply(std::span<const std::vector<float>> gradients, std::int64_t steps,
                          Workers& workers) {
  const auto parts = static_cast<int>(squares_.size());
  const auto part_of = [this](auto&& buffer, int part) {
    const auto first = static_cast<std::size_t>(part) * kPart;
    const auto all = std::span(buffer).first(trained_);
    return all.subspan(first, std::min(kPart, all.size() - first));
  };
  const bool several = gradients.size() > 1;
  const std::span<const float> total = several ? sum_ : gradients.front();
  workers.parallel_for(parts, [&](int part) {
    if (several) {
      const auto sum = part_of(sum_, part);
      std::ranges::copy(part_of(gradients.front(), part), sum.begin());
      for (const auto& gradient : gradients.subspan(1)) {
        const auto more = part_of(gradient, part);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
      }
    }
    squares_[static_cast<std::size_t>(part)] = sum_of_squares(part_of(total, part));
  });
  const double norm = std::sqrt(std::accumulate(squares_.begin(), squares_.end(), 0.0));
  const float scale = clip_scale(norm, config_.clip_norm);
  const float lr = learning_rate(config_, steps);
  optimizer_->begin();
  workers.parallel_for(parts, [&](int part) {
    optimizer_->step(static_cast<std::size_t>(part) * kPart, part_of(parameters_, part),
                     part_of(total, part), scale, lr);
  });
  return {norm, lr};
}

void Learner::observe(std::span<const std::span<const std::byte>> pieces) {
  if (!architecture_.normalises_inputs) return;
  add_observations(pieces, input_statistics_in(std::span(parameters_).subspan(trained_)));
}

}  // namespace tandem
