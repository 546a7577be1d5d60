#include "check/init_findings.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "check/place.h"

namespace ascsan::check {
namespace {
/// Stores are rounded up to blocks of 32 bytes; fewer undefined bytes than that may be such a remainder.
constexpr uint64_t kBlockBytes = 32;
/// Origins kept apart in one launch; more of them share the last one of their place.
constexpr size_t kMaxOrigins = 1 << 16;

std::string api_of(const InitPlace& place) {
  const std::string api = event::api_name(place.op);
  return api.empty() ? "an instruction" : api;
}

std::string range(uint64_t begin, uint64_t end) {
  return std::to_string(begin) + ".." + std::to_string(end - 1);
}

uint64_t bits_of_element(gate::DataType type) {
  return std::max<uint64_t>(gate::bits_of(type), type == gate::DataType::kNone ? 8 : 1);
}

void set_range(report::Finding& finding, uint64_t begin, uint64_t end, gate::DataType type) {
  finding.bytes[0] = begin;
  finding.bytes[1] = end;
  finding.elements[0] = begin * 8 / bits_of_element(type);
  finding.elements[1] = (end * 8 + bits_of_element(type) - 1) / bits_of_element(type);
}
}  // namespace

void InitFindings::begin_launch(const std::string& kernel, event::CoreCounts cores) {
  kernel_ = kernel;
  cores_ = cores;
  origins_.resize(1);
  stored_.resize(1);
  origin_numbers_.clear();
  stored_numbers_.clear();
  pending_.clear();
  outputs_.clear();
  any_origin_in_gm_ = false;
}

uint32_t InitFindings::add_origin(const InitPlace& reader, uint8_t operand, const Origin& origin,
                                  const Object& object) {
  const uint64_t where = origins_.size() < kMaxOrigins ? origin.begin : 0;
  const auto [at, fresh] =
      origin_numbers_.try_emplace({reader.core, reader.site, operand, where}, static_cast<uint32_t>(origins_.size()));
  if (!fresh) {
    origins_[at->second].end = std::max(origins_[at->second].end, origin.end);
    return at->second;
  }
  origins_.push_back(origin);
  origins_.back().reader = reader;
  origins_.back().object = object;
  any_origin_in_gm_ = any_origin_in_gm_ || origin.space == gate::Space::kGm;
  return at->second;
}

uint32_t InitFindings::add_stored(const Stored& stored) {
  const auto [at, fresh] = stored_numbers_.try_emplace({stored.origin, stored.place.site, stored.place.core},
                                                       static_cast<uint32_t>(stored_.size()));
  if (fresh) stored_.push_back(stored);
  return at->second;
}

void InitFindings::cancel(gate::Space space, event::CoreId core, uint64_t begin, uint64_t end, uint32_t program) {
  for (Origin& origin : origins_) {
    if (origin.space != space || origin.begin >= end || begin >= origin.end) continue;
    if (origin.reader.core == core ? origin.reader.program > program : space == gate::Space::kGm)
      origin.cancelled = true;
  }
}

void InitFindings::cancel_after(event::CoreId core, uint32_t program) {
  for (Origin& origin : origins_)
    if (origin.reader.core == core && origin.reader.program > program) origin.cancelled = true;
}

void InitFindings::add_output(uint32_t stored, const Output& output) {
  Pending pending;
  pending.rule = Rule::kASC3101;
  pending.stored = stored_[stored];
  pending.origin = pending.stored.origin;
  pending.place = pending.stored.place;
  pending.output = output;
  outputs_.push_back(std::move(pending));
}

void InitFindings::add_use(Rule rule, uint32_t origin, const InitPlace& place) {
  Pending& pending = pending_[{rule, origin, place.site, place.core}];
  if (pending.origin != 0) {
    ++pending.merged;
    return;
  }
  pending.rule = rule;
  pending.origin = origin;
  pending.place = place;
}

report::AccessInfo InitFindings::access(const InitPlace& place, const char* role) const {
  return access_info({role, place.site, place.core, place.pipe, place.op, place.index}, sites_, cores_);
}

/// "bytes 40..63 of UB+0x80 (6 elements)".
std::string InitFindings::describe(const Origin& origin) const {
  const uint64_t begin = origin.begin - origin.object.begin, end = origin.end - origin.object.begin;
  const uint64_t elements = ((end - begin) * 8 + bits_of_element(origin.type) - 1) / bits_of_element(origin.type);
  return "bytes " + range(begin, end) + " of " + origin.object.name + " (" + base::count(elements, "element") + ")";
}

void InitFindings::tell_output(const Pending& pending, report::Finding& finding) const {
  const Origin& origin = origins_[pending.origin];
  const Output& output = pending.output;
  const bool rest = output.longest < kBlockBytes && !pending.stored.atomic;
  finding.tensor = output.tensor;
  finding.space = event::space_name(gate::Space::kGm);
  set_range(finding, output.begin, output.end, pending.stored.type);
  finding.title = output.tensor + " is left with values that nobody has defined, stored by " + api_of(pending.place);
  finding.detail = base::count(output.undefined, "byte") + " within bytes " + range(output.begin, output.end) + " of " +
                   output.tensor + " hang on " + describe(origin) + ", which nobody had written when " +
                   api_of(origin.reader) + " read them.";
  if (rest || output.also_read) {
    finding.severity = report::Severity::kWarning;
    finding.confidence = report::Confidence::kPossible;
  }
  if (rest)
    finding.notes.push_back(
        "no run is longer than 31 bytes: it may be the rest of a store rounded up to 32 bytes, which the host ignores");
  if (output.also_read)
    finding.notes.push_back("the launch also reads " + output.tensor +
                            ": it may be scratch memory whose rest nobody reads");
  finding.notes.push_back(
      "to define them, write these bytes before they are read (a longer DataCopy, Duplicate), or store only the "
      "defined part (DataCopyPad)");
}

void InitFindings::tell_use(const Pending& pending, report::Finding& finding) const {
  const Origin& origin = origins_[pending.origin];
  finding.tensor = origin.object.name;
  finding.space = event::space_name(origin.space);
  set_range(finding, origin.begin - origin.object.begin, origin.end - origin.object.begin, origin.type);
  const std::string api = api_of(pending.place);
  if (pending.rule == Rule::kASC3102) {
    finding.title = api + " brings defined and undefined values of " + origin.object.name + " together";
    finding.notes.push_back(
        "to define them, write these bytes before (a longer DataCopy, Duplicate with the neutral value), or leave "
        "their lanes out with the mask or the count");
  } else {
    const bool scalar = pending.place.pipe == gate::Pipe::kS;
    finding.title = scalar ? api + " returns a value of " + origin.object.name + " that nobody has defined"
                           : api + " takes addresses from " + origin.object.name + " that nobody has defined";
    finding.notes.push_back("to define them, write these bytes before they are read");
  }
  finding.detail = describe(origin) + " were not written by anybody when " + api_of(origin.reader) + " read them.";
  finding.detail[0] = 'B';
}

report::Finding InitFindings::finding(const Pending& pending) const {
  const Origin& origin = origins_[pending.origin];
  report::Finding finding;
  finding.rule = info_of(pending.rule).id;
  finding.severity = info_of(pending.rule).severity;
  finding.confidence = report::Confidence::kCertain;
  finding.kernel = kernel_;
  finding.launch = launches_ended_ + 1;
  finding.merged = pending.merged;
  if (pending.rule == Rule::kASC3101)
    tell_output(pending, finding);
  else
    tell_use(pending, finding);
  const bool same = origin.reader.site == pending.place.site && origin.reader.index == pending.place.index &&
                    origin.reader.core == pending.place.core;
  finding.accesses.push_back(access(origin.reader, same ? "reader" : "first reader"));
  finding.accesses[0].bytes[0] = origin.begin - origin.object.begin;
  finding.accesses[0].bytes[1] = origin.end - origin.object.begin;
  if (!same) finding.accesses.push_back(access(pending.place, pending.rule == Rule::kASC3101 ? "writer" : "reader"));
  return finding;
}

void InitFindings::end_launch() {
  std::vector<const Pending*> all;
  for (const auto& [key, pending] : pending_) all.push_back(&pending);
  for (const Pending& pending : outputs_) all.push_back(&pending);
  for (const Pending* pending : all) {
    const Origin& origin = origins_[pending->origin];
    if (pending->origin == 0 || origin.cancelled) continue;
    report::Finding next = finding(*pending);
    const gate::Site &first = sites_.at(origin.reader.site), &last = sites_.at(pending->place.site);
    const std::string tensor = pending->rule == Rule::kASC3101 ? pending->output.tensor : origin.object.key;
    const Key key{kernel_, next.rule, first.file, first.line, last.file, last.line, tensor};
    const auto known = found_.find(key);
    if (known == found_.end()) {
      next.id = fingerprints_.id(next.rule, kernel_, {first, last}, tensor);
      found_.emplace(key, std::move(next));
      continue;
    }
    report::Finding& kept = known->second;
    const uint64_t merged = kept.merged + next.merged;
    const auto severity = std::max(kept.severity, next.severity);
    // The occurrence of the lowest launch, byte and core stands, so that the schedule does not choose it.
    const auto rank = [](const report::Finding& of) {
      return std::tuple(of.launch, of.bytes[0], of.bytes[1], of.accesses.back().core_id, of.accesses.front().core_id);
    };
    next.id = kept.id;
    if (severity == next.severity && (severity != kept.severity || rank(next) < rank(kept))) kept = std::move(next);
    kept.merged = merged;
  }
  ++launches_ended_;
  begin_launch(kernel_, cores_);
}

std::vector<report::Finding> InitFindings::take() {
  std::vector<report::Finding> findings;
  std::set<std::string> used;
  for (auto& [key, finding] : found_) {
    const auto& [kernel, rule, first, first_line, last, last_line, tensor] = key;
    const std::vector<gate::Site> sites = {{first.c_str(), "", first_line}, {last.c_str(), "", last_line}};
    for (int n = 2; !used.insert(finding.id).second; ++n)
      finding.id = fingerprints_.id(rule, kernel, sites, tensor + "#" + std::to_string(n));
    findings.push_back(std::move(finding));
  }
  found_.clear();
  return findings;
}

}  // namespace ascsan::check
