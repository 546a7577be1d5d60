// ascsan.toml as a source of options: top-level keys are option names. See options.h.
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "base/toml.h"
#include "run/options.h"
#include "run/suggest.h"

namespace ascsan::run {
namespace {

/// Text of a scalar node; false for tables, dates and the like, which no option takes.
bool scalar_text(const toml::node& node, std::string& text) {
  if (const auto* string = node.as_string()) return text = string->get(), true;
  if (const auto* boolean = node.as_boolean()) return text = boolean->get() ? "on" : "off", true;
  if (const auto* integer = node.as_integer()) return text = std::to_string(integer->get()), true;
  return false;
}

std::string set_from_node(Options& options, const std::string& name, const toml::node& node) {
  std::vector<const toml::node*> items;
  const OptionInfo* info = find_option(name);
  if (const auto* array = node.as_array(); array != nullptr && info != nullptr && info->repeats)
    for (const toml::node& item : *array) items.push_back(&item);
  else
    items.push_back(&node);
  for (const toml::node* item : items) {
    std::string text;
    if (!scalar_text(*item, text)) {
      if (info == nullptr) return set_option(options, name, "", Origin::kFile);  // says which name is unknown
      return fmt::format("option {}: expected a string, a number or true/false; allowed: {}", name, info->allowed);
    }
    if (std::string error = set_option(options, name, text, Origin::kFile); !error.empty()) return error;
  }
  return "";
}

}  // namespace

std::string read_config(Options& options, const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return "";
  if (!std::filesystem::is_regular_file(path, ignored)) return path + ": not a file; remove it or put options into it";
  toml::table table;
  try {
    table = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    return fmt::format("{}:{}: {}", path, error.source().begin.line, printable(error.description()));
  } catch (const std::exception& error) {
    return fmt::format("{}: {}", path, printable(error.what()));
  }
  for (const auto& [key, node] : table) {
    const std::string error = set_from_node(options, std::string(key.str()), node);
    if (!error.empty()) return fmt::format("{}:{}: {}", path, node.source().begin.line, error);
  }
  return "";
}

}  // namespace ascsan::run
