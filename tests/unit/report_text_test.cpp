// What holds for every text report, whatever the findings: it fits the width, hides nothing silently, and no byte of a
// program under test reaches the terminal unchecked. Exact texts are golden files (tests/golden).
#include "report/as_text.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "report/source_lines.h"
#include "report_samples.h"

namespace ascsan::report {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const RunResult& run, const TextStyle& style) {
  return to_text(run, conclude(run, {}), style);
}

TEST(TextReport, NoControlCharactersAndValidUtf8) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    TextStyle style;
    style.width = 40 + static_cast<int>(seed % 100);
    const std::string text = text_of(Samples(seed).run(), style);
    ASSERT_EQ(text.back(), '\n');
    size_t pending = 0;  // continuation bytes still to come
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      ASSERT_TRUE(byte == '\n' || (byte >= 0x20 && byte != 0x7f)) << "seed " << seed << " byte " << int(byte);
      if (pending > 0) {
        ASSERT_EQ(byte & 0xc0, 0x80) << "seed " << seed;
        --pending;
      } else if (byte >= 0x80) {
        ASSERT_GE(byte, 0xc2) << "seed " << seed;
        pending = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
      }
    }
    ASSERT_EQ(pending, 0u) << "seed " << seed;
  }
}

TEST(TextReport, AsciiStyleIsAscii) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    TextStyle style;
    style.unicode = false;
    for (const char c : text_of(Samples(seed).run(), style)) ASSERT_GE(c, 0) << "seed " << seed;
  }
}

TEST(TextReport, ProseFitsTheWidth) {
  for (int width = 40; width <= 200; width += 7) {
    RunResult run;
    run.launches.emplace_back().kernel = "k";
    Finding& finding = run.findings.emplace_back();
    finding.id = "ASC1101-000000";
    finding.rule = "ASC1101";
    for (int i = 0; i < 80; ++i) finding.title += i % 3 == 0 ? "读取 " : "word ";
    finding.detail = finding.title;
    finding.notes = {finding.title};
    run.unchecked.push_back({"what", finding.title});
    TextStyle style;
    style.width = width;
    size_t longest = 0;
    for (const std::string& line : lines_of(text_of(run, style))) {
      if (line.rfind("verdict: ", 0) == 0) continue;  // always one line, so that scripts can take the last one
      ASSERT_LE(display_width(line), static_cast<size_t>(width)) << line;
      longest = std::max(longest, display_width(line));
    }
    EXPECT_GE(longest + 8, static_cast<size_t>(width));  // and uses it
  }
}

// Wrapping keeps the words and their order; checked against a plain split of the input.
TEST(TextReport, WrappingLosesNoWord) {
  Samples random(8);
  for (int round = 0; round < 300; ++round) {
    const std::string body = random.prose(60);
    TextStyle style;
    style.width = 40 + static_cast<int>(random.number(60));
    Page page(style);
    page.wrapped("", 0, 3, body);
    std::istringstream want(body), got(page.take());
    std::string expected, word;
    while (want >> word) expected += page.clean(word) + " ";
    // clean() turns a tab inside a word into a blank; splitting both sides alike makes them comparable.
    std::string expected_words, got_words;
    std::istringstream again(expected);
    while (again >> word) expected_words += word + " ";
    while (got >> word) got_words += word + " ";
    ASSERT_EQ(got_words, expected_words) << "round " << round;
  }
}

TEST(TextReport, MaxReportsSaysHowManyMore) {
  RunResult run;
  run.launches.emplace_back().kernel = "k";
  for (int i = 0; i < 7; ++i) {
    Finding& finding = run.findings.emplace_back();
    finding.id = "ASC1101-" + std::to_string(i);
    finding.severity = i < 4 ? Severity::kError : Severity::kWarning;
  }
  TextStyle style;
  style.max_reports = 2;
  std::string text = text_of(run, style);
  EXPECT_NE(text.find("ASC1101-1"), std::string::npos);
  EXPECT_EQ(text.find("ASC1101-2"), std::string::npos);
  EXPECT_NE(text.find("5 more findings not shown (2 errors, 3 warnings); --max-reports=7 shows all."),
            std::string::npos);
  style.max_reports = 0;
  text = text_of(run, style);
  EXPECT_NE(text.find("7 findings not shown (4 errors, 3 warnings)"), std::string::npos);
  style.max_reports = 7;
  EXPECT_EQ(text_of(run, style).find("not shown"), std::string::npos);
}

TEST(TextReport, ColourOnlyOnRequest) {
  RunResult run = Samples(4).run();
  run.findings.emplace_back().title = "t";
  TextStyle style;
  EXPECT_EQ(text_of(run, style).find('\x1b'), std::string::npos);
  style.colour = true;
  EXPECT_NE(text_of(run, style).find('\x1b'), std::string::npos);
}

TEST(TextReport, StyleFollowsTheEnvironment) {
  const auto with = [](const char* name, const char* value) {
    for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG", "COLUMNS", "NO_COLOR"}) unsetenv(variable);
    if (name != nullptr) setenv(name, value, 1);
    return detect_style(-1);  // no terminal
  };
  EXPECT_FALSE(with(nullptr, "").unicode);
  EXPECT_TRUE(with("LANG", "de_DE.UTF-8").unicode);
  EXPECT_TRUE(with("LC_ALL", "C.utf8").unicode);
  EXPECT_FALSE(with("LC_ALL", "C").unicode);
  EXPECT_EQ(with("COLUMNS", "77").width, 77);
  EXPECT_EQ(with("COLUMNS", "5").width, 40);
  EXPECT_EQ(with("COLUMNS", "junk").width, 120);
  EXPECT_FALSE(with(nullptr, "").colour);
}

TEST(TextReport, LongAndWideTextIsCutAtAColumn) {
  const TextStyle style;
  const Page page(style);
  EXPECT_EQ(page.cut("abcdef", 6), "abcdef");
  EXPECT_EQ(page.cut("abcdefg", 6), "abcde\u2026");
  EXPECT_EQ(page.cut("写入写入", 6), "写入\u2026");
  EXPECT_EQ(page.cut("写入写", 6), "写入写");
  EXPECT_EQ(display_width("写a"), 3u);
}

TEST(TextReport, SourceLinesOfWhateverFile) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("sources-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "a");
  std::ofstream(folder / "a" / "k.h") << "first\n\t  second;  \r\n\nlast";
  const std::vector<std::string> roots = {(folder / "nowhere").string(), folder.string()};
  SourceLines sources(roots);
  EXPECT_EQ(sources.at("a/k.h", 1), "first");
  EXPECT_EQ(sources.at("a/k.h", 2), "second;");
  EXPECT_EQ(sources.at("a/k.h", 3), "");
  EXPECT_EQ(sources.at("a/k.h", 4), "last");
  EXPECT_EQ(sources.at("a/k.h", 0), "");
  EXPECT_EQ(sources.at("a/k.h", 5), "");
  EXPECT_EQ(sources.at("/dev/zero", 1), "");
  EXPECT_EQ(sources.at(folder.string(), 1), "");
  EXPECT_EQ(sources.at("", 1), "");
  EXPECT_EQ(sources.at(std::string("a\0b", 3), 1), "");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ascsan::report
