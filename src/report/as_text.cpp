// The text report. See as_text.h; the shape follows the mock in design/ux.md 4. Blocks that have no data are left out.
#include "report/as_text.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "report/actors.h"
#include "report/function_name.h"
#include "report/source_lines.h"
#include "report/version.h"
#include "report/witness_text.h"

namespace ascsan::report {
namespace {

constexpr size_t kMaxUnchecked = 10;

Colour colour_of(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return Colour::kRed;
    case Severity::kWarning:
      return Colour::kYellow;
    case Severity::kInfo:
      return Colour::kBlue;
  }
  return Colour::kNone;
}

void print_header(Page& page, const RunResult& run) {
  std::vector<std::string> parts = {fmt::format("{} {}", kToolName, kToolVersion)};
  std::set<std::string> kernels;
  for (const Launch& launch : run.launches) kernels.insert(launch.kernel);
  if (kernels.size() == 1) parts.push_back(*kernels.begin());
  if (kernels.size() > 1) parts.push_back(base::count(kernels.size(), "kernel"));
  if (run.launches.size() > 1) parts.push_back(fmt::format("{} launches", run.launches.size()));
  if (!run.launches.empty()) {
    const auto all_like_first = [&](auto member) {
      return std::all_of(run.launches.begin(), run.launches.end(),
                         [&](const Launch& launch) { return launch.*member == run.launches[0].*member; });
    };
    const Launch& first = run.launches[0];
    if (first.aic + first.aiv > 0 && all_like_first(&Launch::aic) && all_like_first(&Launch::aiv)) {
      std::string cores = first.aic > 0 ? fmt::format("{} AIC", first.aic) : "";
      if (first.aiv > 0) cores += fmt::format("{}{} AIV", cores.empty() ? "" : " + ", first.aiv);
      parts.push_back(cores);
    } else if (all_like_first(&Launch::block_dim)) {
      parts.push_back(base::count(first.block_dim, "block"));
    }
    if (all_like_first(&Launch::chip)) parts.push_back(first.chip);
    if (all_like_first(&Launch::schedule)) parts.push_back(first.schedule + " schedule");
    if (all_like_first(&Launch::profile) && first.profile == "strict") parts.push_back("strict profile");
  }
  parts.push_back(run.launches.empty() ? "nothing was run" : "1 checked run");
  page.wrapped("", 0, kLabelColumn, page.join(parts));
}

/// "kernel.h:564"; a path that would crowd out the source line is cut to its last part, the JSON keeps it whole.
std::string location(const std::string& file, uint32_t line) {
  if (file.empty()) return "";
  std::string name = file;
  if (name.size() > 32) name = std::filesystem::path(file).filename().string();
  return line == 0 ? name : fmt::format("{}:{}", name, line);
}

std::vector<Frame> frames_of(const AccessInfo& access) {
  if (!access.stack.empty()) return access.stack;
  if (access.file.empty() && access.function.empty()) return {};
  return {{access.function, access.file, access.line}};
}

class FindingPrinter {
 public:
  FindingPrinter(Page& page, SourceLines& sources, const Finding& finding)
      : page_(page), sources_(sources), finding_(finding) {}

  void print() {
    headline();
    page_.blank();
    if (!finding_.detail.empty()) {
      page_.block("what", finding_.detail);
      page_.blank();
    }
    accesses();
    ordering();
    witness();
    for (const std::string& note : finding_.notes) page_.block("note", note);
    if (finding_.merged > 1)
      page_.block("also", base::count(finding_.merged - 1, "more occurrence") +
                              (finding_.merged == 2 ? " has" : " have") + " the same cause (merged).");
    identity();
  }

 private:
  void headline() {
    const std::string severity = name_of(finding_.severity);
    const std::string head = fmt::format("{} {} [{}]", severity, finding_.rule, name_of(finding_.confidence));
    page_.wrapped(page_.paint(colour_of(finding_.severity), page_.clean(head)) + "  ", display_width(head) + 2,
                  kLabelColumn, finding_.title);
  }

