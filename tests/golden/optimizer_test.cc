// Compares several steps of each update rule with torch.optim, with and without clipping: steps of
// a learner's optimizer, and steps of one thread of Hogwild.
#include "tandem/learn/optimizer.h"

#include "tandem/env/builtin.h"
#include "tandem/learn/hogwild.h"
#include "tandem/learn/learner.h"
#include "tandem/nn/architecture.h"
#include "tests/golden/golden.h"

namespace tandem {
namespace {

OptimizerConfig golden_config(const nlohmann::json& golden) {
  OptimizerConfig config{.lr = 0.05, .anneal_steps = 8, .initial_square = 0};  // as in PyTorch
  config.kind = golden["kind"];
  config.decay = golden.value("decay", config.decay);
  config.epsilon = golden.value("epsilon", config.epsilon);
  config.epsilon_inside = golden.value("epsilon_inside", config.epsilon_inside);
  config.initial_square = golden.value("initial_square", config.initial_square);
  config.momentum = golden.value("momentum", config.momentum);
  config.beta1 = golden.value("beta1", config.beta1);
  config.beta2 = golden.value("beta2", config.beta2);
  config.clip_norm = golden["clip_norm"];
  return config;
}

class OptimizerGolden : public testing::TestWithParam<int> {};

TEST_P(OptimizerGolden, StepsAreThoseOfPyTorch) {
  const auto golden = golden_cases("optimizers").at(GetParam());
  SCOPED_TRACE(golden["name"].get<std::string>());
  const auto config = golden_config(golden["config"]);
  auto parameters = golden_numbers(37, 1);
  const auto optimizer = make_optimizer(config, 37);
  for (int k = 0; k < 4; ++k) {
    auto gradient = golden_numbers(37, 10 + k);
    for (auto& value : gradient) value *= static_cast<float>(k + 1);
    const double norm = std::sqrt(sum_of_squares(gradient));
    expect_near(norm, golden["norms"][k], 0, "norm");
    optimizer->begin();
    optimizer->step(0, parameters, gradient, clip_scale(norm, config.clip_norm),
                    learning_rate(config, k));
    expect_near(parameters, golden["parameters"][k], "parameters after step " + std::to_string(k));
  }
}

// The parameters beyond those of the golden file have gradients of 0, so the norm is the same.
TEST_P(OptimizerGolden, OneThreadOfManyStepsAsPyTorch) {
  const auto golden = golden_cases("optimizers").at(GetParam());
  const auto config = golden_config(golden["config"]);
  if (config.kind != "rmsprop" && config.kind != "momentum") {
    GTEST_SKIP() << "has no asynchronous form";
  }
  for (const bool shared : {true, false}) {
    SCOPED_TRACE(golden["name"].get<std::string>() + (shared ? ", shared" : ", own"));
    const auto spec = make_builtin_family()->make("cartpole", 0)->spec();
    Learner learner(make_architecture({.arch = "mlp", .hidden = 8}, spec), config, 7);
    const auto start = golden_numbers(37, 1);
    std::ranges::copy(start, learner.parameters().begin());
    Hogwild hogwild(learner, {.shared_statistics = shared}, 2);
    std::vector<float> gradient(learner.parameters().size());
    for (int k = 0; k < 4; ++k) {
      const auto numbers = golden_numbers(37, 10 + k);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        gradient[i] = numbers[i] * static_cast<float>(k + 1);
      }
      expect_near(hogwild.apply(1, gradient, k).gradient_norm, golden["norms"][k], 0, "norm");
      expect_near(learner.parameters().first(37), golden["parameters"][k],
                  "parameters after step " + std::to_string(k));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OptimizerGolden, golden_indices("optimizers"),
                         GoldenName{"optimizers"});

}  // namespace
}  // namespace tandem
