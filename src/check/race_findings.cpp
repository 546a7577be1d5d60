#include "check/race_findings.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/text.h"

namespace ascsan::check {
namespace {
/// Order of two places that does not hang on when they were first seen.
int compare_places(const gate::Site& a, const gate::Site& b) {
  if (const int files = std::strcmp(a.file, b.file)) return files;
  if (a.line != b.line) return a.line < b.line ? -1 : 1;
  return std::strcmp(a.function, b.function);
}
}  // namespace

bool RaceFindings::turned(const Access& first, const Access& second, const Judgement& judgement) const {
  if (first.core == second.core || judgement.rule == Rule::kASC1101) return judgement.swapped;
  const int places = compare_places(sites_.at(first.site), sites_.at(second.site));
  if (places != 0) return places > 0;
  if (first.pipe != second.pipe) return first.pipe > second.pipe;
  return first.core > second.core;
}

RaceFindings::Key RaceFindings::key(const Access& first, const Access& second, const Judgement& judgement,
                                    const Object& object) const {
  return {kernel_,    judgement.rule, object_key(first, second, judgement, object), first.site, second.site,
          first.pipe, second.pipe};
}

std::string RaceFindings::object_key(const Access& x, const Access& y, const Judgement& judgement,
                                     const Object& object) const {
  const int expected = expectations_.any() ? expectations_.covers(x, y, judgement.rule) : Expectations::kNone;
  return expected == Expectations::kNone ? object.key : object.key + " expected " + std::to_string(expected);
}

RaceFindings::Rank RaceFindings::rank(const Access& first, const Access& second, const Object& object,
                                      uint64_t begin) const {
  const bool global = first.space == gate::Space::kGm;  // host addresses of GM are not comparable between runs
  return {launch_, global ? 0 : object.begin, begin - object.begin, first.core, second.core, first.index, second.index};
}

bool RaceFindings::wanted(const Access& x, const Access& y, const Judgement& judgement, uint32_t object,
                          uint64_t begin) const {
  const bool turn = turned(x, y, judgement);
  const Access &first = turn ? y : x, &second = turn ? x : y;
  const auto known = groups_.find(key(first, second, judgement, objects_.at(object)));
  return known == groups_.end() || rank(first, second, objects_.at(object), begin) < known->second.rank;
}

void RaceFindings::add(const Pair& pair, const Access& x, const Access& y) {
  const bool turn = turned(x, y, pair.judgement);
  const Access &first = turn ? y : x, &second = turn ? x : y;
  const Object& object = objects_.at(pair.object);
  Group& group = groups_[key(first, second, pair.judgement, object)];
  ++group.merged;
  if (expectations_.any()) {
    group.expectation = expectations_.covers(first, second, pair.judgement.rule);
    if (group.expectation != Expectations::kNone) ++expectations_.at(group.expectation).met;
  }
  group.severity = std::max(group.severity, pair.same_values ? report::Severity::kWarning : pair.judgement.severity);
  group.same_values = group.same_values && pair.same_values;
  const Rank mine = rank(first, second, object, pair.begin);
  if (group.merged > 1 && !(mine < group.rank)) return;
  group.rank = mine;
  Told& told = group.told;
  told.first = first;
  told.second = second;
  told.judgement = pair.judgement;
  told.object = object;
  told.begin = pair.begin;
  told.end = pair.end;
  told.launch = launch_;
  told.cores = order_.cores();
  told.why = pair.why.value_or(order::WhyNot{});
  if (turn) std::swap(told.why.before_first, told.why.before_second);
  // Where one core has heard of the other, but not the other way round, the link back is the missing one: the flag for
  // "written" is there, the one for "consumed" is not.
  const bool across = first.core != second.core;
  told.backwards =
      across && told.why.common &&
      (told.why.common->kind == event::Kind::kCrossSet || told.why.common->kind == event::Kind::kGroupArrive) &&
      told.why.common->core == first.core;
  const Access& source = told.backwards ? second : first;
  told.signal = order::signal_after(
      order_.history(), {source.core, source.pipe, source.index, source.issue, source.program}, &told.signal_known);
}

report::Finding RaceFindings::finding(const std::string& kernel, const Group& group) {
  const Told& told = group.told;
  report::Finding result;
  result.rule = info_of(told.judgement.rule).id;
  result.severity = group.severity;
  result.confidence = report::Confidence::kCertain;
  result.kernel = kernel;
  result.launch = told.launch;
  result.merged = group.merged;
  result.space = event::space_name(told.first.space);
  result.tensor = told.object.name;
  result.bytes[0] = told.begin - told.object.begin;
  result.bytes[1] = told.end - told.object.begin;
  const gate::DataType type = told.first.type != gate::DataType::kNone ? told.first.type : told.second.type;
  const uint64_t bits = std::max<uint64_t>(gate::bits_of(type), type == gate::DataType::kNone ? 8 : 1);
  result.elements[0] = result.bytes[0] * 8 / bits;
  result.elements[1] = (result.bytes[1] * 8 + bits - 1) / bits;
  result.id =
      fingerprints_.id(result.rule, kernel, {sites_.at(told.first.site), sites_.at(told.second.site)}, told.object.key);
  if (group.expectation != Expectations::kNone) {
    const Expectation& expected = expectations_.at(group.expectation);
    const gate::Site& site = sites_.at(expected.site);
    result.suppressed = {expected.reason, "expected at " + base::place(site.file, site.line), ""};
  }
  tell(told, sites_, result);
  if (group.same_values)
    result.notes.push_back(
        "every one of these stores found the bytes it wrote there already, so with this data the result does not hang "
        "on their order");
  return result;
}

/// Expectations that no race of the run has met.
void RaceFindings::add_unmet(std::vector<report::Finding>& findings) {
  for (const Expectation& expected : expectations_.all()) {
    if (expected.met != 0) continue;
    const gate::Site& site = sites_.at(expected.site);
    report::Finding finding;
    finding.rule = info_of(Rule::kASC9101).id;
    finding.severity = info_of(Rule::kASC9101).severity;
    finding.kernel = expected.kernel;
    finding.launch = expected.launch;
    finding.title = "the expected race " + expected.rule + " did not occur";
    finding.detail = "ASCSAN_EXPECT_RACE at " + base::place(site.file, site.line) + " says: " + expected.reason +
                     ". No race of that rule has a side in the block. Remove the expectation, or correct its rule.";
    report::AccessInfo place;
    place.role = "expectation";
    place.core = order_.cores().total() != 0 ? order_.cores().name(expected.core) : "";
    place.operation = "ASCSAN_EXPECT_RACE";
    place.file = site.file;
    place.function = site.function;
    place.line = site.line;
    place.stack.push_back({site.function, site.file, site.line});
    finding.accesses = {place};
    finding.id = fingerprints_.id(finding.rule, expected.kernel, {site}, expected.rule);
    findings.push_back(std::move(finding));
  }
}

std::vector<report::Finding> RaceFindings::take() {
  std::vector<const std::map<Key, Group>::value_type*> order;
  for (const auto& entry : groups_) order.push_back(&entry);
  // Keys hold site numbers, which follow the schedule; places do not.
  std::sort(order.begin(), order.end(), [&](const auto* a, const auto* b) {
    const auto& [kernel_a, rule_a, object_a, first_a, second_a, pipe_a, other_a] = a->first;
    const auto& [kernel_b, rule_b, object_b, first_b, second_b, pipe_b, other_b] = b->first;
    if (std::tie(kernel_a, rule_a, object_a) != std::tie(kernel_b, rule_b, object_b))
      return std::tie(kernel_a, rule_a, object_a) < std::tie(kernel_b, rule_b, object_b);
    if (const int places = compare_places(sites_.at(first_a), sites_.at(first_b))) return places < 0;
    if (const int places = compare_places(sites_.at(second_a), sites_.at(second_b))) return places < 0;
    return std::tie(pipe_a, other_a) < std::tie(pipe_b, other_b);
  });
  std::vector<report::Finding> findings;
  std::set<std::string> used;
  for (const auto* entry : order) {
    report::Finding next = finding(std::get<0>(entry->first), entry->second);
    // Two causes on the same two lines (other pipes, other calls of a macro) must stay apart.
    for (int n = 2; !used.insert(next.id).second; ++n)
      next.id = fingerprints_.id(next.rule, next.kernel,
                                 {sites_.at(entry->second.told.first.site), sites_.at(entry->second.told.second.site)},
                                 entry->second.told.object.key + "#" + std::to_string(n));
    findings.push_back(std::move(next));
  }
  groups_.clear();
  add_unmet(findings);
  expectations_.clear();
  return findings;
}

}  // namespace ascsan::check
