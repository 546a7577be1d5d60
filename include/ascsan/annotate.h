// What a kernel may tell the checker about itself (spec/hb-rules.md R-30, design/ux.md 3.4):
//   ASCSAN_RELEASE(address)             everything this core has done so far, as far as its scalar unit has waited for
//   it, ASCSAN_ACQUIRE(address)             comes before what a core does after an acquire of the same address
//   ASCSAN_EXPECT_RACE(rule, reason)    until the end of the block, races of that rule are expected: they are listed as
//                                       suppressed with the reason; an expectation that nothing meets is a warning
// For hand-made synchronisation through words of global memory that the checker cannot follow by itself (flags stored
// by MTE3 and read by MTE2): release before the word is stored, acquire after the expected value has been read. Left
// out: proof; the annotation is believed. C++17; a device compiler does not know this header, so include it under
// __has_include.
#pragma once

#include "ascendc/gate.h"

namespace ascsan {

inline void annotate(gate::Op op, const volatile void* address, const char* rule, const char* reason, uint8_t mode,
                     const gate::Site& site) {
  gate::Request request;
  request.op = op;
  request.params.frame = gate::FrameParams{};
  request.params.frame.mode = mode;
  request.params.frame.value[0] = reinterpret_cast<uint64_t>(address);
  request.params.frame.value[1] = reinterpret_cast<uint64_t>(rule);
  request.params.frame.value[2] = reinterpret_cast<uint64_t>(reason);
  request.site = site;
  ascsan_gate(&request);
}

/// A block in which races are expected. `rule`: "ASC1101"; `reason` is printed. Both must live as long as the program.
class ExpectRace {
 public:
  ExpectRace(const char* rule, const char* reason, const gate::Site& site) : rule_(rule), reason_(reason), site_(site) {
    annotate(gate::Op::kAnnotateExpect, nullptr, rule_, reason_, 0, site_);
  }
  ~ExpectRace() { annotate(gate::Op::kAnnotateExpect, nullptr, rule_, reason_, 1, site_); }
  ExpectRace(const ExpectRace&) = delete;
  ExpectRace& operator=(const ExpectRace&) = delete;

 private:
  const char* rule_;
  const char* reason_;
  gate::Site site_;
};

}  // namespace ascsan

#define ASCSAN_JOIN_(a, b) a##b
#define ASCSAN_JOIN(a, b) ASCSAN_JOIN_(a, b)
#define ASCSAN_RELEASE(address) \
  ::ascsan::annotate(::ascsan::gate::Op::kAnnotateRelease, address, nullptr, nullptr, 0, ASCSAN_HERE)
#define ASCSAN_ACQUIRE(address) \
  ::ascsan::annotate(::ascsan::gate::Op::kAnnotateAcquire, address, nullptr, nullptr, 0, ASCSAN_HERE)
#define ASCSAN_EXPECT_RACE(rule, reason) \
  const ::ascsan::ExpectRace ASCSAN_JOIN(ascsan_expect_race_, __LINE__)(rule, reason, ASCSAN_HERE)
