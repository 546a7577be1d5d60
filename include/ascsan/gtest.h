// Expectations about kernels for GoogleTest. The launches stand in the arguments and run there:
//   EXPECT_CLEAN(ICPU_RUN_KF(add, 8, x, y, z));
//   EXPECT_RACE("tile", 17, 21, ICPU_RUN_KF(add, 8, x, y, z));   // tensor, line of the writer, line of the reader
//   EXPECT_FINDING("ASC2101", ICPU_RUN_KF(add, 8, x, y, z));
// and ASSERT_ forms of them. Each wants exactly this: another error or warning, or a part that was not checked, is a
// failure, which shows the reports. Lines are those of the calls in the kernel; 0 means any line, an empty name any
// tensor. Two writers are matched in any order, and so is a pair with an atomic store. Left out: matching of several
// findings at once; look at ascsan::findings_of for that.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "ascsan/finding.h"

namespace ascsan::testing_detail {

inline ::testing::AssertionResult fail(const Findings& found, const std::string& expected) {
  const std::string text = found.text();
  return ::testing::AssertionFailure() << "expected " << expected << (text.empty() ? "; nothing was found" : "\n\n")
                                       << text;
}

/// Can anything be said about these launches? If not, `result` is what there is to say.
inline bool usable(const Findings& found, ::testing::AssertionResult& result) {
  if (found.second_run) return false;  // the first run has decided
  if (!found.checked)
    result = ::testing::AssertionFailure() << "nothing was checked: option check is off";
  else if (found.launches == 0)
    result = ::testing::AssertionFailure() << "no kernel was launched";
  return found.checked && found.launches > 0;
}

inline ::testing::AssertionResult clean(const Findings& found) {
  ::testing::AssertionResult result = ::testing::AssertionSuccess();
  if (!usable(found, result)) return result;
  for (const Finding& finding : found.list)
    if (finding.severity != "info") return fail(found, "no finding");
  return found.unchecked.empty() ? result : fail(found, "that everything is checked");
}

inline bool touches(const Place& place, uint32_t line) {
  return line == 0 || place.line == line;
}

inline bool reads(const Place& place) {
  return place.role == "reader";
}

/// `first` writes in line `writer` while `second` touches the bytes in line `reader`.
inline bool sides(const Place& first, const Place& second, uint32_t writer, uint32_t reader) {
  return !reads(first) && touches(first, writer) && touches(second, reader);
}

inline bool is_race(const Finding& finding, const std::string& tensor, uint32_t writer, uint32_t reader) {
  if (finding.rule.compare(0, 4, "ASC1") != 0 || (!tensor.empty() && finding.tensor != tensor)) return false;
  if (finding.places.size() < 2) return false;
  const Place &a = finding.places[0], &b = finding.places[1];
  return sides(a, b, writer, reader) || sides(b, a, writer, reader);
}

/// One finding that `wanted` accepts, and no other error or warning.
template <typename Wanted>
::testing::AssertionResult only(const Findings& found, const std::string& expected, Wanted wanted) {
  ::testing::AssertionResult result = ::testing::AssertionSuccess();
  if (!usable(found, result)) return result;
  bool met = false;
  for (const Finding& finding : found.list) met = met || wanted(finding);
  if (!met) return fail(found, expected);
  for (const Finding& finding : found.list)
    if (finding.severity != "info" && !wanted(finding)) return fail(found, expected + " and nothing else");
  return found.unchecked.empty() ? result : fail(found, expected + " and that everything is checked");
}

inline std::string line_text(uint32_t line) {
  return line == 0 ? "any line" : "line " + std::to_string(line);
}

inline ::testing::AssertionResult race(const Findings& found, const std::string& tensor, uint32_t writer,
                                       uint32_t reader) {
  const std::string expected = "a race on " + (tensor.empty() ? "any tensor" : tensor) + ", written in " +
                               line_text(writer) + ", read in " + line_text(reader);
  return only(found, expected, [&](const Finding& finding) { return is_race(finding, tensor, writer, reader); });
}

inline ::testing::AssertionResult finding(const Findings& found, const std::string& rule) {
  return only(found, "a finding of rule " + rule, [&](const Finding& one) { return one.rule == rule; });
}

}  // namespace ascsan::testing_detail

// The switch keeps a dangling else of the user's apart.
#define ASCSAN_EXPECT_RESULT_(check, complain)                                   \
  switch (0)                                                                     \
  case 0:                                                                        \
  default:                                                                       \
    if (const ::testing::AssertionResult ascsan_result = (check); ascsan_result) \
      ;                                                                          \
    else                                                                         \
      complain << ascsan_result.message()
#define ASCSAN_FINDINGS_OF_(...) ::ascsan::findings_of([&] { __VA_ARGS__; })

#define EXPECT_CLEAN(...) \
  ASCSAN_EXPECT_RESULT_(::ascsan::testing_detail::clean(ASCSAN_FINDINGS_OF_(__VA_ARGS__)), ADD_FAILURE())
#define ASSERT_CLEAN(...) \
  ASCSAN_EXPECT_RESULT_(::ascsan::testing_detail::clean(ASCSAN_FINDINGS_OF_(__VA_ARGS__)), GTEST_FAIL())
#define EXPECT_RACE(tensor, writer_line, reader_line, ...)                                                      \
  ASCSAN_EXPECT_RESULT_(                                                                                        \
      ::ascsan::testing_detail::race(ASCSAN_FINDINGS_OF_(__VA_ARGS__), (tensor), (writer_line), (reader_line)), \
      ADD_FAILURE())
#define ASSERT_RACE(tensor, writer_line, reader_line, ...)                                                      \
  ASCSAN_EXPECT_RESULT_(                                                                                        \
      ::ascsan::testing_detail::race(ASCSAN_FINDINGS_OF_(__VA_ARGS__), (tensor), (writer_line), (reader_line)), \
      GTEST_FAIL())
#define EXPECT_FINDING(rule, ...) \
  ASCSAN_EXPECT_RESULT_(::ascsan::testing_detail::finding(ASCSAN_FINDINGS_OF_(__VA_ARGS__), (rule)), ADD_FAILURE())
#define ASSERT_FINDING(rule, ...) \
  ASCSAN_EXPECT_RESULT_(::ascsan::testing_detail::finding(ASCSAN_FINDINGS_OF_(__VA_ARGS__), (rule)), GTEST_FAIL())
