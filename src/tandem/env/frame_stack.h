// The last frames of an environment.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/base/state.h"

namespace tandem {

/// A ring of the last `depth` frames. Each frame is written once, and copied once into each
/// observation. Value type; not thread-safe.
class FrameStack {
 public:
  FrameStack(std::size_t frame_bytes, std::size_t depth)
      : frame_bytes_(frame_bytes), frames_(frame_bytes * depth) {}

  /// The memory for the next frame, which replaces the oldest.
  std::span<std::byte> next() {
    newest_ = (newest_ + frame_bytes_) % frames_.size();
    return std::span(frames_).subspan(newest_, frame_bytes_);
  }

  /// Replaces all frames with copies of the newest.
  void fill() {
    for (std::size_t at = 0; at < frames_.size(); at += frame_bytes_) {
      if (at != newest_) std::memcpy(&frames_[at], &frames_[newest_], frame_bytes_);
    }
  }

  /// Writes all frames, the oldest first.
  void copy_to(std::byte* observation) const {
    const std::size_t oldest = newest_ + frame_bytes_;
    const std::size_t first = frames_.size() - oldest;  // bytes from the oldest frame to the end of
                                                        // the ring
    std::memcpy(observation, frames_.data() + oldest, first);
    std::memcpy(observation + first, frames_.data(), oldest);
  }

  void save(StateWriter& writer) const {
    writer.put(static_cast<std::uint64_t>(newest_));
    writer.put_bytes(frames_);
  }

  void load(StateReader& reader) {
    const auto newest = reader.get<std::uint64_t>();
    const auto frames = reader.get_bytes();
    if (frames.size() != frames_.size() || newest % frame_bytes_ != 0 || newest >= frames.size()) {
      throw Error("the saved frames have another shape; was it saved with other env options?");
    }
    newest_ = newest;
    std::memcpy(frames_.data(), frames.data(), frames.size());
  }

 private:
  std::size_t frame_bytes_;
  std::size_t newest_ = 0;  // offset in frames_
  std::vector<std::byte> frames_;
};

}  // namespace tandem
