// Command line of flce_batch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fused_linear_cross_entropy/ascendc/launch.h"

namespace flce::batch {

/// One launch of each case: which order of instructions, by which seed.
struct Run {
  std::string schedule;  ///< empty: the option in force (ASCSAN_OPTIONS or its default)
  uint64_t seed = 1;
};

/// kCpu runs the native operator as well, and compares it with the kernel and with the reference.
enum class Engine : uint8_t { kEmu, kCpu };

/// Schedule of a run of the native operator.
inline constexpr const char* kNativeRun = "native";

struct Options {
  std::vector<std::string> case_paths;
  ascendc::Variant variant = ascendc::Variant::kShipped;
  Engine engine = Engine::kEmu;
  std::vector<Run> runs;
  bool seed_given = false;
  std::string profile;  ///< empty: the option in force
  std::string filter;
  uint32_t shard = 1, shards = 1;
  std::string junit_path, json_path;
  bool progress = false;
  bool list = false;
};

/// What to do after reading the command line.
struct ParsedOptions {
  Options options;
  bool stop = false;  ///< help or version was asked for: print `text` and end with 0
  std::string text;
  std::string error;  ///< one line; end with 2
};
ParsedOptions parse_options(int argc, const char* const* argv);

const char* name_of(ascendc::Variant variant);

}  // namespace flce::batch
