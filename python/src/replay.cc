#include "replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <span>
#include <system_error>
#include <tuple>

#include "tandem/base/available_memory.h"
#include "tandem/io/files.h"
#include "tandem/io/piece_file.h"
#include "tandem/io/settings.h"
#include "tandem/replay/table_state.h"
#include "tandem/sync/crew.h"

namespace tandem::python {
namespace {

namespace nb = nanobind;
using Clock = std::chrono::steady_clock;

constexpr auto kFileKind = "tandem.Replay 1";  // at the beginning of each file

ReplayConfig load_config(const std::vector<std::pair<std::string, std::string>>& options) {
  ReplayConfig config;
  const auto fields = prefixed("replay.", config.fields());
  for (const auto& [key, text] : options) {
    apply_setting({"replay." + key, text, fmt::format("{}={}", key, text)}, fields);
  }
  return config;
}

FrameFormat format_of(const ReplayShape& shape, const ReplayConfig& config) {
  EnvSpec spec{.dtype = shape.bytes ? DType::u8 : DType::f32,
               .frame_shape = shape.shape,
               .stack = shape.stack,
               .num_actions = 1};
  if (!spec.frame_shape.empty()) spec.frame_shape.front() /= shape.stack;
  auto format = frame_format(spec, compression_of(config.compression));
  format.frame_bytes = shape.item_bytes;
  for (const auto size : spec.frame_shape) format.frame_bytes *= static_cast<std::size_t>(size);
  format.action_dims = shape.action_dims;
  // Places of frames in a segment are numbers of 32 bits.
  const auto frames = static_cast<std::size_t>(config.segment + shape.n + shape.stack);
  constexpr std::size_t kMostBytes = std::numeric_limits<std::int32_t>::max();
  if (format.frame_bytes > kMostBytes / frames) {
    throw Error(fmt::format(
        "a segment of {} transitions with frames of {} bytes is too large: set replay.segment to "
        "less",
        config.segment, format.frame_bytes));
  }
  return format;
}

/// Calls attempt(table, deadline) without the GIL until it returns true, and lets Python handle
/// signals now and then. Returns whether it did within so many seconds.
template <class Attempt>
bool wait(const ReplayCore& core, std::optional<double> timeout, Attempt attempt) {
  constexpr std::chrono::milliseconds kSlice{50};
  constexpr double kForEver = 1e9;  // seconds
  const std::chrono::duration<double> seconds(std::min(kForEver, timeout.value_or(kForEver)));
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds);
  for (;;) {
    const auto table = core.table();
    bool done = false;
    bool closed = false;
    {
      const nb::gil_scoped_release without_gil;
      try {
        done = attempt(*table, std::min(end, Clock::now() + kSlice));
      } catch (const Stopped&) {
        closed = true;
      }
    }
    if (closed) throw ReplayClosed("the replay was closed while a call waited for it");
    if (done) return true;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (Clock::now() >= end) return false;
  }
}

/// An array of one number for each sample, over a member of a batch.
template <class T>
nb::object view(std::vector<T>& numbers, const nb::capsule& owner) {
  const std::size_t size = numbers.size();
  return nb::cast(nb::ndarray<nb::numpy, T>(numbers.data(), 1, &size, owner));
}

/// An array of several numbers for each sample; None if there are none.
template <class Shown, class T>
nb::object view_rows(std::vector<T>& numbers, std::size_t rows, const nb::capsule& owner) {
  if (numbers.empty()) return nb::none();
  const std::size_t shape[] = {rows, numbers.size() / rows};
  return nb::cast(nb::ndarray<nb::numpy, Shown>(numbers.data(), 2, shape, owner));
}

std::span<const float> span_of(const std::optional<Given<float, 1>>& values) {
  return values ? std::span<const float>(values->data(), values->size()) : std::span<const float>();
}

std::span<const std::byte> bytes_of(const Given<std::uint8_t, 2>& array) {
  return std::as_bytes(std::span(array.data(), array.size()));
}

void require_priorities(std::span<const float> priorities) {
  for (std::size_t i = 0; i < priorities.size(); ++i) {
    if (priorities[i] >= 0 && std::isfinite(priorities[i])) continue;
    throw Error(
        fmt::format("priority {} is {}; priorities are finite numbers from 0 on, and none "
                    "of these was taken",
                    i, priorities[i]));
  }
}

}  // namespace

ReplayCore::ReplayCore(const std::vector<std::pair<std::string, std::string>>& options,
                       const ReplayShape& shape, std::uint64_t seed)
    : shape_(shape),
      config_(load_config(options)),
      format_(format_of(shape, config_)),
      seed_(seed),
      table_(make_table()) {
  if (config_.compression != "none") return;
  require_memory(config_, raw_bytes_per_transition(config_, format_, shape.n), 0,
                 available_memory_bytes());
}

