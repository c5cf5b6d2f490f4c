// Families of environments: the built-in one, and those of plug-ins.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tandem/base/field.h"
#include "tandem/env/env.h"
#include "tandem/env/env_group.h"

namespace tandem {

/// A family makes environments by name ("Pong" of "atari:Pong") under one set of options. Options
/// are set through fields() before the first make(). make() may be called by several threads.
class EnvFamily {
 public:
  virtual ~EnvFamily() = default;

  /// Every name that make() takes, in alphabetical order.
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;

  /// The options of this family ("frame_skip"), which become the keys env.frame_skip and so on.
  [[nodiscard]] virtual FieldList fields() = 0;

  /// Makes an environment. Throws Error for an unknown name (and offers the nearest) or a missing
  /// file. `seed` is for the generator inside an emulator such as ALE; the environments of tandem
  /// itself receive a random stream with each call.
  [[nodiscard]] virtual std::unique_ptr<Env> make(const std::string& name, std::uint64_t seed) = 0;

  /// Makes calls of this family and of its environments that wait for other processes throw Error
  /// soon, and later ones, too. Any thread may call it once nobody needs the environments any more.
  virtual void abandon() {}

  /// Whether environments of this family exist in groups alone. Then make() makes a group of one.
  [[nodiscard]] virtual bool makes_groups() const { return false; }

  /// Makes a group with one environment for each seed; only where makes_groups().
  [[nodiscard]] virtual std::unique_ptr<EnvGroup> make_group(
      const std::string& /*name*/, std::span<const std::uint64_t> /*seeds*/) {
    throw std::logic_error("this family makes no groups");
  }
};

/// The version of the interface between tandem and its plug-ins. A plug-in with another abi is
/// refused; raise the number with each change of the headers that a plug-in includes.
inline constexpr std::uint32_t kPluginAbi = 9;

/// The description of a plug-in. Its shared object exports the function
/// `extern "C" const tandem::PluginInfo* tandem_plugin()`, which returns it. It stays unchanged
/// while the plug-in is loaded.
struct PluginInfo {
  std::uint32_t abi;    // kPluginAbi of the headers it was built with; must stay the first member
  const char* name;     // the family's name: "atari"
  const char* licence;  // SPDX identifier
  /// Makes the family, with its default options.
  std::unique_ptr<EnvFamily> (*create)();
};

/// The family of an environment id: "cartpole" is built in, "atari:Pong" loads the plug-in
/// tandem_atari.so from $TANDEM_PLUGIN_PATH or the folders of places_of("plugins"). Throws Error
/// when there is none, and says what to do.
std::unique_ptr<EnvFamily> find_family(const std::string& id);

/// The part of an id before its colon: "atari" of "atari:Pong", nothing of "cartpole".
std::string env_family_name(const std::string& id);

/// The part of an id after the family: "Pong" of "atari:Pong", "cartpole" of "cartpole".
std::string env_name(const std::string& id);

}  // namespace tandem
