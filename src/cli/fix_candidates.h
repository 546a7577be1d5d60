// Cures for a race as source changes: which call is missing, and where it goes. The place is the deepest function both
// stacks pass through, before the statement that leads to the side that must come second. Candidates come cheapest
// first. Left out: whether one compiles and cures (fix_command.cpp finds out).
#pragma once

#include <string>
#include <vector>

#include "report/model.h"

namespace ascsan::cli {

struct Candidate {
  std::string text;   ///< one sentence
  std::string file;   ///< as the compiler saw it
  uint32_t line = 0;  ///< the new lines go before this one, from 1
  std::vector<std::string> lines;
};

/// `source` is the text of the file of the common frame; read by the caller through read_source.
class FixSearch {
 public:
  explicit FixSearch(const report::Finding& finding);
  /// Not empty: why there is no place for a change.
  const std::string& trouble() const { return trouble_; }
  const std::string& file() const { return file_; }
  /// `lines`: the file; `mixed`: the kernel runs on matrix and vector cores.
  std::vector<Candidate> candidates(const std::vector<std::string>& lines, bool mixed) const;

 private:
  std::vector<std::string> calls(bool mixed, const std::string& scope, std::vector<std::string>& texts) const;

  const report::Finding& finding_;
  std::string trouble_, file_, function_, target_function_, source_function_;
  uint32_t line_ = 0;               ///< of the call that leads to the second side
  size_t source_ = 0, target_ = 1;  ///< accesses: the one that must be first, the one that must wait
};

/// First line of the statement that holds line `line`: inserting there does not break it.
uint32_t statement_begin(const std::vector<std::string>& lines, uint32_t line);

/// The change as a unified diff of `file`.
std::string unified_diff(const std::string& file, const std::vector<std::string>& lines, const Candidate& candidate);

}  // namespace ascsan::cli
