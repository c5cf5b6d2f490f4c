// Networks on oneDNN, whose headers only onednn_* files include. Images become cells (Cells) if
// these suit the first convolution, which then has enough channels for SIMD. From record() to
// backward(), activations keep the layouts that their layers chose. The heads are one dense layer
// of all their outputs, in fp32.

#include "tandem/nn/onednn/onednn_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/nn/activation_recorder.h"
#include "tandem/nn/batch.h"
#include "tandem/nn/kernels/activation.h"
#include "tandem/nn/kernels/layer_parameters.h"
#include "tandem/nn/kernels/scale.h"
#include "tandem/nn/onednn/onednn_activations.h"
#include "tandem/nn/onednn/onednn_input.h"
#include "tandem/nn/onednn/onednn_layers.h"
#include "tandem/nn/onednn/onednn_tape.h"

namespace tandem {
namespace onednn {
namespace {

void add(std::span<const float> values, float* sums) {
  for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

class OnednnNetwork final : public Network, public ActivationRecorder {
 public:
  OnednnNetwork(const Architecture& architecture, std::span<const float> parameters,
                Precision precision)
      : architecture_(architecture),
        flat_(parameters),
        parameters_(architecture, first_cells(architecture)),
        gradient_(architecture, first_cells(architecture)),
        stages_(make_stages(context_, architecture, precision)),
        input_(architecture, *stages_.front()),
        passing_(slot_sizes(stages_)),
        recorded_(slot_sizes(stages_)),
        together_(slot_sizes(stages_)),
        heads_(architecture.policy_outputs),
        images_(image_stages_in(architecture)),
        tile_(tile_of(stages_, images_)) {
    reload();
  }

  [[nodiscard]] const Architecture& architecture() const override { return architecture_; }

  [[nodiscard]] bool takes_pieces() const override { return true; }

  [[nodiscard]] ActivationRecorder* at_places() override { return this; }

  void forward(const Inputs& inputs, const Heads& out) override {
    const OneThread one_thread;
    passing_.clear();
    run(inputs, passing_, out);
  }

  void record(const Inputs& inputs, const Heads& out) override {
    const OneThread one_thread;
    run(inputs, recorded_, out);
    heads_.add(out);
  }

  void backward(const HeadLoss& loss, std::span<float> gradient) override {
    const OneThread one_thread;
    back(heads_.gradient(loss), {recorded_, 0, recorded_.samples()}, gradient);
    forget();
  }

  [[nodiscard]] std::unique_ptr<Activations> make_activations(std::int64_t samples) const override {
    return std::make_unique<OnednnActivations>(
        slot_sizes(stages_), samples, architecture_.policy_outputs, architecture_.value_head);
  }

  void forward_alone(const Inputs& inputs, const Heads& out) override {
    const OneThread one_thread;
    require_sizes(architecture_, inputs, out);
    passing_.clear();
    passing_.extend(out.batch);
    run_alone(inputs, out, [&](std::size_t slot, std::size_t sample) {
      return passing_.latest(slot) + sample * passing_.bytes(slot);
    });
  }

  void record_at(const Inputs& inputs, const Heads& out, Activations& activations,
                 std::span<const std::int64_t> places) override {
    const OneThread one_thread;
    require_sizes(architecture_, inputs, out);
    auto& own = own_kind(activations);
    run_alone(inputs, out, [&](std::size_t slot, std::size_t sample) {
      return own.tape().all(slot) + places[sample] * own.tape().bytes(slot);
    });
    keep_heads(out, own, places);
  }

  void record_together_at(const Inputs& inputs, const Heads& out, Activations& activations,
                          std::span<const std::int64_t> places) override {
    const OneThread one_thread;
    auto& own = own_kind(activations);
    together_.clear();
    run(inputs, together_, out);
    for (std::size_t slot = 0; slot < together_.slots(); ++slot) {
      const auto bytes = together_.bytes(slot);
      for (std::size_t s = 0; s < places.size(); ++s) {
        if (places[s] == kNowhere) continue;
        std::copy_n(together_.latest(slot) + s * bytes, bytes,
                    own.tape().all(slot) + places[s] * bytes);
      }
    }
    keep_heads(out, own, places);
  }

  void backward(const HeadLoss& loss, std::span<float> gradient, const Recorded& samples) override {
    const OneThread one_thread;
    const auto& own = own_kind(samples.activations);
    const Heads d = d_heads_.of(architecture_, samples.count);
    loss(own.heads(samples.first, samples.count), d);
    back(d, {own.tape(), samples.first, samples.count}, gradient);
  }

  void reload() override {
    const OneThread one_thread;
    parameters_.read(flat_);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      stages_[i]->load(parameters_.layer(i, flat_));
    }
    forget();
  }

 private:
  /// Some samples of a tape.
  struct Taped {
    const Tape& tape;
    std::int64_t first;
    std::int64_t count;

    /// Slot `i` of the first of the samples.
    [[nodiscard]] std::byte* at(std::size_t i) const { return tape.all(i) + first * tape.bytes(i); }
  };

  /// The slot of what stage `i` keeps besides its input.
  [[nodiscard]] std::size_t kept(std::size_t i) const { return stages_.size() + i; }

  void forget() {
    recorded_.clear();
    heads_.clear();
  }

  static void keep_heads(const Heads& out, OnednnActivations& own,
                         std::span<const std::int64_t> places) {
    for (std::int64_t i = 0; i < out.batch; ++i) {
      const auto place = places[static_cast<std::size_t>(i)];
      if (place == kNowhere) continue;
      const Heads kept = own.heads(place, 1);
      const Heads made = rows_of(out, i, 1);
      std::ranges::copy(made.logits, kept.logits.begin());
      std::ranges::copy(made.value, kept.value.begin());
    }
  }

  /// Makes one forward pass, and appends its activations to `tape`.
  void run(const Inputs& inputs, Tape& tape, const Heads& out) {
    require_sizes(architecture_, inputs, out, takes_pieces());
    tape.extend(out.batch);
    const auto tile = std::min(tile_, out.batch);
    for (std::int64_t first = 0; first < out.batch; first += tile) {
      convolve(inputs, first, std::min(tile, out.batch - first), tape);
    }
    for (std::size_t i = images_; i + 1 < stages_.size(); ++i) {
      stages_[i]->forward({out.batch, tape.latest(i)}, tape.latest(i + 1));
    }
    finish(tape.latest(stages_.size() - 1), out);
  }

  /// Makes the forward pass of each sample by itself; at(slot, sample) is the memory of a sample's
  /// slot of a tape.
  template <class At>
  void run_alone(const Inputs& inputs, const Heads& out, At at) {
    const auto samples = static_cast<std::size_t>(out.batch);
    for (std::size_t s = 0; s < samples; ++s) {
      const auto sample = static_cast<std::int64_t>(s);
      input_.write({&inputs.observations, 1}, sample, 1, at(0, s));
      for (std::size_t i = 0; i < images_; ++i) {
        stages_[i]->forward({1, at(i, s), at(kept(i), s)}, at(i + 1, s));
      }
    }
    from_.resize(samples);
    to_.resize(samples);
    for (std::size_t i = images_; i + 1 < stages_.size(); ++i) {
      for (std::size_t s = 0; s < samples; ++s) {
        from_[s] = at(i, s);
        to_[s] = at(i + 1, s);
      }
      stages_[i]->forward_alone(from_, to_);
    }
    for (std::size_t s = 0; s < samples; ++s) {
      finish(at(stages_.size() - 1, s), rows_of(out, static_cast<std::int64_t>(s), 1));
    }
  }

  /// Computes the heads from the features.
  void finish(const std::byte* features, const Heads& out) {
    const auto width = architecture_.outputs();
    joined_.resize(out.batch * width);
    stages_.back()->forward({out.batch, features}, reinterpret_cast<std::byte*>(joined_.data()));
    const auto* row = joined_.data();
    for (std::int64_t i = 0; i < out.batch; ++i) {
      std::copy_n(row, out.actions, out.logits.begin() + i * out.actions);
      if (architecture_.value_head) out.value[i] = row[out.actions];
      row += width;
    }
  }

  /// Writes the inputs of samples [first, first + count) of the batch, and runs the stages over
  /// images on them.
  void convolve(const Inputs& inputs, std::int64_t first, std::int64_t count, Tape& tape) {
    const auto at = [&](std::size_t i) {
      // If no backward pass follows, each tile overwrites the activations of the one before, so
      // that this memory stays in the cache.
      const bool passes = &tape == &passing_ && i != images_;
      return tape.latest(i) + (passes ? 0 : first) * tape.bytes(i);
    };
    const std::span all(&inputs.observations, 1);
    input_.write(inputs.pieces.empty() ? all : inputs.pieces, first, count, at(0));
    for (std::size_t i = 0; i < images_; ++i) {
      stages_[i]->forward({count, at(i), at(kept(i))}, at(i + 1));
    }
  }

  /// Joins the gradients of all heads to the gradient of the heads' layer.
  void join(const Heads& d) {
    const auto width = architecture_.outputs();
    joined_.resize(d.batch * width);
    auto* row = joined_.data();
    for (std::int64_t i = 0; i < d.batch; ++i) {
      std::copy_n(d.logits.begin() + i * d.actions, d.actions, row);
      if (architecture_.value_head) row[d.actions] = d.value[i];
      row += width;
    }
  }

  /// Backpropagates the heads' gradient to the parameters.
  void back(const Heads& d, const Taped& samples, std::span<float> gradient) {
    join(d);
    const auto* d_output = reinterpret_cast<const std::byte*>(joined_.data());
    for (std::size_t i = stages_.size(); i-- > images_;) {
      d_output = back(i, samples, d_output, d_output_, gradient_.layer(i, gradient));
    }
    const auto convolved = images_ > 0 ? samples.count : 0;
    for (std::int64_t done = 0; done < convolved; done += tile_) {
      convolve_back({samples.tape, samples.first + done, std::min(tile_, samples.count - done)},
                    d_output + done * stages_[images_ - 1]->output_bytes(), done == 0, gradient);
    }
    gradient_.write(gradient);
  }

  /// Backpropagates through the stages over images for one tile of samples; `d_output` is the
  /// gradient after the last of them. The first tile overwrites the gradients of the parameters,
  /// the others add to them.
  void convolve_back(const Taped& samples, const std::byte* d_output, bool first,
                     std::span<float> gradient) {
    for (std::size_t i = images_; i-- > 0;) {
      auto* sums = gradient_.layer(i, gradient);
      if (first) {
        d_output = back(i, samples, d_output, d_tile_, sums);
        continue;
      }
      tile_sums_.resize(stages_[i]->parameter_count());
      d_output = back(i, samples, d_output, d_tile_, tile_sums_.data());
      add(tile_sums_, sums);
    }
  }

  /// Backpropagates through stage `i` for some of the samples. `d_output` is the gradient with
  /// respect to the stage's output. Writes the gradients with respect to its parameters to
  /// `d_parameters` and that with respect to its input to `into`. Returns the latter (null for the
  /// first stage).
  const std::byte* back(std::size_t i, const Taped& samples, const std::byte* d_output,
                        Buffer& into, float* d_parameters) {
    auto& stage = *stages_[i];
    const bool heads = i + 1 == stages_.size();
    const auto* d_linear = heads ? d_output : through_activation(i, samples, d_output);
    auto* d_input =
        stage.spec().first ? nullptr : into.reserve(samples.count * stage.input_bytes());
    stage.backward({samples.count, samples.at(i), samples.at(kept(i))}, d_linear, d_input,
                   d_parameters);
    if (i + 2 == stages_.size() && d_input != nullptr) scale_streams(samples.count, stage, d_input);
    return d_input;
  }

  /// Scales the gradient `d` that both streams of a dueling network send through the torso's last
  /// layer, `layer`.
  void scale_streams(std::int64_t samples, const Stage& layer, std::byte* d) const {
    const auto factor = architecture_.dueling_gradient_scale;
    const auto bytes = static_cast<std::size_t>(samples) * layer.input_bytes();
    if (layer.spec().type == Type::bf16) {
      scale(factor, std::span(reinterpret_cast<Bfloat16*>(d), bytes / 2));
    } else {
      scale(factor, std::span(reinterpret_cast<float*>(d), bytes / 4));
    }
  }

  /// Computes the gradient before the activation of stage `i` from `d`, the gradient after it. The
  /// result has memory of its own, because the gradient of the stage's input will overwrite `d`.
  const std::byte* through_activation(std::size_t i, const Taped& samples, const std::byte* d) {
    const auto& stage = *stages_[i];
    const auto bytes = samples.count * stage.output_bytes();
    const auto* y = samples.at(i + 1);
    auto* out = d_linear_.reserve(bytes);
    const auto activation = stage.spec().activation;
    if (stage.spec().output_type == Type::bf16) {
      activation_backward(activation, bytes / 2, reinterpret_cast<const Bfloat16*>(y),
                          reinterpret_cast<const Bfloat16*>(d), reinterpret_cast<Bfloat16*>(out));
    } else if (stage.spec().type == Type::bf16) {
      activation_backward(activation, bytes / 4, reinterpret_cast<const float*>(y),
                          reinterpret_cast<const float*>(d), reinterpret_cast<Bfloat16*>(out));
    } else {
      activation_backward(activation, bytes / 4, reinterpret_cast<const float*>(y),
                          reinterpret_cast<const float*>(d), reinterpret_cast<float*>(out));
    }
    return out;
  }

  Architecture architecture_;
  std::span<const float> flat_;
  LayerParameters parameters_;
  LayerParameters gradient_;
  Context context_;
  Stages stages_;  // the torso's, then the heads as one layer
  InputWriter input_;
  Tape passing_;   // of the latest forward()
  Tape recorded_;  // of record()
  Tape together_;  // of record_together_at()
  RecordedHeads heads_;
  std::size_t images_;  // the number of stages over images, which come first
  std::int64_t tile_;
  std::vector<const std::byte*> from_;  // a layer's inputs for several samples
  std::vector<std::byte*> to_;          // its outputs
  std::vector<float> joined_;           // outputs of the heads' layer, or their gradients
  // Gradients in backward(): of a dense layer's input, of a tile's convolution input, and before an
  // activation.
  Buffer d_output_, d_tile_, d_linear_;
  HeadsBuffer d_heads_;           // the gradients of some places' heads
  std::vector<float> tile_sums_;  // the gradients of parameters that one tile adds
};

void require_instructions(Precision precision) {
  constexpr auto kBf16 = static_cast<int>(dnnl::cpu_isa::avx512_core_bf16);
  const auto isa = static_cast<int>(dnnl::get_effective_cpu_isa());
  if (precision == Precision::fp32 || (isa & kBf16) == kBf16) return;
  throw Error(
      "net.precision: 'bf16' asked for, but this CPU has no instructions for bfloat16 (avx512_bf16 "
      "or AMX), or TANDEM_CPU leaves them out; use net.precision = \"fp32\"");
}

}  // namespace
}  // namespace onednn

std::string onednn_version() {
  const auto* version = dnnl_version();
  return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
}

std::unique_ptr<Network> make_onednn_network(const Architecture& architecture,
                                             std::span<const float> parameters,
                                             Precision precision) {
  const onednn::OneThread one_thread;
  onednn::obey_the_choice_of_simd();
  onednn::require_instructions(precision);
  return std::make_unique<onednn::OnednnNetwork>(architecture, parameters, precision);
}

}  // namespace tandem
