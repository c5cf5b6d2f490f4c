// Optimizers over one flat buffer of parameters.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tandem/base/field.h"

namespace tandem {

/// Update rule, learning rate and gradient clipping, as config keys optimizer.*. Value type.
struct OptimizerConfig {
  std::string kind = "rmsprop";   // rmsprop, centered_rmsprop, momentum or adam
  double lr = 0.0015;             // learning rate at the start
  std::string lr_choice = "lr";   // lr, or log_uniform to draw it (see draw_learning_rate())
  double lr_low = 1e-4;           // log_uniform: the lower bound
  double lr_high = 1e-2;          // log_uniform: the upper bound
  double lr_end = 0.0;            // learning rate at anneal_steps
  std::int64_t anneal_steps = 0;  // steps in which lr changes linearly to lr_end; 0: constant;
                                  // -1: all steps of the run
  double decay = 0.99;            // rmsprop: decay of the mean square
  double epsilon = 1e-5;          // rmsprop and adam
  bool epsilon_inside = false;    // rmsprop: sqrt(g + epsilon), else sqrt(g) + epsilon
  double initial_square = 1.0;    // rmsprop: mean square at the start
  double momentum = 0.99;         // momentum: decay of the mean gradient
  double beta1 = 0.9;             // adam
  double beta2 = 0.999;           // adam
  double clip_norm = 0.5;         // global norm of the gradient; 0: not clipped. PAAC's paper: 40

  /// The keys of the table [optimizer]; they point into this object.
  FieldList fields();
};

/// One update rule with its state. Not thread-safe, except for step().
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Begins an update. Calls of step() then update all parameters, part by part.
  virtual void begin() {}

  /// parameters -= lr * (rule applied to gradient_scale * gradient), for the parameters from index
  /// `first` on. Several threads may call it at once for different parts of one update.
  virtual void step(std::size_t first, std::span<float> parameters, std::span<const float> gradient,
                    float gradient_scale, float lr) = 0;

  /// A part of the state, for checkpoints. A view of the optimizer's memory.
  struct Slot {
    std::string name;         // "square"
    std::span<float> values;  // one for each parameter; Adam's step count has one value
  };
  /// The whole state.
  virtual std::vector<Slot> slots() = 0;
};

/// The optimizer of config.kind for this number of parameters, in its initial state. Throws Error
/// for an unknown kind.
std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& config, std::int64_t parameters);

/// The sum of the squares, in a fixed order and in double precision; its root is the gradient's
/// norm.
double sum_of_squares(std::span<const float> gradient);

/// The factor that scales a gradient of this norm down to clip_norm (Pascanu et al., 2012); 1 if it
/// is already shorter or clip_norm is 0.
float clip_scale(double norm, double clip_norm);

/// If lr_choice is log_uniform, draws config.lr from LogUniform(lr_low, lr_high); the seed alone
/// determines it. A3C's section 5.1 draws the learning rates of its experiments in this way. Throws
/// Error when lr_low is not above 0 or lr_high is less than lr_low.
void draw_learning_rate(OptimizerConfig& config, std::uint64_t seed);

/// The learning rate after `steps` steps. The caller must have replaced an anneal_steps of -1 by
/// the run's steps.
float learning_rate(const OptimizerConfig& config, std::int64_t steps);

}  // namespace tandem
