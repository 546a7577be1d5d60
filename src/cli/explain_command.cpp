// ascsan explain [ID]: one finding of the last run in full, with the rule behind it. The run is the one that
// `ascsan run` kept (option keep, .ascsan/last.json) or that --from names. As text, as a page of its own, or as a trace
// for Perfetto; the last two with the timeline around the finding. Left out: anything that needs the program again.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/rule_text.h"
#include "report/as_html.h"
#include "report/as_text.h"
#include "report/as_trace.h"
#include "report/verdict.h"
#include "run/last_run.h"
#include "run/options.h"
#include "run/outputs.h"
#include "run/suggest.h"

namespace ascsan::cli {
namespace {

constexpr const char* kUsage = "usage: ascsan explain [ID] [--from FILE] [--format text|html|trace] [--out FILE]";

struct Request {
  std::string id, from, format = "text", out = "-";
};

void print_help() {
  fmt::print(
      "{}\n\n"
      "Without ID: one line per finding of the last run. With ID, as printed in a report (its beginning is enough): "
      "that\n"
      "finding in full, with the rule behind it.\n\n"
      "  --from FILE    the kept run; default: option keep of ascsan.toml and ASCSAN_OPTIONS, .ascsan/last.json.\n"
      "                 `ascsan run` writes it in the current folder when there are findings.\n"
      "  --format WORD  text (default); html: one page, no network, with the timeline; trace: for ui.perfetto.dev\n"
      "  --out FILE     where to put it; - (default) is standard output\n",
      kUsage);
}

/// Empty on success, else one line.
std::string parse(const Arguments& args, Request& request) {
  for (size_t i = 0; i < args.size(); ++i) {
    const size_t equals = args[i].find('=');
    const std::string name = args[i].substr(0, equals);
    std::string* const field = name == "--from"     ? &request.from
                               : name == "--format" ? &request.format
                               : name == "--out"    ? &request.out
                                                    : nullptr;
    if (field != nullptr) {
      if (equals == std::string::npos && i + 1 == args.size()) return name + " needs a value; " + kUsage;
      *field = equals == std::string::npos ? args[++i] : args[i].substr(equals + 1);
    } else if (args[i].rfind("-", 0) == 0) {
      const std::string near = run::nearest(name, {"--from", "--format", "--out", "--help"});
      return fmt::format("unknown option {}{}", run::printable(name),
                         near.empty() ? std::string("; ") + kUsage : ", did you mean " + near + "?");
    } else if (!request.id.empty()) {
      return std::string("too many arguments; ") + kUsage;
    } else {
      request.id = args[i];
    }
  }
  const std::vector<std::string> formats = {"text", "html", "trace"};
  if (std::find(formats.begin(), formats.end(), request.format) != formats.end()) return "";
  const std::string near = run::nearest(request.format, formats);
  return fmt::format("--format {} is none of text, html, trace{}", run::printable(request.format),
                     near.empty() ? "" : "; did you mean " + near + "?");
}

/// The finding meant by `id`, a beginning of its own; null with a reason otherwise.
const report::Finding* find(const report::RunResult& run, const std::string& id, const std::string& file,
                            std::string& error) {
  // A number of the list.
  if (id.size() < 6 && id.find_first_not_of("0123456789") == std::string::npos) {
    const size_t number = std::stoul(id);
    if (number >= 1 && number <= run.findings.size()) return &run.findings[number - 1];
    error = fmt::format("the last run has {} finding{}, there is no number {}", run.findings.size(),
                        run.findings.size() == 1 ? "" : "s", id);
    return nullptr;
  }
  std::vector<const report::Finding*> found;
  std::vector<std::string> ids;
  for (const report::Finding& finding : run.findings) {
    ids.push_back(finding.id);
    if (finding.id == id) return &finding;
    if (finding.id.size() >= id.size() && strncasecmp(finding.id.c_str(), id.c_str(), id.size()) == 0)
      found.push_back(&finding);
  }
  if (found.size() == 1) return found[0];
  if (found.size() > 1) {
    error = fmt::format("{} fits {} findings:", run::printable(id), found.size());
    for (size_t i = 0; i < found.size() && i < 5; ++i) error += " " + found[i]->id;
    error += found.size() > 5 ? " ...; ascsan explain lists all" : "";
    return nullptr;
  }
  const std::string near = run::nearest(id, ids);
  error = fmt::format("no finding {} in {}{}", run::printable(id), run::printable(file),
                      near.empty() ? "; ascsan explain lists them" : ", did you mean " + near + "?");
  return nullptr;
}

std::string list(const report::RunResult& run) {
  const report::TextStyle style = report::detect_style(STDOUT_FILENO);
  report::Page page(style);
  if (run.findings.empty()) page.raw("The last run has no findings.");
  for (size_t i = 0; i < run.findings.size(); ++i) {
    const report::Finding& finding = run.findings[i];
    const std::string head = fmt::format("{:>3}  {}  {:<7}  ", i + 1, finding.id, report::name_of(finding.severity));
    page.wrapped(head, head.size(), head.size(), finding.title);
  }
  return page.take();
}

/// The run as if it had this finding only.
report::RunResult alone(const report::RunResult& run, const report::Finding& finding) {
  report::RunResult one = run;
  one.findings = {finding};
  one.fixed.clear();
  one.suppression_notes.clear();
  std::erase_if(one.timelines, [&](const report::Timeline& timeline) { return timeline.launch != finding.launch; });
  return one;
}

std::string text_of(const report::RunResult& run, const report::Finding& finding, const report::TextStyle& style) {
  report::Page page(style);
  page.raw(report::finding_text(finding, style));
  const std::vector<Rule> rules = all_rules();
  for (const Rule& rule : rules)
    if (rule.id == finding.rule) print_rule(page, rule, rules);
  page.blank();
  page.wrapped("", 0, 2,
               fmt::format("A kernel that breaks this rule, and one that keeps it: ascsan rules {}", finding.rule));
  const bool drawn = std::any_of(run.timelines.begin(), run.timelines.end(),
                                 [&](const report::Timeline& timeline) { return timeline.launch == finding.launch; });
  if (drawn)
    page.wrapped("", 0, 2,
                 fmt::format("Timeline of cores and pipes: ascsan explain {} --format html --out {}.html", finding.id,
                             finding.id));
  return page.take();
}

std::string output_of(const Request& request, const report::RunResult& run, const report::Finding& finding) {
  if (request.format == "text")
    return text_of(run, finding, request.out == "-" ? report::detect_style(STDOUT_FILENO) : report::file_style());
  const report::RunResult one = alone(run, finding);
  if (request.format == "trace") return report::to_trace(one);
  return report::to_html(one, report::conclude(one, {}), report::file_style());
}

}  // namespace

int explain_command(const Arguments& args) {
  if (!args.empty() && (args[0] == "--help" || args[0] == "-h")) return print_help(), report::kExitClean;
  Request request;
  std::string error = parse(args, request);
  run::Options options;
  if (error.empty() && request.from.empty()) error = run::load_options(options);
  if (error.empty() && request.from.empty() && options.keep.empty())
    error = "option keep is empty, so no run is kept; name one with --from FILE";
  if (!error.empty()) return usage_error(error);
  const std::string file = request.from.empty() ? options.keep : request.from;
  report::RunResult run;
  if (error = run::load_run(file, run); !error.empty()) return usage_error(error);
  std::string text = list(run);
  if (!request.id.empty()) {
    const report::Finding* finding = find(run, request.id, file, error);
    if (finding == nullptr) return usage_error(error);
    text = output_of(request, run, *finding);
  }
  if (error = run::write_file(request.out, text); !error.empty())
    return usage_error(fmt::format("cannot write {}: {}", run::printable(request.out), error));
  return report::kExitClean;
}

}  // namespace ascsan::cli
