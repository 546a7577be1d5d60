// The page of the HTML report: head, summary, table of findings, what was not checked. See as_html.h.
#include "report/as_html.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "report/escape.h"
#include "report/html_parts.h"
#include "report/version.h"

namespace ascsan::report {
namespace {

/// "1 234 567", with narrow spaces.
std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number), result;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) result += "&#8239;";
    result += digits[i];
  }
  return result;
}

std::string tile(const std::string& value, const std::string& label, const char* kind = "") {
  return fmt::format("<div class=\"tile {}\"><b>{}</b><span>{}</span></div>\n", kind, value, xml_text(label));
}

class HtmlPage {
 public:
  HtmlPage(const RunResult& run, const Conclusion& conclusion, const TextStyle& style)
      : run_(run), conclusion_(conclusion), style_(style), sources_(style.source_roots) {}

  std::string write() {
    head();
    summary();
    troubles();
    table();
    const size_t shown = std::min<size_t>(run_.findings.size(), style_.max_reports);
    for (size_t i = 0; i < shown; ++i) text_ += html_finding(run_, run_.findings[i], i + 1, sources_);
    if (shown < run_.findings.size())
      text_ += fmt::format("<p class=\"more\">{} in the table only; --max-reports={} shows all in full.</p>\n",
                           base::count(run_.findings.size() - shown, "finding"), run_.findings.size());
    fixed();
    launches();
    options();
    foot();
    return std::move(text_);
  }

 private:
  std::string kernels() const {
    std::set<std::string> names;
    for (const Launch& launch : run_.launches) names.insert(launch.kernel);
    if (names.empty()) return "no kernel was launched";
    return names.size() == 1 ? *names.begin() : base::count(names.size(), "kernel");
  }

  const char* verdict_class() const {
    return conclusion_.verdict == Verdict::kFindings     ? "bad"
           : conclusion_.verdict == Verdict::kIncomplete ? "open"
                                                         : "good";
  }

