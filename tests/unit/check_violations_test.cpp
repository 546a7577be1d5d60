// Violations, unmodelled operations and hangs as findings.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "check/hang.h"
#include "check/rules.h"
#include "check/violations.h"
#include "support/stream.h"

namespace ascsan::check {
namespace {
using report::Severity;
using test::Stream;

class Violations : public event::Sink {
 public:
  Violations() : checker(sites), hang(sites), stream(*this, sites) {}
  void on_event(const event::Event& event) override {
    checker.on_event(event);
    hang.on_event(event);
  }
  void unchecked(const char* what, const char* why) {
    event::Event event;
    event.kind = event::Kind::kUnchecked;
    event.text = what;
    event.value[0] = reinterpret_cast<uint64_t>(why);
    on_event(event);
  }
  event::SiteTable sites;
  ViolationChecker checker;
  HangChecker hang;
  Stream stream;
};

TEST(Violations, RuleNamesHaveTheirIds) {
  const std::vector<std::pair<const char*, const char*>> expected = {
      {"bounds", "ASC2101"},       {"extent", "ASC2102"}, {"alignment", "ASC2201"}, {"path", "ASC2202"},
      {"repeat", "ASC2203"},       {"stride", "ASC2204"}, {"overlap", "ASC2205"},   {"length", "ASC2206"},
      {"type", "ASC2207"},         {"queue", "ASC4201"},  {"event-id", "ASC4101"},  {"cross-core", "ASC4301"},
      {"something new", "ASC2299"}};
  for (const auto& [name, id] : expected) EXPECT_STREQ(info_of(rule_of_violation(name)).id, id) << name;
}

TEST(Violations, CatalogueIsWellFormed) {
  std::set<std::string> ids;
  for (const RuleInfo& rule : kRules) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_EQ(std::strlen(rule.id), 7u);
    EXPECT_EQ(std::string(rule.id).substr(0, 3), "ASC");
    EXPECT_GT(std::strlen(rule.name), 0u);
    EXPECT_GT(std::strlen(rule.text), 0u);
  }
}

TEST(Violations, OnePlaceIsOneFinding) {
  Violations v;
  v.stream.launch(0, 3);
  v.stream.violation(2, "bounds", "DataCopy reads 3 bytes past the end of x", 7);
  v.stream.violation(1, "bounds", "DataCopy reads 1 byte past the end of x", 7);
  v.stream.violation(1, "bounds", "DataCopy reads 9 bytes past the end of x", 7);
  v.stream.violation(1, "alignment", "another rule", 7);
  v.stream.violation(1, "bounds", "another line", 8, false);
  v.stream.end();
  const auto findings = v.checker.take_findings();
  ASSERT_EQ(findings.size(), 3u);
  std::map<std::string, const report::Finding*> by_title;
  for (const report::Finding& finding : findings) by_title[finding.title] = &finding;
  ASSERT_TRUE(by_title.count("DataCopy reads 1 byte past the end of x"));  // the lowest core speaks
  const report::Finding& bounds = *by_title["DataCopy reads 1 byte past the end of x"];
  EXPECT_EQ(bounds.rule, "ASC2101");
  EXPECT_EQ(bounds.merged, 3u);
  EXPECT_EQ(bounds.severity, Severity::kError);
  EXPECT_EQ(bounds.accesses.at(0).line, 7u);
  EXPECT_EQ(bounds.accesses.at(0).core, "AIV 1");
  ASSERT_TRUE(by_title.count("another line"));
  EXPECT_EQ(by_title["another line"]->severity, Severity::kWarning);
  EXPECT_EQ(by_title["another rule"]->rule, "ASC2201");
  EXPECT_TRUE(v.checker.take_findings().empty());
}

TEST(Violations, TextDoesNotHangOnTheOrderOfCores) {
  std::set<std::string> titles, ids;
  for (int turn = 0; turn < 2; ++turn) {
    Violations v;
    v.stream.launch(0, 2);
    for (int i = 0; i < 2; ++i) {
      const auto core = static_cast<event::CoreId>(turn == 0 ? i : 1 - i);
      v.stream.violation(core, "bounds", core == 0 ? "first" : "second", 7);
    }
    const auto findings = v.checker.take_findings();
    ASSERT_EQ(findings.size(), 1u);
    titles.insert(findings[0].title);
    ids.insert(findings[0].id);
  }
  EXPECT_EQ(titles, std::set<std::string>{"first"});
  EXPECT_EQ(ids.size(), 1u);
}

TEST(Violations, RedZone) {
  Violations v;
  v.stream.launch(0, 1);
  v.stream.end();
  v.checker.red_zone("x");
  v.checker.red_zone("x");
  const auto findings = v.checker.take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "ASC2101");
  EXPECT_EQ(findings[0].tensor, "x");
  EXPECT_EQ(findings[0].merged, 2u);
}

TEST(Violations, UncheckedEntriesAreEachOnceAndSorted) {
  Violations v;
  v.unchecked("B", "not modelled");
  v.unchecked("A", "not modelled");
  v.unchecked("B", "not modelled");
  const auto entries = v.checker.take_unchecked();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].what, "A");
  EXPECT_EQ(entries[1].what, "B");
  EXPECT_EQ(entries[1].why, "not modelled");
  EXPECT_TRUE(v.checker.take_unchecked().empty());
}

TEST(Hang, AllPlacesOfAStallAreOneFinding) {
  Violations v;
  for (int launch = 0; launch < 2; ++launch) {
    v.stream.launch(0, 2);
    for (const uint32_t line : {12u, 20u, 12u}) {
      event::Event stall;
      stall.kind = event::Kind::kStall;
      stall.op = gate::Op::kWaitFlag;
      stall.site = v.sites.intern({"kernel.cpp", "f", line});
      v.on_event(stall);
    }
    v.stream.end();
  }
  const auto findings = v.hang.take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].merged, 2u);
  ASSERT_EQ(findings[0].accesses.size(), 2u);
  EXPECT_EQ(findings[0].accesses[0].line, 12u);
  EXPECT_EQ(findings[0].accesses[1].line, 20u);
}

TEST(Hang, StallIsAFinding) {
  Violations v;
  v.stream.launch(0, 2);
  event::Event stall;
  stall.kind = event::Kind::kStall;
  stall.core = 1;
  stall.op = gate::Op::kWaitFlag;
  stall.site = v.sites.intern({"kernel.cpp", "f", 12});
  stall.text = "AIV 1 waits for flag 3";
  v.on_event(stall);
  v.stream.end();
  const auto findings = v.hang.take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "ASC5001");
  EXPECT_EQ(findings[0].severity, Severity::kError);
  EXPECT_EQ(findings[0].detail, "AIV 1 waits for flag 3");
  EXPECT_NE(findings[0].title.find("WaitFlag"), std::string::npos);
  EXPECT_EQ(findings[0].accesses.at(0).core, "AIV 1");
  EXPECT_EQ(findings[0].accesses.at(0).line, 12u);
  EXPECT_EQ(findings[0].launch, 1u);
}

}  // namespace
}  // namespace ascsan::check