std::shared_ptr<Table> ReplayCore::make_table() const {
  constexpr std::int64_t kBatch = 1;  // sample() checks the sizes of batches
  return std::make_shared<Table>(config_, format_, kBatch, seed_, stop_.get_token());
}

std::shared_ptr<Table> ReplayCore::table() const {
  if (forked()) {
    throw Error(
        "this replay belongs to another process, of which this one is a fork: make it after the "
        "fork, or start processes by spawn");
  }
  if (table_ == nullptr) throw ReplayClosed("this replay is closed; make a new one");
  return table_;
}

void ReplayCore::raise_largest(float priority) {
  float known = largest_;
  while (priority > known && !largest_.compare_exchange_weak(known, priority)) {
  }
}

void ReplayCore::require_memory_for(const Table& table) {
  if (config_.compression == "none") return;
  const std::lock_guard lock(memory_mutex_);
  if (!memory_) memory_.emplace(config_, available_memory_bytes);
  try {
    memory_->look(table.state());
  } catch (const Error&) {
    memory_.reset();  // a caller who goes on is told again
    throw;
  }
}

void ReplayCore::insert(Table& table, Segments segments) {
  if (!segments.empty()) require_memory_for(table);
  for (auto& segment : segments) {
    segment->fill_priorities(largest_);
    for (const auto& transition : segment->transitions()) raise_largest(transition.priority);
    table.insert(std::move(segment));
  }
  if (!segments.empty()) table.trim();
}

void ReplayCore::close() {
  if (forked()) return;
  stop_.request_stop();
  auto table = std::exchange(table_, nullptr);
  const nb::gil_scoped_release without_gil;
  table.reset();
}

ReplayWriter::ReplayWriter(std::shared_ptr<ReplayCore> core, int rows, Autoreset autoreset)
    : core_(std::move(core)),
      occupancy_(
          "this writer belongs to another process, of which this one is a fork: make the replay "
          "after the fork, or start processes by spawn",
          "another thread is adding by this writer. Give each thread a writer of its own, by "
          "Replay.writer()"),
      writer_({.format = core_->format(),
               .transitions = {.n = core_->shape().n,
                               .gamma = core_->shape().gamma,
                               .transitions = static_cast<std::size_t>(core_->config().segment)},
               .rows = rows,
               .autoreset = autoreset}),
      actions_(static_cast<std::size_t>(rows)) {}

bool ReplayWriter::add_discrete(const Given<std::int32_t, 1>& actions, const Step& step,
                                std::optional<double> timeout) {
  const Caller caller(occupancy_);
  for (std::size_t i = 0; i < actions_.size(); ++i) actions_[i] = {.discrete = actions.data()[i]};
  return add(step, timeout);
}

bool ReplayWriter::add_continuous(const Given<float, 2>& actions, const Step& step,
                                  std::optional<double> timeout) {
  const Caller caller(occupancy_);
  const auto dims = actions.shape(1);
  for (std::size_t i = 0; i < actions_.size(); ++i) {
    actions_[i] = {.continuous = {actions.data() + i * dims, dims}};
  }
  return add(step, timeout);
}

bool ReplayWriter::add(const Step& arrays, std::optional<double> timeout) {
  const ReplayCore::Call call(*core_);
  const auto rows = actions_.size();
  const VectorStep step{.observations = bytes_of(arrays.observations),
                        .actions = actions_,
                        .next_observations = bytes_of(arrays.next_observations),
                        .rewards = {arrays.rewards.data(), rows},
                        .terminated = {arrays.terminated.data(), rows},
                        .truncated = {arrays.truncated.data(), rows},
                        .action_values = span_of(arrays.action_values),
                        .state_values = span_of(arrays.state_values),
                        .final_values = span_of(arrays.final_values)};
  writer_.check(step);
  const auto may_insert = [](Table& table, Table::Deadline deadline) {
    return table.wait_to_insert(deadline);
  };
  if (!wait(*core_, timeout, may_insert)) return false;
  const auto table = core_->table();
  const nb::gil_scoped_release without_gil;
  writer_.add(step, full_);
  insert(*table);
  return true;
}

void ReplayWriter::insert(Table& table) { core_->insert(table, std::exchange(full_, {})); }

void ReplayWriter::end_episodes() {
  const Caller caller(occupancy_);
  const ReplayCore::Call call(*core_);
  const auto table = core_->table();
  const nb::gil_scoped_release without_gil;
  writer_.end_episodes(full_);
  insert(*table);
}

