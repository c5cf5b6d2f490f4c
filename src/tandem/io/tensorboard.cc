#include "tandem/io/tensorboard.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <string_view>
#include <system_error>

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEventPrefix = "events.out.tfevents.";

// CRC-32C (Castagnoli), reflected, as in TFRecord frames.
constexpr auto kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0u);
    table[i] = crc;
  }
  return table;
}();

// TensorFlow masks checksums, so that they may be part of data that have a checksum themselves.
std::uint32_t masked_crc(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const unsigned char byte : bytes) crc = kCrcTable[(crc ^ byte) & 0xff] ^ (crc >> 8);
  return std::rotr(~crc, 15) + 0xa282ead8u;
}

template <class T>
std::string fixed(T value) {
  const auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
  return {bytes.data(), bytes.size()};
}

// The four protobuf encodings that an Event needs; `field` is the number of a field.

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

std::string key(int field, int wire_type) {
  return varint(static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(wire_type));
}

std::string integer_field(int field, std::int64_t value) {
  return key(field, 0) + varint(static_cast<std::uint64_t>(value));
}
std::string double_field(int field, double value) { return key(field, 1) + fixed(value); }
std::string float_field(int field, float value) { return key(field, 5) + fixed(value); }
std::string bytes_field(int field, std::string_view bytes) {
  return key(field, 2) + varint(bytes.size()) + std::string(bytes);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Event: wall_time = 1, step = 2, file_version = 3, summary = 5, session_log = 7.
std::string event(std::int64_t step, const std::string& content) {
  return double_field(1, wall_seconds()) + integer_field(2, step) + content;
}

// The time in the name of the folder's newest event file; 0 if it has none.
std::int64_t newest_time(const fs::path& folder) {
  constexpr std::int64_t kLatest = 9'999'999'998;  // names of ten digits sort by their times
  std::int64_t newest = 0;
  std::error_code error;  // the creation of the file reports it
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with(kEventPrefix)) continue;
    std::int64_t time = 0;
    const auto* digits = name.data() + kEventPrefix.size();
    const auto [end, problem] = std::from_chars(digits, name.data() + name.size(), time);
    if (problem == std::errc{} && time <= kLatest) newest = std::max(newest, time);
  }
  return newest;
}

// Readers take the files of a folder in the order of their names, so the time comes first among the
// parts that differ. It is later than that of each file there, also after a clock was set back.
fs::path new_file_name(const fs::path& folder) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const auto time = std::max(static_cast<std::int64_t>(wall_seconds()), newest_time(folder) + 1);
  for (int attempt = 0;; ++attempt) {
    auto path = folder / fmt::format("{}{:010}.{:03}.{}", kEventPrefix, time, attempt, host.data());
    if (!fs::exists(path)) return path;
  }
}

}  // namespace

EventFile::EventFile(const fs::path& folder, std::optional<std::int64_t> first_step)
    : file_(new_file_name(folder), OutputFile::Mode::create) {
  write_record(event(0, bytes_field(3, "brain.Event:2")));
  if (!first_step) return;
  const auto start = integer_field(1, 1);  // SessionLog.status = START
  write_record(event(*first_step, bytes_field(7, start)));
}

void EventFile::add(std::int64_t step, std::span<const Scalar> scalars) {
  std::string summary;
  for (const auto& [tag, value] : scalars) {
    // Summary.Value: tag = 1, simple_value = 2.
    summary += bytes_field(1, bytes_field(1, tag) + float_field(2, static_cast<float>(value)));
  }
  write_record(event(step, bytes_field(5, summary)));
}

void EventFile::write_record(const std::string& message) {
  const auto length = fixed(static_cast<std::uint64_t>(message.size()));
  file_.write(length + fixed(masked_crc(length)) + message + fixed(masked_crc(message)));
}

}  // namespace tandem
