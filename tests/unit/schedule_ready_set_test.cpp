// ReadySet against std::set on random contents.
#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"
#include "machine/scheduler.h"

namespace {

using ascsan::machine::Actor;
using ascsan::machine::ReadySet;
using Key = std::pair<int, int>;

Key key_of(Actor actor) {
  return {actor.core, static_cast<int>(actor.pipe)};
}

TEST(ReadySet, MatchesASortedSet) {
  for (const uint64_t seed : {1, 2, 3, 4, 5}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ascsan::base::Rng rng(seed);
    const int cores = static_cast<int>(1 + rng.below(75));
    ReadySet ready;
    ready.resize(cores);
    std::set<Key> reference;
    for (int i = 0; i < 3000; ++i) {
      const Actor actor{static_cast<ascsan::event::CoreId>(rng.below(static_cast<uint64_t>(cores))),
                        static_cast<ascsan::gate::Pipe>(rng.below(7))};
      const bool on = rng.chance(1 + seed, 8);
      ready.set(actor, on);
      if (on)
        reference.insert(key_of(actor));
      else
        reference.erase(key_of(actor));
      ASSERT_EQ(ready.test(actor), on);
      ASSERT_EQ(ready.count(), reference.size());
      ASSERT_EQ(ready.empty(), reference.empty());
    }
    uint32_t n = 0;
    for (const Key& key : reference) EXPECT_EQ(key_of(ready.nth(n++)), key);
    std::vector<Key> listed;
    EXPECT_FALSE(ready.any([&](Actor actor) {
      listed.push_back(key_of(actor));
      return false;
    }));
    EXPECT_EQ(listed, std::vector<Key>(reference.begin(), reference.end()));
  }
}

TEST(ReadySet, AnyStopsAtTheFirstHit) {
  ReadySet ready;
  ready.resize(20);
  for (ascsan::event::CoreId core : {3, 9, 15}) ready.set({core, ascsan::gate::Pipe::kV}, true);
  int calls = 0;
  EXPECT_TRUE(ready.any([&](Actor actor) { return ++calls, actor.core == 9; }));
  EXPECT_EQ(calls, 2);
}

}  // namespace
