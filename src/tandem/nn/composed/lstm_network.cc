// An LSTM between a torso and its heads. Another network computes the torso and, as its policy
// head, the gates' part W x + b, where x are the torso's features. This file adds the recurrence,
// the gates and the heads.

#include "tandem/nn/composed/lstm_network.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tandem/nn/batch.h"
#include "tandem/nn/composed/sequences.h"
#include "tandem/nn/kernels/dense.h"
#include "tandem/nn/kernels/lstm_cell.h"

namespace tandem {
namespace {

constexpr std::size_t kGates = 4;

/// The architecture of the network below the recurrence.
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

/// The contents of the cells for some samples, sample by sample. Buffers grow when needed and are
/// reused. Not thread-safe.
class CellTape {
 public:
  explicit CellTape(std::size_t units) : units_(units) {}

  [[nodiscard]] const Sequences& sequences() const { return sequences_; }
  [[nodiscard]] std::size_t samples() const { return sequences_.samples(); }
  void clear() { sequences_.clear(); }

  /// Appends the samples of a call, whose cells are still to be computed; returns the index of
  /// their first wave.
  std::size_t extend(const Inputs& inputs) {
    const auto first_wave =
        sequences_.add(inputs.episode_starts.size(), inputs.follows, inputs.episode_starts);
    if (gates_.size() < samples() * kGates * units_) {
      gates_.resize(samples() * kGates * units_);
      for (auto* all : {&c_before_, &h_before_, &c_, &tanh_c_, &h_}) {
        all->resize(samples() * units_);
      }
    }
    return first_wave;
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
  Sequences sequences_;
  std::vector<float> gates_, c_before_, h_before_, c_, tanh_c_, h_;
};

/// Whether a wave's samples are contiguous.
bool contiguous(std::span<const std::size_t> wave) {
  return wave.back() - wave.front() + 1 == wave.size();
}

class LstmNetwork final : public Network {
 public:
  LstmNetwork(const Architecture& architecture, std::span<const float> parameters,
              const PartFactory& make_below)
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
    const auto first_wave = passing_.extend(inputs);
    below_->forward({inputs.observations}, gates(passing_, 0, out.batch));
    run(inputs, passing_, first_wave, out);
  }

  void record(const Inputs& inputs, const Heads& out) override {
    require_sizes(architecture_, inputs, out);
    const auto first = recorded_.samples();
    const auto first_wave = recorded_.extend(inputs);
    below_->record({inputs.observations}, gates(recorded_, first, out.batch));
    run(inputs, recorded_, first_wave, out);
    heads_.add(out);
  }

