#include "model.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>

#include "tandem/base/error.h"

namespace tandem::mujoco {
namespace {

namespace fs = std::filesystem;

constexpr char kRemedy[] =
    "`tandem install mujoco --force`, or tools/build_mujoco.sh in a clone, brings the suite's "
    "models; env.suite_dir or $TANDEM_SUITE_DIR name another folder of them.";

struct DeleteSpec {
  void operator()(mjSpec* spec) const { mj_deleteSpec(spec); }
};
using SpecPtr = std::unique_ptr<mjSpec, DeleteSpec>;

/// Without this handler, MuJoCo would write warnings to a file MUJOCO_LOG.TXT.
void print_errors(const mjLogMessage* message) {
  if (message->level != mjLOG_ERROR) return;
  std::fputs(fmt::format("MuJoCo: {}\n", &message->subject[0]).c_str(), stderr);
}

void remove_body(mjSpec& spec, const char* name, const fs::path& file) {
  mjsBody* body = mjs_findBody(&spec, name);
  if (body != nullptr && mjs_delete(&spec, body->element) == 0) return;
  throw Error(
      fmt::format("the model {} has no body '{}' to leave out. {}", file.string(), name, kRemedy));
}

}  // namespace

void silence_mujoco() { mju_setLogHandler(print_errors); }

ModelPtr load_model(const fs::path& suite, const std::string& file,
                    std::span<const char* const> without) {
  const auto path = suite / file;
  std::error_code missing;
  if (!fs::exists(path, missing)) {
    throw Error(fmt::format("there is no MuJoCo model {}. {}", path.string(), kRemedy));
  }
  std::array<char, 1000> message{};
  const SpecPtr spec(mj_parseXML(path.c_str(), nullptr, message.data(), message.size()));
  if (spec == nullptr) {
    throw Error(fmt::format("MuJoCo cannot read the model {}: {}. {}", path.string(),
                            message.data(), kRemedy));
  }
  for (const char* name : without) remove_body(*spec, name, path);
  ModelPtr model(mj_compile(spec.get(), nullptr));
  if (model == nullptr) {
    throw Error(fmt::format("MuJoCo cannot compile the model {}: {}. {}", path.string(),
                            mjs_getError(spec.get()), kRemedy));
  }
  return model;
}

}  // namespace tandem::mujoco
