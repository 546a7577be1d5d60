// links: ascsan_check ascsan_machine ascsan_schedule
//
// The scalar data cache: stale lines, stores that stay in the cache, lines that go back over others' bytes. For each
// rule a kernel that breaks it, one that keeps it and a near miss.
#include "usage_fixture.h"

extern "C" uint64_t ascsan_gate(ascsan::gate::Request* request) {
  ascsan::machine::Machine* machine = ascsan::machine::Machine::current();
  return machine != nullptr ? machine->perform(*request) : 0;
}

namespace ascsan::test {
namespace {
using namespace AscendC;
using machine::KernelType;

class UsageCache : public UsageTest {
 protected:
  UsageCache() : x(allocate<int32_t>(1024, "x")) {}
  GlobalTensor<int32_t> global(uint32_t from = 0) {
    GlobalTensor<int32_t> tensor;
    tensor.SetGlobalBuffer(x + from, 1024 - from);
    return tensor;
  }
  /// A vector store of 8 words at element `from`, complete when it returns.
  void store(uint32_t from, const char* line, uint32_t number) {
    at[line] = number;
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 64);
    LocalTensor<int32_t> local = buffer.Get<int32_t>();
    for (uint32_t i = 0; i < 8; ++i) local.SetValue(i, 7);
    SetFlag<HardEvent::S_MTE3>(0);
    WaitFlag<HardEvent::S_MTE3>(0);
    copy(global(from), local, 32, Site{"kernel.cpp", "store", number});
    PipeBarrier<PIPE_ALL>();
  }
  static void clean(GlobalTensor<int32_t> tensor) {
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(tensor);
  }
  int32_t* x;
};

TEST_F(UsageCache, StaleLine) {
  const auto kernel = [&](bool early_load, bool invalidate) {
    return [this, early_load, invalidate] {
      if (GetBlockIdx() == 1 && early_load) LINE("fill"), global(3).GetValue(0);  // another word of the line
      SyncAll<true>();
      if (GetBlockIdx() == 0) store(8, "writer", 100);
      SyncAll<true>();
      if (GetBlockIdx() == 1) {
        if (invalidate) clean(global(8));
        LINE("reader"), global(8).GetValue(0);
      }
    };
  };
  const report::Finding stale =
      expect_one(KernelType::kMixAiv10, 2, kernel(true, false), "ASC6101", {"reader", "writer", "fill"});
  EXPECT_EQ(stale.tensor, "x");
  EXPECT_EQ(stale.bytes[0], 32u);
  expect_clean(KernelType::kMixAiv10, 2, kernel(true, true));
  expect_clean(KernelType::kMixAiv10, 2, kernel(false, false));
}

TEST_F(UsageCache, StaleAfterItsOwnStoreByMte3) {
  expect_one(KernelType::kAivOnly, 1,
             [&] {
               LINE("fill"), global(0).GetValue(0);
               store(8, "writer", 100);
               LINE("reader"), global(9).GetValue(0);
             },
             "ASC6101", {"reader", "writer", "fill"});
  // Another line.
  expect_clean(KernelType::kAivOnly, 1, [&] {
    global(0).GetValue(0);
    store(16, "writer", 100);
    global(17).GetValue(0);
  });
}

TEST_F(UsageCache, OrderCountsNotTheSchedule) {
  // Core 1 fills the line at a time unordered with the write: in some schedules the line is fresh by luck.
  const Findings findings = checked(KernelType::kMixAiv10, 2, [&] {
    if (GetBlockIdx() == 0) store(8, "writer", 100);
    if (GetBlockIdx() == 1) LINE("fill"), global(3).GetValue(0);
    SyncAll<true>();
    if (GetBlockIdx() == 1) LINE("reader"), global(8).GetValue(0);
  });
  ASSERT_EQ(findings.size(), 1u) << text_of(findings);
  EXPECT_EQ(findings[0].rule, "ASC6101");
  EXPECT_EQ(findings[0].accesses[0].line, at["reader"]);
}

TEST_F(UsageCache, StoreNotWrittenBack) {
  const auto kernel = [&](bool write_back, bool in_time) {
    return [this, write_back, in_time] {
      if (GetBlockIdx() == 0) {
        LINE("writer"), global(4).SetValue(0, 5);
        if (write_back && in_time) clean(global(4));
      }
      SyncAll<true>();
      if (GetBlockIdx() == 0 && write_back && !in_time) clean(global(4));
      if (GetBlockIdx() == 1) LINE("reader"), global(4).GetValue(0);
    };
  };
  expect_one(KernelType::kMixAiv10, 2, kernel(false, false), "ASC6102", {"writer", "reader"});
  expect_clean(KernelType::kMixAiv10, 2, kernel(true, true));
  // Written back too late. Where the load meets the word in memory by luck, it counts as polled.
  all_the_same = false;
  expect_one(KernelType::kMixAiv10, 2, kernel(true, false), "ASC6102", {"writer", "reader"});
}

TEST_F(UsageCache, LoadedByMte2BeforeItIsWrittenBack) {
  const auto kernel = [&](bool write_back) {
    return [this, write_back] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 64);
      LINE("writer"), global(4).SetValue(0, 5);
      if (write_back) clean(global(4));
      SetFlag<HardEvent::S_MTE2>(0);
      WaitFlag<HardEvent::S_MTE2>(0);
      LINE("reader"), copy(buffer.Get<int32_t>(), global(0), 32);
    };
  };
  expect_one(KernelType::kAivOnly, 1, kernel(false), "ASC6102", {"writer", "reader"});
  expect_clean(KernelType::kAivOnly, 1, kernel(true));
}

