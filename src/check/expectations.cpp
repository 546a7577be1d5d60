#include "check/expectations.h"

#include <algorithm>

namespace ascsan::check {

void Expectations::on_event(const event::Event& event, const std::string& kernel, uint32_t launch) {
  std::vector<Block>& blocks = blocks_[event.core];
  const auto* name = reinterpret_cast<const char*>(event.value[0]);
  const std::string rule = name != nullptr ? name : "", reason = event.text != nullptr ? event.text : "";
  const auto same = [&](const Expectation& other) {
    return other.kernel == kernel && other.rule == rule && other.site == event.site && other.reason == reason;
  };
  if (event.mode == 1) {
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      if (block->end != ~0u || !same(at(block->expectation))) continue;
      block->end = event.program_index;
      return;
    }
    return;
  }
  auto known = std::find_if(expectations_.begin(), expectations_.end(), same);
  if (known == expectations_.end()) {
    expectations_.push_back({kernel, rule, reason, event.site, launch, event.core, 0});
    known = std::prev(expectations_.end());
  }
  known->core = std::min(known->core, event.core);
  const auto number = static_cast<int>(known - expectations_.begin());
  // A block in a loop: one long one is as good as many, and keeps the list short.
  if (!blocks.empty() && blocks.back().expectation == number && blocks.size() > 64)
    blocks.back().end = ~0u;
  else
    blocks.push_back({number, event.program_index, ~0u});
}

int Expectations::number_of(const Access& access, Rule rule) const {
  const auto blocks = blocks_.find(access.core);
  if (blocks == blocks_.end()) return kNone;
  for (const Block& block : blocks->second)
    if (access.program > block.begin && access.program < block.end &&
        expectations_[static_cast<size_t>(block.expectation)].rule == info_of(rule).id)
      return block.expectation;
  return kNone;
}

int Expectations::covers(const Access& a, const Access& b, Rule rule) const {
  const int first = number_of(a, rule), second = number_of(b, rule);
  return first == kNone || (second != kNone && second < first) ? second : first;
}

}  // namespace ascsan::check
