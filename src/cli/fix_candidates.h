// Cures for a finding as source changes: which call is missing, and where it goes. Races: the place is the deepest
// function both stacks pass through, around the statements that lead to the two sides, or around the two calls
// themselves. Candidates come cheapest first. Stale and lost cache lines, and queues used without EnQue or DeQue, are
// read off the source (fix_memory.cpp). Left out: whether one compiles and cures (fix_search.cpp finds out).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/fix_patch.h"
#include "report/model.h"

namespace ascsan::cli {

/// The lines of a file as the compiler saw its name; null when it cannot be read.
using ReadSource = std::function<const Lines*(const std::string& file)>;

/// Findings of this rule may have a cure in the catalogue.
bool in_catalogue(const std::string& rule);

class FixCatalogue {
 public:
  FixCatalogue(const report::Finding& finding, ReadSource read);
  /// Not empty: why there is no place for a change.
  const std::string& trouble() const { return trouble_; }
  /// `mixed`: the kernel runs on matrix and vector cores.
  std::vector<Candidate> candidates(bool mixed);
  /// The fault shows in the in-order run too, so a cure may change its outputs.
  bool changes_outputs() const { return !race_; }
  /// It has no outputs to compare with.
  bool hangs() const { return finding_.rule == "ASC5001"; }
  /// Index of the access that must come first.
  size_t first_side() const { return source_; }

 private:
  /// A statement a change is put in front of or behind.
  struct Spot {
    std::string file;
    uint32_t line = 0;
    bool usable() const { return !file.empty() && line != 0; }
  };
  void find_common_frame();
  // fix_candidates.cpp: order
  void same_core();
  void between_cores(bool mixed);
  void pair(const std::string& set, const std::string& wait, const Spot& source, const Spot& target, bool carried,
            const std::string& text);
  void in_front(const Lines& calls, const Spot& target, const std::string& text);
  void with_mix_type();
  // fix_memory.cpp
  void queue_use();
  void cache_clean(const report::AccessInfo& access, const char* call, bool behind);
  void missing_enque();
  void missing_set(const report::AccessInfo& waiter);

  std::string scope(const std::string& file);
  /// An event id, or cross-core id, that the file does not use with the words around it.
  std::string free_id(const std::string& file, const std::string& before, const std::vector<std::string>& ids);
  Edit before(const Spot& spot, const Lines& calls);
  Edit behind(const Spot& spot, const Lines& calls);
  std::string where() const;
  const report::AccessInfo& source() const { return finding_.accesses[source_]; }
  const report::AccessInfo& target() const { return finding_.accesses[target_]; }
  Spot inner(const report::AccessInfo& access) const;

  const report::Finding& finding_;
  ReadSource read_;
  std::vector<Candidate> list_;
  bool race_ = false;
  std::string trouble_, function_, target_function_, source_function_;
  Spot first_, second_;             ///< in the common function: the statements that lead to source and target
  size_t source_ = 0, target_ = 1;  ///< accesses: the one that must be first, the one that must wait
};

}  // namespace ascsan::cli
