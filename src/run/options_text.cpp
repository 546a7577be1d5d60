// The text sources of options: ASCSAN_OPTIONS and the command line. See options.h.
#include "run/options.h"

#include <fmt/format.h>

#include "run/suggest.h"

namespace ascsan::run {
namespace {

bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./+,=@%").find(c) != std::string_view::npos;
}

std::string quoted(const std::string& value) {
  bool simple = !value.empty();
  for (char c : value) simple = simple && plain(c);
  if (simple) return value;
  std::string text = "\"";
  for (char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

/// Reads one item up to the next unquoted ':' and moves `at` behind it. False: a quote is not closed.
bool next_item(std::string_view text, size_t& at, std::string& item) {
  item.clear();
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && quote != '\'' && at + 1 < text.size()) {
      item += text[++at];
    } else if (quote != 0 ? c == quote : (c == '"' || c == '\'')) {
      quote = quote != 0 ? 0 : c;
    } else if (c == ':' && quote == 0) {
      ++at;
      return true;
    } else {
      item += c;
    }
  }
  return quote == 0;
}

}  // namespace

std::string parse_environment(Options& options, std::string_view text) {
  std::string item;
  for (size_t at = 0; at < text.size();) {
    if (!next_item(text, at, item))
      return fmt::format("ASCSAN_OPTIONS: a quote in \"{}\" is not closed", printable(text));
    const size_t begin = item.find_first_not_of(" \t\n");
    if (begin == std::string::npos) continue;
    const size_t equals = item.find('=');
    if (equals == std::string::npos)
      return fmt::format("ASCSAN_OPTIONS: \"{}\" has no value; write name=value:name=value", printable(item));
    const std::string_view name = std::string_view(item).substr(begin, equals - begin);
    const std::string error =
        set_option(options, name, std::string_view(item).substr(equals + 1), Origin::kEnvironment);
    if (!error.empty()) return "ASCSAN_OPTIONS: " + error;
  }
  return "";
}

std::string parse_command_line(Options& options, const std::vector<std::string>& args, size_t& first) {
  for (; first < args.size(); ++first) {
    const std::string_view arg = args[first];
    if (arg == "--") {
      ++first;
      return "";
    }
    if (arg.size() < 2 || arg[0] != '-') return "";
    if (arg[1] != '-')
      return fmt::format("unknown option \"{}\"; options are written --name=value, see ascsan run --help",
                         printable(arg));
    const size_t equals = arg.find('=');
    const std::string_view name = arg.substr(2, equals == std::string_view::npos ? equals : equals - 2);
    std::string_view value = "on";
    if (equals != std::string_view::npos) {
      value = arg.substr(equals + 1);
    } else if (const OptionInfo* info = find_option(name); info != nullptr) {
      const bool more = first + 1 < args.size();
      if (!info->is_switch && !more)
        return fmt::format("option {} needs a value; allowed: {}", info->name, info->allowed);
      // A switch takes the next word only if that is a switch position; anything else is the program.
      if (!info->is_switch || (more && (args[first + 1] == "on" || args[first + 1] == "off"))) value = args[++first];
    }
    if (std::string error = set_option(options, name, value, Origin::kCommandLine); !error.empty()) return error;
  }
  return "";
}

std::string to_environment(const Options& options) {
  std::string text;
  for (size_t i = 0; i < kOptionCount; ++i) {
    const OptionInfo& info = option_table()[i];
    if (options.origin[i] == Origin::kDefault) continue;
    std::vector<std::string> values;
    if (info.repeats)
      for (const Output& output : options.out) values.push_back(output.format + "=" + output.file);
    else
      values.push_back(value_of(options, static_cast<OptionId>(i)));
    for (const std::string& value : values)
      text += (text.empty() ? "" : ":") + (std::string(info.name) + "=" + quoted(value));
  }
  return text;
}

}  // namespace ascsan::run
