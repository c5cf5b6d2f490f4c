#include "tandem/study/apex/replay_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "tandem/base/available_memory.h"
#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tandem/base/streams.h"
#include "tandem/replay/n_step_builder.h"
#include "tandem/run/run_config.h"
#include "tandem/sync/crew.h"
#include "tandem/systems/apex/replay_budget.h"

namespace tandem {
namespace {

constexpr std::size_t kSide = 84;
constexpr std::size_t kFrameBytes = kSide * kSide;
constexpr int kPictures = 256;
constexpr int kEpisodeSteps = 1000;

using Picture84 = std::vector<std::byte>;

/// A grey field with two paddles and a ball, at new places in each picture.
Picture84 game_picture(Stream& stream) {
  Picture84 picture(kFrameBytes, std::byte{87});
  const auto block = [&](std::size_t left, std::size_t width, std::size_t height, std::byte grey) {
    const std::size_t top = stream.below(static_cast<std::uint32_t>(kSide - height));
    for (std::size_t y = top; y < top + height; ++y) {
      std::fill_n(picture.begin() + static_cast<std::ptrdiff_t>(y * kSide + left), width, grey);
    }
  };
  block(8, 2, 8, std::byte{148});
  block(74, 2, 8, std::byte{147});
  block(stream.below(kSide - 2), 1, 2, std::byte{236});
  return picture;
}

Picture84 noise_picture(Stream& stream) {
  Picture84 picture(kFrameBytes);
  for (auto& pixel : picture) pixel = static_cast<std::byte>(stream.bits());
  return picture;
}

std::vector<Picture84> make_pictures(bool random) {
  Stream stream(1, streams::kSimulations.id());
  std::vector<Picture84> pictures;
  pictures.reserve(kPictures);
  for (int i = 0; i < kPictures; ++i) {
    pictures.push_back(random ? noise_picture(stream) : game_picture(stream));
  }
  return pictures;
}

/// Makes segments of transitions as an actor does, but without playing a game.
class Writer {
 public:
  Writer(const ReplayTask& task, const FrameFormat& format, const std::vector<Picture84>& pictures,
         int rank)
      : pictures_(pictures),
        builder_(format, {.n = task.n,
                          .gamma = 0.99,
                          .transitions = static_cast<std::size_t>(task.replay.segment)}),
        stream_(2, static_cast<std::uint64_t>(rank)) {
    builder_.begin(next_picture());
  }

  /// Adds steps until a segment is full, and returns it.
  std::unique_ptr<Segment> write() {
    while (true) {
      builder_.act({.discrete = 1},
                   {.action_value = stream_.uniform(), .state_value = stream_.uniform()});
      const bool full = builder_.full();
      auto segment = full ? builder_.take() : nullptr;
      if (++steps_ % kEpisodeSteps == 0) {
        builder_.terminate(1);
        builder_.begin(next_picture());
      } else {
        builder_.step(0, next_picture());
      }
      if (full) return segment;
    }
  }

 private:
  const Picture84& next_picture() {
    return pictures_[stream_.below(static_cast<std::uint32_t>(pictures_.size()))];
  }

  const std::vector<Picture84>& pictures_;
  NStepBuilder builder_;
  Stream stream_;
  std::int64_t steps_ = 0;
};

class ReplayBench {
 public:
  ReplayBench(const ReplayTask& task, const StopRequested& stop_requested)
      : task_(task),
        stop_requested_(stop_requested),
        format_{.frame_bytes = kFrameBytes,
                .stack = 4,
                .width = kSide,
                .compression = compression_of(task.replay.compression)},
        pictures_(make_pictures(task.random)),
        table_(task.replay, format_, task.batch, 1, crew_.stop_token()) {
    for (int i = 0; i < task.writers; ++i) writers_.emplace_back(task, format_, pictures_, i);
    for (int i = 0; i < task.readers; ++i) {
      batches_.emplace_back(format_, static_cast<std::size_t>(task.batch));
    }
  }

  ~ReplayBench() {
    running_ = false;  // a thread that could not start leaves the others running
    crew_.end();
  }
  ReplayBench(const ReplayBench&) = delete;
  ReplayBench& operator=(const ReplayBench&) = delete;

  ReplaySpeed measure() {
    fill();
    ReplaySpeed speed;
    speed.bytes_per_transition = table_.state().bytes_per_transition();
    speed.sample_bytes = 2.0 * static_cast<double>(format_.observation_bytes());
    speed.writing = run(true, false);
    speed.reading = run(false, true);
    speed.together = run(true, true);
    return speed;
  }

 private:
  /// Fills the replay before anything is measured: the first write to new memory takes several
  /// times as long as later ones.
  void fill() {
    while (table_.state().transitions < task_.replay.capacity) {
      look_at_stop();
      for (auto& writer : writers_) table_.insert(writer.write());
    }
    table_.trim();
  }

