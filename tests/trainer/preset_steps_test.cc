// The sizes of steps that presets' optimizers take.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tandem/env/builtin.h"
#include "tandem/learn/learner.h"
#include "tandem/sync/workers.h"
#include "tandem/trainer/config.h"
#include "tandem/trainer/presets.h"

namespace tandem {
namespace {

constexpr float kSize = 0.012F;  // of a gradient's elements: a norm of 10 over the 677,000
                                 // parameters of nips, as a sum over 40 samples may have

/// The length of the step that a preset's optimizer takes after 3,000 updates by the same gradient
/// of this size.
double step_length(const std::string& preset, float size, bool clips = true) {
  auto settings = preset_settings(published_presets(), preset);
  // Its games need a plug-in.
  std::erase_if(settings, [](const auto& setting) { return setting.key.starts_with("env."); });
  settings.push_back({"env.id", "cartpole", "the test"});
  auto config = load_config("ga3c", settings).optimizer;
  config.anneal_steps = 0;
  if (!clips) config.clip_norm = 0;
  const auto spec = make_builtin_family()->make("cartpole", 0)->spec();
  Learner learner(make_architecture({.arch = "mlp", .hidden = 64}, spec), config, 7);
  const auto count = learner.parameters().size();
  std::vector<std::vector<float>> gradients(1, std::vector<float>(count, size));
  for (std::size_t i = 0; i < count; i += 2) gradients[0][i] = -size;
  Workers workers(1);
  constexpr int kUpdates = 3000;  // the squares' mean then has forgotten its first value
  std::vector<float> before;
  for (int i = 0; i < kUpdates; ++i) {
    before.assign(learner.parameters().begin(), learner.parameters().end());
    learner.apply(gradients, 0, workers);
  }
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += std::pow(static_cast<double>(learner.parameters()[i]) - before[i], 2);
  }
  return std::sqrt(sum);
}

double growth(const std::string& preset, bool clips = true) {
  return step_length(preset, 2 * kSize, clips) / step_length(preset, kSize, clips);
}

// GA3C, section 5.3: "the average magnitude of the updates is indeed larger, since we sum the
// gradients computed over the training batch". A batch of twice as many samples has twice the sum
// where samples agree. By equation 3 with epsilon 0.1 its step is 2 sqrt((g^2 + 0.1) / (4 g^2 +
// 0.1)) times as long, g being the smaller gradient's element. Seen failing with epsilon outside
// the root and with a norm of 0.5.
TEST(PresetSteps, GrowWithTheBatchInThePaperOfGa3c) {
  const double square = static_cast<double>(kSize) * kSize;
  const double expected = 2 * std::sqrt((square + 0.1) / (4 * square + 0.1));
  EXPECT_GT(expected, 1.99);
  // Parameters of about 0.1 move by 1e-5, of which a float has three digits.
  EXPECT_NEAR(growth("ga3c/paper_nips"), expected, 0.01);
}

// The optimizer of the default preset divides by the gradient's size, even where it clips nothing.
TEST(PresetSteps, DoNotGrowInTheDefaultOfGa3c) {
  EXPECT_NEAR(growth("ga3c/atari"), 1, 0.01);
  EXPECT_NEAR(growth("ga3c/atari", false), 1, 0.01);
}

}  // namespace
}  // namespace tandem
