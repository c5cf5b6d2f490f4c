// The last frames of an environment.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/base/state.h"

namespace tandem {

/// A ring of the last `depth` frames of each agent. Each frame is written once, and copied once
/// into each observation. Value type; not thread-safe.
class FrameStack {
 public:
  FrameStack(std::size_t frame_bytes, std::size_t depth, std::size_t agents)
      : frame_bytes_(frame_bytes),
        step_bytes_(frame_bytes * agents),
        frames_(step_bytes_ * depth) {}

  /// The memory for the next frames of all agents, which replace the oldest.
  std::span<std::byte> next() {
    newest_ = (newest_ + step_bytes_) % frames_.size();
    return std::span(frames_).subspan(newest_, step_bytes_);
  }

  /// The newest frames of all agents.
  [[nodiscard]] std::span<const std::byte> newest() const {
    return std::span(frames_).subspan(newest_, step_bytes_);
  }

  /// Replaces all frames with copies of the newest.
  void fill() {
    for (std::size_t at = 0; at < frames_.size(); at += step_bytes_) {
      if (at != newest_) std::memcpy(&frames_[at], &frames_[newest_], step_bytes_);
    }
  }

  /// Takes the frames of such observations as copy_to() writes for all agents.
  void assign(std::span<const std::byte> observations) {
    if (observations.size() != frames_.size()) {
      throw Error("the saved observations are of another environment");
    }
    newest_ = frames_.size() - step_bytes_;
    const std::byte* frame = observations.data();
    for (std::size_t agent = 0; agent < step_bytes_; agent += frame_bytes_) {
      for (std::size_t at = 0; at < frames_.size(); at += step_bytes_, frame += frame_bytes_) {
        std::memcpy(&frames_[at + agent], frame, frame_bytes_);
      }
    }
  }

  /// Writes the observations of all agents, one after the other.
  void copy_to(std::byte* observations) const {
    const std::size_t depth = frames_.size() / step_bytes_;
    const auto agents = static_cast<int>(step_bytes_ / frame_bytes_);
    for (int agent = 0; agent < agents; ++agent) {
      copy_to(agent, observations + static_cast<std::size_t>(agent) * depth * frame_bytes_);
    }
  }

  /// Writes all frames of an agent, the oldest first.
  void copy_to(int agent, std::byte* observation) const {
    const std::size_t oldest = newest_ + step_bytes_;
    if (step_bytes_ == frame_bytes_) {
      const std::size_t first = frames_.size() - oldest;  // bytes from the oldest frame to the end
                                                          // of the ring
      std::memcpy(observation, frames_.data() + oldest, first);
      std::memcpy(observation + first, frames_.data(), oldest);
      return;
    }
    const std::size_t offset = static_cast<std::size_t>(agent) * frame_bytes_;
    for (std::size_t at = 0; at < frames_.size(); at += step_bytes_, observation += frame_bytes_) {
      std::memcpy(observation, &frames_[(oldest + at) % frames_.size() + offset], frame_bytes_);
    }
  }

  void save(StateWriter& writer) const {
    writer.put(static_cast<std::uint64_t>(newest_));
    writer.put_bytes(frames_);
  }

  void load(StateReader& reader) {
    const auto newest = reader.get<std::uint64_t>();
    const auto frames = reader.get_bytes();
    if (frames.size() != frames_.size() || newest % step_bytes_ != 0 || newest >= frames.size()) {
      throw Error("the saved frames have another shape; was it saved with other env options?");
    }
    newest_ = newest;
    std::memcpy(frames_.data(), frames.data(), frames.size());
  }

 private:
  std::size_t frame_bytes_;  // of one agent
  std::size_t step_bytes_;   // of all agents
  std::size_t newest_ = 0;   // offset in frames_
  std::vector<std::byte> frames_;
};

}  // namespace tandem
