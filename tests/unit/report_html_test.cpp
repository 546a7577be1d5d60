// The HTML report as text: one file without references to the outside, markup that no bytes of a program can break,
// both lines marked, data of the timelines. How it looks in a browser is tested in tests/report.
#include "report/as_html.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

#include "report_samples.h"

namespace ascsan::report {
namespace {

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

std::string html_of(const RunResult& run, const std::vector<std::string>& roots = {}) {
  TextStyle style;
  style.source_roots = roots;
  const std::string text = to_html(run, conclude(run, {}), style);
  EXPECT_EQ(text, to_html(run, conclude(run, {}), style));
  return text;
}

/// The page without style and scripts; reads tags by hand and fails when they are not closed in order.
std::string check_markup(const std::string& html) {
  static const std::set<std::string> kVoid = {"meta", "br", "input"};
  std::vector<std::string> open;
  std::string outside;
  for (size_t at = 0; at < html.size();) {
    if (html[at] != '<') {
      outside += html[at++];
      continue;
    }
    const size_t end = html.find('>', at);
    if (end == std::string::npos) return "a tag without end";
    const std::string tag = html.substr(at + 1, end - at - 1);
    at = end + 1;
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (name[0] == '!') continue;
    if (count_of(tag, "\"") % 2 != 0 || tag.find('<') != std::string::npos) return "broken tag <" + tag + ">";
    if (name[0] == '/') {
      if (open.empty() || open.back() != name.substr(1)) return "unexpected <" + tag + ">";
      open.pop_back();
    } else if (kVoid.count(name) == 0) {
      open.push_back(name);
    }
    if (name == "script" || name == "style") {
      at = html.find("</" + name, at);  // as a browser does
      if (at == std::string::npos) return name + " without end";
    }
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

TEST(Html, AnyBytesKeepTheMarkup) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    RunResult run = Samples(seed).run();
    const std::string evil = "</script></style></pre>\"'><img src=x onerror=alert(1)>&<!--\xff";
    if (!run.findings.empty()) {
      run.findings[0].title = run.findings[0].kernel = run.findings[0].tensor = evil;
      for (AccessInfo& access : run.findings[0].accesses) access.role = access.file = access.operation = evil;
    }
    if (!run.timelines.empty()) run.timelines[0].texts[0] = run.timelines[0].kernel = evil;
    const std::string html = html_of(run);
    ASSERT_EQ(check_markup(html), "") << "seed " << seed;
    ASSERT_EQ(html.find("<img"), std::string::npos) << "seed " << seed;
    for (const char c : html) ASSERT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << "seed " << seed;
    ASSERT_NO_THROW((void)nlohmann::json(html).dump()) << "seed " << seed;  // valid UTF-8
  }
}

TEST(Html, NothingIsLoaded) {
  Samples random(4);
  const std::string html = html_of(random.run());
  for (const char* reference : {" src=", "@import", "<link", "<iframe", "<img", "fetch(", "XMLHttpRequest", "WebSocket",
                                "import(", "sendBeacon"})
    EXPECT_EQ(html.find(reference), std::string::npos) << reference;
  EXPECT_EQ(count_of(html, "http://"), count_of(html, "http://www.w3.org/2000/svg"));  // the name of SVG, not a place
  EXPECT_EQ(html.find("https://"), std::string::npos);
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  // Links and references to markers stay in the page.
  EXPECT_EQ(count_of(html, "url("), count_of(html, "url(#"));
  EXPECT_EQ(count_of(html, " href="), count_of(html, " href=\"#finding-"));
}

TEST(Html, TimelineDataIsWhole) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const RunResult run = Samples(seed).run();
    const std::string html = html_of(run);
    for (size_t i = 0; i < run.timelines.size(); ++i) {
      const std::string head = "<script type=\"application/json\" id=\"timeline-" + std::to_string(i) + "\">";
      const size_t begin = html.find(head);
      ASSERT_NE(begin, std::string::npos);
      const std::string text = html.substr(begin + head.size(), html.find("</script>", begin) - begin - head.size());
      const nlohmann::json data = nlohmann::json::parse(text);
      ASSERT_EQ(data["slices"].size(), run.timelines[i].slices.size());
      ASSERT_EQ(data["arrows"].size(), run.timelines[i].arrows.size());
      for (size_t s = 0; s < run.timelines[i].slices.size(); ++s) {
        const TimelineSlice& slice = run.timelines[i].slices[s];
        ASSERT_EQ(data["slices"][s], (nlohmann::json{slice.lane, static_cast<int>(slice.kind), slice.begin, slice.end,
                                                     slice.index, slice.name, slice.detail, slice.place}));
      }
    }
  }
}

TEST(Html, BothLinesAreMarkedInTheirSource) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("html-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  {
    std::ofstream file(folder / "k.h");
    for (int line = 1; line <= 40; ++line) file << "  line_" << line << "(a < b);\r\n";
  }
  RunResult run;
  run.launches.emplace_back().kernel = "k";
  Finding& finding = run.findings.emplace_back();
  finding.accesses.resize(2);
  finding.accesses[0].file = finding.accesses[1].file = "k.h";
  finding.accesses[0].line = 12;
  finding.accesses[1].line = 15;
  std::string html = html_of(run, {folder.string()});
  // Each side shows its own line, and the other one where it is near enough.
  EXPECT_EQ(count_of(html, "<span class=\"l marked side-a\" data-line=\"12\"><i>12</i>line_12(a &lt; b);</span>"), 2u);
  EXPECT_EQ(count_of(html, "<span class=\"l marked side-b\" data-line=\"15\"><i>15</i>line_15(a &lt; b);</span>"), 2u);
  EXPECT_NE(html.find("data-line=\"8\""), std::string::npos);
  EXPECT_EQ(html.find("data-line=\"7\""), std::string::npos);
  finding.accesses[1].line = 400;
  html = html_of(run, {folder.string()});
  EXPECT_EQ(count_of(html, "The source file cannot be read from here."), 1u);
  std::filesystem::remove_all(folder);
}

TEST(Html, ManyFindingsAreInTheTable) {
  RunResult run;
  run.launches.emplace_back();
  for (int i = 0; i < 30; ++i) run.findings.emplace_back().rule = "ASC1101";
  const std::string html = html_of(run);
  EXPECT_EQ(count_of(html, "<tr data-finding="), 30u);
  EXPECT_EQ(count_of(html, "<article "), 20u);
  EXPECT_EQ(count_of(html, "href=\"#finding-"), 20u);
  EXPECT_NE(html.find("10 findings in the table only; --max-reports=30 shows all in full."), std::string::npos);
}

TEST(Html, IncompleteRunsSaySo) {
  RunResult run;
  run.launches.emplace_back();
  EXPECT_NE(html_of(run).find("<div class=\"badge good\">clean</div>"), std::string::npos);
  run.unchecked = {{"Sort32", "not modelled"}};
  EXPECT_NE(html_of(run).find("<div class=\"badge open\">incomplete</div>"), std::string::npos);
  EXPECT_NE(html_of(run).find("<b>Sort32</b>: not modelled"), std::string::npos);
}

}  // namespace
}  // namespace ascsan::report
