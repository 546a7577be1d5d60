// A change of sources: lines to insert or to replace, in one file or several, and how it looks as a unified diff.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/fix_text.h"

namespace ascsan::cli {

struct Edit {
  std::string file;   ///< as the compiler saw it
  uint32_t line = 0;  ///< the new lines go before this one, from 1; one more than there are = at the end
  Lines lines;
  bool replace = false;  ///< the new lines take the place of that line
};

struct Candidate {
  std::string text;  ///< one sentence
  std::vector<Edit> edits;
};

/// The lines with the edits of `file` applied; of several at one line the first comes first. `origins`: the number each
/// line had before, 0 for new ones.
Lines applied(const Lines& lines, const std::string& file, const std::vector<Edit>& edits,
              std::vector<uint32_t>* origins = nullptr);

/// The change as a unified diff, files in their order; `sources` holds the lines as they are.
std::string unified_diff(const std::map<std::string, Lines>& sources, const std::vector<Edit>& edits);

std::string join_lines(const Lines& lines);

}  // namespace ascsan::cli
