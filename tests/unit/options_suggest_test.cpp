// Edit distance against its definition, written a second time as a recursion, and the choice of the nearest name.
#include "run/suggest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace ascsan::run {
namespace {

// Restricted Damerau-Levenshtein distance of the prefixes of length i and j, straight from the definition.
size_t reference_distance(const std::string& a, const std::string& b, size_t i, size_t j,
                          std::map<std::pair<size_t, size_t>, size_t>& known) {
  if (i == 0 || j == 0) return i + j;
  if (auto found = known.find({i, j}); found != known.end()) return found->second;
  size_t best = reference_distance(a, b, i - 1, j, known) + 1;
  best = std::min(best, reference_distance(a, b, i, j - 1, known) + 1);
  best = std::min(best, reference_distance(a, b, i - 1, j - 1, known) + (a[i - 1] != b[j - 1]));
  if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
    best = std::min(best, reference_distance(a, b, i - 2, j - 2, known) + 1);
  return known[{i, j}] = best;
}

TEST(Suggest, DistanceEqualsItsDefinition) {
  const unsigned seed = 20240611;
  std::mt19937 random(seed);
  for (int round = 0; round < 3000; ++round) {
    std::string a(random() % 9, ' '), b(random() % 9, ' ');
    for (char& c : a) c = static_cast<char>('a' + random() % 3);
    for (char& c : b) c = static_cast<char>('a' + random() % 3);
    std::map<std::pair<size_t, size_t>, size_t> known;
    ASSERT_EQ(edit_distance(a, b), reference_distance(a, b, a.size(), b.size(), known))
        << "\"" << a << "\" \"" << b << "\" seed " << seed << " round " << round;
    ASSERT_EQ(edit_distance(a, b), edit_distance(b, a));
  }
}

TEST(Suggest, NearestNames) {
  const std::vector<std::string> names = {"run", "rules", "doctor"};
  EXPECT_EQ(nearest("runn", names), "run");
  EXPECT_EQ(nearest("rnu", names), "run");  // a swap is one step
  EXPECT_EQ(nearest("docter", names), "doctor");
  EXPECT_EQ(nearest("doc", names), "doctor");  // an abbreviation
  EXPECT_EQ(nearest("compile", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("run", {}), "");
}

TEST(Suggest, HostileLengthIsCheap) {
  const std::string huge(10'000'000, 'x');
  // Both are cut at 64 letters; what matters is that this returns at once.
  EXPECT_EQ(edit_distance(huge, "run"), 64u);
  EXPECT_LE(printable(huge).size(), 84u);
}

TEST(Suggest, PrintableHasNoControlCharacters) {
  EXPECT_EQ(printable("a\nb\x1b[31m\x7f\t"), "a?b?[31m??");
}

}  // namespace
}  // namespace ascsan::run
