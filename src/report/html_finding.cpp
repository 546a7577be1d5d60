// One finding of the HTML report: headline, the sides with their source lines, ordering, timeline, notes. See
// as_html.h.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "report/actors.h"
#include "report/escape.h"
#include "report/function_name.h"
#include "report/html_parts.h"
#include "report/verdict.h"
#include "report/witness_text.h"

namespace ascsan::report {
namespace {

constexpr uint32_t kLinesBefore = 4, kLinesBehind = 4;
constexpr const char* kSides[] = {"side-a", "side-b", "side-c"};

/// The colour of a side: first, second, all others.
const char* side_class(size_t side) {
  return kSides[std::min<size_t>(side, 2)];
}

std::string word_of(const AccessInfo& access, size_t side) {
  return access.role.empty() ? fmt::format("side {}", side + 1) : access.role;
}

/// Length of the blanks that all non-blank lines begin with.
size_t common_indent(const std::vector<std::string>& lines, uint32_t first, uint32_t last) {
  size_t indent = std::string::npos;
  for (uint32_t line = first; line <= last; ++line)
    if (const size_t at = lines[line - 1].find_first_not_of(" \t\r"); at != std::string::npos)
      indent = std::min(indent, at);
  return indent == std::string::npos ? 0 : indent;
}

class FindingSection {
 public:
  FindingSection(const RunResult& run, const Finding& finding, size_t number, SourceLines& sources)
      : run_(run), finding_(finding), number_(number), sources_(sources) {}

  std::string write() {
    headline();
    if (!finding_.detail.empty()) text_ += fmt::format("<p class=\"what\">{}</p>\n", paragraphs(finding_.detail));
    if (!finding_.accesses.empty()) {
      text_ += "<div class=\"sides\">\n";
      for (size_t i = 0; i < finding_.accesses.size(); ++i) side(i);
      text_ += "</div>\n";
    }
    ordering();
    text_ += html_timeline_figure(run_, finding_);
    witness();
    notes();
    text_ += fmt::format(
        "<footer><span class=\"mono\">{}</span>{}{}<span>ascsan rules {}</span></footer>\n</article>\n",
        xml_text(finding_.id), field("kernel ", finding_.kernel),
        finding_.launch > 0 ? field("launch ", std::to_string(finding_.launch)) : "", xml_text(finding_.rule));
    return std::move(text_);
  }

 private:
  static std::string field(const char* name, const std::string& value) {
    return value.empty() ? "" : fmt::format("<span>{}{}</span>", name, xml_text(value));
  }

  static std::string paragraphs(const std::string& text) {
    std::string result = xml_text(text);
    for (size_t at = 0; (at = result.find("&#10;", at)) != std::string::npos;) result.replace(at, 5, "<br>");
    return result;
  }

  void headline() {
    std::string state;
    if (finding_.suppressed) state = "<span class=\"chip plain\">suppressed</span>";
    if (!finding_.baseline.empty())
      state += fmt::format("<span class=\"chip plain\">{}</span>", xml_text(finding_.baseline));
    if (finding_.merged > 1)
      state +=
          fmt::format("<span class=\"chip plain\" title=\"occurrences of this cause\">× {}</span>", finding_.merged);
    text_ += fmt::format(
        "<article class=\"finding {0}{1}\" id=\"finding-{2}\" data-finding=\"{2}\">\n"
        "<div class=\"line\"><span class=\"chip {0}\">{0}</span><span class=\"rule mono\">{3}</span>"
        "<span class=\"chip plain\">{4}</span>{5}</div>\n<h2>{6}</h2>\n",
        name_of(finding_.severity), counts(finding_) ? "" : " quiet", number_, xml_text(finding_.rule),
        name_of(finding_.confidence), state, xml_text(finding_.title));
    if (finding_.suppressed) {
      std::string text = finding_.suppressed->reason;
      if (!finding_.suppressed->owner.empty()) text += " · " + finding_.suppressed->owner;
      if (!finding_.suppressed->expires.empty()) text += " · until " + finding_.suppressed->expires;
      text_ += fmt::format("<p class=\"what dim\">Suppressed: {}</p>\n", xml_text(text));
    }
  }

  void side(size_t i) {
    const AccessInfo& access = finding_.accesses[i];
    std::string actor = actor_name(access);
    if (access.index > 0 && access.pipe != "S") actor += fmt::format(", entry {}", access.index);
    std::string action = access.operation;
    if (const std::string range = range_text(access, finding_); !range.empty())
      action += (action.empty() ? "" : ", ") + range;
    text_ += fmt::format("<section class=\"side {}\">\n<h3><b>{}</b><span>{}</span></h3>\n<p class=\"action\">{}</p>\n",
                         side_class(i), xml_text(word_of(access, i)), xml_text(actor), xml_text(action));
    source(i);
    stack(access);
    text_ += "</section>\n";
  }

  /// The lines around the place, with the lines of all sides marked in their colours.
  void source(size_t i) {
    const AccessInfo& access = finding_.accesses[i];
    if (access.file.empty()) return;
    const std::vector<std::string>& lines = sources_.load(access.file);
    text_ += fmt::format("<div class=\"file mono\">{}</div>\n", xml_text(base::place(access.file, access.line)));
    if (access.line == 0 || access.line > lines.size()) {
      text_ += "<p class=\"dim\">The source file cannot be read from here.</p>\n";
      return;
    }
    const uint32_t first = access.line > kLinesBefore ? access.line - kLinesBefore : 1;
    const auto last = static_cast<uint32_t>(std::min<size_t>(access.line + kLinesBehind, lines.size()));
    const size_t indent = common_indent(lines, first, last);
    text_ += "<pre class=\"source\">";
    for (uint32_t line = first; line <= last; ++line) {
      std::string mark;
      for (size_t j = finding_.accesses.size(); j-- > 0;)
        if (finding_.accesses[j].file == access.file && finding_.accesses[j].line == line) mark = mark_of(j);
      if (line == access.line) mark = mark_of(i);
      std::string code = lines[line - 1].size() > indent ? lines[line - 1].substr(indent) : "";
      code.erase(code.find_last_not_of("\r\n") + 1);
      text_ += fmt::format("<span class=\"l{}\" data-line=\"{}\"><i>{}</i>{}</span>", mark, line, line, xml_text(code));
    }
    text_ += "</pre>\n";
  }

