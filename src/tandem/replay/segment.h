// A part of one environment's history in a replay: frames, and transitions between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/base/state.h"
#include "tandem/env/env.h"
#include "tandem/replay/frame_codec.h"

namespace tandem {

/// A sequence of frames, each stored once, compressed or not. Not thread-safe while it grows;
/// afterwards many threads may read it, each with its own codec.
class FrameLog {
 public:
  /// An empty log that reserves memory for about this many frames.
  FrameLog(const FrameFormat& format, std::size_t expected_frames);

  /// The number of frames.
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Appends a frame of frame_bytes bytes.
  void append(std::span<const std::byte> frame, FrameCodec& codec);

  /// Appends frames [first, last) of another log of the same format, without decoding them.
  void append(const FrameLog& other, std::size_t first, std::size_t last);

  /// Copies `count` frames from `first` on to `out`, one after another.
  void read(std::size_t first, std::size_t count, std::byte* out, FrameCodec& codec) const;

  /// Frees reserved memory that is not used.
  void shrink();

  /// The size in memory, in bytes.
  [[nodiscard]] std::size_t bytes() const {
    return bytes_.capacity() + ends_.capacity() * sizeof(std::uint32_t);
  }

  /// Saves the frames without decompressing them.
  void save(StateWriter& writer) const { save(writer, 0, size_); }
  /// Saves frames [first, last) as a log of their own.
  void save(StateWriter& writer, std::size_t first, std::size_t last) const;
  /// Restores saved frames. Throws Error when they are damaged.
  void load(StateReader& reader);

 private:
  [[nodiscard]] std::span<const std::byte> encoded(std::size_t first, std::size_t last) const;
  [[nodiscard]] bool compressed() const { return compression_ != Compression::none; }

  std::size_t frame_bytes_;
  Compression compression_;
  std::size_t size_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<std::uint32_t> ends_;  // the end of each frame in bytes_; empty if not compressed
};

/// An observation as a view of a log's frames. If an episode has fewer frames than the stack, the
/// oldest is repeated, as in VecEnv. Value type.
struct ObservationView {
  std::uint16_t newest = 0;  // index of its newest frame in the log
  std::uint16_t frames = 0;  // number of different frames, up to the newest

  /// The oldest frame's place in the log.
  [[nodiscard]] std::size_t oldest() const { return newest + 1U - frames; }
};

/// One n-step transition (S_t, A_t, R, gamma, S_{t+n}): Ape-X, appendix F. Value type.
struct Transition {
  ObservationView from;     // S_t
  ObservationView to;       // S_{t+n}; `from` if the episode has terminated
  std::int32_t action = 0;  // the discrete action
  float n_step_return = 0;  // R_{t+1} + gamma R_{t+2} + ...
  float discount = 0;       // the factor of the value of S_{t+n}; 0 if the episode has terminated
  float priority = 0;       // the first one, given by the actor
};

/// Transitions together with their frames. One thread builds a segment; afterwards many threads may
/// read it.
class Segment {
 public:
  /// An empty segment that reserves memory for about this many transitions and frames.
  Segment(const FrameFormat& format, std::size_t expected_transitions, std::size_t expected_frames);

  /// The format of its frames.
  [[nodiscard]] const FrameFormat& format() const { return format_; }
  /// The frames, writable while the segment is built.
  [[nodiscard]] FrameLog& frames() { return frames_; }
  /// The frames, read-only.
  [[nodiscard]] const FrameLog& frames() const { return frames_; }
  /// The transitions, in the order of add().
  [[nodiscard]] std::span<const Transition> transitions() const { return transitions_; }

  /// Adds a transition between frames of the log. `controls` is its continuous action; empty for a
  /// discrete one.
  void add(const Transition& transition, std::span<const float> controls);

  /// The continuous action of a transition; empty for discrete ones.
  [[nodiscard]] std::span<const float> controls(std::size_t transition) const;

  /// Writes one stacked observation, of FrameFormat::observation_bytes() bytes, to `out`.
  void read(ObservationView view, std::byte* out, FrameCodec& codec) const;

  /// Writes both observations of a transition. Decompresses shared frames only once.
  void read(const Transition& transition, std::byte* from, std::byte* to, FrameCodec& codec) const;

  /// Gives this priority to the transitions whose priority is not a finite number.
  void fill_priorities(float priority);

  /// Frees reserved memory that is not used.
  void shrink();

  /// The size of everything in memory, in bytes.
  [[nodiscard]] std::size_t bytes() const;

  /// Saves frames, transitions and continuous actions.
  void save(StateWriter& writer) const;

  /// Saves one transition with its frames, from the first to the last that it needs, as a segment
  /// of its own.
  void save(StateWriter& writer, std::size_t transition) const;

  /// Restores a saved segment. Throws Error when it is inconsistent.
  void load(StateReader& reader);

 private:
  FrameFormat format_;
  FrameLog frames_;
  std::vector<Transition> transitions_;
  std::vector<float> controls_;  // [transitions, action_dims]
};

}  // namespace tandem
