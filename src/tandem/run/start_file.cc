#include "tandem/run/start_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "tandem/base/error.h"
#include "tandem/base/sha256.h"
#include "tandem/base/state.h"
#include "tandem/io/files.h"

namespace tandem {
namespace {

using nlohmann::ordered_json;

// The file: this line, the hash of all that follows it in 64 digits, the version, the description
// as JSON, then the states.
constexpr std::string_view kFirstLine = "tandem starts\n";
constexpr std::size_t kHashDigits = 64;
constexpr std::uint32_t kVersion = 1;

std::vector<std::byte> encode(const StartFile& content) {
  ordered_json options = ordered_json::object();
  for (const auto& [key, text] : content.options) options[key] = text;
  const ordered_json description = {{"tandem", TANDEM_VERSION}, {"env", content.env},
                                    {"options", options},       {"policy", content.policy},
                                    {"seed", content.seed},     {"starts", content.starts.size()}};
  StateWriter writer;
  writer.put(kVersion);
  writer.put_string(description.dump());
  for (const auto& start : content.starts) {
    writer.put(start.steps);
    writer.put_bytes(start.env);
    writer.put_bytes(start.observations);
  }
  return writer.bytes();
}

StartFile decode(StateReader& reader) {
  StartFile content;
  const auto description = ordered_json::parse(reader.get_string());
  content.env = description.at("env").get<std::string>();
  for (const auto& [key, text] : description.at("options").items()) {
    content.options.emplace_back(key, text.get<std::string>());
  }
  content.policy = description.at("policy").get<std::string>();
  content.seed = description.at("seed").get<std::uint64_t>();
  const auto bytes = [&] {
    const auto block = reader.get_bytes();
    return std::vector<std::byte>(block.begin(), block.end());
  };
  const auto count = description.at("starts").get<std::size_t>();
  for (std::size_t i = 0; i < count; ++i) {
    StartState start;
    start.steps = reader.get<std::int64_t>();
    start.env = bytes();
    start.observations = bytes();
    content.starts.push_back(std::move(start));
  }
  if (!reader.at_end() || content.starts.empty()) throw Error("it has another length");
  return content;
}

}  // namespace

void write_starts(const StartFile& content, const std::filesystem::path& file) {
  const auto body = encode(content);
  std::string text(kFirstLine);
  text += sha256_hex(body);
  text += as_text(body);
  replace_durably(file, text);
}

StartFile read_starts(const std::filesystem::path& file) {
  const auto bytes = read_file(file);
  const auto text = as_text(bytes);
  if (!text.starts_with(kFirstLine)) {
    throw Error(fmt::format(
        "{} is no file of starts, such as `tandem starts RUN --out FILE` writes", file.string()));
  }
  const auto damaged = [&](const std::string& why) {
    return Error(
        fmt::format("the starts in {} are damaged ({}); copy the file again, or record them "
                    "again by `tandem starts`",
                    file.string(), why));
  };
  const auto rest = text.substr(kFirstLine.size());
  if (rest.size() < kHashDigits + sizeof(kVersion)) throw damaged("the file ends too early");
  const auto body = std::span(bytes).subspan(kFirstLine.size() + kHashDigits);
  if (sha256_hex(body) != rest.substr(0, kHashDigits)) throw damaged("its hash is another");
  StateReader reader(body);
  if (const auto version = reader.get<std::uint32_t>(); version != kVersion) {
    throw Error(
        fmt::format("the starts in {} have version {} of this file, and this tandem reads "
                    "version {}; record them again by `tandem starts`",
                    file.string(), version, kVersion));
  }
  try {
    return decode(reader);
  } catch (const ordered_json::exception& error) {
    throw damaged(error.what());
  } catch (const Error& error) {
    throw damaged(error.what());
  }
}

}  // namespace tandem