  static std::string mark_of(size_t side) { return std::string(" marked ") + side_class(side); }

  void stack(const AccessInfo& access) {
    if (access.stack.empty() && access.function.empty()) return;
    const std::vector<Frame> only = {{access.function, access.file, access.line}};
    text_ += "<ol class=\"stack\">\n";
    for (const Frame& frame : access.stack.empty() ? only : access.stack)
      text_ += fmt::format("<li><span class=\"mono\" title=\"{}\">{}</span><span class=\"mono dim\">{}</span></li>\n",
                           xml_text(frame.function), xml_text(short_function(frame.function)),
                           xml_text(html_place(frame.file, frame.line)));
    text_ += "</ol>\n";
  }

  /// Last common point, then what is missing, as a small chain.
  void ordering() {
    if (!finding_.last_common && finding_.missing.empty()) return;
    text_ += "<div class=\"ordering\">";
    if (finding_.last_common) {
      text_ += fmt::format("<div class=\"node common\"><small>last point ordered before both</small><b>{}</b>",
                           xml_text(finding_.last_common->what));
      const std::string place = html_place(finding_.last_common->file, finding_.last_common->line);
      if (!place.empty()) text_ += fmt::format("<span class=\"mono\">{}</span>", xml_text(place));
      text_ += "</div>";
    }
    if (const size_t arrow = finding_.missing.find(" -> "); arrow != std::string::npos) {
      const auto ends = missing_ends(finding_);
      text_ += fmt::format(
          "<div class=\"absent\"><span class=\"node {}\"><small>{}</small><b>{}</b></span>"
          "<span class=\"cut\" title=\"nothing orders these two\"><span>absent link</span></span>"
          "<span class=\"node {}\"><small>{}</small><b>{}</b></span></div>",
          ends ? side_class(ends->first) : "",
          ends ? xml_text(word_of(finding_.accesses[ends->first], ends->first) + " finished") : "from",
          xml_text(finding_.missing.substr(0, arrow)), ends ? side_class(ends->second) : "",
          ends ? xml_text(word_of(finding_.accesses[ends->second], ends->second) + " started") : "to",
          xml_text(finding_.missing.substr(arrow + 4)));
    } else if (!finding_.missing.empty()) {
      text_ += fmt::format("<div class=\"node\"><small>absent link</small><b>{}</b></div>", xml_text(finding_.missing));
    }
    text_ += "</div>\n";
  }

  /// What the witness did and what came of it, side by side; below it the cure.
  void witness() {
    if (finding_.witness) {
      const Witness& witness = *finding_.witness;
      text_ += "<div class=\"proof\">\n<section>\n<h3>Witness</h3>\n<ol>\n";
      for (const std::string& step : witness.steps) text_ += fmt::format("<li>{}</li>\n", xml_text(step));
      text_ += "</ol>\n";
      for (const WitnessValue& value : witness.values)
        text_ += fmt::format("<p class=\"mono value\">{}</p>\n", xml_text(value_line(value)));
      text_ += fmt::format(
          "<p class=\"dim\">{}; ascsan replay TOKEN PROGRAM</p>\n<p class=\"mono token\">{}</p>\n</section>\n",
          xml_text(cost_line(witness)), xml_text(witness.token));
      text_ += "<section>\n<h3>Effect on the outputs</h3>\n<ul>\n";
      for (const Impact& impact : finding_.impact)
        text_ += fmt::format("<li><b>{}</b>: {}</li>\n", xml_text(impact.tensor), xml_text(impact_line(impact)));
      text_ += "<li>all other outputs are identical to those of the in-order run</li>\n</ul>\n</section>\n</div>\n";
    }
    if (!finding_.fix) return;
    text_ += fmt::format(
        "<div class=\"proof\"><section>\n<h3>Fix</h3>\n<p>{}</p>\n<pre class=\"source\">{}</pre>\n<p "
        "class=\"dim\">{}</p>\n"
        "</section></div>\n",
        xml_text(finding_.fix->text), xml_text(finding_.fix->patch), xml_text(proof_line(*finding_.fix)));
  }

  void notes() {
    if (finding_.notes.empty()) return;
    text_ += "<ul class=\"notes\">\n";
    for (const std::string& note : finding_.notes) text_ += fmt::format("<li>{}</li>\n", paragraphs(note));
    text_ += "</ul>\n";
  }

  const RunResult& run_;
  const Finding& finding_;
  const size_t number_;
  SourceLines& sources_;
  std::string text_;
};

}  // namespace

std::string html_place(const std::string& file, uint32_t line) {
  if (file.empty()) return "";
  const std::string name = file.size() > 40 ? std::filesystem::path(file).filename().string() : file;
  return line == 0 ? name : fmt::format("{}:{}", name, line);
}

std::string html_finding(const RunResult& run, const Finding& finding, size_t number, SourceLines& sources) {
  return FindingSection(run, finding, number, sources).write();
}

}  // namespace ascsan::report
