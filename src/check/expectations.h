// Blocks of a kernel in which it expects races (ASCSAN_EXPECT_RACE): which of them covers a race, and which was met by
// none. An access belongs to a block if it was issued between its begin and end, by program order of its core.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "check/access.h"
#include "check/rules.h"

namespace ascsan::check {

struct Expectation {
  std::string kernel, rule, reason;
  event::SiteId site = 0;
  uint32_t launch = 0;
  event::CoreId core = 0;  ///< lowest core that came by
  uint64_t met = 0;
};

class Expectations {
 public:
  static constexpr int kNone = -1;

  void begin_launch() { blocks_.clear(); }
  /// Kind::kExpect.
  void on_event(const event::Event& event, const std::string& kernel, uint32_t launch);
  bool any() const { return !blocks_.empty(); }
  /// Number of the expectation that covers a race of this rule between the two, or kNone.
  int covers(const Access& a, const Access& b, Rule rule) const;
  Expectation& at(int number) { return expectations_[static_cast<size_t>(number)]; }
  const std::vector<Expectation>& all() const { return expectations_; }
  void clear() { expectations_.clear(); }

 private:
  struct Block {
    int expectation = 0;
    uint32_t begin = 0, end = ~0u;  ///< program order
  };
  int number_of(const Access& access, Rule rule) const;
  std::map<event::CoreId, std::vector<Block>> blocks_;
  std::vector<Expectation> expectations_;
};

}  // namespace ascsan::check
