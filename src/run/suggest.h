// "Did you mean ...": the nearest of a list of known names, for every message about an unknown word.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ascsan::run {

/// Edit distance: insertions, deletions, substitutions and swaps of neighbours cost one each.
size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, the first one on a tie; empty when none is near (more than a third of it differs).
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// `text` fit for a one-line message: control characters become '?', at most 80 bytes are kept.
std::string printable(std::string_view text);

}  // namespace ascsan::run
