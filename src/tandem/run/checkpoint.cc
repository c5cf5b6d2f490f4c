#include "tandem/run/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <system_error>

#include "tandem/base/error.h"
#include "tandem/base/sha256.h"
#include "tandem/io/compressed_bytes.h"
#include "tandem/io/files.h"
#include "tandem/io/piece_file.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Bytes = std::vector<std::byte>;

constexpr int kFormat = 1;
constexpr auto kTensors = "tensors.safetensors";
constexpr auto kState = "state.json";
constexpr auto kManifest = "manifest.json";
constexpr auto kPlain = ".bin";
constexpr auto kCompressed = ".bin.zst";
constexpr auto kPieces = ".pieces";
constexpr auto kTemporary = ".tmp-";

/// A damaged checkpoint, for which an older one can stand in. Any other Error (rights, a program of
/// another version) is one that the user can mend, so the checkpoint is not skipped.
class Damage : public Error {
 public:
  using Error::Error;
};

Bytes to_bytes(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void require_there(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error) && !error) {
    throw Damage(fmt::format("{} is missing", file.string()));
  }
}

/// Calls `read`. A trainer may remove the checkpoint meanwhile.
template <class Read>
auto read_part(const fs::path& file, const Read& read) {
  require_there(file);
  try {
    return read(file);
  } catch (const Error&) {
    require_there(file);
    throw;
  }
}

Bytes read_part(const fs::path& file) { return read_part(file, read_file); }

json parse_json(const Bytes& bytes, const fs::path& file) {
  try {
    return json::parse(as_text(bytes));
  } catch (const json::exception& error) {
    throw Damage(fmt::format("{} is not valid JSON: {}", file.string(), error.what()));
  }
}

void require_file_name(const std::string& name) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; };
  if (name.empty() || !std::ranges::all_of(name, allowed)) {
    throw std::invalid_argument("'" + name + "' cannot name a blob of a checkpoint");
  }
}

/// Writes the files of one checkpoint and remembers them for the manifest.
class FolderWriter {
 public:
  explicit FolderWriter(fs::path folder) : folder_(std::move(folder)) {}

  void add(const std::string& name, std::span<const std::byte> bytes) {
    write_durably(folder_ / name, bytes);
    files_[name] = {{"size", bytes.size()}, {"sha256", sha256_hex(bytes)}};
  }

  void add_blob(const std::string& name, std::span<const std::byte> bytes) {
    require_file_name(name);
    if (const auto packed = compress_bytes(bytes)) {
      add(name + kCompressed, *packed);
    } else {
      add(name + kPlain, bytes);
    }
  }

  void add_pieces(const std::string& name, const GivePieces& give) {
    require_file_name(name);
    const auto file = folder_ / (name + kPieces);
    PieceWriter writer(file);
    try {
      give([&](std::span<const std::byte> piece) { writer.put(piece); });
    } catch (const PiecesLost&) {
      fs::remove(file);
      return;
    }
    const auto written = writer.finish();
    files_[name + kPieces] = {{"size", written.bytes}, {"sha256", written.sha256}};
  }

  /// Writes the manifest after all other files, and syncs the folder.
  void seal() const;

 private:
  fs::path folder_;
  json files_ = json::object();
};

/// The only valid text of a manifest with these files. It ends with the hash of the rest, so that a
/// damaged manifest is recognised, too.
std::string manifest_text(const json& files, const json& format = kFormat) {
  json manifest = {{"format", format}, {"files", files}};
  manifest["sha256"] = sha256_hex(to_bytes(manifest.dump()));
  return manifest.dump(2) + "\n";
}

void FolderWriter::seal() const {
  write_durably(folder_ / kManifest, to_bytes(manifest_text(files_)));
  sync_folder(folder_);
}

json read_manifest(const fs::path& folder) {
  const auto file = folder / kManifest;
  const auto bytes = read_part(file);
  const auto manifest = parse_json(bytes, file);
  if (!manifest.is_object() || !manifest.contains("files") || !manifest["files"].is_object()) {
    throw Damage(fmt::format("{} is damaged: it lists no files", file.string()));
  }
  // Only values without depth are copied, because that takes stack for each level.
  const auto is_flat = [](const json& entry) {
    return entry.is_object() && std::ranges::none_of(entry, &json::is_structured);
  };
  const auto given = manifest.find("format");
  const bool has_format = given != manifest.end() && !given->is_structured();
  if (!has_format || !std::ranges::all_of(manifest["files"], is_flat)) {
    throw Damage(fmt::format("{} is damaged: it describes no files", file.string()));
  }
  const json& format = *given;
  if (manifest_text(manifest["files"], format) != as_text(bytes)) {
    throw Damage(fmt::format("{} is damaged: its checksum differs", file.string()));
  }
  if (format != kFormat) {
    throw Error(
        fmt::format("{} has format {} and this version of tandem reads format {}: go on with the "
                    "version that wrote it",
                    file.string(), format.dump(), kFormat));
  }
  return manifest["files"];
}

