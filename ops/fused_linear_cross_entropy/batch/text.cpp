// Edit distance for suggestions (see text.h).
#include "fused_linear_cross_entropy/batch/text.h"

#include <algorithm>
#include <vector>

namespace flce::batch {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      const size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above + 1, row[j - 1] + 1, replace});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string join(std::span<const std::string_view> names) {
  std::string text;
  for (std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

std::string suggestion(std::string_view given, std::span<const std::string_view> known) {
  std::string_view best;
  size_t best_distance = 0;
  for (std::string_view name : known) {
    const size_t distance = edit_distance(given, name);
    if (best.empty() || distance < best_distance) best = name, best_distance = distance;
  }
  if (!best.empty() && best_distance * 3 <= std::max<size_t>(best.size(), 3))
    return "; did you mean " + std::string(best) + "?";
  return "; known: " + join(known);
}

}  // namespace flce::batch
