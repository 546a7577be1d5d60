// Why two accesses are not ordered: the last point ordered before both, which link is missing, and what each side did
// next. Answers come from the bounded history of Order, so they may be unknown, never wrong: "no signal" is only said
// when nothing of that time was forgotten. Text here is raw material for reports (design/ux.md 4), one clause each.
#pragma once

#include <optional>
#include <string>

#include "event/names.h"
#include "order/history.h"

namespace ascsan::order {

/// One side of an unordered pair.
struct Side {
  event::CoreId core = 0;
  gate::Pipe pipe = gate::Pipe::kS;
  uint32_t index = 0;
  IssuePoint issue;
  uint32_t program = 0;
};

struct WhyNot {
  std::optional<Step> common;                       ///< empty: the launch's begin is the last common point
  std::optional<Step> before_first, before_second;  ///< newest scalar join of each side between the common point and it
};

/// `first` and `second` are unordered. Call while the second one's event is handed round.
WhyNot why_not(const History& history, const Side& first, const Side& second);

/// The first signal of `side`'s core after it that its completion takes part in (SetFlag or CrossCoreSetFlag of its
/// pipe, arrival at a barrier). Empty when there is none yet; *known is false when history may have forgotten one.
std::optional<Step> signal_after(const History& history, const Side& side, bool* known);

/// "SyncAll", "WaitFlag MTE2 -> V (id 3)", "CrossCoreWaitFlag (id 5)".
std::string describe(const Step& step);
/// "AIV 0 MTE3 -> AIV 3 MTE2".
std::string missing_link(const event::CoreCounts& cores, const Side& from, const Side& to);

}  // namespace ascsan::order
