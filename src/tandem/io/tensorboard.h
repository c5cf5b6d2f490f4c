// TensorBoard event files, written without TensorFlow.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "tandem/io/files.h"

namespace tandem {

/// One number of a step, under its name. Value type.
struct Scalar {
  std::string tag;   // its name in TensorBoard: "loss/policy"
  double value = 0;  // kept as a 32-bit float
};

/// One event file: protobuf Event messages in TFRecord frames. The operating system has each event
/// when add() returns. Not thread-safe. Throws Error when the file cannot be written.
class EventFile {
 public:
  /// Starts a new event file in `folder`. After a resume, `first_step` is the first step that will
  /// be written: TensorBoard then drops the entries of older files from this step on.
  explicit EventFile(const std::filesystem::path& folder,
                     std::optional<std::int64_t> first_step = std::nullopt);

  /// Writes one event with these numbers.
  void add(std::int64_t step, std::span<const Scalar> scalars);

 private:
  void write_record(const std::string& message);

  OutputFile file_;
};

}  // namespace tandem
