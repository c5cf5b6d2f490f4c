// Loads the suite's models.
#pragma once

#include <mujoco/mujoco.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace tandem::mujoco {

struct FreeModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
using ModelPtr = std::unique_ptr<mjModel, FreeModel>;

/// Makes MuJoCo print nothing but errors, for the whole process. Thread-safe.
void silence_mujoco();

/// The model of `file` in the folder `suite`, without the bodies that `without` names. Throws Error
/// when the file is missing or is not the expected one, and says what to do. One thread at a time.
ModelPtr load_model(const std::filesystem::path& suite, const std::string& file,
                    std::span<const char* const> without);

}  // namespace tandem::mujoco
