#include "tandem/run/fingerprints.h"

#include <bit>
#include <cstring>
#include <iterator>
#include <span>
#include <system_error>

#include "tandem/run/run_directory.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

static_assert(sizeof(UpdateFingerprint) == 16, "two numbers an update, as in the file");

std::uint64_t mix(std::uint64_t hash, std::uint64_t bits) {
  // The multiplier is that of Fibonacci hashing; the shift mixes the high bits into the low ones.
  hash = (hash ^ bits) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29U);
}

std::uint64_t mix(std::uint64_t hash, double number) {
  return mix(hash, std::bit_cast<std::uint64_t>(number));
}

}  // namespace

UpdateFingerprint next_fingerprint(const UpdateFingerprint& before, const UpdateReport& report) {
  auto hash = mix(before.value, static_cast<std::uint64_t>(report.steps));
  const auto& loss = report.loss;
  for (const double number : {loss.policy_loss, loss.value_loss, loss.entropy, loss.q, loss.epsilon,
                              loss.samples, report.gradient_norm, report.learning_rate}) {
    hash = mix(hash, number);
  }
  for (const auto& episode : report.episodes) {
    hash = mix(hash, static_cast<std::uint64_t>(episode.env));
    hash = mix(hash, static_cast<std::uint64_t>(episode.steps));
    hash = mix(hash, episode.episode_return);
  }
  return {before.steps + report.steps, hash};
}

std::optional<FingerprintLog> FingerprintLog::go_on(const fs::path& folder, std::int64_t updates) {
  const auto all = read_fingerprints(folder);
  if (std::ssize(all) < updates) return std::nullopt;
  const auto last = updates > 0 ? all[static_cast<std::size_t>(updates) - 1] : UpdateFingerprint{};
  if (std::ssize(all) > updates) {  // a run that was killed may have written more
    std::error_code error;
    fs::resize_file(RunPaths{folder}.updates(), static_cast<std::uintmax_t>(updates) * sizeof(last),
                    error);
    if (error) throw write_error(RunPaths{folder}.updates(), error.value());
  }
  return FingerprintLog(folder, last);
}

FingerprintLog::FingerprintLog(const fs::path& folder, UpdateFingerprint last)
    : last_(last), file_(RunPaths{folder}.updates(), OutputFile::Mode::append) {}

void FingerprintLog::add(const UpdateReport& report, std::int64_t steps) {
  last_ = next_fingerprint(last_, report);
  last_.steps = steps;  // reports of play alone have no fingerprint
  const auto bytes = std::as_bytes(std::span(&last_, 1));
  unwritten_.insert(unwritten_.end(), bytes.begin(), bytes.end());
}

void FingerprintLog::flush() {
  file_.write(unwritten_);
  unwritten_.clear();
}

std::vector<UpdateFingerprint> read_fingerprints(const fs::path& folder) {
  if (!fs::exists(RunPaths{folder}.updates())) return {};
  const auto bytes = read_file(RunPaths{folder}.updates());
  std::vector<UpdateFingerprint> all(bytes.size() / sizeof(UpdateFingerprint));
  // A run without an update yet has an empty file, and memcpy takes no null pointers.
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), all.size() * sizeof(UpdateFingerprint));
  return all;
}

}  // namespace tandem