Bytes read_verified(const fs::path& file, const json& expected) {
  auto bytes = read_part(file);
  const auto size = expected.at("size").get<std::uint64_t>();
  if (bytes.size() != size) {
    throw Damage(fmt::format("{} is damaged: it has {} bytes instead of {}", file.string(),
                             bytes.size(), size));
  }
  if (sha256_hex(bytes) != expected.at("sha256").get<std::string>()) {
    throw Damage(fmt::format("{} is damaged: its checksum differs", file.string()));
  }
  return bytes;
}

/// Verifies files that are too large to read at once.
void verify(const fs::path& file, const json& expected) {
  if (read_part(file, sha256_hex_of_file) != expected.at("sha256").get<std::string>()) {
    throw Damage(fmt::format("{} is damaged: its checksum differs", file.string()));
  }
}

/// The step in a folder's name; empty for temporary folders and other files.
std::optional<std::int64_t> step_of(const fs::path& folder) {
  const auto name = folder.filename().string();
  const auto digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  if (name.empty() || name.size() > 18 || !std::ranges::all_of(name, digit)) return std::nullopt;
  return std::stoll(name);
}

/// The folders of checkpoints by step.
std::map<std::int64_t, fs::path> list_checkpoints(const fs::path& checkpoints) {
  std::map<std::int64_t, fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(checkpoints, error)) {
    if (const auto step = step_of(entry.path())) found[*step] = entry.path();
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw Error(fmt::format("cannot read {}: {}", checkpoints.string(), error.message()));
  }
  return found;
}

/// Removes the folders that killed writers left. Ignores errors, because a run can go on all the
/// same.
void remove_temporary_folders(const fs::path& checkpoints) {
  std::vector<fs::path> stale;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(checkpoints, error)) {
    if (entry.path().filename().string().starts_with(kTemporary)) stale.push_back(entry.path());
  }
  for (const auto& path : stale) fs::remove_all(path, error);
}

/// Deletes all but the `keep` newest checkpoints up to `step`. A folder is renamed first: if the
/// process is killed while it deletes, the rest must not look like a checkpoint.
void remove_old(const fs::path& checkpoints, std::int64_t step, int keep) {
  auto found = list_checkpoints(checkpoints);
  auto last = found.upper_bound(step);
  for (int i = 0; i < keep && last != found.begin(); ++i) last = found.erase(std::prev(last));
  for (const auto& [other, folder] : found) {
    const auto doomed = checkpoints / (kTemporary + folder.filename().string() + "-old");
    std::error_code stays;
    fs::rename(folder, doomed, stays);
  }
  remove_temporary_folders(checkpoints);
}

void write_folder(const Checkpoint& checkpoint, const fs::path& folder) {
  FolderWriter writer(folder);
  writer.add(kTensors, encode_safetensors(checkpoint.tensors));
  writer.add(kState, to_bytes(checkpoint.meta.dump(2) + "\n"));
  for (const auto& [name, bytes] : checkpoint.blobs) writer.add_blob(name, bytes);
  for (const auto& [name, give] : checkpoint.pieces) writer.add_pieces(name, give);
  writer.seal();
}

/// Gives a complete folder its name. A folder that has the name already is there until the new one
/// is, and has the temporary name then; where the file system cannot exchange names, it is away for
/// a moment.
void move_into_place(const fs::path& temporary, const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) {
    if (rename(temporary.c_str(), folder.c_str()) != 0) throw write_error(folder, errno);
    return;
  }
  if (renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0) {
    return;
  }
  const fs::path replaced = temporary.string() + "-old";
  if (rename(folder.c_str(), replaced.c_str()) != 0) throw write_error(folder, errno);
  if (rename(temporary.c_str(), folder.c_str()) == 0) return;
  const int cause = errno;
  fs::rename(replaced, folder, error);
  throw write_error(folder, cause);
}

}  // namespace

void Checkpoint::add_tensor(const std::string& name, std::vector<std::int64_t> shape,
                            std::span<const float> values) {
  tensors[name] = {std::move(shape), {values.begin(), values.end()}};
}

void Checkpoint::add_blob(const std::string& name, std::vector<std::byte> bytes) {
  blobs[name] = std::move(bytes);
}

std::span<const float> Checkpoint::tensor(const std::string& name) const {
  if (const auto found = tensors.find(name); found != tensors.end()) return found->second.values;
  throw Error(
      fmt::format("the checkpoint has no tensor '{}': it was written by a run of another "
                  "config or version",
                  name));
}

