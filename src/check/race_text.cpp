// The words of a race report: headline, the "what" paragraph, both accesses, ordering (design/ux.md 4). One screen of
// text per finding; layout is the report's business.
#include "base/text.h"
#include "check/place.h"
#include "check/race_findings.h"

namespace ascsan::check {
namespace {
using report::AccessInfo;
using report::Finding;

std::string api_of(const Access& access) {
  const std::string api = event::api_name(access.op);
  return api.empty() ? "an instruction" : api;
}

std::string place_of(const gate::Site& site) {
  return std::string(site.file) + ":" + std::to_string(site.line);
}

/// "OnlineCopyIn" between cores, "Add (V)" within one.
std::string actor(const Told& told, const Access& access, const event::SiteTable& sites) {
  const std::string function = sites.at(access.site).function;
  if (told.first.core != told.second.core && !function.empty()) return function;
  return api_of(access) + " (" + event::pipe_name(access.pipe) + ")";
}

const char* role_of(const Access& access) {
  switch (access.role) {
    case event::Role::kRead:
      return "reader";
    case event::Role::kWrite:
      return "writer";
    case event::Role::kUpdate:
      return "updater";
    case event::Role::kAtomic:
      return "atomic writer";
  }
  return "";
}

AccessInfo info_of(const Told& told, const Access& access, const event::SiteTable& sites) {
  AccessInfo info =
      access_info({role_of(access), access.site, access.core, access.pipe, access.op, access.index}, sites, told.cores);
  info.bytes[0] = access.begin > told.object.begin ? access.begin - told.object.begin : 0;
  info.bytes[1] = access.end > told.object.begin ? access.end - told.object.begin : 0;
  return info;
}

std::string headline(const Told& told, const event::SiteTable& sites) {
  const std::string& what = told.object.name;
  const std::string first = actor(told, told.first, sites), second = actor(told, told.second, sites);
  switch (told.judgement.rule) {
    case Rule::kASC1101:
      return told.backwards ? what + " is overwritten by " + first + " before " + second + " has surely read it"
                            : what + " is read by " + second + " before " + first + " has surely written it";
    case Rule::kASC1102:
      return first == second ? what + " is written by " + first + " on several cores, in no order"
                             : what + " is written by " + first + " and by " + second + ", in no order";
    case Rule::kASC1501:
      return what + " is changed by different atomic operations in no order: " + first + " and " + second;
    case Rule::kASC1502:
      return what + " is a sum of floats added atomically in no order" +
             (first == second ? " by " + first : ", by " + first + " and " + second);
    default:
      break;
  }
  const bool writes = told.second.writes() && !(told.first.writes() && told.second.reads());
  if (told.first.writes() && !writes)
    return what + " is read by " + second + " before " + first + " has surely written it";
  if (!told.first.writes()) return what + " is overwritten by " + second + " before " + first + " has surely read it";
  return what + " is written by " + first + " and by " + second + ", in no order";
}

const char* kind_of(const Told& told) {
  if (told.first.core != told.second.core && told.judgement.rule == Rule::kASC1101)
    return told.backwards ? "Write-after-read" : "Read-after-write";
  if (!told.first.writes()) return "Write-after-read";
  return told.second.reads() ? "Read-after-write" : "Write-after-write";
}

std::string verb_of(const Access& access) {
  switch (access.role) {
    case event::Role::kRead:
      return "reads";
    case event::Role::kWrite:
      return "writes";
    case event::Role::kUpdate:
      return "updates";
    case event::Role::kAtomic:
      return "atomically updates";
  }
  return "";
}

/// Who may be too early, who may still be busy; where; what kind.
std::string what(const Told& told, const Finding& finding) {
  const Access &late = told.backwards ? told.first : told.second, &early = told.backwards ? told.second : told.first;
  const bool across = late.core != early.core;
  std::string text = told.cores.name(late.core) + " " + verb_of(late) + " bytes " + std::to_string(finding.bytes[0]) +
                     ".." + std::to_string(finding.bytes[1] - 1) + " of " + finding.tensor + " (" + finding.space +
                     ", " + base::count(finding.bytes[1] - finding.bytes[0], "byte") + ") by " + api_of(late) + " on " +
                     event::pipe_name(late.pipe) + " while " + api_of(early) + " on " +
                     (across ? told.cores.name(early.core) + " " : std::string()) + event::pipe_name(early.pipe) +
                     ", which " + verb_of(early) + " them, may still be on its way. ";
  text += kind_of(told);
  if (across)
    text += " between cores";
  else if (late.pipe == early.pipe)
    text += " within one pipe";
  else
    text += " between pipes of one core";
  return text + (late.space == gate::Space::kGm ? ", global memory." : ", on-chip memory.");
}

std::string step_text(const order::Step& step, const event::SiteTable& sites) {
  const gate::Site& site = sites.at(step.site);
  return order::describe(step) + (step.site != 0 ? ", " + place_of(site) : std::string());
}

void ordering(const Told& told, const event::SiteTable& sites, Finding& finding) {
  report::Finding::CommonPoint point{"the begin of the launch", "", 0};
  if (told.why.common) {
    const gate::Site& site = sites.at(told.why.common->site);
    point = {order::describe(*told.why.common), site.file, site.line};
  }
  finding.last_common = point;
  const Access &from = told.backwards ? told.second : told.first, &to = told.backwards ? told.first : told.second;
  const auto& waited = told.backwards ? told.why.before_first : told.why.before_second;
  finding.missing = order::missing_link(told.cores, {from.core, from.pipe, 0, {}, 0}, {to.core, to.pipe, 0, {}, 0});
  const std::string source = told.cores.name(from.core) + " " + event::pipe_name(from.pipe);
  if (told.signal)
    finding.notes.push_back("after it " + source + " signals by " + step_text(*told.signal, sites));
  else if (told.signal_known)
    finding.notes.push_back("after it " + source + " signals nothing");
  if (waited)
    finding.notes.push_back("before it " + told.cores.name(to.core) + " waits at " + step_text(*waited, sites));
  else if (from.core != to.core)
    finding.notes.push_back("before it " + told.cores.name(to.core) + " waits for nothing since then");
  if (from.core == to.core && from.pipe != to.pipe)
    finding.notes.push_back(std::string("the missing event is ") + event::pipe_name(from.pipe) + "_" +
                            event::pipe_name(to.pipe));
  if (from.core != to.core)
    finding.notes.push_back(
        "SetFlag and WaitFlag order the pipes of one core only; between cores SyncAll or CrossCoreSetFlag is needed");
}
/// Two stores that meet in less than a block: a slice whose length was rounded up to 32 bytes.
void rounded_slices(const Told& told, Finding& finding) {
  const uint64_t bytes = told.end - told.begin;
  const Access &first = told.first, &second = told.second;
  if (told.judgement.rule != Rule::kASC1102 || bytes >= 32 || first.begin == second.begin) return;
  const Access &low = first.begin < second.begin ? first : second, &high = first.begin < second.begin ? second : first;
  if (low.end <= high.begin || low.end - high.begin != bytes) return;
  finding.notes.push_back("the slice of " + told.cores.name(low.core) + " runs " + base::count(bytes, "byte") +
                          " into that of " + told.cores.name(high.core) +
                          ": its length was rounded up to 32 bytes; DataCopyPad stores the exact length");
}
}  // namespace

void tell(const Told& told, const event::SiteTable& sites, Finding& finding) {
  finding.title = headline(told, sites);
  finding.detail = what(told, finding);
  finding.accesses = {info_of(told, told.first, sites), info_of(told, told.second, sites)};
  if (told.judgement.note != nullptr) finding.notes.push_back(told.judgement.note);
  rounded_slices(told, finding);
  ordering(told, sites, finding);
}

}  // namespace ascsan::check
