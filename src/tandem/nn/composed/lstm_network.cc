// An LSTM between a torso and its heads. The network below it, whatever library computes it, makes
// W x + b of the observations as its policy head; the recurrence, the gates and the heads are here.

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tandem/nn/batch.h"
#include "tandem/nn/kernels/dense.h"
#include "tandem/nn/kernels/lstm_cell.h"
#include "tandem/nn/network.h"

namespace tandem {
namespace {

constexpr std::size_t kGates = 4;

/// What is below the recurrence.
Architecture below(const Architecture& architecture) {
  Architecture result = architecture;
  result.lstm = 0;
  result.policy_outputs = static_cast<std::int64_t>(kGates) * architecture.lstm;
  result.value_head = false;
  return result;
}

/// A layer's place among the parameters; its bias, if it has one, follows its weights.
struct Place {
  std::size_t weights = 0;
  std::size_t bias = 0;
};

Place place_of(const Architecture& architecture, const std::string& layer) {
  for (const auto& info : architecture.parameters()) {
    if (!info.name.starts_with(layer)) continue;
    const auto offset = static_cast<std::size_t>(info.offset);
    return {offset, offset + static_cast<std::size_t>(info.count)};
  }
  return {};
}

/// What the cells of some samples hold, sample by sample. Buffers grow when needed and stay. Not
/// thread-safe.
class CellTape {
 public:
  explicit CellTape(std::size_t units) : units_(units) {}

  [[nodiscard]] std::size_t samples() const { return samples_; }
  void clear() { samples_ = 0; }

  /// Room for `batch` more samples; the first of them.
  std::size_t extend(std::size_t batch) {
    const auto first = samples_;
    samples_ += batch;
    if (gates_.size() < samples_ * kGates * units_) {
      gates_.resize(samples_ * kGates * units_);
      for (auto* all : {&c_before_, &h_before_, &c_, &tanh_c_, &h_}) all->resize(samples_ * units_);
    }
    return first;
  }

  [[nodiscard]] float* gates(std::size_t sample) { return &gates_[sample * kGates * units_]; }
  [[nodiscard]] float* h_before(std::size_t sample) { return &h_before_[sample * units_]; }
  [[nodiscard]] float* c_before(std::size_t sample) { return &c_before_[sample * units_]; }
  [[nodiscard]] float* h(std::size_t sample) { return &h_[sample * units_]; }
  [[nodiscard]] LstmCells cells(std::size_t sample) {
    const auto first = sample * units_;
    return {units_, gates(sample), &c_before_[first], &c_[first], &tanh_c_[first], &h_[first]};
  }

 private:
  std::size_t units_;
  std::size_t samples_ = 0;
  std::vector<float> gates_, c_before_, h_before_, c_, tanh_c_, h_;
};

class LstmNetwork final : public Network {
 public:
  LstmNetwork(const Architecture& architecture, std::span<const float> parameters,
              const MakeNetwork& make_below)
      : architecture_(architecture),
        units_(static_cast<std::size_t>(architecture.lstm)),
        parameters_(parameters),
        below_size_(static_cast<std::size_t>(below(architecture).parameter_count())),
        below_(make_below(below(architecture), parameters.first(below_size_))),
        recurrent_(place_of(architecture, "lstm.weight_hh")),
        policy_(place_of(architecture, "policy.")),
        value_(place_of(architecture, "value.")),
        dense_(dense_kernels(best_simd())),
        passing_(units_),
        recorded_(units_),
        heads_(architecture.policy_outputs) {}

  [[nodiscard]] const Architecture& architecture() const override { return architecture_; }

  void forward(const Inputs& inputs, const Heads& out) override {
    require_sizes(architecture_, inputs, out);
    passing_.clear();
    const auto first = passing_.extend(static_cast<std::size_t>(out.batch));
    below_->forward({inputs.observations}, gates(passing_, first, out.batch));
    run(inputs, passing_, first, out);
  }

  void record(const Inputs& inputs, const Heads& out) override {
    require_sizes(architecture_, inputs, out);
    const auto batch = static_cast<std::size_t>(out.batch);
    if (recorded_.samples() > 0 && batch != batch_) {
      throw std::logic_error("Network: the steps of an LSTM that are recorded need one batch size");
    }
    batch_ = batch;
    const auto first = recorded_.extend(batch);
    below_->record({inputs.observations}, gates(recorded_, first, out.batch));
    run(inputs, recorded_, first, out);
    heads_.add(out);
    episode_starts_.insert(episode_starts_.end(), inputs.episode_starts.begin(),
                           inputs.episode_starts.end());
  }

  /// Back through the steps that were recorded and no further: what came before them is a constant.
  void backward(const HeadLoss& loss, std::span<float> gradient) override {
    const auto d = heads_.gradient(loss);
    const auto samples = recorded_.samples();
    d_h_.assign(samples * units_, 0.0f);
    heads_backward(d, gradient);
    d_gates_.resize(samples * kGates * units_);
    d_c_.assign(batch_ * units_, 0.0f);
    for (auto first = samples - batch_;; first -= batch_) {
      cells_backward(first);
      if (first == 0) break;
      step_backward(first);
    }
    dense_.to_weights(recurrent_shape(samples), d_gates_.data(), recorded_.h_before(0),
                      &gradient[recurrent_.weights]);
    below_->backward(
        [&](const Heads&, const Heads& d_below) {
          std::ranges::copy(d_gates_, d_below.logits.begin());
        },
        gradient.first(below_size_));
    forget();
  }