  ReplayRates run(bool writing, bool reading) {
    running_ = true;
    inserts_ = 0;
    samples_ = 0;
    const Stopwatch watch;
    if (writing) {
      crew_.spawn("writer", static_cast<int>(task_.writers),
                  [this](int rank) { inserts_ += write(rank); });
    }
    if (reading) {
      crew_.spawn("reader", static_cast<int>(task_.readers),
                  [this](int rank) { samples_ += read(rank); });
    }
    while (watch.seconds() < task_.seconds && !stop_requested_()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    running_ = false;
    crew_.join();
    const double seconds = watch.seconds();
    look_at_stop();
    return {.inserts = static_cast<double>(inserts_) / seconds,
            .samples = static_cast<double>(samples_) / seconds};
  }

  std::int64_t write(int rank) {
    std::int64_t inserted = 0;
    while (running_) {
      auto segment = writers_[static_cast<std::size_t>(rank)].write();
      inserted += static_cast<std::int64_t>(segment->transitions().size());
      table_.insert(std::move(segment));
      if (rank == 0) table_.trim();  // the learner does this in Ape-X
    }
    return inserted;
  }

  std::int64_t read(int rank) {
    auto& batch = batches_[static_cast<std::size_t>(rank)];
    Stream stream(3, streams::kSimulations.id(static_cast<std::uint64_t>(rank)));
    std::int64_t sampled = 0;
    while (running_) {
      table_.sample(batch);
      for (float& priority : batch.priorities) priority = stream.uniform();
      table_.update(batch.keys, batch.priorities);
      sampled += task_.batch;
    }
    return sampled;
  }

  void look_at_stop() const {
    if (stop_requested_()) throw Interrupted();
  }

  const ReplayTask& task_;
  const StopRequested& stop_requested_;
  const FrameFormat format_;
  const std::vector<Picture84> pictures_;
  Crew crew_;
  Table table_;
  std::vector<Writer> writers_;
  std::vector<SampleBatch> batches_;
  std::atomic<bool> running_ = false;
  std::atomic<std::int64_t> inserts_ = 0;
  std::atomic<std::int64_t> samples_ = 0;
};

/// Throws Error if the samples of all readers need more memory than there is.
void require_memory_for_samples(const ReplayTask& task, const FrameFormat& format) {
  const auto available = available_memory_bytes();
  if (!available) return;
  const double bytes = 2.0 * static_cast<double>(task.readers) * static_cast<double>(task.batch) *
                       static_cast<double>(format.observation_bytes());
  if (bytes < static_cast<double>(*available)) return;
  throw Error(fmt::format(
      "--readers {} with samples of --batch {} transitions need {:.1f} GB of memory, and {:.1f} GB "
      "can be had: choose a smaller batch",
      task.readers, task.batch, bytes / 1e9, static_cast<double>(*available) / 1e9));
}

/// The size of the blocks that each of the threads copies. They are too large for a cache, but all
/// of them take no more than half of the memory that there is.
std::size_t copied_block_bytes(int threads) {
  constexpr std::int64_t kMost = std::int64_t{128} << 20;
  const auto parts = std::int64_t{4} * threads;
  const auto share = available_memory_bytes().value_or(parts * kMost) / parts;
  return static_cast<std::size_t>(std::clamp<std::int64_t>(share, 1, kMost));
}

/// Bytes per second of plain copies between large blocks.
double copy_rate(int threads, double seconds) {
  const auto block_bytes = copied_block_bytes(threads);
  std::atomic<std::int64_t> copied = 0;
  const Stopwatch watch;
  {
    Crew crew;
    crew.spawn("copier", threads, [&](int) {
      const std::vector<std::byte> from(block_bytes, std::byte{1});
      std::vector<std::byte> to(block_bytes, std::byte{2});
      const Stopwatch own;
      std::int64_t bytes = 0;
      while (own.seconds() < seconds) {
        std::memcpy(to.data(), from.data(), block_bytes);
        bytes += static_cast<std::int64_t>(block_bytes);
      }
      copied += static_cast<std::int64_t>(static_cast<double>(bytes) / own.seconds());
    });
    crew.join();
  }
  return static_cast<double>(copied);
}

}  // namespace

ReplaySpeed measure_replay(const ReplayTask& task, const StopRequested& stop_requested) {
  const FrameFormat format{.frame_bytes = kFrameBytes, .stack = 4};
  require_memory_for_samples(task, format);
  if (task.replay.compression == "none" || task.random) {
    require_memory(task.replay, raw_bytes_per_transition(task.replay, format, task.n), 0,
                   available_memory_bytes());
  }
  auto speed = ReplayBench(task, stop_requested).measure();
  const double seconds = std::min(1.0, task.seconds);
  speed.copy_bytes_per_second = copy_rate(1, seconds);
  speed.copies_bytes_per_second = copy_rate(RunConfig{}.thread_budget(), seconds);
  return speed;
}

}  // namespace tandem