TEST_F(UsageCache, LineGoesBackOverBytesOfOthers) {
  const auto kernel = [&](bool write_back, uint32_t from) {
    return [this, write_back, from] {
      if (GetBlockIdx() == 0) {
        LINE("line"), global(0).SetValue(0, 5);
        if (write_back) clean(global(0));
      }
      SyncAll<true>();
      if (GetBlockIdx() == 1) store(from, "writer", 100);
    };
  };
  expect_one(KernelType::kMixAiv10, 2, kernel(false, 8), "ASC6102", {"line", "writer"});
  expect_clean(KernelType::kMixAiv10, 2, kernel(true, 8));
  expect_clean(KernelType::kMixAiv10, 2, kernel(false, 16));  // the next line
}

TEST_F(UsageCache, FalseSharing) {
  const auto kernel = [&](uint32_t apart, bool turns) {
    return [this, apart, turns] {
      const auto core = static_cast<uint32_t>(GetBlockIdx());
      if (turns && core == 1) SyncAll<true>();
      if (core == 0) LINE("first"), global(0).SetValue(0, 5);
      if (core == 1) LINE("second"), global(apart).SetValue(0, 6);
      if (turns && core == 0) clean(global(0)), SyncAll<true>();
    };
  };
  const report::Finding shared = expect_one(KernelType::kMixAiv10, 2, kernel(1, false), "ASC6103", {"first", "second"});
  EXPECT_EQ(shared.accesses[0].core, "AIV 0");
  EXPECT_EQ(shared.accesses[1].core, "AIV 1");
  expect_one(KernelType::kMixAiv10, 2, kernel(15, false), "ASC6103", {"first", "second"});
  expect_clean(KernelType::kMixAiv10, 2, kernel(16, false));
  expect_clean(KernelType::kMixAiv10, 2, kernel(1, true));
}

TEST_F(UsageCache, ManyCoresShareOneLine) {
  const Findings findings = checked(
      KernelType::kAivOnly, 40, [&] { LINE("store"), global(static_cast<uint32_t>(GetBlockIdx())).SetValue(0, 5); });
  ASSERT_EQ(findings.size(), 1u) << text_of(findings);
  EXPECT_EQ(findings[0].rule, "ASC6103");
  EXPECT_EQ(findings[0].accesses[0].line, at["store"]);
  EXPECT_EQ(findings[0].accesses[1].line, at["store"]);
  EXPECT_GT(findings[0].merged, 37u);
}

}  // namespace
}  // namespace ascsan::test
