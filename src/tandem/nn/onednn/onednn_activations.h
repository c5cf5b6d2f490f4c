// Activations of oneDNN's networks, each sample's at its own place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tandem/nn/activation_recorder.h"
#include "tandem/nn/batch.h"
#include "tandem/nn/onednn/onednn_tape.h"

namespace tandem::onednn {

/// The activations and the heads of every place.
class OnednnActivations final : public Activations {
 public:
  OnednnActivations(std::vector<std::size_t> sizes, std::int64_t samples, std::int64_t actions,
                    bool value_head)
      : tape_(std::move(sizes)),
        logits_(static_cast<std::size_t>(samples * actions)),
        value_(value_head ? static_cast<std::size_t>(samples) : 0),
        heads_{samples, actions, logits_, value_} {
    tape_.extend(samples);
  }

  [[nodiscard]] const Tape& tape() const { return tape_; }

  /// Views of the heads at places [first, first + count).
  [[nodiscard]] Heads heads(std::int64_t first, std::int64_t count) const {
    return rows_of(heads_, first, count);
  }

 private:
  Tape tape_;
  std::vector<float> logits_, value_;
  Heads heads_;  // views of logits_ and value_
};

/// Casts activations to oneDNN's kind. Throws std::logic_error for any other kind.
inline OnednnActivations& own_kind(Activations& activations) {
  auto* own = dynamic_cast<OnednnActivations*>(&activations);
  if (own == nullptr) throw std::logic_error("Network: activations of another kind of network");
  return *own;
}

}  // namespace tandem::onednn
