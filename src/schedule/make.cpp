#include "schedule/make.h"

#include "schedule/deferred.h"
#include "schedule/in_order.h"
#include "schedule/pct.h"
#include "schedule/random.h"

namespace ascsan::schedule {

std::unique_ptr<machine::Scheduler> make_scheduler(std::string_view name, uint64_t seed, uint32_t depth,
                                                   std::string* error) {
  const auto fail = [&](std::string text) -> std::unique_ptr<machine::Scheduler> {
    if (error != nullptr) *error = std::move(text);
    return nullptr;
  };
  if (name == "in_order") return std::make_unique<InOrder>();
  if (name == "deferred") return std::make_unique<Deferred>();
  if (name == "random") return std::make_unique<Random>(seed);
  if (name == "pct") {
    if (depth < 1 || depth > 64)
      return fail("depth of the pct schedule is " + std::to_string(depth) + "; it takes 1..64");
    return std::make_unique<Pct>(seed, depth);
  }
  if (name == "directed") return fail("the directed schedule needs a token; ascsan replay TOKEN -- PROGRAM runs one");
  return fail("schedule is \"" + std::string(name) + "\"; it takes in_order, deferred, random or pct");
}

}  // namespace ascsan::schedule
