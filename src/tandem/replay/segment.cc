#include "tandem/replay/segment.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "tandem/base/error.h"
#include "tandem/replay/streaming_copy.h"

namespace tandem {
FrameLog::FrameLog(const FrameFormat& format, std::size_t expected_frames)
    : frame_bytes_(format.frame_bytes), compression_(format.compression) {
  if (compressed()) {
    ends_.reserve(expected_frames);
  } else {
    bytes_.reserve(expected_frames * frame_bytes_);
  }
}

void FrameLog::append(std::span<const std::byte> frame, FrameCodec& codec) {
  codec.encode(frame, bytes_);
  if (compressed()) ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  size_ += 1;
}

void FrameLog::append(const FrameLog& other, std::size_t first, std::size_t last) {
  const auto kept = other.encoded(first, last);
  if (compressed()) {
    const auto moved = bytes_.size() - static_cast<std::size_t>(kept.data() - other.bytes_.data());
    for (std::size_t i = first; i < last; ++i) {
      ends_.push_back(static_cast<std::uint32_t>(other.ends_[i] + moved));
    }
  }
  bytes_.insert(bytes_.end(), kept.begin(), kept.end());
  size_ += last - first;
}

std::span<const std::byte> FrameLog::encoded(std::size_t first, std::size_t last) const {
  const auto end_of = [&](std::size_t frames) {
    if (!compressed()) return frames * frame_bytes_;
    return frames == 0 ? std::size_t{0} : ends_[frames - 1];
  };
  return std::span(bytes_).subspan(end_of(first), end_of(last) - end_of(first));
}

void FrameLog::read(std::size_t first, std::size_t count, std::byte* out, FrameCodec& codec) const {
  if (!compressed()) {
    return streaming_copy(encoded(first, first + count), out);
  }
  for (std::size_t i = first; i < first + count; ++i) {
    codec.decode(encoded(i, i + 1), out);
    out += frame_bytes_;
  }
}

void FrameLog::shrink() {
  bytes_.shrink_to_fit();
  ends_.shrink_to_fit();
}

void FrameLog::save(StateWriter& writer, std::size_t first, std::size_t last) const {
  writer.put(static_cast<std::uint64_t>(last - first));
  writer.put_bytes(encoded(first, last));
  if (!compressed()) return writer.put_values(ends_);
  const std::uint32_t before = first == 0 ? 0 : ends_[first - 1];
  writer.put(static_cast<std::uint64_t>((last - first) * sizeof(before)));
  for (std::size_t i = first; i < last; ++i) writer.put(ends_[i] - before);
}

void FrameLog::load(StateReader& reader) {
  size_ = static_cast<std::size_t>(reader.get<std::uint64_t>());
  bytes_ = reader.get_values<std::byte>();
  ends_ = reader.get_values<std::uint32_t>();
  const bool whole =
      compressed() ? ends_.size() == size_ && std::ranges::is_sorted(ends_) &&
                         (ends_.empty() ? 0 : ends_.back()) == bytes_.size()
                   : bytes_.size() / frame_bytes_ == size_ && bytes_.size() % frame_bytes_ == 0;
  if (!whole) throw Error("the saved frames of the replay are damaged, or of another format");
}

Segment::Segment(const FrameFormat& format, std::size_t expected_transitions,
                 std::size_t expected_frames)
    : format_(format), frames_(format, expected_frames) {
  transitions_.reserve(expected_transitions);
  controls_.reserve(expected_transitions * format.action_dims);
}

void Segment::add(const Transition& transition, std::span<const float> controls) {
  if (controls.size() != format_.action_dims) {
    throw std::logic_error("an action of another size than the replay's");
  }
  transitions_.push_back(transition);
  controls_.insert(controls_.end(), controls.begin(), controls.end());
}

std::span<const float> Segment::controls(std::size_t transition) const {
  return std::span(controls_).subspan(transition * format_.action_dims, format_.action_dims);
}

void Segment::read(ObservationView view, std::byte* out, FrameCodec& codec) const {
  const auto bytes = format_.frame_bytes;
  const auto copies = static_cast<std::size_t>(format_.stack) - view.frames;
  frames_.read(view.oldest(), view.frames, out + copies * bytes, codec);
  for (std::size_t i = 0; i < copies; ++i) {
    std::memcpy(out + i * bytes, out + copies * bytes, bytes);
  }
}

void Segment::read(const Transition& transition, std::byte* from, std::byte* to,
                   FrameCodec& codec) const {
  read(transition.from, from, codec);
  const auto bytes = format_.frame_bytes;
  const auto stack = static_cast<std::size_t>(format_.stack);
  const auto full = stack == transition.from.frames && stack == transition.to.frames;
  const auto ahead = static_cast<std::size_t>(transition.to.newest - transition.from.newest);
  const bool shared = full && transition.to.newest >= transition.from.newest && ahead < stack;
  if (format_.compression == Compression::none || !shared) {
    read(transition.to, to, codec);
    return;
  }
  std::memcpy(to, from + ahead * bytes, (stack - ahead) * bytes);
  frames_.read(transition.from.newest + 1U, ahead, to + (stack - ahead) * bytes, codec);
}

void Segment::fill_priorities(float priority) {
  for (auto& transition : transitions_) {
    if (!std::isfinite(transition.priority)) transition.priority = priority;
  }
}

void Segment::shrink() {
  frames_.shrink();
  transitions_.shrink_to_fit();
  controls_.shrink_to_fit();
}

std::size_t Segment::bytes() const {
  return sizeof(Segment) + frames_.bytes() + transitions_.capacity() * sizeof(Transition) +
         controls_.capacity() * sizeof(float);
}

void Segment::save(StateWriter& writer) const {
  frames_.save(writer);
  writer.put_values(transitions_);
  writer.put_values(controls_);
}

void Segment::save(StateWriter& writer, std::size_t transition) const {
  auto alone = transitions_[transition];
  const auto first = std::min(alone.from.oldest(), alone.to.oldest());
  const auto last = std::max(alone.from.newest, alone.to.newest) + std::size_t{1};
  frames_.save(writer, first, last);
  alone.from.newest = static_cast<std::uint16_t>(alone.from.newest - first);
  alone.to.newest = static_cast<std::uint16_t>(alone.to.newest - first);
  writer.put_bytes(std::as_bytes(std::span(&alone, 1)));
  writer.put_bytes(std::as_bytes(controls(transition)));
}

void Segment::load(StateReader& reader) {
  frames_.load(reader);
  transitions_ = reader.get_values<Transition>();
  controls_ = reader.get_values<float>();
  const auto fits = [&](ObservationView view) {
    return view.frames > 0 && view.frames <= format_.stack && view.newest < frames_.size() &&
           view.frames <= view.newest + 1;
  };
  const bool whole = std::ranges::all_of(
      transitions_, [&](const Transition& t) { return fits(t.from) && fits(t.to); });
  if (!whole || controls_.size() != transitions_.size() * format_.action_dims) {
    throw Error("a saved piece of the replay is damaged, or of another format");
  }
}

}  // namespace tandem
