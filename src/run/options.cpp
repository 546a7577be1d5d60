// The option table at work: one parser and one printer per kind of value, used by every source. See options.h.
#include "run/options.h"

#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "run/suggest.h"

namespace ascsan::run {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0;;) {
    const size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string to_words(std::string_view allowed) {
  std::string words;
  for (std::string_view word : split(allowed, '|')) words.append(words.empty() ? "" : ", ").append(word);
  return words;
}

constexpr size_t count_words(std::string_view allowed) {
  size_t count = 1;
  for (char c : allowed) count += c == '|' ? 1 : 0;
  return count;
}

// A choice has as many words as enumerators.
template <typename T>
constexpr bool fits(std::string_view allowed) {
  if constexpr (std::is_enum_v<T>) return count_words(allowed) == static_cast<size_t>(T::kCount);
  return true;
}
#define ASCSAN_OPTION(name, type, value, allowed, help) \
  static_assert(fits<type>(allowed), "words and enumerators of option " #name " differ in number");
#include "run/options.def"
#undef ASCSAN_OPTION

std::string choose(std::string_view name, std::string_view text, std::string_view allowed) {
  std::vector<std::string> words;
  for (std::string_view word : split(allowed, '|')) words.emplace_back(word);
  const std::string near = nearest(text, words);
  return fmt::format("option {}: \"{}\" is not one of {}{}", name, printable(text), to_words(allowed),
                     near.empty() ? "" : "; did you mean " + near + "?");
}

template <typename E>
requires std::is_enum_v<E> std::string parse(E& field, std::string_view name, std::string_view text,
                                             std::string_view allowed) {
  size_t index = 0;
  for (std::string_view word : split(allowed, '|')) {
    if (word == text) {
      field = static_cast<E>(index);
      return "";
    }
    ++index;
  }
  return choose(name, text, allowed);
}

std::string parse(bool& field, std::string_view name, std::string_view text, std::string_view allowed) {
  const bool on = text == "on" || text == "true" || text == "1";
  if (!on && text != "off" && text != "false" && text != "0") return choose(name, text, allowed);
  field = on;
  return "";
}

std::string parse(uint64_t& field, std::string_view name, std::string_view text, std::string_view allowed) {
  const size_t dots = allowed.find("..");
  uint64_t low = 0, high = 0, value = 0;
  std::from_chars(allowed.data(), allowed.data() + dots, low);
  std::from_chars(allowed.data() + dots + 2, allowed.data() + allowed.size(), high);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error == std::errc::invalid_argument || end != text.data() + text.size())
    return fmt::format("option {}: \"{}\" is not a whole number; allowed: {} to {}", name, printable(text), low, high);
  if (error != std::errc() || value < low || value > high)
    return fmt::format("option {}: {} is out of range; allowed: {} to {}", name, printable(text), low, high);
  field = value;
  return "";
}

std::string parse(std::string& field, std::string_view name, std::string_view text, std::string_view) {
  if (text.find('\0') != std::string_view::npos)
    return fmt::format("option {}: \"{}\" contains a zero byte", name, printable(text));
  field = text;
  return "";
}

std::string parse(OutputList& field, std::string_view name, std::string_view text, std::string_view allowed) {
  std::vector<std::string> formats;
  for (std::string_view word : split(allowed, '|')) formats.emplace_back(word.substr(0, word.find('=')));
  const size_t equals = text.find('=');
  const std::string format(text.substr(0, equals));
  for (const std::string& known : formats) {
    if (known != format) continue;
    if (equals == std::string_view::npos || equals + 1 == text.size())
      return fmt::format("option {}: no file given in \"{}\"; write {}={}=FILE", name, printable(text), name, format);
    if (text.find('\0') != std::string_view::npos)
      return fmt::format("option {}: the file name in \"{}\" contains a zero byte", name, printable(text));
    field.push_back({format, std::string(text.substr(equals + 1))});
    return "";
  }
  const std::string near = nearest(format, formats);
  return fmt::format("option {}: \"{}\" is not one of {}{}", name, printable(text), to_words(allowed),
                     near.empty() ? "" : "; did you mean " + near + "?");
}

std::string parse(check::CheckerSet& field, std::string_view name, std::string_view text, std::string_view allowed) {
  field.bits = 0;
  for (std::string_view word : split(text, ',')) {
    size_t id = 0;
    while (id < check::kCheckerCount && check::kCheckerNames[id] != word) ++id;
    if (id < check::kCheckerCount)
      field.add(static_cast<check::CheckerId>(id));
    else if (word == "all")
      field = {};
    else
      return choose(name, word, allowed);
  }
  return "";
}

template <typename E>
requires std::is_enum_v<E> std::string print(const E& field, std::string_view allowed) {
  return std::string(split(allowed, '|')[static_cast<size_t>(field)]);
}
std::string print(const bool& field, std::string_view) {
  return field ? "on" : "off";
}
std::string print(const uint64_t& field, std::string_view) {
  return std::to_string(field);
}
std::string print(const std::string& field, std::string_view) {
  return field;
}
std::string print(const check::CheckerSet& field, std::string_view) {
  if (field == check::CheckerSet{}) return "all";
  std::string text;
  for (size_t id = 0; id < check::kCheckerCount; ++id)
    if (field.has(static_cast<check::CheckerId>(id)))
      text.append(text.empty() ? "" : ",").append(check::kCheckerNames[id]);
  return text;
}
std::string print(const OutputList& field, std::string_view) {
  std::string text;
  for (const Output& output : field) text += (text.empty() ? "" : ",") + output.format + "=" + output.file;
  return text;
}

/// Stores a parsed value unless a stronger source has spoken; list items of one source add up.
template <typename T>
std::string assign(T& field, Origin& was, Origin now, std::string_view name, std::string_view text,
                   std::string_view allowed) {
  T value{};
  if (std::string error = parse(value, name, text, allowed); !error.empty()) return error;
  if (now < was) return "";
  if constexpr (std::is_same_v<T, OutputList>) {
    if (now != was) field.clear();
    field.insert(field.end(), value.begin(), value.end());
  } else {
    field = value;
  }
  was = now;
  return "";
}

}  // namespace