  void accesses() {
    size_t location_columns = 0, function_columns = 0;
    for (const AccessInfo& access : finding_.accesses)
      for (const Frame& frame : frames_of(access)) {
        location_columns = std::max(location_columns, display_width(location(frame.file, frame.line)));
        function_columns = std::max(function_columns, display_width(short_function(frame.function)));
      }
    function_columns = std::min<size_t>(function_columns, 32);
    for (const AccessInfo& access : finding_.accesses) {
      std::string pipe = access.pipe;
      if (pipe == "S")
        pipe = "scalar unit";
      else if (!pipe.empty())
        pipe += access.index > 0 ? fmt::format(" queue, entry {}", access.index) : " queue";
      std::string action = access.operation;
      if (const std::string range = range_text(access, finding_); !range.empty())
        action += (action.empty() ? "" : ", ") + range;
      page_.block(access.role, page_.join({access.core, pipe, action}));
      for (const Frame& frame : frames_of(access)) print_frame(frame, location_columns, function_columns);
    }
    if (!finding_.accesses.empty()) page_.blank();
  }

  void print_frame(const Frame& frame, size_t location_columns, size_t function_columns) {
    const std::string place = page_.clean(location(frame.file, frame.line));
    const std::string function = page_.cut(short_function(frame.function), function_columns);
    std::string line(kFrameColumn, ' ');
    line +=
        place + std::string(location_columns + 3 - std::min(location_columns, display_width(place)), ' ') + function;
    const std::string source = sources_.at(frame.file, frame.line);
    const size_t column = kFrameColumn + location_columns + 3 + function_columns + 3;
    if (!source.empty() && column + 20 <= page_.width()) {
      line += std::string(function_columns + 3 - std::min(function_columns, display_width(function)), ' ');
      line += page_.paint(Colour::kDim, page_.cut(source, page_.width() - column));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    page_.raw(line);
    if (!source.empty() && column + 20 > page_.width() && page_.width() > kFrameColumn + 4)
      page_.raw(std::string(kFrameColumn + 2, ' ') +
                page_.paint(Colour::kDim, page_.cut(source, page_.width() - kFrameColumn - 2)));
  }

  void ordering() {
    std::string text;
    if (finding_.last_common) {
      text = "last point ordered before both: " + finding_.last_common->what;
      const std::string place = location(finding_.last_common->file, finding_.last_common->line);
      if (!place.empty()) text += ", " + place;
    }
    if (!finding_.missing.empty()) {
      std::string link = finding_.missing;
      if (const size_t arrow = link.find(" -> "); arrow != std::string::npos) link.replace(arrow, 4, "  --x-->  ");
      text += (text.empty() ? "" : "\n") + ("absent link: " + link);
    }
    if (text.empty()) return;
    page_.block("ordering", text);
    page_.blank();
  }

  void witness() {
    if (finding_.witness) {
      const Witness& witness = *finding_.witness;
      std::string text = witness.token + "\n" + cost_line(witness) + "; replay: ascsan replay TOKEN PROGRAM [args...]";
      for (size_t i = 0; i < witness.steps.size(); ++i) text += fmt::format("\n  t{}  {}", i + 1, witness.steps[i]);
      for (const WitnessValue& value : witness.values) text += "\n" + value_line(value);
      page_.block("witness", text);
      page_.blank();
      text = "outputs compared with the in-order run (same inputs)";
      for (const Impact& impact : finding_.impact) text += "\n  " + impact.tensor + "  " + impact_line(impact);
      page_.block("effect", text + "\n  all other outputs identical");
      page_.blank();
    }
    if (!finding_.fix) return;
    page_.block("fix", finding_.fix->text + "\n" + finding_.fix->patch + proof_line(*finding_.fix));
    page_.blank();
  }

  void identity() {
    std::vector<std::string> parts = {finding_.id};
    if (!finding_.kernel.empty()) parts.push_back("kernel " + finding_.kernel);
    if (finding_.launch > 0) parts.push_back(fmt::format("launch {}", finding_.launch));
    parts.push_back("ascsan explain " + finding_.id);
    page_.block("id", page_.join(parts));
  }

  Page& page_;
  SourceLines& sources_;
  const Finding& finding_;
};

void print_rest(Page& page, const std::vector<const Finding*>& findings, size_t shown) {
  if (shown >= findings.size()) return;
  uint64_t count[3] = {};
  for (size_t i = shown; i < findings.size(); ++i) ++count[static_cast<size_t>(findings[i]->severity)];
  std::string kinds;
  for (Severity severity : {Severity::kError, Severity::kWarning, Severity::kInfo})
    if (count[static_cast<size_t>(severity)] > 0)
      kinds += (kinds.empty() ? "" : ", ") + base::count(count[static_cast<size_t>(severity)], name_of(severity));
  page.wrapped("", 0, kLabelColumn,
               fmt::format("{} not shown ({}); --max-reports={} shows all.",
                           base::count(findings.size() - shown, shown > 0 ? "more finding" : "finding"), kinds,
                           findings.size()));
  page.blank();
}

void print_unchecked(Page& page, const RunResult& run) {
  if (run.unchecked.empty()) return;
  page.raw(page.paint(Colour::kYellow, "left unchecked"));
  for (size_t i = 0; i < run.unchecked.size() && i < kMaxUnchecked; ++i)
    page.wrapped("  - ", 4, 4, run.unchecked[i].what + ": " + run.unchecked[i].why);
  if (run.unchecked.size() > kMaxUnchecked)
    page.raw(fmt::format("  {} more; --out=json=FILE lists all", run.unchecked.size() - kMaxUnchecked));
  page.blank();
}

/// An info that fails nothing takes one line; `ascsan explain` shows it in full.
bool is_remark(const Finding& finding, const Conclusion& conclusion) {
  return finding.severity == Severity::kInfo && conclusion.fail_on > Severity::kInfo;
}

void print_remarks(Page& page, const std::vector<const Finding*>& remarks) {
  if (remarks.empty()) return;
  page.raw(page.paint(Colour::kBold, "remarks"));
  for (const Finding* finding : remarks)
    page.wrapped("  - ", 4, 4, fmt::format("{} (ascsan explain {})", finding->title, finding->id));
  page.blank();
}

/// Findings that do not count, with the reason; what is gone since the baseline; what is wrong with suppressions.
void print_accepted(Page& page, const RunResult& run) {
  const auto list = [&](const std::string& title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    page.raw(page.paint(Colour::kBold, title));
    for (const std::string& line : lines) page.wrapped("  - ", 4, 4, line);
    page.blank();
  };
  std::vector<std::string> accepted, fixed;
  for (const Finding& finding : run.findings) {
    if (counts(finding)) continue;
    std::string why = "known from the baseline";
    if (finding.suppressed) {
      why = "suppressed: " + finding.suppressed->reason;
      if (!finding.suppressed->owner.empty()) why += ", " + finding.suppressed->owner;
      if (!finding.suppressed->expires.empty()) why += ", until " + finding.suppressed->expires;
    }
    accepted.push_back(finding.id + "  " + finding.title + " (" + why + ")");
  }
  for (const FixedFinding& finding : run.fixed) fixed.push_back(finding.id + "  " + finding.title);
  list("accepted", accepted);
  list("fixed since the baseline", fixed);
  list("suppressions", run.suppression_notes);
}

}  // namespace

std::string to_text(const RunResult& run, const Conclusion& conclusion, const TextStyle& style) {
  Page page(style);
  SourceLines sources(style.source_roots);
  print_header(page, run);
  page.blank();
  std::vector<const Finding*> open, remarks;
  for (const Finding& finding : run.findings)
    if (counts(finding)) (is_remark(finding, conclusion) ? remarks : open).push_back(&finding);
  const size_t shown = std::min<size_t>(open.size(), style.max_reports);
  for (size_t i = 0; i < shown; ++i) {
    FindingPrinter(page, sources, *open[i]).print();
    page.blank();
  }
  print_rest(page, open, shown);
  print_remarks(page, remarks);
  print_accepted(page, run);
  print_unchecked(page, run);
  if (!run.crash.empty()) {
    page.raw(page.paint(Colour::kRed, "crash"));
    page.wrapped("  ", 2, 2, run.crash);
    page.blank();
  }
  const std::string line = page.clean(verdict_line(run, conclusion, page.separator()));
  page.raw(page.paint(conclusion.exit_code == kExitClean ? Colour::kGreen : Colour::kBold, line));
  return page.take();
}

std::string finding_text(const Finding& finding, const TextStyle& style) {
  Page page(style);
  SourceLines sources(style.source_roots);
  FindingPrinter(page, sources, finding).print();
  return page.take();
}

void print_text(std::FILE* stream, const RunResult& run, const Conclusion& conclusion, const TextStyle& style) {
  const std::string text = to_text(run, conclusion, style);
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

}  // namespace ascsan::report
