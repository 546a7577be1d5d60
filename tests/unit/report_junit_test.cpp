// JUnit: every finding that counts is a failure in exactly one case, nothing incomplete passes, the totals add up. XML
// is read here by a small strict reader of its own; tests/report reads the same documents with Python's.
#include "report/as_junit.h"

#include <gtest/gtest.h>

#include <map>

#include "report_samples.h"

namespace ascsan::report {
namespace {

struct Element {
  std::string name, text;
  std::map<std::string, std::string> attributes;
  std::vector<Element> children;
  std::vector<const Element*> all(const std::string& wanted) const {
    std::vector<const Element*> found;
    for (const Element& child : children) {
      if (child.name == wanted) found.push_back(&child);
      for (const Element* deeper : child.all(wanted)) found.push_back(deeper);
    }
    return found;
  }
  size_t number(const std::string& attribute) const { return std::stoul(attributes.at(attribute)); }
};

/// Elements, double-quoted attributes, text with references. Throws std::string at anything else.
class XmlReader {
 public:
  explicit XmlReader(const std::string& text) : text_(text) {}
  Element document() {
    expect("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    Element root = element();
    blanks();
    if (at_ != text_.size()) throw std::string("text behind the root");
    return root;
  }

 private:
  void expect(const std::string& wanted) {
    if (text_.compare(at_, wanted.size(), wanted) != 0) throw "expected " + wanted + " at " + text_.substr(at_, 40);
    at_ += wanted.size();
  }
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  std::string until(const std::string& ends) {
    const size_t end = text_.find_first_of(ends, at_);
    if (end == std::string::npos) throw std::string("end of text");
    const std::string part = text_.substr(at_, end - at_);
    at_ = end;
    return part;
  }
  static void check(const std::string& part) {
    for (size_t i = 0; i < part.size(); ++i)
      if (part[i] == '&' && part.compare(i, 5, "&amp;") != 0 && part.compare(i, 4, "&lt;") != 0 &&
          part.compare(i, 4, "&gt;") != 0 && part.compare(i, 6, "&quot;") != 0 && part.compare(i, 2, "&#") != 0)
        throw "bare & in " + part;
  }
  Element element() {
    Element result;
    expect("<");
    result.name = until(" />");
    for (;;) {
      blanks();
      if (text_.compare(at_, 2, "/>") == 0) return at_ += 2, result;
      if (text_[at_] == '>') break;
      const std::string name = until("=");
      expect("=\"");
      if (!result.attributes.emplace(name, until("\"")).second) throw "second attribute " + name;
      check(result.attributes[name]);
      expect("\"");
    }
    expect(">");
    for (;;) {
      result.text += until("<");
      if (text_.compare(at_, 2, "</") == 0) break;
      result.children.push_back(element());
    }
    check(result.text);
    expect("</" + result.name + ">");
    return result;
  }
  const std::string& text_;
  size_t at_ = 0;
};

const Catalogue kRules = {{"ASC1101", Severity::kError, "race", "text"},
                          {"ASC1102", Severity::kError, "race", "text"},
                          {"ASC2101", Severity::kError, "bounds", "text"},
                          {"ASC5001", Severity::kError, "hang", "text"}};

Element junit_of(const RunResult& run, Severity fail_on = Severity::kError) {
  const Conclusion conclusion = conclude(run, {fail_on, 1});
  const std::string text = to_junit(run, conclusion, kRules);
  EXPECT_EQ(text, to_junit(run, conclusion, kRules));
  try {
    return XmlReader(text).document();
  } catch (const std::string& problem) {
    ADD_FAILURE() << problem << "\n" << text;
    return {};
  }
}

TEST(Junit, EveryFindingThatCountsFailsOnce) {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    Samples random(seed);
    RunResult run = random.run();
    for (Finding& finding : run.findings)
      if (random.number(2) == 0 && !run.launches.empty()) {  // some belong to a launch of the list
        finding.launch = static_cast<uint32_t>(1 + random.number(run.launches.size()));
        finding.kernel = run.launches[finding.launch - 1].kernel;
      }
    const auto fail_on = static_cast<Severity>(random.number(3));
    const Element root = junit_of(run, fail_on);
    size_t expected = 0;
    for (const Finding& finding : run.findings) expected += counts(finding) && finding.severity >= fail_on ? 1 : 0;
    ASSERT_EQ(root.all("failure").size(), expected) << "seed " << seed;
    const bool incomplete = !run.unchecked.empty() || !run.crash.empty();
    size_t cases = 0, failed = 0, skipped = 0, errors = 0;
    for (const Element* suite : root.all("testsuite")) {
      size_t in_suite = 0, failed_here = 0, skipped_here = 0, errors_here = 0;
      for (const Element* test : suite->all("testcase")) {
        ++in_suite;
        failed_here += test->all("failure").empty() ? 0 : 1;
        skipped_here += test->all("skipped").empty() ? 0 : 1;
        errors_here += test->all("error").empty() ? 0 : 1;
        if (incomplete && suite->attributes.at("name") != "program") {
          ASSERT_TRUE(!test->all("failure").empty() || !test->all("skipped").empty()) << "seed " << seed;
        }
      }
      ASSERT_EQ(suite->number("tests"), in_suite) << "seed " << seed;
      ASSERT_EQ(suite->number("failures"), failed_here);
      ASSERT_EQ(suite->number("skipped"), skipped_here);
      ASSERT_EQ(suite->number("errors"), errors_here);
      cases += in_suite, failed += failed_here, skipped += skipped_here, errors += errors_here;
    }
    ASSERT_EQ(root.number("tests"), cases) << "seed " << seed;
    ASSERT_EQ(root.number("failures"), failed);
    ASSERT_EQ(root.number("skipped"), skipped);
    ASSERT_EQ(root.number("errors"), errors);
  }
}

RunResult two_kernels() {
  RunResult run;
  for (const char* kernel : {"a", "b", "a", "a"}) {
    Launch& launch = run.launches.emplace_back();
    launch.kernel = kernel;
    launch.chip = "910B1";
    launch.schedule = "deferred";
    launch.profile = "auto";
    launch.aiv = 4;
  }
  run.launches[3].aiv = 8;
  return run;
}

std::vector<std::string> names(const Element& root) {
  std::vector<std::string> result;
  for (const Element* test : root.all("testcase"))
    result.push_back(test->attributes.at("classname") + ": " + test->attributes.at("name"));
  return result;
}

TEST(Junit, SuiteIsAKernelCaseIsAShapeAndAClass) {
  EXPECT_EQ(
      names(junit_of(two_kernels())),
      (std::vector<std::string>{"a: launches 1, 3 (4 AIV, 910B1, deferred schedule, seed 0, auto profile): races",
                                "a: launches 1, 3 (4 AIV, 910B1, deferred schedule, seed 0, auto profile): memory",
                                "a: launches 1, 3 (4 AIV, 910B1, deferred schedule, seed 0, auto profile): hangs",
                                "a: launch 4 (8 AIV, 910B1, deferred schedule, seed 0, auto profile): races",
                                "a: launch 4 (8 AIV, 910B1, deferred schedule, seed 0, auto profile): memory",
                                "a: launch 4 (8 AIV, 910B1, deferred schedule, seed 0, auto profile): hangs",
                                "b: launch 2 (4 AIV, 910B1, deferred schedule, seed 0, auto profile): races",
                                "b: launch 2 (4 AIV, 910B1, deferred schedule, seed 0, auto profile): memory",
                                "b: launch 2 (4 AIV, 910B1, deferred schedule, seed 0, auto profile): hangs"}));
}

TEST(Junit, AGapOfOneKernelSkipsThatKernel) {
  RunResult run = two_kernels();
  run.unchecked = {{"b", "too many blocks"}};
  const Element root = junit_of(run);
  for (const Element* suite : root.all("testsuite"))
    EXPECT_EQ(suite->number("skipped"), suite->attributes.at("name") == "b" ? 3u : 0u);
  run.unchecked = {{"Sort32", "not modelled"}};
  EXPECT_EQ(junit_of(run).number("skipped"), 9u);
}

TEST(Junit, FailedAndEmptyPrograms) {
  RunResult run = two_kernels();
  run.program_status = 3;
  EXPECT_EQ(junit_of(run).number("errors"), 1u);
  EXPECT_EQ(junit_of(run).all("error")[0]->attributes.at("message"), "the program failed by itself, exit status 3");
  const Element nothing = junit_of(RunResult());
  EXPECT_EQ(nothing.number("tests"), 1u);
  EXPECT_EQ(nothing.number("skipped"), 1u);
}

TEST(Junit, SuppressedFindingsAreOutput) {
  RunResult run = two_kernels();
  Finding& finding = run.findings.emplace_back();
  finding.rule = "ASC1101";
  finding.kernel = "a";
  finding.launch = 1;
  finding.suppressed = {"padding", "me", ""};
  const Element root = junit_of(run);
  EXPECT_EQ(root.number("failures"), 0u);
  ASSERT_EQ(root.all("system-out").size(), 1u);
  EXPECT_EQ(root.all("system-out")[0]->text.rfind("suppressed: padding (me)&#10;", 0), 0u);
}

}  // namespace
}  // namespace ascsan::report
