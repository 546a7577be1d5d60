// A mutant: one small change of a kernel that takes order, room or a value away (design/rigor.md D), as a list of
// edits. The number of lines never changes, so that a line of the mutant is a line of the kernel; a removed statement
// leaves its semicolon. Numbers are the order of operators and places in the file: equal sources give equal mutants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compile/mutate/source.h"

namespace ascsan::compile {

struct Edit {
  size_t begin = 0, end = 0;  ///< bytes of the text that `text` replaces
  std::string text;
};

struct Mutant {
  uint32_t number = 0;          ///< from 1, within the kernel
  std::string group;            ///< "delete", "weaken", "move", "resource", "footprint", "initial"
  std::string op;               ///< "flag pair", "count + 1 block", ...
  std::string what;             ///< one sentence
  std::vector<uint32_t> lines;  ///< that were changed, ascending
  /// What the change takes away, in the words of a finding: "MTE2 -> V", "V -> V", "cores"; empty: no link.
  std::string link;
  std::string text;  ///< the whole mutant
  std::string diff;  ///< unified
};

/// All mutants of a kernel; `file` names it in the diffs.
std::vector<Mutant> mutate(const std::string& file, const std::string& text);

/// Collects the mutants of one kernel; operators get it.
class Mutants {
 public:
  Mutants(const Source& source, std::string file) : source_(source), file_(std::move(file)) {}
  const Source& source() const { return source_; }
  /// Edits must not overlap. A change that yields a text that is there already is dropped.
  void add(const char* group, const char* op, std::string what, std::vector<Edit> edits, std::string link = "");
  std::vector<Mutant> take() { return std::move(list_); }

  /// A statement becomes empty.
  Edit remove(const Statement& statement) const;
  Edit replace(const Range& range, std::string text) const;
  /// Both change places.
  std::vector<Edit> swap(const Statement& a, const Statement& b) const;

 private:
  const Source& source_;
  std::string file_;
  std::vector<Mutant> list_;
};

/// The operators, one group a file.
void delete_sync(Mutants& mutants);
void weaken_sync(Mutants& mutants);
void move_sync(Mutants& mutants);
void change_resources(Mutants& mutants);
void change_footprints(Mutants& mutants);
void drop_initial_state(Mutants& mutants);

}  // namespace ascsan::compile
