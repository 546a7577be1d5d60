// The suppression file: what it accepts, what each key matches, how entries go stale, and that no bytes break the
// reader.
#include "report/suppress.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "report/verdict.h"
#include "report_samples.h"

namespace ascsan::report {
namespace {

Finding race() {
  Finding finding;
  finding.id = "ASC1101-5f3c9a";
  finding.rule = "ASC1101";
  finding.title = "masked_target is read too early";
  finding.kernel = "fused_linear<half>";
  finding.tensor = "masked_target";
  finding.accesses.resize(2);
  finding.accesses[0].function = "Target<half>::Inner(unsigned int)";
  finding.accesses[1].function = "OnlineCopyIn";
  return finding;
}

std::vector<SuppressionEntry> parsed(const std::string& text) {
  std::vector<SuppressionEntry> entries;
  EXPECT_EQ(parse_suppressions(text, "f", entries), "") << text;
  return entries;
}

/// Is the race covered by an entry with these lines besides its reason?
bool covered(const std::string& lines, const std::string& today = "2026-01-01") {
  RunResult run;
  run.findings = {race()};
  apply_suppressions(run, parsed("[[suppress]]\nreason = \"r\"\n" + lines), "f", today);
  return run.findings[0].suppressed.has_value();
}

TEST(Suppress, AllKeysAreRead) {
  const std::vector<SuppressionEntry> entries = parsed(
      "# a comment\n\n[[suppress]]\nrule = \"ASC1101\"\nkernel = \"fused_*\"\ntensor = \"masked_*\"\n"
      "functions = [\"A\", \"B\"]\nreason = \"known\"\nowner = \"team\"\nexpires = 2027-02-03\n"
      "[[suppress]]\nrule = \"*\"\nreason = \"two\"\nexpires = \"2028-12-31\"\n");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].rule, "ASC1101");
  EXPECT_EQ(entries[0].kernel, "fused_*");
  EXPECT_EQ(entries[0].tensor, "masked_*");
  EXPECT_EQ(entries[0].functions, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(entries[0].reason, "known");
  EXPECT_EQ(entries[0].owner, "team");
  EXPECT_EQ(entries[0].expires, "2027-02-03");
  EXPECT_EQ(entries[0].line, 3u);
  EXPECT_EQ(entries[1].expires, "2028-12-31");
  EXPECT_TRUE(parsed("").empty());
  EXPECT_TRUE(parsed("# [[suppress]]\n").empty());
}

TEST(Suppress, WrongFilesSayWhereAndWhat) {
  const std::pair<const char*, const char*> rows[] = {
      {"[[suppress]]\nrule = \"ASC1101\"\n", "f:1: the entry has no reason; write reason = "},
      {"[[suppress]]\nrule = \"ASC1101\"\nreason = \"  \"\n", "f:1: the entry has no reason"},
      {"\n[[suppress]]\nreason = \"r\"\n", "f:2: the entry has no rule; write rule = "},
      {"[[suppress]]\nrule = 3\n", "f:1: rule must be a string in quotes"},
      {"[[suppress]]\nlines = 3\n",
       "unknown key \"lines\"; known are rule, reason, kernel, tensor, functions, owner, expires"},
      {"[[suppress]]\nexpires = \"soon\"\n", "expires must be a date like 2027-01-31"},
      {"[[suppress]]\nexpires = \"2027-13-01\"\n", "expires must be a date"},
      {"[[suppress]]\nexpires = 2027-01-31T10:00:00\n", "expires must be a date"},
      {"[[suppress]]\nfunctions = [\"a\", \"b\", \"c\"]\n", "functions must be a list of one or two strings"},
      {"[[suppress]]\nfunctions = []\n", "functions must be a list"},
      {"[[suppress]]\nfunctions = [1]\n", "functions must be a list"},
      {"[[supress]]\nrule = \"x\"\n", "f:1: \"supress\" is no entry; an entry starts with [[suppress]]"},
      {"rule = \"x\"\n", "f:1: \"rule\" is no entry"},
      {"[suppress]\nrule = \"x\"\n", "\"suppress\" is no entry"},
      {"suppress = [1]\n", "an entry starts with [[suppress]]"},
      {"[[suppress]]\nrule = \"x\n", "f:2: "},
      {"[#", "f"},
      {"\xff\xfe", "f"},
  };
  for (const auto& [text, says] : rows) {
    std::vector<SuppressionEntry> entries;
    const std::string error = parse_suppressions(text, "f", entries);
    EXPECT_NE(error.find(says), std::string::npos) << text << "\nsaid: " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(Suppress, EveryKeyMustMatch) {
  EXPECT_TRUE(covered("rule = \"ASC1101\""));
  EXPECT_TRUE(covered("rule = \"ASC11??\""));
  EXPECT_TRUE(covered("rule = \"*\""));
  EXPECT_FALSE(covered("rule = \"ASC1102\""));
  EXPECT_FALSE(covered("rule = \"ASC110\""));
  EXPECT_TRUE(covered("rule = \"*\"\nkernel = \"fused_*\""));
  EXPECT_FALSE(covered("rule = \"*\"\nkernel = \"linear*\""));
  EXPECT_TRUE(covered("rule = \"*\"\ntensor = \"*target\""));
  EXPECT_FALSE(covered("rule = \"*\"\ntensor = \"target\""));
  EXPECT_TRUE(covered("rule = \"*\"\nfunctions = [\"OnlineCopyIn\"]"));
  EXPECT_TRUE(covered("rule = \"*\"\nfunctions = [\"OnlineCopyIn\", \"Target<half>::Inner\"]"));
  EXPECT_TRUE(covered("rule = \"*\"\nfunctions = [\"Target<half>::Inner\", \"Online*\"]"));
  EXPECT_FALSE(covered("rule = \"*\"\nfunctions = [\"OnlineCopyIn\", \"OnlineCopyIn\"]"));  // two sides are wanted
  EXPECT_FALSE(covered("rule = \"*\"\nfunctions = [\"Other\"]"));
  EXPECT_FALSE(covered("rule = \"*\"\nfunctions = [\"OnlineCopyIn\", \"Other\"]"));
}

TEST(Suppress, ExpiryCountsFromTheNextDay) {
  EXPECT_TRUE(covered("rule = \"*\"\nexpires = 2026-01-01", "2026-01-01"));
  EXPECT_FALSE(covered("rule = \"*\"\nexpires = 2026-01-01", "2026-01-02"));
  EXPECT_TRUE(covered("rule = \"*\"\nexpires = 2026-10-01", "2026-09-30"));
}

TEST(Suppress, StaleEntriesAreNoted) {
  RunResult run;
  run.launches.emplace_back();
  run.findings = {race()};
  const std::string all =
      "[[suppress]]\nrule = \"ASC1101\"\nreason = \"a\"\nowner = \"me\"\nexpires = 2020-01-01\n"
      "[[suppress]]\nrule = \"ASC9999\"\nreason = \"b\"\n"
      "[[suppress]]\nrule = \"ASC8888\"\nreason = \"c\"\nexpires = 2020-01-01\n"
      "[[suppress]]\nrule = \"ASC1101\"\nreason = \"d\"\n[[suppress]]\nrule = \"ASC1*\"\nreason = \"e\"\n";
  apply_suppressions(run, parsed(all), "sup", "2026-01-01");
  ASSERT_TRUE(run.findings[0].suppressed);
  EXPECT_EQ(run.findings[0].suppressed->reason, "d");  // the first entry in force
  EXPECT_EQ(run.suppression_notes,
            (std::vector<std::string>{
                "sup:1: the entry for ASC1101, owner me expired on 2020-01-01; its findings are reported again",
                "sup:6: the entry for ASC9999 matches no finding of this run; remove it if the fault is fixed",
                "sup:9: the entry for ASC8888 expired on 2020-01-01; remove it"}));
  const Conclusion conclusion = conclude(run, {});
  EXPECT_EQ(conclusion.exit_code, kExitClean);
  EXPECT_EQ(conclusion.errors, 0u);
  EXPECT_EQ(conclusion.suppressed, 1u);
  EXPECT_NE(verdict_line(run, conclusion, " · ").find("1 suppressed"), std::string::npos);
}

// Against the definition of a glob, written down recursively.
bool slow_match(std::string_view glob, std::string_view text) {
  if (glob.empty()) return text.empty();
  if (glob[0] == '*') return slow_match(glob.substr(1), text) || (!text.empty() && slow_match(glob, text.substr(1)));
  return !text.empty() && (glob[0] == '?' || glob[0] == text[0]) && slow_match(glob.substr(1), text.substr(1));
}

TEST(Suppress, GlobsAgreeWithTheirDefinition) {
  Samples random(5);
  const auto word = [&](const char* letters, uint64_t count, uint64_t longest) {
    std::string text;
    for (uint64_t n = random.number(longest); n > 0; --n) text += letters[random.number(count)];
    return text;
  };
  int matches = 0;
  for (int i = 0; i < 50000; ++i) {
    const std::string glob = word("ab*?", 4, 8), text = word("ab", 2, 9);
    ASSERT_EQ(glob_matches(glob, text), slow_match(glob, text)) << glob << " on " << text;
    matches += glob_matches(glob, text) ? 1 : 0;
  }
  EXPECT_GT(matches, 5000);
  EXPECT_TRUE(glob_matches(std::string(5000, '*') + "b", std::string(5000, 'a') + "b"));  // and quickly
}

/// Takes the comment marks of suggested entries away and gives a reason, as a user would.
std::string uncomment(std::string text, const std::string& reason) {
  std::string result;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    std::string line = text.substr(begin, end - begin);
    if (line.rfind("# ", 0) == 0) line = line.substr(2);
    if (line.rfind("reason = ", 0) == 0) line = "reason = \"" + reason + "\"";
    result += line + "\n";
    begin = end + 1;
  }
  return result;
}

TEST(Suppress, SuggestionsAreCommentsThatWorkWhenUncommented) {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    RunResult run;
    Samples random(seed);
    for (int i = 0; i < 3; ++i) run.findings.push_back(random.finding());
    for (Finding& finding : run.findings) {
      finding.suppressed.reset();
      finding.baseline.clear();
    }
    const std::string text = suggest_suppressions(run, "");
    ASSERT_TRUE(parsed(text).empty()) << text;  // comments only
    const std::vector<SuppressionEntry> entries = parsed(uncomment(text, "because"));
    apply_suppressions(run, entries, "f", "2026-01-01");
    for (const Finding& finding : run.findings) ASSERT_TRUE(finding.suppressed) << "seed " << seed << "\n" << text;
    EXPECT_TRUE(suggest_suppressions(run, "").empty());
  }
}

TEST(Suppress, SuggestionsAreWrittenOnce) {
  RunResult run;
  run.findings = {race(), race()};
  const std::string text = suggest_suppressions(run, "");
  EXPECT_EQ(text,
            "\n# [[suppress]]  # ASC1101-5f3c9a: masked_target is read too early\n# rule = \"ASC1101\"\n"
            "# kernel = \"fused_linear<half>\"\n# tensor = \"masked_target\"\n"
            "# functions = [\"Target<half>::Inner\", \"OnlineCopyIn\"]\n"
            "# reason = \"\"  # needed: why this is accepted\n# owner = \"\"\n# # expires = 2030-12-31\n");
  EXPECT_EQ(suggest_suppressions(run, "x\n" + text), "");
  std::vector<SuppressionEntry> entries;
  EXPECT_NE(parse_suppressions(uncomment(text, ""), "f", entries), "");  // the reason stays needed
}

TEST(Suppress, TodayObeysSourceDateEpoch) {
  setenv("SOURCE_DATE_EPOCH", "0", 1);
  EXPECT_EQ(today(), "1970-01-01");
  setenv("SOURCE_DATE_EPOCH", "1798761599", 1);
  EXPECT_EQ(today(), "2026-12-31");
  setenv("SOURCE_DATE_EPOCH", "junk", 1);
  EXPECT_GE(today(), "2024-01-01");
  unsetenv("SOURCE_DATE_EPOCH");
  EXPECT_EQ(today().size(), 10u);
}

TEST(Suppress, MutatedFilesNeverCrash) {
  const std::string good =
      "[[suppress]]\nrule = \"ASC1101\"\nfunctions = [\"A\", \"B\"]\nreason = \"known\"\nexpires = 2027-02-03\n";
  Samples random(17);
  int accepted = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = good;
    for (uint64_t n = 1 + random.number(4); n > 0; --n) switch (random.number(3)) {
        case 0:
          text[random.number(text.size())] = "[]{}#=\"'.\\\n\xff\x00-:0a "[random.number(18)];
          break;
        case 1:
          text.erase(random.number(text.size()), 1 + random.number(6));
          break;
        default:
          text.insert(random.number(text.size()), good.substr(random.number(good.size()), random.number(20)));
      }
    std::vector<SuppressionEntry> entries;
    (parse_suppressions(text, "f", entries).empty() ? accepted : refused)++;
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace ascsan::report
