// Findings of launches as data, for programs that embed the tool and decide themselves: run launches, take what the
// checkers found in them, look at it. What is taken this way no longer counts for the verdict of the program.
// Words and ranges are those of the JSON report (docs/json-schema-1.md). Call stacks are not there: they come from the
// second run of `ascsan run`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ascsan {

/// One side of a finding: a call of the kernel.
struct Place {
  std::string role;       ///< "writer", "reader", "waiter", "call" ...
  std::string core;       ///< "AIV 3"
  std::string pipe;       ///< "MTE2"; "S" is the scalar unit
  std::string operation;  ///< "DataCopyPad"
  std::string function, file;
  uint32_t line = 0;
};

struct Finding {
  std::string id, rule;  ///< "ASC1101-5f3c9a", "ASC1101"
  std::string severity;  ///< "error", "warning" or "info"
  std::string confidence;
  std::string title, detail;
  std::string kernel;
  std::string space, tensor;                 ///< "GM", "masked_target"
  uint64_t first_byte = 0, behind_byte = 0;  ///< conflicting run, from the start of the tensor
  uint64_t count = 1;                        ///< occurrences with this cause
  std::vector<Place> places;
  std::string text;  ///< as in the text report
};

struct Findings {
  std::vector<Finding> list;           ///< sorted: severity, rule, id
  std::vector<std::string> unchecked;  ///< what the checkers did not see, one sentence each
  uint32_t launches = 0;
  bool checked = true;      ///< false: option check is off, nothing was looked at
  bool second_run = false;  ///< `ascsan run` repeats the program for call stacks; nothing is looked at again

  /// All of it for a person; empty when there is nothing.
  std::string text() const;
};

/// Starts to take findings: those of earlier launches stay with the program's verdict. Not nested.
void begin_findings();
/// What was found since begin_findings().
Findings end_findings();

/// Runs `launches()` and takes what was found in them.
template <typename Launches>
Findings findings_of(Launches&& launches) {
  begin_findings();
  launches();
  return end_findings();
}

}  // namespace ascsan
