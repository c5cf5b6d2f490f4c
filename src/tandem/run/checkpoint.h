// Checkpoints: folders that are whole or absent, whatever happens while they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "tandem/base/state.h"
#include "tandem/io/safetensors.h"

namespace tandem {

/// Everything that a run needs to resume; each part of it adds and restores its own state. Value
/// type.
struct Checkpoint {
  Tensors tensors;  // "policy.weight", "optimizer.square"
  // Bytes by name ("actor_3"); a name has letters, digits, - and _ only.
  std::map<std::string, std::vector<std::byte>> blobs;
  nlohmann::json meta = nlohmann::json::object();  // the rest, by part
  // Data that are too large for a blob, by name ("replay"). Each function gives its data while the
  // checkpoint is written; those that it loses are left out. In a checkpoint that was read, it
  // reads them from the file, which must still exist.
  std::map<std::string, GivePieces> pieces;

  /// Adds a copy of the values under this name.
  void add_tensor(const std::string& name, std::vector<std::int64_t> shape,
                  std::span<const float> values);
  /// Adds the bytes under this name.
  void add_blob(const std::string& name, std::vector<std::byte> bytes);

  /// A copy of all but the pieces, whose lists alone may be large.
  [[nodiscard]] Checkpoint without_pieces() const {
    return {.tensors = tensors, .blobs = blobs, .meta = meta, .pieces = {}};
  }

  /// The values of the tensor of this name. Throws Error with the name if there is none, because a
  /// run of another config or version wrote the checkpoint; the next two functions do the same.
  [[nodiscard]] std::span<const float> tensor(const std::string& name) const;
  /// The bytes of this name.
  [[nodiscard]] std::span<const std::byte> blob(const std::string& name) const;
  /// The part of meta of this name.
  [[nodiscard]] const nlohmann::json& part(const std::string& name) const;
};

/// Writes checkpoints/STEP/ and returns its path:
///
///     tensors.safetensors   the tensors
///     state.json            meta
///     NAME.bin[.zst]        each blob, compressed where that makes it smaller
///     NAME.pieces           each entry of `pieces`
///     manifest.json         size and SHA-256 of each file, and its own SHA-256
///
/// The folder is written under a temporary name, synced and renamed, so it is complete or absent.
/// It replaces a checkpoint of the same step, such as a damaged one from which the run could not
/// resume, or one with fewer updates. Only then are other checkpoints deleted: those of later
/// steps, from which the run did not go on, and all but the `keep` newest of the rest. Creates the
/// folder `checkpoints`, but not its parents. Each such folder may have one writer at a time.
/// Throws Error (full or read-only disk, ...) with the earlier checkpoints untouched and nothing of
/// the new one left.
std::filesystem::path write_checkpoint(const Checkpoint& checkpoint,
                                       const std::filesystem::path& checkpoints, std::int64_t step,
                                       int keep = 3);

/// The contents of a checkpoint that a reader needs.
enum class Contents {
  all,            // for a run that goes on
  without_pieces  // for an agent that plays: `pieces` stays empty, and their files may be damaged
};

/// Reads the checkpoint in `folder` after verifying every file of these contents against the
/// manifest. Throws Error with the name of a file that is damaged or cannot be read.
Checkpoint read_checkpoint(const std::filesystem::path& folder, Contents contents = Contents::all);

/// A checkpoint together with its place. Value type.
struct FoundCheckpoint {
  Checkpoint checkpoint;         // as it was saved
  std::int64_t step = 0;         // steps of all environments until then
  std::filesystem::path folder;  // checkpoints/STEP
};

/// The newest readable checkpoint. `on_damaged` receives a message for the user about each newer
/// one that is damaged. Throws Error when all are damaged, and says what is wrong with each. Also
/// throws when one cannot be read for another reason (rights, the format of another version): the
/// user can mend that, and a run that resumed from an older checkpoint would delete this one.
FoundCheckpoint find_latest(const std::filesystem::path& checkpoints,
                            const std::function<void(const std::string&)>& on_damaged,
                            Contents contents = Contents::all);

/// Whether there is any checkpoint, good or damaged.
bool has_checkpoint(const std::filesystem::path& checkpoints);

/// The checkpoint of this step. Throws Error when it is damaged or missing; in the latter case the
/// message lists the steps that exist.
FoundCheckpoint find_at_step(const std::filesystem::path& checkpoints, std::int64_t step,
                             Contents contents = Contents::all);

}  // namespace tandem
