// Hand-over by a polled GM word (spec/execution-model.md 5.6): values under every schedule, and that polling ends
// although the schedule would like to keep the store back. The checkers are off: rule R-30 orders a load after the
// store whose value it returned, which depends on the schedule, so this program says nothing about findings.
#include "chain_case.h"

namespace {

TEST(Polled, ChainByPolledWord) {
  ASSERT_TRUE(ascsan::set_option("check", "off"));
  corpus::check_chain<kernels::Chain::kPolled>(2, 8, 1);
  corpus::check_chain<kernels::Chain::kPolled>(4, 40, 3);
}

}  // namespace