  void reload() override {
    below_->reload();
    forget();
  }

 private:
  void forget() {
    recorded_.clear();
    episode_starts_.clear();
    heads_.clear();
  }

  /// Where the network below puts its part of the gates.
  Heads gates(CellTape& tape, std::size_t first, std::int64_t batch) const {
    const auto width = static_cast<std::int64_t>(kGates * units_);
    return {batch, width, {tape.gates(first), static_cast<std::size_t>(batch * width)}, {}};
  }

  [[nodiscard]] DenseShape recurrent_shape(std::size_t samples) const {
    return {static_cast<std::int64_t>(samples), architecture_.lstm,
            static_cast<std::int64_t>(kGates) * architecture_.lstm};
  }

  /// From the gates' part of the network below to states and heads.
  void run(const Inputs& inputs, CellTape& tape, std::size_t first, const Heads& out) {
    const auto batch = static_cast<std::size_t>(out.batch);
    for (std::size_t i = 0; i < batch; ++i) {
      float* const state = &inputs.state[2 * i * units_];
      if (inputs.episode_starts[i] != 0) std::fill_n(state, 2 * units_, 0.0f);
      std::copy_n(state, units_, tape.h_before(first + i));
      std::copy_n(state + units_, units_, tape.c_before(first + i));
    }
    dense_.forward(recurrent_shape(batch), &parameters_[recurrent_.weights], tape.h_before(first),
                   tape.gates(first));
    for (std::size_t i = 0; i < batch; ++i) {
      const auto cells = tape.cells(first + i);
      lstm_forward(cells);
      float* const state = &inputs.state[2 * i * units_];
      std::copy_n(cells.h, units_, state);
      std::copy_n(cells.c, units_, state + units_);
    }
    head_forward(policy_, tape.h(first), out.batch, out.actions, out.logits);
    if (architecture_.value_head) head_forward(value_, tape.h(first), out.batch, 1, out.value);
  }

  void head_forward(const Place& place, const float* h, std::int64_t batch, std::int64_t outputs,
                    std::span<float> out) const {
    const auto width = static_cast<std::size_t>(outputs);
    for (std::size_t i = 0; i < out.size(); i += width) {
      std::copy_n(&parameters_[place.bias], width, &out[i]);
    }
    dense_.forward({batch, architecture_.lstm, outputs}, &parameters_[place.weights], h,
                   out.data());
  }

  /// The heads' gradients, and what they say of each sample's output.
  void heads_backward(const Heads& d, std::span<float> gradient) {
    head_backward(policy_, d.batch, d.actions, d.logits, gradient);
    if (architecture_.value_head) head_backward(value_, d.batch, 1, d.value, gradient);
  }

  void head_backward(const Place& place, std::int64_t batch, std::int64_t outputs,
                     std::span<const float> d, std::span<float> gradient) {
    const DenseShape shape{batch, architecture_.lstm, outputs};
    dense_.to_input(shape, &parameters_[place.weights], d.data(), d_h_.data());
    dense_.to_weights(shape, d.data(), recorded_.h(0), &gradient[place.weights]);
    const auto width = static_cast<std::size_t>(outputs);
    float* const bias = &gradient[place.bias];
    std::fill_n(bias, width, 0.0f);
    for (std::size_t i = 0; i < d.size(); ++i) bias[i % width] += d[i];
  }

  /// Through the cells of the step whose samples begin at `first`.
  void cells_backward(std::size_t first) {
    for (std::size_t i = 0; i < batch_; ++i) {
      const auto sample = first + i;
      lstm_backward(recorded_.cells(sample), {.h = &d_h_[sample * units_],
                                              .c = &d_c_[i * units_],
                                              .gates = &d_gates_[sample * kGates * units_]});
    }
  }

  /// From the gates of that step to the outputs of the one before; nothing passes the beginning of
  /// an episode.
  void step_backward(std::size_t first) {
    d_before_.assign(batch_ * units_, 0.0f);
    dense_.to_input(recurrent_shape(batch_), &parameters_[recurrent_.weights],
                    &d_gates_[first * kGates * units_], d_before_.data());
    for (std::size_t i = 0; i < batch_; ++i) {
      if (episode_starts_[first + i] == 0) continue;
      std::fill_n(&d_before_[i * units_], units_, 0.0f);
      std::fill_n(&d_c_[i * units_], units_, 0.0f);
    }
    float* const d_h = &d_h_[(first - batch_) * units_];
    for (std::size_t k = 0; k < d_before_.size(); ++k) d_h[k] += d_before_[k];
  }

  Architecture architecture_;
  std::size_t units_;
  std::span<const float> parameters_;
  std::size_t below_size_;  // parameters of the network below, which come first
  std::unique_ptr<Network> below_;
  Place recurrent_, policy_, value_;
  DenseKernels dense_;
  CellTape passing_;   // of the latest forward()
  CellTape recorded_;  // of record()
  std::vector<std::uint8_t> episode_starts_;
  std::size_t batch_ = 0;  // of each step recorded
  RecordedHeads heads_;
  std::vector<float> d_h_, d_gates_;   // by sample
  std::vector<float> d_c_, d_before_;  // of the step that backward() is at
};

}  // namespace

std::unique_ptr<Network> make_lstm_network(const Architecture& architecture,
                                           std::span<const float> parameters,
                                           const MakeNetwork& make_below) {
  return std::make_unique<LstmNetwork>(architecture, parameters, make_below);
}

}  // namespace tandem