  /// Backpropagates through the recorded sequences and no further: their initial states are
  /// constants.
  void backward(const HeadLoss& loss, std::span<float> gradient) override {
    const auto d = heads_.gradient(loss);
    const auto samples = recorded_.samples();
    const auto& sequences = recorded_.sequences();
    d_h_.assign(samples * units_, 0.0f);
    heads_backward(d, gradient);
    d_gates_.resize(samples * kGates * units_);
    d_c_.assign(sequences.chains() * units_, 0.0f);
    for (auto wave = sequences.waves(); wave-- > 0;) {
      cells_backward(sequences.wave(wave));
      wave_backward(sequences.wave(wave));
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
    heads_.clear();
  }

  /// The memory into which the network below writes its part of the gates.
  Heads gates(CellTape& tape, std::size_t first, std::int64_t batch) const {
    const auto width = static_cast<std::int64_t>(kGates * units_);
    return {batch, width, {tape.gates(first), static_cast<std::size_t>(batch * width)}, {}};
  }

  [[nodiscard]] DenseShape recurrent_shape(std::size_t samples) const {
    return {static_cast<std::int64_t>(samples), architecture_.lstm,
            static_cast<std::int64_t>(kGates) * architecture_.lstm};
  }

  /// Computes the states and the heads of a call's samples, the last ones of the tape, from the
  /// part of the gates that the network below computed.
  void run(const Inputs& inputs, CellTape& tape, std::size_t first_wave, const Heads& out) {
    const auto first = tape.samples() - static_cast<std::size_t>(out.batch);
    for (auto wave = first_wave; wave < tape.sequences().waves(); ++wave) {
      run_wave(inputs, tape, first, tape.sequences().wave(wave));
    }
    head_forward(policy_, tape.h(first), out.batch, out.actions, out.logits);
    if (architecture_.value_head) head_forward(value_, tape.h(first), out.batch, 1, out.value);
  }

  void run_wave(const Inputs& inputs, CellTape& tape, std::size_t first,
                std::span<const std::size_t> wave) {
    for (const auto sample : wave) {
      const auto i = sample - first;
      float* const state = &inputs.state[2 * i * units_];
      const auto before = tape.sequences().before(sample);
      if (!inputs.follows.empty() && before != kStartsSequence) {
        const auto cells = tape.cells(static_cast<std::size_t>(before));
        std::copy_n(cells.h, units_, state);
        std::copy_n(cells.c, units_, state + units_);
      }
      if (inputs.episode_starts[i] != 0) std::fill_n(state, 2 * units_, 0.0f);
      std::copy_n(state, units_, tape.h_before(sample));
      std::copy_n(state + units_, units_, tape.c_before(sample));
    }
    recur(tape, wave);
    for (const auto sample : wave) {
      const auto cells = tape.cells(sample);
      lstm_forward(cells);
      float* const state = &inputs.state[2 * (sample - first) * units_];
      std::copy_n(cells.h, units_, state);
      std::copy_n(cells.c, units_, state + units_);
    }
  }

  /// Adds the recurrent part, the product of the weights and h_before, to the wave's gates.
  void recur(CellTape& tape, std::span<const std::size_t> wave) {
    const auto product = [&](const float* h, float* gates) {
      dense_.forward(recurrent_shape(wave.size()), &parameters_[recurrent_.weights], h, gates);
    };
    if (contiguous(wave)) return product(tape.h_before(wave.front()), tape.gates(wave.front()));
    gather(wave, tape.h_before(0), units_, wave_h_);
    gather(wave, tape.gates(0), kGates * units_, wave_gates_);
    product(wave_h_.data(), wave_gates_.data());
    const float* row = wave_gates_.data();
    for (const auto sample : wave) {
      std::copy_n(row, kGates * units_, tape.gates(sample));
      row += kGates * units_;
    }
  }

  /// Copies the wave's rows of `width` numbers to `into`, one after another.
  static void gather(std::span<const std::size_t> wave, const float* rows, std::size_t width,
                     std::vector<float>& into) {
    into.clear();
    for (const auto sample : wave) {
      into.insert(into.end(), rows + sample * width, rows + (sample + 1) * width);
    }
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

  /// Computes the gradients of the heads' parameters, and adds the gradient with respect to each
  /// sample's output h to d_h_.
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

  void cells_backward(std::span<const std::size_t> wave) {
    for (const auto sample : wave) {
      const auto chain = recorded_.sequences().chain(sample);
      lstm_backward(recorded_.cells(sample), {.h = &d_h_[sample * units_],
                                              .c = &d_c_[chain * units_],
                                              .gates = &d_gates_[sample * kGates * units_]});
    }
  }

  /// Backpropagates from the wave's gates to the outputs of the preceding samples.
  void wave_backward(std::span<const std::size_t> wave) {
    const auto& sequences = recorded_.sequences();
    if (std::ranges::all_of(
            wave, [&](auto sample) { return sequences.before(sample) == kStartsSequence; })) {
      return;
    }
    const float* d_gates = &d_gates_[wave.front() * kGates * units_];
    if (!contiguous(wave)) {
      gather(wave, d_gates_.data(), kGates * units_, wave_gates_);
      d_gates = wave_gates_.data();
    }
    d_before_.assign(wave.size() * units_, 0.0f);
    dense_.to_input(recurrent_shape(wave.size()), &parameters_[recurrent_.weights], d_gates,
                    d_before_.data());
    for (std::size_t i = 0; i < wave.size(); ++i) {
      const auto before = sequences.before(wave[i]);
      if (before == kStartsSequence) continue;
      float* const d_h = &d_h_[static_cast<std::size_t>(before) * units_];
      for (std::size_t k = 0; k < units_; ++k) d_h[k] += d_before_[i * units_ + k];
    }
  }

  Architecture architecture_;
  std::size_t units_;
  std::span<const float> parameters_;
  std::size_t below_size_;  // the number of parameters of the network below; they come first
  std::unique_ptr<Network> below_;
  Place recurrent_, policy_, value_;
  DenseKernels dense_;
  CellTape passing_;   // of the latest forward()
  CellTape recorded_;  // of record()
  RecordedHeads heads_;
  std::vector<float> d_h_, d_gates_;        // sample by sample
  std::vector<float> d_c_;                  // chain by chain, at the current wave of backward()
  std::vector<float> d_before_;             // of one wave, like the next two
  std::vector<float> wave_h_, wave_gates_;  // used if the wave's samples are not contiguous
};

}  // namespace

std::unique_ptr<Network> make_lstm_network(const Architecture& architecture,
                                           std::span<const float> parameters,
                                           const PartFactory& make_below) {
  return std::make_unique<LstmNetwork>(architecture, parameters, make_below);
}

}  // namespace tandem
