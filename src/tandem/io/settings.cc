#include "tandem/io/settings.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "tandem/base/error.h"
#include "tandem/base/nearest.h"

namespace tandem {
namespace {

std::string last_part(const std::string& key) { return key.substr(key.rfind('.') + 1); }

std::string table_of(const std::string& key) {
  const auto dot = key.rfind('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

std::string read_text(const std::filesystem::path& file) {
  const auto refuse = [&](int error) {
    throw Error(fmt::format("cannot read the config file {}: {}", file.string(),
                            std::generic_category().message(error)));
  };
  if (std::filesystem::is_directory(file)) refuse(EISDIR);
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(errno);
  return {std::istreambuf_iterator<char>(stream), {}};
}

FieldValue typed_value(const toml::node& node, const std::string& key, const std::string& where) {
  if (const auto* integer = node.as_integer()) return integer->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* flag = node.as_boolean()) return flag->get();
  if (const auto* text = node.as_string()) return text->get();
  throw Error(
      fmt::format("{}: {} needs an integer, a number, true or false, or a text", where, key));
}

void collect(const toml::table& table, const std::string& prefix, const std::string& file,
             std::vector<Setting>& settings) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    if (const auto* inner = node.as_table()) {
      collect(*inner, key + ".", file, settings);
      continue;
    }
    const auto where = fmt::format("{}:{}", file, node.source().begin.line);
    settings.push_back({key, typed_value(node, key, where), where, Setting::Origin::file});
  }
}

// The known key that is nearest to an unknown one; empty if none is near.
std::string nearest_key(const std::string& key, const FieldList& fields) {
  const bool is_short = key.find('.') == std::string::npos;
  std::vector<std::string> words;
  for (const auto& field : fields) words.push_back(is_short ? last_part(field.key) : field.key);
  const auto word = nearest(key, words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!word.empty() && words[i] == word) return fields[i].key;
  }
  return {};
}

[[noreturn]] void refuse_key(const Setting& setting, const FieldList& fields) {
  const auto near = nearest_key(setting.key, fields);
  throw Error(fmt::format("{}: there is no key {};{} `tandem keys` lists all keys", setting.where,
                          setting.key, near.empty() ? "" : " did you mean " + near + "?"));
}

std::string toml_value(const Field& field) {
  const auto value = field_value(field);
  if (const auto* text = std::get_if<std::string>(&value)) {
    std::ostringstream quoted;
    quoted << toml::toml_formatter(toml::value<std::string>(*text), toml::format_flags::none);
    return quoted.str();
  }
  auto text = value_text(value);
  const bool looks_whole = text.find_first_of(".e") == std::string::npos;
  if (std::holds_alternative<double>(value) && looks_whole) text += ".0";
  return text;
}

std::string comment(const Field& field) {
  auto line = "# " + field.meaning;
  if (!std::holds_alternative<bool*>(field.target)) {
    const auto range = field_range(field);
    if (!range.empty()) line += " [" + range + "]";
  }
  if (!field.source.empty()) line += " (" + field.source + ")";
  return line;
}

}  // namespace

std::vector<Setting> read_toml(const std::filesystem::path& file) {
  return parse_toml(read_text(file), file.string());
}

std::vector<Setting> parse_toml(const std::string& text, const std::string& name) {
  std::vector<Setting> settings;
  try {
    collect(toml::parse(text, name), "", name, settings);
  } catch (const toml::parse_error& error) {
    const auto& begin = error.source().begin;
    throw Error(fmt::format("{}:{}:{}: this is not valid TOML: {}", name, begin.line, begin.column,
                            error.description()));
  }
  return settings;
}

Setting parse_assignment(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(fmt::format("--set needs key=value (--set t_max=5), not \"{}\"", text));
  }
  return {text.substr(0, equals), text.substr(equals + 1), "--set " + text};
}

const Field& find_field(const Setting& setting, const FieldList& fields) {
  std::vector<const Field*> found;
  for (const auto& field : fields) {
    if (field.key == setting.key) return field;
    const bool short_match =
        setting.origin == Setting::Origin::command_line && last_part(field.key) == setting.key;
    if (short_match) found.push_back(&field);
  }
  if (found.empty()) refuse_key(setting, fields);
  if (found.size() == 1) return *found.front();
  std::string names;
  for (const auto* field : found) names += (names.empty() ? "" : ", ") + field->key;
  throw Error(fmt::format("{}: {} could be any of {}; write the full key", setting.where,
                          setting.key, names));
}

void apply_setting(const Setting& setting, const FieldList& fields) {
  const auto& field = find_field(setting, fields);
  try {
    if (setting.origin == Setting::Origin::command_line) {
      set_field_text(field, std::get<std::string>(setting.value));
    } else {
      set_field(field, setting.value);
    }
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", setting.where, error.what()));
  }
}

std::string to_toml(const FieldList& fields) {
  std::string text;
  std::string table;
  for (const auto& field : fields) {
    if (!text.empty()) text += "\n";
    if (table_of(field.key) != table) {
      table = table_of(field.key);
      text += fmt::format("[{}]\n", table);
    }
    text += fmt::format("{}\n{} = {}\n", comment(field), last_part(field.key), toml_value(field));
  }
  return text;
}

}  // namespace tandem