const char* name_of(Origin origin) {
  switch (origin) {
    case Origin::kDefault:
      return "default";
    case Origin::kFile:
      return "ascsan.toml";
    case Origin::kEnvironment:
      return "environment";
    case Origin::kCommandLine:
      return "command line";
    case Origin::kProgram:
      return "program";
  }
  return "";
}

const std::array<OptionInfo, kOptionCount>& option_table() {
  static const std::array<OptionInfo, kOptionCount> table = {{
#define ASCSAN_OPTION(name, type, value, allowed, help) \
  {#name, allowed, help, std::is_same_v<type, bool>, std::is_same_v<type, OutputList>},
#include "run/options.def"
#undef ASCSAN_OPTION
  }};
  return table;
}

const OptionInfo* find_option(std::string_view name) {
  std::string wanted(name);
  for (char& c : wanted)
    if (c == '-') c = '_';
  for (const OptionInfo& info : option_table())
    if (wanted == info.name) return &info;
  return nullptr;
}

std::string set_option(Options& options, std::string_view name, std::string_view value, Origin origin) {
  const OptionInfo* info = find_option(name);
  if (info == nullptr) {
    std::vector<std::string> names;
    for (const OptionInfo& row : option_table()) names.emplace_back(row.name);
    std::string word(name);
    for (char& c : word)
      if (c == '-') c = '_';
    const std::string near = nearest(word, names);
    return fmt::format("unknown option \"{}\"{}; ascsan run --show-options lists all", printable(name),
                       near.empty() ? "" : ", did you mean " + near + "?");
  }
  switch (static_cast<OptionId>(info - option_table().data())) {
#define ASCSAN_OPTION(name, type, value_, allowed, help) \
  case OptionId::name:                                   \
    return assign(options.name, options.origin[static_cast<size_t>(OptionId::name)], origin, #name, value, allowed);
#include "run/options.def"
#undef ASCSAN_OPTION
    case OptionId::kCount:
      break;
  }
  return "";
}

std::string load_options(Options& options) {
  if (std::string error = read_config(options, "ascsan.toml"); !error.empty()) return error;
  const char* environment = std::getenv("ASCSAN_OPTIONS");
  return environment == nullptr ? "" : parse_environment(options, environment);
}

std::string value_of(const Options& options, OptionId id) {
  switch (id) {
#define ASCSAN_OPTION(name, type, value, allowed, help) \
  case OptionId::name:                                  \
    return print(options.name, allowed);
#include "run/options.def"
#undef ASCSAN_OPTION
    case OptionId::kCount:
      break;
  }
  return "";
}

std::vector<report::OptionValue> describe(const Options& options) {
  std::vector<report::OptionValue> values;
  for (size_t i = 0; i < kOptionCount; ++i)
    values.push_back({option_table()[i].name, value_of(options, static_cast<OptionId>(i)), name_of(options.origin[i])});
  return values;
}

std::string show_options(const Options& options) {
  std::string text;
  for (const report::OptionValue& row : describe(options))
    text += fmt::format("{:<16} {:<16} {}\n", row.name, row.value.empty() ? "(none)" : row.value, row.origin);
  return text;
}

std::string help_of_options() {
  static const Options defaults;
  std::string text;
  for (size_t i = 0; i < kOptionCount; ++i) {
    const OptionInfo& info = option_table()[i];
    std::string name = info.name;
    for (char& c : name)
      if (c == '_') c = '-';
    std::string value = value_of(defaults, static_cast<OptionId>(i));
    text += fmt::format("  --{}={}\n      {} (default {})\n", name, info.allowed, info.help,
                        value.empty() ? "none" : value);
  }
  return text;
}

}  // namespace ascsan::run
