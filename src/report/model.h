// Findings and runs as data. Checkers fill them, explain adds to them, reports print them; nobody formats here.
// Field names follow schema 1 of the findings JSON (docs/json-schema-1.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/timeline.h"

namespace ascsan::report {

enum class Severity : uint8_t { kInfo, kWarning, kError };
enum class Confidence : uint8_t { kPossible, kCertain, kProven };
enum class Verdict : uint8_t { kClean, kFindings, kIncomplete };

/// One side of a finding. `launch`, `core_id`, `pipe_id`, `index` name the instruction, so that a second, identical run
/// can fetch its call stack.
struct AccessInfo {
  std::string role;       ///< "writer", "reader", "setter", "waiter", ...
  std::string core;       ///< "AIV 3"
  std::string pipe;       ///< "MTE2"
  std::string operation;  ///< "DataCopyPad"
  std::string file, function;
  uint32_t line = 0;
  std::vector<Frame> stack;    ///< innermost user frame first; at least the site itself
  uint64_t bytes[2] = {0, 0};  ///< run of the tensor this side touches, in bytes from its start
  uint32_t core_id = 0, pipe_id = 0, index = 0;
};

/// A value some step of a witness saw: "read by the witness", "after the store".
struct WitnessValue {
  std::string what, tensor, value;
  uint64_t element = 0;
};

/// A second run with the pair in the other order, in which an output changes.
struct Witness {
  std::string token;  ///< for ascsan replay
  uint64_t forced_choices = 0;
  uint64_t runs = 0;  ///< runs of the launch that it took, the in-order run included
  std::vector<std::string> steps;
  std::vector<WitnessValue> values;
};

/// One output of the witness against the in-order run of the same input.
struct Impact {
  std::string tensor;
  uint64_t elements_differing = 0, elements = 0, first_index = 0;
  std::string got, expected;      ///< the first element that differs
  double max_relative_error = 0;  ///< the largest double where it is infinite
  std::string stage;              ///< function that stored the first wrong element
};

/// A change that cures the finding.
struct Fix {
  std::string text, patch;
  bool verified = false, needed = false;
};

struct Finding {
  std::string id;    ///< rule + "-" + 6 hex digits of the fingerprint
  std::string rule;  ///< "ASC1101"
  Severity severity = Severity::kError;
  Confidence confidence = Confidence::kCertain;
  std::string title;
  std::string detail;  ///< the "what" paragraph
  std::string kernel;
  uint32_t launch = 0;  ///< first launch that showed it, from 1
  uint64_t merged = 1;  ///< occurrences folded into this finding
  std::string space, tensor;
  uint64_t bytes[2] = {0, 0};  ///< conflicting run, in bytes from the start of the tensor
  uint64_t elements[2] = {0, 0};
  std::vector<AccessInfo> accesses;
  struct CommonPoint {
    std::string what, file;
    uint32_t line = 0;
  };
  std::optional<CommonPoint> last_common;
  std::string missing;             ///< "AIV 0 MTE3 -> AIV 3 MTE2"
  std::vector<std::string> notes;  ///< hints, folded pairs, assumptions
  /// Set when an entry of the suppression file covers it (suppress.h); such a finding does not make the run fail.
  struct Suppressed {
    std::string reason, owner, expires;
  };
  std::optional<Suppressed> suppressed;
  /// With a baseline (baseline.h) "new" or "known"; known findings do not make the run fail. Else empty.
  std::string baseline;
  std::optional<Witness> witness;
  std::vector<Impact> impact;  ///< of the witness; sorted by tensor
  std::optional<Fix> fix;
};

/// A finding of the baseline that this run does not show any more.
struct FixedFinding {
  std::string id, rule, title, kernel;
};

struct Launch {
  std::string kernel, chip, profile, schedule;
  uint32_t block_dim = 0;
  uint64_t seed = 0, instructions = 0, bytes_checked = 0;
  uint32_t aic = 0, aiv = 0;  ///< cores of each kind that ran; both 0 = unknown
};

struct Unchecked {
  std::string what, why;
};

struct OptionValue {
  std::string name, value, origin;  ///< origin: "default", "ascsan.toml", "environment", "command line", "program"
};

struct Timing {
  double total_seconds = 0, launch_seconds = 0;
};

/// One run of a program: all its launches.
struct RunResult {
  std::vector<OptionValue> options;
  std::vector<Launch> launches;
  std::vector<Unchecked> unchecked;
  std::vector<Finding> findings;               ///< sorted: severity, rule, id
  std::vector<FixedFinding> fixed;             ///< sorted by id
  std::vector<std::string> suppression_notes;  ///< expired entries and entries that match nothing, one sentence each
  std::vector<Timeline> timelines;             ///< of launches with findings, when a report wants them
  Timing timing;
  std::optional<int> program_status;  ///< exit status of the launched program, or 128 + signal
  std::string crash;                  ///< text when the program died inside a kernel
};

}  // namespace ascsan::report