std::span<const std::byte> Checkpoint::blob(const std::string& name) const {
  if (const auto found = blobs.find(name); found != blobs.end()) return found->second;
  throw Error(
      fmt::format("the checkpoint has no '{}': it was written by a run of another config "
                  "or version",
                  name));
}

const json& Checkpoint::part(const std::string& name) const {
  if (const auto found = meta.find(name); found != meta.end()) return *found;
  throw Error(
      fmt::format("the checkpoint's state.json has no '{}': it was written by a run of "
                  "another config or version",
                  name));
}

fs::path write_checkpoint(const Checkpoint& checkpoint, const fs::path& checkpoints,
                          std::int64_t step, int keep) {
  if (!fs::exists(checkpoints)) {
    make_one_folder(checkpoints);            // a run's folder that is gone must not come back
    sync_folder(checkpoints.parent_path());  // keeps the folder itself through a power cut
  }
  remove_temporary_folders(checkpoints);
  const auto name = fmt::format("{:012}", step);
  auto folder = checkpoints / name;
  const auto temporary = checkpoints / (kTemporary + name);
  try {
    make_one_folder(temporary);
    write_folder(checkpoint, temporary);
    move_into_place(temporary, folder);
    sync_folder(checkpoints);
  } catch (...) {
    std::error_code error;
    fs::remove_all(temporary, error);
    throw;
  }
  remove_old(checkpoints, step, keep);
  return folder;
}

Checkpoint read_checkpoint(const fs::path& folder, Contents contents) {
  const auto files = read_manifest(folder);
  Checkpoint checkpoint;
  for (const auto& [name, expected] : files.items()) {
    const auto file = folder / name;
    if (name.ends_with(kPieces)) {
      if (contents == Contents::without_pieces) continue;
      verify(file, expected);
      checkpoint.pieces[name.substr(0, name.size() - std::string_view(kPieces).size())] =
          [file](const TakePiece& take) { read_pieces(file, take); };
      continue;
    }
    auto bytes = read_verified(file, expected);
    if (name == kTensors) {
      checkpoint.tensors = decode_safetensors(bytes, file.string());
    } else if (name == kState) {
      checkpoint.meta = parse_json(bytes, file);
    } else if (name.ends_with(kCompressed)) {
      const auto blob = name.substr(0, name.size() - std::string_view(kCompressed).size());
      auto plain = decompress_bytes(bytes);
      if (!plain) throw Damage(fmt::format("{} does not decompress", file.string()));
      checkpoint.blobs[blob] = *std::move(plain);
    } else {
      const auto blob = name.substr(0, name.size() - std::string_view(kPlain).size());
      checkpoint.blobs[blob] = std::move(bytes);
    }
  }
  return checkpoint;
}

bool has_checkpoint(const fs::path& checkpoints) { return !list_checkpoints(checkpoints).empty(); }

FoundCheckpoint find_latest(const fs::path& checkpoints,
                            const std::function<void(const std::string&)>& on_damaged,
                            Contents contents) {
  const auto found = list_checkpoints(checkpoints);
  if (found.empty()) {
    throw Error(
        fmt::format("there is no checkpoint in {} yet: a run writes its first one after "
                    "run.checkpoint_minutes or at its end, such as after Ctrl-C; one that was "
                    "killed before starts again in another folder",
                    checkpoints.string()));
  }
  std::string problems;
  std::vector<std::string> damaged;
  for (const auto& [step, folder] : std::views::reverse(found)) {
    try {
      auto checkpoint = read_checkpoint(folder, contents);
      std::ranges::for_each(damaged, on_damaged);
      return {std::move(checkpoint), step, folder};
    } catch (const Damage& error) {
      problems += fmt::format("\n  {}", error.what());
      damaged.push_back(fmt::format("checkpoint {} cannot be used, the one before it is taken: {}",
                                    folder.string(), error.what()));
    }
  }
  // A run that trains may have replaced them meanwhile.
  if (list_checkpoints(checkpoints) != found) return find_latest(checkpoints, on_damaged, contents);
  throw Error(
      fmt::format("none of the checkpoints in {} can be used; start the run again, or "
                  "restore one of them from a backup:{}",
                  checkpoints.string(), problems));
}

FoundCheckpoint find_at_step(const fs::path& checkpoints, std::int64_t step, Contents contents) {
  const auto found = list_checkpoints(checkpoints);
  if (const auto entry = found.find(step); entry != found.end()) {
    return {read_checkpoint(entry->second, contents), step, entry->second};
  }
  std::string steps;
  for (const auto& [other, folder] : found) steps += fmt::format(" {}", other);
  throw Error(fmt::format("there is no checkpoint of step {} in {}; there are:{}", step,
                          checkpoints.string(), steps.empty() ? " none" : steps));
}

}  // namespace tandem
