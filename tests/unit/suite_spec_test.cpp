// Expectations of litmus kernels: what is read, what is refused, and what counts as shown.
#include "suite/spec.h"

#include <gtest/gtest.h>

#include "suite/match.h"

namespace ascsan::suite {
namespace {

const std::string kKernel =
    "// ascsan: kernel=k cores=2 type=aiv rule=R-7 profile=strict\n"
    "// ascsan:   expect=ASC1201 tensor=UB+0x0 writer=@load reader=@add missing=\"MTE2 -> V\"\n"
    "LITMUS(k, aiv, 2) {\n"
    "  DataCopy(a, x, 64);  // @load\n"
    "  Adds(b, a, 1.0f, 64);  // @add\n"
    "}\n";

std::string errors_of(const std::string& text) {
  std::vector<std::string> errors;
  parse_expectations(text, "k.cpp", errors);
  std::string all;
  for (const std::string& error : errors) all += error + "\n";
  return all;
}
std::string replaced(const std::string& from, const std::string& to) {
  std::string text = kKernel;
  return text.replace(text.find(from), from.size(), to);
}

TEST(SuiteSpec, ReadsAKernel) {
  std::vector<std::string> errors;
  const std::vector<Expectation> list = parse_expectations(kKernel + kKernel, "k.cpp", errors);
  ASSERT_TRUE(errors.empty()) << errors[0];
  ASSERT_EQ(list.size(), 2u);
  const Expectation& one = list[1];
  EXPECT_EQ(one.kernel, "k");
  EXPECT_EQ(one.cores, 2u);
  EXPECT_EQ(one.type, "aiv");
  EXPECT_EQ(one.line, 7u);
  ASSERT_EQ(one.options.size(), 1u);
  EXPECT_EQ(one.options[0].second, "strict");
  ASSERT_EQ(one.findings.size(), 1u);
  EXPECT_EQ(one.findings[0].missing, "MTE2 -> V");
  ASSERT_EQ(one.findings[0].sides.size(), 2u);
  EXPECT_EQ(one.findings[0].sides[0].line, 10u);  // marks belong to their own kernel
  EXPECT_EQ(one.findings[0].sides[1].role, "reader");
}

TEST(SuiteSpec, RefusesWhatItCannotCompare) {
  const struct {
    const char *from, *to, *words;
  } cases[] = {
      {"reader=@add", "raeder=@add", "did you mean \"reader\"?"},
      {"cores=2", "cores=two", "is no positive number"},
      {"cores=2 ", "", "cores= is missing"},
      {"type=aiv", "type=avi", "is none of aiv"},
      {"rule=R-7", "kernel=again", "kernel= is given twice"},
      {"rule=R-7 ", "", "rule= or class= is missing"},
      {"expect=ASC1201", "expect=ASC12", "is none of clean, incomplete"},
      {"expect=ASC1201", "expect=clean expect=ASC1201", "stands beside other expectations"},
      {" missing=\"MTE2 -> V\"", "", "a race needs both places"},
      {" reader=@add", "", "a race needs both places"},
      {"tensor=UB+0x0 ", "", "a race needs both places"},
      {"reader=@add", "reader=12", "is no place"},
      {"// @add", "// @sub", "no line of it has the mark // @add"},
      {"// @add", "// @load", "stands twice in one kernel"},
      {"missing=\"MTE2 -> V\"", "missing=\"MTE2 -> V", "cannot read this expectation"},
      {"// ascsan: kernel=k", "// ascsan: cores=1", "starts with kernel=NAME"},
      {"expect=ASC1201 tensor", "tensor", "needs an expect=ASCnnnn before it"},
  };
  for (const auto& [from, to, words] : cases) {
    const std::string errors = errors_of(replaced(from, to));
    EXPECT_NE(errors.find(words), std::string::npos) << from << " -> " << to << ": " << errors;
    EXPECT_EQ(errors.rfind("k.cpp:", 0), 0u) << errors;
  }
}

class SuiteMatch : public ::testing::Test {
 protected:
  SuiteMatch() {
    std::vector<std::string> errors;
    expected = parse_expectations(kKernel, "k.cpp", errors).at(0);
    report::Finding finding;
    finding.rule = "ASC1201";
    finding.tensor = "UB+0x0";
    finding.missing = "AIV 0 MTE2 -> AIV 0 V";
    report::AccessInfo writer, reader;
    writer.role = "writer", writer.line = 4;
    reader.role = "reader", reader.line = 5;
    finding.accesses = {writer, reader};
    run.findings = {finding};
  }
  Expectation expected;
  report::RunResult run;
};

TEST_F(SuiteMatch, TheSame) {
  EXPECT_EQ(mismatch(expected, run), "");
  expected.findings[0].missing = "AIV 0 MTE2 -> AIV 0 V";
  EXPECT_EQ(mismatch(expected, run), "");
}

TEST_F(SuiteMatch, EveryDifferenceCounts) {
  const auto differs = [&](auto&& change) {
    report::RunResult changed = run;
    change(changed);
    return !mismatch(expected, changed).empty();
  };
  EXPECT_TRUE(differs([](auto& r) { r.findings.clear(); }));
  EXPECT_TRUE(differs([](auto& r) { r.findings[0].rule = "ASC1202"; }));
  EXPECT_TRUE(differs([](auto& r) { r.findings[0].tensor = "UB+0x20"; }));
  EXPECT_TRUE(differs([](auto& r) { r.findings[0].missing = "AIV 0 V -> AIV 0 MTE2"; }));
  EXPECT_TRUE(differs([](auto& r) { r.findings[0].accesses[0].line = 6; }));
  EXPECT_TRUE(differs([](auto& r) { std::swap(r.findings[0].accesses[0].role, r.findings[0].accesses[1].role); }));
  EXPECT_TRUE(differs([](auto& r) { r.findings[0].accesses.pop_back(); }));
  EXPECT_TRUE(differs([](auto& r) { r.findings.push_back(r.findings[0]); }));
  EXPECT_TRUE(differs([](auto& r) { r.unchecked.push_back({"a", "b"}); }));
  EXPECT_TRUE(differs([](auto& r) { r.crash = "died"; }));
  expected.findings[0].count = 2;
  EXPECT_NE(mismatch(expected, run), "");
  expected.findings[0].count = 1;
  EXPECT_EQ(mismatch(expected, run), "");
  expected.findings[0].severity = "warning";
  EXPECT_NE(mismatch(expected, run), "");
}

TEST_F(SuiteMatch, Incomplete) {
  expected.findings.clear();
  expected.incomplete = true;
  run.findings.clear();
  EXPECT_NE(mismatch(expected, run), "");
  run.unchecked.push_back({"polled words", "their order hangs on the schedule"});
  EXPECT_EQ(mismatch(expected, run), "");
}

}  // namespace
}  // namespace ascsan::suite