  void head() {
    text_ += fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<title>{} · {}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n",
        xml_text(kernels()), kToolName, kHtmlStyle, kHtmlTimelineStyle);
    text_ += fmt::format(
        "<header class=\"top\"><div class=\"brand\">{}<span>{}</span></div>"
        "<div class=\"badge {}\">{}</div><div class=\"grow\"></div>"
        "<button id=\"theme\" type=\"button\" title=\"light or dark\">Light / dark</button></header>\n<main>\n",
        kToolName, kToolVersion, verdict_class(), name_of(conclusion_.verdict));
  }

  void summary() {
    uint64_t instructions = 0, bytes = 0;
    for (const Launch& launch : run_.launches) {
      instructions += launch.instructions;
      bytes += launch.bytes_checked;
    }
    text_ += fmt::format(
        "<section class=\"summary\">\n<h1>{}</h1>\n<p class=\"verdict-line\">{}</p>\n<div class=\"tiles\">\n",
        xml_text(kernels()), xml_text(verdict_line(run_, conclusion_, " · ")));
    text_ += tile(grouped(conclusion_.errors), conclusion_.errors == 1 ? "error" : "errors",
                  conclusion_.errors > 0 ? "error" : "");
    text_ += tile(grouped(conclusion_.warnings), conclusion_.warnings == 1 ? "warning" : "warnings",
                  conclusion_.warnings > 0 ? "warning" : "");
    if (conclusion_.infos > 0) text_ += tile(grouped(conclusion_.infos), "info", "info");
    if (conclusion_.suppressed > 0) text_ += tile(grouped(conclusion_.suppressed), "suppressed");
    if (conclusion_.known > 0) text_ += tile(grouped(conclusion_.known), "known");
    if (conclusion_.fixed > 0) text_ += tile(grouped(conclusion_.fixed), "fixed", "good");
    text_ += tile(grouped(run_.launches.size()), run_.launches.size() == 1 ? "launch" : "launches");
    text_ += tile(grouped(instructions), "instructions");
    text_ += tile(grouped(bytes), "bytes checked");
    text_ += "</div>\n</section>\n";
  }

  /// Everything that keeps the run from being called clean, and everything about suppressions that wants attention.
  void troubles() {
    if (!run_.crash.empty())
      text_ +=
          fmt::format("<section class=\"callout bad\"><h2>The program died inside a kernel</h2><p>{}</p></section>\n",
                      xml_text(run_.crash));
    if (const std::string failure = program_failure(run_); !failure.empty() && run_.crash.empty())
      text_ += fmt::format("<section class=\"callout bad\"><h2>The program failed by itself</h2><p>{}</p></section>\n",
                           xml_text(failure));
    if (!run_.unchecked.empty()) {
      text_ += "<section class=\"callout open\"><h2>Left unchecked</h2><ul>\n";
      for (const Unchecked& item : run_.unchecked)
        text_ += fmt::format("<li><b>{}</b>: {}</li>\n", xml_text(item.what), xml_text(item.why));
      text_ += "</ul></section>\n";
    }
    if (!run_.suppression_notes.empty()) {
      text_ += "<section class=\"callout open\"><h2>Suppressions</h2><ul>\n";
      for (const std::string& note : run_.suppression_notes) text_ += fmt::format("<li>{}</li>\n", xml_text(note));
      text_ += "</ul></section>\n";
    }
  }

  void table() {
    if (run_.findings.empty()) return;
    text_ +=
        "<section class=\"index\">\n<div class=\"index-head\"><h2>Findings</h2>"
        "<input id=\"filter\" type=\"search\" placeholder=\"filter: rule, tensor, file, function …\" "
        "aria-label=\"filter findings\"><span id=\"filter-count\"></span></div>\n"
        "<div class=\"scroll\"><table>\n<thead><tr><th>Severity</th><th>Rule</th><th>Finding</th><th>Tensor</th>"
        "<th>Places</th><th class=\"number\">Count</th></tr></thead>\n<tbody>\n";
    for (size_t i = 0; i < run_.findings.size(); ++i) {
      const Finding& finding = run_.findings[i];
      std::string places;
      std::set<std::string> seen;
      for (const AccessInfo& access : finding.accesses)
        if (const std::string place = html_place(access.file, access.line); seen.insert(place).second && !place.empty())
          places += (places.empty() ? "" : "<br>") + xml_text(place);
      const bool in_full = i < style_.max_reports;
      const std::string title = in_full ? fmt::format("<a href=\"#finding-{}\">{}</a>", i + 1, xml_text(finding.title))
                                        : xml_text(finding.title);
      text_ += fmt::format(
          "<tr data-finding=\"{}\"{}><td><span class=\"chip {}\">{}</span></td><td class=\"mono\">{}</td><td "
          "class=\"wide\">{}{}</td>"
          "<td class=\"mono\">{}</td><td class=\"mono\">{}</td><td class=\"number\">{}</td></tr>\n",
          i + 1, counts(finding) ? "" : " class=\"quiet\"", name_of(finding.severity), name_of(finding.severity),
          xml_text(finding.rule), title, state_of(finding),
          xml_text(finding.tensor.empty() ? finding.space : finding.tensor), places, grouped(finding.merged));
    }
    text_ += "</tbody></table></div>\n</section>\n";
  }

  static std::string state_of(const Finding& finding) {
    if (finding.suppressed) return " <span class=\"chip plain\">suppressed</span>";
    if (!finding.baseline.empty())
      return fmt::format(" <span class=\"chip plain\">{}</span>", xml_text(finding.baseline));
    return "";
  }

  void fixed() {
    if (run_.fixed.empty()) return;
    text_ += "<section class=\"callout good\"><h2>Fixed since the baseline</h2><ul>\n";
    for (const FixedFinding& finding : run_.fixed)
      text_ += fmt::format("<li><span class=\"mono\">{}</span> {} <span class=\"dim\">{}</span></li>\n",
                           xml_text(finding.id), xml_text(finding.title), xml_text(finding.kernel));
    text_ += "</ul></section>\n";
  }

  void launches() {
    if (run_.launches.empty()) return;
    constexpr size_t kRows = 200;
    text_ += fmt::format(
        "<details class=\"panel\"><summary>{}</summary><div "
        "class=\"scroll\"><table>\n<thead><tr><th>#</th><th>Kernel</th>"
        "<th>Cores</th><th>Chip</th><th>Schedule</th><th>Profile</th><th class=\"number\">Instructions</th>"
        "<th class=\"number\">Bytes checked</th></tr></thead>\n<tbody>\n",
        base::count(run_.launches.size(), run_.launches.size() == 1 ? "launch" : "launche"));
    for (size_t i = 0; i < run_.launches.size() && i < kRows; ++i) {
      const Launch& launch = run_.launches[i];
      const std::string cores = launch.aic + launch.aiv > 0 ? fmt::format("{} AIC, {} AIV", launch.aic, launch.aiv)
                                                            : base::count(launch.block_dim, "block");
      text_ += fmt::format(
          "<tr><td>{}</td><td class=\"mono\">{}</td><td>{}</td><td>{}</td><td>{}, seed {}</td><td>{}</td>"
          "<td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
          i + 1, xml_text(launch.kernel), cores, xml_text(launch.chip), xml_text(launch.schedule), launch.seed,
          xml_text(launch.profile), grouped(launch.instructions), grouped(launch.bytes_checked));
    }
    text_ += "</tbody></table></div>";
    if (run_.launches.size() > kRows)
      text_ += fmt::format("<p class=\"more\">{} more; the JSON report has all.</p>", run_.launches.size() - kRows);
    text_ += "</details>\n";
  }

  void options() {
    std::string rows;
    for (const OptionValue& option : run_.options)
      // File names of reports differ between equal runs.
      if (option.origin != "default" && option.name != "out")
        rows += fmt::format("<tr><td class=\"mono\">{}</td><td class=\"mono\">{}</td><td>{}</td></tr>\n",
                            xml_text(option.name), xml_text(option.value), xml_text(option.origin));
    if (rows.empty()) return;
    text_ +=
        "<details class=\"panel\"><summary>Options</summary><div class=\"scroll\"><table>\n<thead><tr><th>Option</th>"
        "<th>Value</th><th>Set by</th></tr></thead>\n<tbody>\n" +
        rows + "</tbody></table></div></details>\n";
  }

  void foot() {
    text_ += fmt::format(
        "<footer>{} {} · exit code {} · explanation of a rule: <span class=\"mono\">ascsan rules ID</span></footer>\n"
        "</main>\n<noscript><p class=\"more\">The timelines need scripts; everything else is shown.</p></noscript>\n",
        kToolName, kToolVersion, conclusion_.exit_code);
    text_ += html_timeline_data(run_);
    text_ += fmt::format("<script>\n{}{}{}</script>\n</body>\n</html>\n", kHtmlDrawScript, kHtmlTimelineScript,
                         kHtmlPageScript);
  }

  const RunResult& run_;
  const Conclusion& conclusion_;
  const TextStyle& style_;
  SourceLines sources_;
  std::string text_;
};

}  // namespace

std::string to_html(const RunResult& run, const Conclusion& conclusion, const TextStyle& style) {
  return HtmlPage(run, conclusion, style).write();
}

}  // namespace ascsan::report
