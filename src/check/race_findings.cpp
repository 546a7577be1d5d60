#include "check/race_findings.h"

#include <algorithm>
#include <cstring>
#include <set>

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
  return {kernel_, judgement.rule, object.key, first.site, second.site, first.pipe, second.pipe};
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
  group.severity = std::max(group.severity, pair.judgement.severity);
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
  tell(told, sites_, result);
  return result;
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
  return findings;
}

}  // namespace ascsan::check