void ReplayWriter::flush() {
  const Caller caller(occupancy_);
  const ReplayCore::Call call(*core_);
  const auto table = core_->table();
  const nb::gil_scoped_release without_gil;
  writer_.flush(full_);
  insert(*table);
}

Replay::Replay(const std::vector<std::pair<std::string, std::string>>& options,
               const ReplayShape& shape, std::uint64_t seed)
    // In a forked process the table's locks may be held by threads that are not there, so that
    // nothing can be freed.
    : core_(new ReplayCore(options, shape, seed), [](ReplayCore* core) {
        if (!core->forked()) delete core;
      }) {}

const std::shared_ptr<ReplayCore>& Replay::core() const {
  std::ignore = core_->table();  // throws if the replay is closed
  return core_;
}

nb::object Replay::sample(std::size_t size, std::optional<double> timeout) {
  const ReplayCore::Call call(*core_);
  core_->table()->require_batch(static_cast<std::int64_t>(size));
  if (batches_ == nullptr || size != batch_size_) {
    batches_ = std::make_shared<LendingPool<SampleBatch>>(
        [format = core_->format(), size] { return SampleBatch(format, size); });
    batch_size_ = size;
  }
  auto lent = batches_->take();
  const auto draw = [&](Table& table, Table::Deadline deadline) {
    return table.sample(*lent, deadline);
  };
  if (!wait(*core_, timeout, draw)) return nb::none();
  SampleBatch& batch = *lent;
  const auto owner = std::move(lent).to_owner();
  return nb::make_tuple(view_rows<std::uint8_t>(batch.observations, size, owner),
                        view_rows<std::uint8_t>(batch.next_observations, size, owner),
                        view(batch.actions, owner), view_rows<float>(batch.controls, size, owner),
                        view(batch.n_step_returns, owner), view(batch.discounts, owner),
                        view(batch.weights, owner), view(batch.keys, owner),
                        view(batch.priorities, owner), view(batch.ages, owner));
}

void Replay::update(const Given<std::uint64_t, 1>& keys, const Given<float, 1>& priorities) {
  const ReplayCore::Call call(*core_);
  const auto table = core_->table();
  const nb::gil_scoped_release without_gil;
  const std::span numbers(priorities.data(), priorities.size());
  require_priorities(numbers);
  for (const float priority : numbers) core_->raise_largest(priority);
  table->update({keys.data(), keys.size()}, numbers);
}

TableState Replay::state() const {
  const ReplayCore::Call call(*core_);
  const auto table = core_->table();
  const nb::gil_scoped_release without_gil;
  return table->state();
}

void Replay::save(const std::string& file) const {
  const ReplayCore::Call call(*core_);
  const auto table = core_->table();
  const nb::gil_scoped_release without_gil;
  const std::filesystem::path path(file);
  // A name of its own for each call, so that calls at once do not write into the same file.
  const std::filesystem::path partial =
      fmt::format("{}.{}-{}.new", file, getpid(), saves_->fetch_add(1));
  try {
    PieceWriter writer(partial);
    StateWriter head;
    head.put_string(kFileKind);
    head.put_string(core_->shape().kind);
    head.put(core_->largest());
    writer.put(head.bytes());
    pieces_of(table->snapshot())([&](std::span<const std::byte> piece) { writer.put(piece); });
    writer.finish();
    std::error_code error;
    std::filesystem::rename(partial, path, error);
    if (error) throw write_error(path, error.value());
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    throw;
  }
  const auto folder = path.parent_path();
  sync_folder(folder.empty() ? "." : folder);
}

void Replay::load(const std::string& file) {
  const ReplayCore::Call call(*core_);
  const auto require_empty = [&] {
    if (core_->table()->state().inserted == 0) return;
    throw Error("only an empty replay can be loaded: call load() before anything is added");
  };
  require_empty();
  auto loaded = core_->make_table();
  float largest = 0;
  {
    const nb::gil_scoped_release without_gil;
    bool first = true;
    restore(*loaded, [&](const TakePiece& take) {
      read_pieces(file, [&](std::span<const std::byte> piece) {
        if (!first) return take(piece);
        first = false;
        StateReader head(piece);
        if (head.get_string() != kFileKind) {
          throw Error(fmt::format("{} holds no replay that this version can read", file));
        }
        if (const auto kind = head.get_string(); kind != core_->shape().kind) {
          throw Error(fmt::format("{} holds a replay of {}; this one is of {}", file, kind,
                                  core_->shape().kind));
        }
        largest = head.get<float>();
      });
    });
    loaded->trim();
    core_->require_memory_for(*loaded);
  }
  require_empty();  // nothing was added meanwhile
  core_->raise_largest(largest);
  core_->set_table(std::move(loaded));
}

}  // namespace tandem::python
