// SARIF 2.1.0. See as_sarif.h. Section numbers are those of the OASIS standard.
#include "report/as_sarif.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/actors.h"
#include "report/escape.h"
#include "report/source_lines.h"
#include "report/version.h"
#include "report/witness_text.h"

namespace ascsan::report {
namespace {

using Json = nlohmann::json;

const char* level_of(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kInfo:
      return "note";
  }
  return "none";
}

/// Message text; "](" would start an embedded link (3.11.6), so outside of our own links it is pulled apart.
std::string plain(const std::string& text) {
  std::string result = clean_utf8(text);
  for (size_t at = 0; (at = result.find("](", at)) != std::string::npos;) result.insert(++at, " ");
  return result;
}

/// Text of a link to related location `id`; brackets in it are escaped.
std::string link(const std::string& text, size_t id) {
  std::string result = "[";
  for (const char c : clean_utf8(text)) {
    if (c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result + "](" + std::to_string(id) + ")";
}

Json message(const std::string& text) {
  return {{"text", text}};
}

class SarifWriter {
 public:
  SarifWriter(const RunResult& run, const Conclusion& conclusion, const Catalogue& rules, const TextStyle& style)
      : run_(run), conclusion_(conclusion), sources_(style.source_roots) {
    std::map<std::string, const RuleText*> known;
    for (const RuleText& rule : rules) known.emplace(clean_utf8(rule.id), &rule);
    for (const Finding& finding : run.findings)
      known.emplace(clean_utf8(finding.rule), nullptr);  // a rule of another version
    for (const FixedFinding& fixed : run.fixed) known.emplace(clean_utf8(fixed.rule), nullptr);
    for (const auto& [id, rule] : known) {
      rule_index_[id] = rules_.size();
      rules_.push_back(rule_descriptor(id, rule));
    }
    for (const Finding& finding : run.findings) {
      any_suppressed_ = any_suppressed_ || finding.suppressed;
      any_baseline_ = any_baseline_ || !finding.baseline.empty();
    }
    any_baseline_ = any_baseline_ || !run.fixed.empty();
  }

  std::string write() {
    Json results = Json::array();
    for (const Finding& finding : run_.findings) results.push_back(result_of(finding));
    for (const FixedFinding& fixed : run_.fixed) results.push_back(result_of(fixed));
    const Json driver = {
        {"name", kToolName}, {"version", kToolVersion}, {"semanticVersion", kToolVersion}, {"rules", rules_}};
    const Json sarif_run = {
        {"tool", {{"driver", driver}}},
        {"columnKind", "utf16CodeUnits"},
        {"originalUriBaseIds", {{"%SRCROOT%", {{"description", message("root of the project under test")}}}}},
        {"invocations", Json::array({invocation()})},
        {"results", results}};
    const Json document = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                           {"version", "2.1.0"},
                           {"runs", Json::array({sarif_run})}};
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  static Json rule_descriptor(const std::string& id, const RuleText* rule) {
    Json json = {{"id", clean_utf8(id)}};
    if (rule == nullptr) return json;
    json["name"] = clean_utf8(rule->name);
    json["shortDescription"] = message(clean_utf8(rule->name));
    json["fullDescription"] = message(clean_utf8(rule->text));
    json["help"] = message("ascsan rules " + clean_utf8(id));
    json["defaultConfiguration"] = {{"level", level_of(rule->severity)}};
    return json;
  }

  Json invocation() const {
    Json notes = Json::array();
    for (const Unchecked& item : run_.unchecked)
      notes.push_back({{"level", "warning"},
                       {"descriptor", {{"id", "unchecked"}}},
                       {"message", message(plain("left unchecked: " + item.what + ": " + item.why))}});
    for (const std::string& note : run_.suppression_notes)
      notes.push_back(
          {{"level", "warning"}, {"descriptor", {{"id", "suppression"}}}, {"message", message(plain(note))}});
    if (!run_.crash.empty())
      notes.push_back({{"level", "error"}, {"descriptor", {{"id", "crash"}}}, {"message", message(plain(run_.crash))}});
    if (run_.launches.empty())
      notes.push_back({{"level", "warning"},
                       {"descriptor", {{"id", "no-launch"}}},
                       {"message", message("no kernel was launched")}});
    Json json = {{"executionSuccessful", run_.crash.empty() && program_failure(run_).empty()},
                 {"exitCode", conclusion_.exit_code},
                 {"toolExecutionNotifications", notes},
                 {"properties", {{"verdict", name_of(conclusion_.verdict)}}}};
    if (const std::string failure = program_failure(run_); !failure.empty())
      json["exitCodeDescription"] = clean_utf8("the program failed by itself, " + failure);
    return json;
  }

  Json physical_location(const std::string& file, uint32_t line) {
    Json json = {{"artifactLocation", {{"uri", file_uri(file)}}}};
    if (file[0] != '/') json["artifactLocation"]["uriBaseId"] = "%SRCROOT%";
    if (line == 0) return json;
    json["region"] = {{"startLine", line}};
    if (const std::string source = sources_.at(file, line); !source.empty())
      json["region"]["snippet"] = message(clean_utf8(source));
    return json;
  }

  Json location(const std::string& file, uint32_t line, const std::string& function, const std::string& text) {
    Json json = Json::object();
    if (!file.empty()) json["physicalLocation"] = physical_location(file, line);
    if (!function.empty())
      json["logicalLocations"] = Json::array({{{"fullyQualifiedName", clean_utf8(function)}, {"kind", "function"}}});
    if (!text.empty()) json["message"] = message(plain(text));
    return json;
  }

  Json location(const AccessInfo& access, const std::string& text) {
    return location(access.file, access.line, access.function, text);
  }

  static std::string side_text(const AccessInfo& access, const Finding& finding) {
    std::string text = access.role;
    for (const std::string& part : {actor_action(access, ", "), range_text(access, finding)})
      if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
    return text;
  }

  /// Sides other than the primary one, then the last common point; ids from 1 as the message refers to them.
  Json related(const Finding& finding, std::string& text) {
    Json list = Json::array();
    const auto add = [&](Json place, const std::string& words) {
      if (!place.contains("physicalLocation")) return;
      const size_t id = list.size() + 1;
      place["id"] = id;
      list.push_back(place);
      text += (id == 1 ? "\n\nSee also: " : ", ") + link(words, id);
    };
    const std::optional<size_t> primary = primary_access(finding);
    for (size_t i = 0; i < finding.accesses.size(); ++i)
      if (i != primary)
        add(location(finding.accesses[i], side_text(finding.accesses[i], finding)),
            finding.accesses[i].role.empty() ? "other side" : finding.accesses[i].role);
    if (finding.last_common)
      add(location(finding.last_common->file, finding.last_common->line, "",
                   "last point ordered before both: " + finding.last_common->what),
          "last common point");
    return list;
  }

  /// One thread flow per side: the last common point, then the access; execution order is shared (3.38.11).
  Json code_flow(const Finding& finding) {
    Json flows = Json::array();
    const bool common = finding.last_common && !finding.last_common->file.empty();
    size_t order = common ? 1 : 0;
    for (const AccessInfo& access : finding.accesses) {
      Json steps = Json::array();
      if (common)
        steps.push_back({{"location", location(finding.last_common->file, finding.last_common->line, "",
                                               "last point ordered before both: " + finding.last_common->what)},
                         {"executionOrder", 1},
                         {"importance", "important"}});
      steps.push_back({{"location", location(access, side_text(access, finding))},
                       {"executionOrder", ++order},
                       {"importance", "essential"}});
      const std::string actor = actor_name(access);
      flows.push_back({{"id", clean_utf8(fmt_id(flows.size(), actor))},
                       {"message", message(plain(actor.empty() ? access.role : actor))},
                       {"locations", steps}});
    }
    Json json = {{"threadFlows", flows}};
    if (!finding.missing.empty()) json["message"] = message(plain("nothing orders " + finding.missing));
    return json;
  }

  /// The steps of the witness, each in the thread flow of the side it tells of (run/witness.cpp begins a step with the
  /// instruction); null when no step can be placed.
  Json witness_flow(const Finding& finding) {
    const auto name = [](const AccessInfo& access) {
      const char* const what = access.pipe == "S" ? "scalar access" : "entry";
      const std::string index = std::to_string(access.index) + " ";
      return access.core + (access.pipe == "S" ? " " : " " + access.pipe + " ") + what + " " + index;
    };
    std::vector<Json> steps(finding.accesses.size(), Json::array());
    for (size_t i = 0; i < finding.witness->steps.size(); ++i)
      for (size_t side = 0; side < finding.accesses.size(); ++side)
        if (finding.witness->steps[i].rfind(name(finding.accesses[side]), 0) == 0)
          steps[side].push_back({{"location", location(finding.accesses[side], finding.witness->steps[i])},
                                 {"executionOrder", i + 1},
                                 {"importance", "essential"}});
    Json flows = Json::array();
    for (size_t side = 0; side < steps.size(); ++side) {
      if (steps[side].empty()) continue;
      const std::string actor = actor_name(finding.accesses[side]);
      flows.push_back({{"id", clean_utf8(fmt_id(side, actor))},
                       {"message", message(plain(actor.empty() ? finding.accesses[side].role : actor))},
                       {"locations", steps[side]}});
    }
    if (flows.empty()) return nullptr;
    return {{"threadFlows", flows}, {"message", message(plain("witness " + finding.witness->token))}};
  }

  static std::string fmt_id(size_t number, const std::string& actor) {
    return std::to_string(number + 1) + (actor.empty() ? "" : " " + actor);
  }

  Json stacks(const Finding& finding) {
    Json list = Json::array();
    for (const AccessInfo& access : finding.accesses) {
      if (access.stack.size() < 2) continue;  // the location says it all
      Json frames = Json::array();
      for (const Frame& frame : access.stack)
        frames.push_back({{"location", location(frame.file, frame.line, frame.function, "")}});
      list.push_back({{"message", message(plain("call stack of the " + access.role))}, {"frames", frames}});
    }
    return list;
  }

  static Json properties(const Finding& finding) {
    Json json = {{"confidence", name_of(finding.confidence)},
                 {"kernel", clean_utf8(finding.kernel)},
                 {"launch", finding.launch},
                 {"merged", finding.merged}};
    if (!finding.space.empty()) json["space"] = clean_utf8(finding.space);
    if (!finding.tensor.empty()) json["tensor"] = clean_utf8(finding.tensor);
    if (finding.bytes[0] < finding.bytes[1]) json["bytes"] = {finding.bytes[0], finding.bytes[1]};
    if (finding.elements[0] < finding.elements[1]) json["elements"] = {finding.elements[0], finding.elements[1]};
    if (!finding.missing.empty()) json["missing"] = clean_utf8(finding.missing);
    if (finding.witness) json["witness"] = clean_utf8(finding.witness->token);
    if (finding.fix) json["patch"] = clean_utf8(finding.fix->patch);
    return json;
  }

  Json head(const std::string& rule, const std::string& id) const {
    return {{"ruleId", clean_utf8(rule)},
            {"ruleIndex", rule_index_.at(clean_utf8(rule))},
            {"partialFingerprints", {{"ascsanFinding/v1", clean_utf8(id)}}}};
  }

  Json result_of(const Finding& finding) {
    Json json = head(finding.rule, finding.id);
    json["level"] = level_of(finding.severity);
    json["kind"] = "fail";
    std::string text = plain(finding.title);
    if (!finding.detail.empty()) text += "\n\n" + plain(finding.detail);
    if (!finding.missing.empty()) text += "\n\nAbsent link: " + plain(finding.missing);
    for (const std::string& note : finding.notes) text += "\n\n" + plain(note);
    if (finding.witness) {
      text += "\n\nWitness: " + plain(finding.witness->token);
      for (const WitnessValue& value : finding.witness->values) text += "\n" + plain(value_line(value));
      for (const Impact& impact : finding.impact) text += "\n" + plain(impact.tensor + ": " + impact_line(impact));
    }
    if (finding.fix) text += "\n\nFix: " + plain(finding.fix->text) + " (" + proof_line(*finding.fix) + ")";
    if (finding.merged > 1)
      text += "\n\n" + base::count(finding.merged - 1, "more occurrence") + " of the same cause merged.";
    const Json others = related(finding, text);
    json["message"] = message(text.empty() ? clean_utf8(finding.rule) : text);
    const std::optional<size_t> primary = primary_access(finding);
    if (primary)
      json["locations"] =
          Json::array({location(finding.accesses[*primary], side_text(finding.accesses[*primary], finding))});
    if (!others.empty()) json["relatedLocations"] = others;
    if (!finding.accesses.empty()) json["codeFlows"] = Json::array({code_flow(finding)});
    if (finding.witness)
      if (const Json flow = witness_flow(finding); !flow.is_null()) json["codeFlows"].push_back(flow);
    if (const Json list = stacks(finding); !list.empty()) json["stacks"] = list;
    if (any_suppressed_) json["suppressions"] = suppressions(finding);
    if (any_baseline_) json["baselineState"] = finding.baseline == "known" ? "unchanged" : "new";
    json["occurrenceCount"] = std::clamp<uint64_t>(finding.merged, 1, INT32_MAX);
    json["properties"] = properties(finding);
    return json;
  }

  /// A finding of the baseline that is gone (3.27.24).
  Json result_of(const FixedFinding& fixed) {
    Json json = head(fixed.rule, fixed.id);
    json["message"] = message(fixed.title.empty() ? clean_utf8(fixed.id) : plain(fixed.title));
    json["baselineState"] = "absent";
    json["properties"] = {{"kernel", clean_utf8(fixed.kernel)}};
    if (any_suppressed_) json["suppressions"] = Json::array();
    return json;
  }

  static Json suppressions(const Finding& finding) {
    if (!finding.suppressed) return Json::array();
    Json json = {
        {"kind", "external"}, {"status", "accepted"}, {"justification", clean_utf8(finding.suppressed->reason)}};
    if (!finding.suppressed->owner.empty()) json["properties"]["owner"] = clean_utf8(finding.suppressed->owner);
    if (!finding.suppressed->expires.empty()) json["properties"]["expires"] = clean_utf8(finding.suppressed->expires);
    return Json::array({json});
  }

  const RunResult& run_;
  const Conclusion& conclusion_;
  SourceLines sources_;
  Json rules_ = Json::array();
  std::map<std::string, size_t> rule_index_;
  bool any_suppressed_ = false, any_baseline_ = false;
};

}  // namespace

std::string to_sarif(const RunResult& run, const Conclusion& conclusion, const Catalogue& rules,
                     const TextStyle& style) {
  return SarifWriter(run, conclusion, rules, style).write();
}

}  // namespace ascsan::report
