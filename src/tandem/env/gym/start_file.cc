#include "tandem/env/gym/start_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "tandem/base/error.h"
#include "tandem/env/gym/python_sources.h"

namespace tandem {
namespace {

nlohmann::ordered_json parse_kwargs(const std::string& text) {
  if (text.empty()) return nlohmann::ordered_json::object();
  try {
    auto kwargs = nlohmann::ordered_json::parse(text);
    if (kwargs.is_object()) return kwargs;
    throw Error(fmt::format(
        "env.kwargs needs a JSON object such as {{\"gravity\": -5}}, and {} is none", text));
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(fmt::format(
        "env.kwargs needs a JSON object such as {{\"gravity\": -5}}, and {} is no JSON at byte {}",
        text, error.byte));
  } catch (const nlohmann::json::exception& error) {  // a number that is too large
    throw Error(fmt::format("env.kwargs {} cannot be read: {}", text, error.what()));
  }
}

/// The callable for the workers, which run in another folder.
std::string absolute_pickle(const std::string& pickle) {
  if (pickle.empty() || pickle.starts_with("base64:")) return pickle;
  if (std::filesystem::is_regular_file(pickle)) return std::filesystem::absolute(pickle).string();
  throw Error(
      fmt::format("there is no file {} for env.pickle, which names a pickled callable that makes "
                  "an environment",
                  pickle));
}

}  // namespace

Descriptor make_start_file(const std::string& name, const GymOptions& options) {
  nlohmann::ordered_json start;
  start["id"] = name;
  start["kwargs"] = parse_kwargs(options.kwargs);
  start["wrappers"] = options.wrapper_names();
  start["pickle"] = absolute_pickle(options.pickle);
  auto& modules = start["modules"] = nlohmann::ordered_json::object();
  for (const auto& [module, text] : python_sources()) {
    (module == "boot" ? start["boot"] : modules[module]) = text;
  }
  const auto text = start.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  Descriptor file(memfd_create("tandem worker", MFD_CLOEXEC));
  const auto written = file.get() < 0 ? -1 : pwrite(file.get(), text.data(), text.size(), 0);
  if (written == static_cast<ssize_t>(text.size())) return file;
  throw Error(fmt::format("cannot write the work of worker processes: {}",
                          std::generic_category().message(errno)));
}

}  // namespace tandem
