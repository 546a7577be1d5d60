// The slow part of the race checker: cells with several unordered accesses, and cells that become so. Here races are
// found, pairs are decided (states.h says what that means) and members that others stand for are dropped.
#include <algorithm>
#include <cstring>
#include <tuple>

#include "check/race.h"

namespace ascsan::check {

Cell RaceChecker::contested(Cell old, uint64_t begin, uint64_t end) {
  gather(old);
  new_pairs_.clear();
  decided_ = false;
  find_races(begin);
  compare_values(begin, end);
  const auto covered_by = [&](const Member& member) {
    const Access& x = states_.accesses[member.id];
    return x.core == mine_->core && x.pipe == mine_->pipe && x.index >= mine_->index && covers(x, *mine_);
  };
  const bool superseded = std::any_of(content_.writers.begin(), content_.writers.end(), covered_by) ||
                          std::any_of(content_.readers.begin(), content_.readers.end(), covered_by);
  Cell now = old;
  if (superseded) {
    // An access of the same pipe that was issued later, or this very instruction, is here already and stands for this
    // one.
    for (const PairRef& pair : new_pairs_) {
      const bool hidden = std::any_of(content_.pairs.begin(), content_.pairs.end(), [&](const PairRef& known) {
        const AccessId other = known.first == pair.first ? known.second : known.second == pair.first ? known.first : 0;
        return other != 0 && covered_by({other, 0, 0, gate::Pipe::kS});
      });
      if (!hidden) states_.commit(pair.id, begin, end), decided_ = true;
    }
  } else {
    decide_pairs(begin, end);
    const auto dropped = [&](const Member& member) { return stands_for(*mine_, states_.accesses[member.id]); };
    std::erase_if(content_.writers, dropped);
    std::erase_if(content_.readers, dropped);
    const Member member{me_, mine_->index, mine_->core, mine_->pipe};
    (mine_->writes() ? content_.writers : content_.readers).push_back(member);
    now = states_.intern(content_);
  }
  memo_old_ = old;
  memo_now_ = now;
  memo_valid_ = !decided_ && kept_.empty();  // a commit, a comparison of values belong to their own bytes
  return now;
}

void RaceChecker::gather(Cell cell) {
  content_.clear();
  if (cell.is_crowd()) {
    const Crowd& crowd = states_.crowd(cell);
    content_.writers = crowd.writers;
    content_.readers = crowd.readers;
    content_.pairs = crowd.pairs;
    return;
  }
  const auto add = [&](AccessId id, std::vector<Member>& to) {
    if (id == 0) return;
    const Access& x = states_.accesses[id];
    to.push_back({id, x.index, x.core, x.pipe});
  };
  add(cell.a, content_.writers);
  add(cell.b, content_.readers);
}

void RaceChecker::find_races(uint64_t begin) {
  const auto consider = [&](const Member& member) {
    const Access& x = states_.accesses[member.id];
    if (settled(x)) return;
    // The machine ran the scalar access before an earlier transfer of the pipe it waits for: still ordered.
    if (x.core == mine_->core && x.pipe != mine_->pipe && x.start[mine_->pipe] >= mine_->index) return;
    const Judgement judgement = judge(options_, x, *mine_, crossed(x));
    if (judgement.race) new_pairs_.push_back({pair_with(x, member.id, judgement, begin), member.id, me_});
  };
  for (const Member& member : content_.writers) consider(member);
  if (mine_->role == event::Role::kAtomic) order_of_sum(begin);
  if (mine_->writes())
    for (const Member& member : content_.readers) consider(member);
}

/// E-2: the third unordered atomic addition of floats to one element makes the sum hang on their order. Told once, for
/// the lowest of the others.
void RaceChecker::order_of_sum(uint64_t begin) {
  if (!float_addition(*mine_)) return;
  const Member* lowest = nullptr;
  size_t others = 0;
  for (const Member& member : content_.writers) {
    const Access& x = states_.accesses[member.id];
    if (!float_addition(x) || x.atomic_type != mine_->atomic_type || x.same_instruction(*mine_) || before(x)) continue;
    ++others;
    if (lowest == nullptr ||
        std::tie(member.core, member.pipe, member.index) < std::tie(lowest->core, lowest->pipe, lowest->index))
      lowest = &member;
  }
  if (others < 2) return;
  const Access& x = states_.accesses[lowest->id];
  Judgement judgement;
  judgement.race = true;
  judgement.rule = Rule::kASC1502;
  judgement.severity = info_of(Rule::kASC1502).severity;
  judgement.swapped = x.core == mine_->core && program_before(*mine_, x);
  judgement.note = "for equal bits in every run, add in a fixed order: partial sums per core, or WaitPreBlock";
  new_pairs_.push_back({pair_with(x, lowest->id, judgement, begin), lowest->id, me_});
}

/// E-9: stores of several cores that bring the same bytes. The store has happened; what lay there before was kept. An
/// earlier one that brought something else was compared when it happened.
void RaceChecker::compare_values(uint64_t begin, uint64_t end) {
  const auto rewritten = [&] {
    for (const Kept& kept : kept_)
      if (kept.begin <= begin && end <= kept.end)
        return std::memcmp(reinterpret_cast<const void*>(begin), kept_bytes_.data() + kept.first + (begin - kept.begin),
                           end - begin) == 0;
    return false;
  };
  for (const PairRef& ref : new_pairs_) {
    Pair& pair = states_.pair(ref.id);
    if (pair.same_values) pair.same_values = rewritten();
  }
}

/// Decides pairs that lose a side to the current access; leaves the open ones in content_.pairs.
void RaceChecker::decide_pairs(uint64_t begin, uint64_t end) {
  const auto racing = [&](AccessId id) {
    return std::any_of(new_pairs_.begin(), new_pairs_.end(), [&](const PairRef& pair) { return pair.first == id; });
  };
  std::vector<PairRef> open;
  for (const PairRef& pair : content_.pairs) {
    const bool first_gone = stands_for(*mine_, states_.accesses[pair.first]);
    const bool second_gone = stands_for(*mine_, states_.accesses[pair.second]);
    if (!first_gone && !second_gone) {
      open.push_back(pair);
    } else if (first_gone != second_gone && polled_again(states_.accesses[first_gone ? pair.first : pair.second],
                                                         states_.accesses[first_gone ? pair.second : pair.first])) {
      // The load was one turn of a polling loop that has now seen the store.
    } else if ((first_gone && second_gone) || !racing(first_gone ? pair.second : pair.first)) {
      states_.commit(pair.id, begin, end);
      decided_ = true;
    }
  }
  for (const PairRef& pair : new_pairs_) {
    if (!stands_for(*mine_, states_.accesses[pair.first])) {
      open.push_back(pair);
      continue;
    }
    // Same pipe: the new access races with the old one and stands for it from now on.
    states_.commit(pair.id, begin, end);
    decided_ = true;
  }
  content_.pairs.swap(open);
}

/// `by` is the current access. It may take the place of `x` if x is before it (or earlier in its pipe, where whatever
/// waits for the later one waits for both) and nothing can race with x alone.
bool RaceChecker::stands_for(const Access& by, const Access& x) {
  if (!covers(by, x)) return false;
  if (x.core == by.core && x.pipe == by.pipe) return x.index <= by.index;
  return before(x);
}

/// the current access is the same scalar load again, from memory again, and comes after the store now.
bool RaceChecker::polled_again(const Access& load, const Access& store) const {
  const Access& me = *mine_;
  return me.fresh && load.fresh && load.core == me.core && load.site == me.site && load.begin == me.begin &&
         load.end == me.end && store.pipe == gate::Pipe::kS && store.begin == me.begin && store.end == me.end &&
         before(store);
}

bool RaceChecker::crossed(const Access& x) const {
  if (x.core != mine_->core || x.pipe != mine_->pipe) return false;
  const uint32_t set = last_cross_set_[x.core][static_cast<size_t>(x.pipe)];
  return set >= std::min(x.index, mine_->index) && set < std::max(x.index, mine_->index);
}

PairId RaceChecker::pair_with(const Access& x, AccessId id, const Judgement& judgement, uint64_t begin) {
  for (const PairRef& known : event_pairs_)
    if (known.first == id && known.second == me_) return known.id;
  const PairId pair_id = states_.new_pair(id, me_);
  Pair& pair = states_.pair(pair_id);
  pair.refs = 1;  // held by event_pairs_
  pair.judgement = judgement;
  pair.same_values =
      judgement.rule == Rule::kASC1102 && x.role == event::Role::kWrite && mine_->role == event::Role::kWrite;
  // Where nothing is defined, bytes count from the lower of the two operands.
  pair.object = objects_.find(x.space, x.core, begin, std::min({x.tensor_begin, mine_->tensor_begin, begin}));
  if (findings_.wanted(x, *mine_, judgement, pair.object, begin))
    pair.why = order::why_not(order_.history(), {x.core, x.pipe, x.index, x.issue, x.program},
                              {mine_->core, mine_->pipe, mine_->index, mine_->issue, mine_->program});
  event_pairs_.push_back({pair_id, id, me_});
  return pair_id;
}

}  // namespace ascsan::check
