// Options of the tool as typed values, and the one parser behind all their sources. The table is options.def.
// Order of sources (design/ux.md 3.1): default < ascsan.toml < ASCSAN_OPTIONS < command line < the program itself; a
// source may only replace what an equal or weaker source has set. A list option (out) is replaced as a whole by a
// stronger source. Functions that read something answer with an error text of one line, empty when all is well; none
// throws or crashes, whatever the bytes. Left out: what an option does.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/checkers.h"
#include "report/model.h"

namespace ascsan::run {

// Choices. Enumerators stand in the order of the words in options.def; kCount closes the list and is no choice.
enum class Chip : uint8_t {
  k910B1,
  k910B2,
  k910B3,
  k910B4,
  k910_9391,
  k910_9392,
  k910_9381,
  k910_9382,
  k910_9372,
  k910_9362,
  kCount
};
enum class Profile : uint8_t { kAuto, kStrict, kCount };
enum class Schedule : uint8_t { kInOrder, kDeferred, kRandom, kPct, kDirected, kCount };
enum class SatMode : uint8_t { kInfNan, kSaturate, kCount };
enum class GmFill : uint8_t { kZero, kPoison, kCount };
enum class LaunchMode : uint8_t { kUnstated, kNormal, kBatch, kCount };
enum class FailOn : uint8_t { kInfo, kWarning, kError, kCount };
enum class Frames : uint8_t { kSite, kUser, kAll, kCount };
enum class Progress : uint8_t { kAuto, kNone, kCount };

/// Where a report goes besides the terminal.
struct Output {
  std::string format, file;
  friend bool operator==(const Output&, const Output&) = default;
};
using OutputList = std::vector<Output>;

enum class Origin : uint8_t { kDefault, kFile, kEnvironment, kCommandLine, kProgram };
/// "default", "ascsan.toml", "environment", "command line", "program".
const char* name_of(Origin origin);

/// Index of an option in the table: OptionId::schedule is the row `schedule`.
enum class OptionId : uint8_t {
#define ASCSAN_OPTION(name, ...) name,
#include "run/options.def"
#undef ASCSAN_OPTION
  kCount
};
inline constexpr size_t kOptionCount = static_cast<size_t>(OptionId::kCount);

struct Options {
#define ASCSAN_OPTION(name, type, value, ...) type name = value;
#include "run/options.def"
#undef ASCSAN_OPTION
  std::array<Origin, kOptionCount> origin{};

  Origin origin_of(OptionId id) const {
    return origin[static_cast<size_t>(id)];
  }
};

struct OptionInfo {
  const char* name;
  const char* allowed;
  const char* help;
  bool is_switch;  ///< --name alone means on
  bool repeats;
};
const std::array<OptionInfo, kOptionCount>& option_table();

/// Row of `name`, with - and _ taken as equal; null when there is none.
const OptionInfo* find_option(std::string_view name);

/// Sets one option from text. A weaker source than the one that set it before changes nothing, but its value is
/// checked.
[[nodiscard]] std::string set_option(Options& options, std::string_view name, std::string_view value, Origin origin);

/// "name=value:name=value"; a value may stand in single or double quotes, backslash escapes the next character.
[[nodiscard]] std::string parse_environment(Options& options, std::string_view text);

/// Top-level keys of a TOML file; a list option may be an array. A missing file is no error.
[[nodiscard]] std::string read_config(Options& options, const std::string& path);

/// Defaults, then ascsan.toml of the current directory, then ASCSAN_OPTIONS: what a program started alone obeys.
[[nodiscard]] std::string load_options(Options& options);

/// Leading options of a command line, from args[first] on: "--name=value", "--name value", "--switch". `first` is left
/// at the first argument that is no option, behind "--" if there is one.
[[nodiscard]] std::string parse_command_line(Options& options, const std::vector<std::string>& args, size_t& first);

/// Value of one option as text; list items are joined by a comma.
std::string value_of(const Options& options, OptionId id);

/// All that no default decides, for ASCSAN_OPTIONS of a child; parse_environment of it gives the same values back.
std::string to_environment(const Options& options);

/// Name, value and origin of every option, in the order of the table.
std::vector<report::OptionValue> describe(const Options& options);

/// Text of `ascsan run --show-options`.
std::string show_options(const Options& options);

/// One line per option for --help: name, allowed values, help, default.
std::string help_of_options();

}  // namespace ascsan::run
