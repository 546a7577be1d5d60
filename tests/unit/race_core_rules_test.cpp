// Order rules inside one core, each as: the rule alone orders the pair (silent), the rule taken away (reported, with
// rule and lines), near misses (reported). The pair is always at lines 10 and 20.
#include "support/race_fixture.h"

namespace ascsan::test {
namespace {
using report::Severity;

const Bytes kWrite = writes(Space::kUb, 64, 128), kRead = reads(Space::kUb, 64, 128);

/// One AIV; `between` stands between a load to UB at line 10 and its use by V at line 20.
Scenario load_use(const std::function<void(Stream&)>& between) {
  return [between](Stream& s) {
    s.launch(0, 1);
    s.run(0, Pipe::kMte2, 10, {kWrite, reads(Space::kGm, 0x10000, 0x10040)});
    between(s);
    s.run(0, Pipe::kV, 20, {kRead, writes(Space::kUb, 512, 576)});
  };
}

TEST(RaceCoreRules, FlagOrdersLoadAndUse) {
  expect_clean(load_use([](Stream& s) { s.flag(0, Pipe::kMte2, Pipe::kV); }));
  expect_one(load_use([](Stream&) {}), "ASC1201", 10, 20);
}

TEST(RaceCoreRules, NearMissesOfAFlag) {
  // Waits for another id, whose set came before the load.
  expect_one(
      [](Stream& s) {
        s.launch(0, 1);
        s.set(0, Pipe::kMte2, Pipe::kV, 1);
        s.run(0, Pipe::kMte2, 10, {kWrite});
        s.set(0, Pipe::kMte2, Pipe::kV, 0);
        s.wait(0, Pipe::kMte2, Pipe::kV, 1);
        s.run(0, Pipe::kV, 20, {kRead});
      },
      "ASC1201", 10, 20);
  // Wrong direction, wrong destination, wrong source.
  expect_one(load_use([](Stream& s) { s.flag(0, Pipe::kV, Pipe::kMte2); }), "ASC1201", 10, 20);
  expect_one(load_use([](Stream& s) { s.flag(0, Pipe::kMte2, Pipe::kMte3); }), "ASC1201", 10, 20);
  expect_one(load_use([](Stream& s) { s.flag(0, Pipe::kMte3, Pipe::kV); }), "ASC1201", 10, 20);
  // Set without wait.
  expect_one(load_use([](Stream& s) { s.set(0, Pipe::kMte2, Pipe::kV); }), "ASC1201", 10, 20);
  // A barrier of either pipe orders neither with the other.
  expect_one(load_use([](Stream& s) { s.barrier(0, Pipe::kMte2), s.barrier(0, Pipe::kV); }), "ASC1201", 10, 20);
}

TEST(RaceCoreRules, SecondWaitMeetsSecondSet) {
  const auto scenario = [](int waits) {
    return [waits](Stream& s) {
      s.launch(0, 1);
      s.set(0, Pipe::kMte2, Pipe::kV);
      s.run(0, Pipe::kMte2, 10, {kWrite});
      s.set(0, Pipe::kMte2, Pipe::kV);
      for (int i = 0; i < waits; ++i) s.wait(0, Pipe::kMte2, Pipe::kV);
      s.run(0, Pipe::kV, 20, {kRead});
    };
  };
  expect_clean(scenario(2));
  expect_one(scenario(1), "ASC1201", 10, 20);
}

TEST(RaceCoreRules, OverwriteNeedsTheWayBack) {
  const auto scenario = [](bool back) {
    return [back](Stream& s) {
      s.launch(0, 1);
      s.run(0, Pipe::kV, 10, {kRead});
      if (back) s.flag(0, Pipe::kV, Pipe::kMte2);
      s.run(0, Pipe::kMte2, 20, {kWrite});
    };
  };
  expect_clean(scenario(true));
  expect_one(scenario(false), "ASC1202", 10, 20);
}

TEST(RaceCoreRules, TwoPipesWriteTheSameBytes) {
  const auto scenario = [](bool ordered) {
    return [ordered](Stream& s) {
      s.launch(0, 1);
      s.run(0, Pipe::kMte2, 10, {kWrite});
      if (ordered) s.flag(0, Pipe::kMte2, Pipe::kV);
      s.run(0, Pipe::kV, 20, {kWrite});
    };
  };
  expect_clean(scenario(true));
  expect_one(scenario(false), "ASC1203", 10, 20);
}

TEST(RaceCoreRules, InPlaceUseOfALoadReadsTooEarly) {
  expect_one(
      [](Stream& s) {
        s.launch(0, 1);
        s.run(0, Pipe::kMte2, 10, {kWrite});
        s.run(0, Pipe::kV, 20, {kWrite, kRead});
      },
      "ASC1201", 10, 20);
}

TEST(RaceCoreRules, WaitsOfAPipeAreBeforeItsSets) {  // R-6b
  const auto scenario = [](bool first) {
    return [first](Stream& s) {
      s.launch(0, 1);
      s.run(0, Pipe::kMte2, 10, {kWrite});
      s.set(0, Pipe::kMte2, Pipe::kV);
      if (first) s.wait(0, Pipe::kMte2, Pipe::kV);
      s.flag(0, Pipe::kV, Pipe::kMte3);
      s.run(0, Pipe::kMte3, 20, {kRead});
    };
  };
  expect_clean(scenario(true));
  expect_one(scenario(false), "ASC1201", 10, 20);
}

TEST(RaceCoreRules, SetIsNoBarrierOfItsOwnPipe) {  // table 5 row 6
  const auto scenario = [](bool round_trip) {
    return [round_trip](Stream& s) {
      s.launch(0, 1);
      s.run(0, Pipe::kMte2, 10, {kWrite});
      s.set(0, Pipe::kMte2, Pipe::kV);
      if (round_trip) {
        s.wait(0, Pipe::kMte2, Pipe::kV);
        s.flag(0, Pipe::kV, Pipe::kMte2);
      }
      s.run(0, Pipe::kMte2, 20, {kWrite});
    };
  };
  expect_one(scenario(false), "ASC1301", 10, 20);
  expect_clean(scenario(true));
}

TEST(RaceCoreRules, PipeBarrier) {
  const auto scenario = [](Pipe pipe) {
    return [pipe](Stream& s) {
      s.launch(0, 1);
      s.run(0, Pipe::kMte2, 10, {kWrite});
      if (pipe != Pipe::kAll) s.barrier(0, pipe);
      s.run(0, Pipe::kMte2, 20, {kWrite});
    };
  };
  expect_clean(scenario(Pipe::kMte2));
  expect_one(scenario(Pipe::kMte3), "ASC1301", 10, 20);
  expect_one(scenario(Pipe::kAll), "ASC1301", 10, 20);
}

TEST(RaceCoreRules, PipeAll) {
  expect_clean(load_use([](Stream& s) { s.all(0); }));
  // Of another core.
  expect_one(
      [](Stream& s) {
        s.launch(0, 2);
        s.run(0, Pipe::kMte2, 10, {kWrite});
        s.all(1);
        s.run(0, Pipe::kV, 20, {kRead});
      },
      "ASC1201", 10, 20);
}

TEST(RaceCoreRules, ScalarWaitOrdersWhatIsIssuedLater) {
  expect_clean(load_use([](Stream& s) { s.flag(0, Pipe::kMte2, Pipe::kS); }));
  // Issued before the wait.
  expect_one(
      [](Stream& s) {
        s.launch(0, 1);
        s.run(0, Pipe::kMte2, 10, {kWrite});
        s.set(0, Pipe::kMte2, Pipe::kS);
        s.run(0, Pipe::kV, 20, {kRead});
        s.wait(0, Pipe::kMte2, Pipe::kS);
      },
      "ASC1201", 10, 20);
}

TEST(RaceCoreRules, DataSyncBarrierOfAMemory) {
  const auto store_load = [](int memory) {
    return [memory](Stream& s) {
      s.launch(0, 1);
      s.run(0, Pipe::kMte3, 10, {writes(Space::kGm, 0x10000, 0x10040)});
      if (memory >= 0) s.data_sync(0, static_cast<uint8_t>(memory));
      s.run(0, Pipe::kMte2, 20, {reads(Space::kGm, 0x10000, 0x10040)});
    };
  };
  expect_clean(store_load(0));
  expect_clean(store_load(1));
  expect_one(store_load(-1), "ASC1402", 10, 20);
  const auto compute_store = [](uint8_t memory) {
    return [memory](Stream& s) {
      s.launch(0, 1);
      s.run(0, Pipe::kV, 10, {kWrite});
      s.data_sync(0, memory);
      s.run(0, Pipe::kMte3, 20, {kRead});
    };
  };
  expect_clean(compute_store(2));
  expect_one(compute_store(1), "ASC1201", 10, 20);
}

TEST(RaceCoreRules, VectorAfterVectorHangsOnTheProfile) {
  const auto scenario = [](bool barrier) {
    return [barrier](Stream& s) {
      s.launch(0, 1);
      s.run(0, Pipe::kV, 10, {kWrite});
      if (barrier) s.barrier(0, Pipe::kV);
      s.run(0, Pipe::kV, 20, {kRead, writes(Space::kUb, 256, 320)});
    };
  };
  expect_clean(scenario(false));
  expect_one(scenario(false), "ASC1301", 10, 20, strict());
  expect_clean(scenario(true), strict());
}

TEST(RaceCoreRules, ScalarReadOfAVectorResult) {
  const auto scenario = [](bool flag) {
    return [flag](Stream& s) {
      s.launch(0, 1);
      s.run(0, Pipe::kV, 10, {kWrite});
      if (flag) s.flag(0, Pipe::kV, Pipe::kS);
      s.scalar(0, 20, reads(Space::kUb, 64, 68));
    };
  };
  expect_clean(scenario(false));
  expect_one(scenario(false), "ASC1401", 10, 20, strict());
  expect_clean(scenario(true), strict());
}

TEST(RaceCoreRules, AutomaticWaitCarriesWhatTheOtherSideKnew) {
  // The scalar read makes S wait for V, which had waited for the load: the store issued afterwards comes after the
  // load.
  const auto scenario = [](bool read) {
    return [read](Stream& s) {
      s.launch(0, 1);
      s.run(0, Pipe::kMte2, 10, {kWrite});
      s.flag(0, Pipe::kMte2, Pipe::kV);
      s.run(0, Pipe::kV, 15, {writes(Space::kUb, 256, 320), kRead});
      if (read) s.scalar(0, 16, reads(Space::kUb, 256, 260));
      s.run(0, Pipe::kMte3, 20, {kRead});
    };
  };
  expect_clean(scenario(true));
  expect_one(scenario(false), "ASC1201", 10, 20);
  // Reading other bytes is no reason to wait.
  expect_one(
      [](Stream& s) {
        s.launch(0, 1);
        s.run(0, Pipe::kMte2, 10, {kWrite});
        s.scalar(0, 16, reads(Space::kUb, 256, 260));
        s.run(0, Pipe::kMte3, 20, {kRead});
      },
      "ASC1201", 10, 20);
  // Two reads need no order.
  expect_one(
      [](Stream& s) {
        s.launch(0, 1);
        s.run(0, Pipe::kV, 10, {kWrite, reads(Space::kUb, 256, 320)});
        s.scalar(0, 16, reads(Space::kUb, 256, 260));
        s.run(0, Pipe::kMte3, 20, {kRead});
      },
      "ASC1201", 10, 20);
}

TEST(RaceCoreRules, NothingIsAutomaticOnACubeCore) {
  const auto scenario = [](Stream& s) {
    s.launch(1, 0);
    s.run(0, Pipe::kMte3, 10, {writes(Space::kGm, 0x1000, 0x1040)});
    s.scalar(0, 20, reads(Space::kGm, 0x1000, 0x1004));
  };
  expect_one(scenario, "ASC1401", 10, 20);
  expect_clean([](Stream& s) {
    s.launch(1, 0);
    s.run(0, Pipe::kMte3, 10, {writes(Space::kGm, 0x1000, 0x1040)});
    s.flag(0, Pipe::kMte3, Pipe::kS);
    s.scalar(0, 20, reads(Space::kGm, 0x1000, 0x1004));
  });
}

TEST(RaceCoreRules, ScalarStoreNeedsAFlagInTheStrictProfile) {
  const auto scenario = [](const std::function<void(Stream&)>& between) {
    return [between](Stream& s) {
      s.launch(0, 1);
      s.scalar(0, 10, writes(Space::kUb, 64, 68));
      between(s);
      s.run(0, Pipe::kV, 20, {kRead});
    };
  };
  const auto nothing = scenario([](Stream&) {});
  expect_clean(nothing);
  expect_one(nothing, "ASC1401", 10, 20, strict());
  expect_clean(scenario([](Stream& s) { s.flag(0, Pipe::kS, Pipe::kV); }), strict());
  expect_clean(scenario([](Stream& s) { s.flag(0, Pipe::kS, Pipe::kMte2), s.flag(0, Pipe::kMte2, Pipe::kV); }),
               strict());
  expect_clean(scenario([](Stream& s) { s.all(0); }), strict());
  expect_one(scenario([](Stream& s) { s.flag(0, Pipe::kS, Pipe::kMte3); }), "ASC1401", 10, 20, strict());
  check::RaceOptions lenient = strict();
  lenient.scalar_stores_need_flag = false;
  expect_clean(nothing, lenient);
  // A scalar load is over when it is issued.
  expect_clean(
      [](Stream& s) {
        s.launch(0, 1);
        s.scalar(0, 10, reads(Space::kUb, 64, 68));
        s.run(0, Pipe::kV, 20, {kWrite});
      },
      strict());
}

TEST(RaceCoreRules, ProgramOrderDecidesTheKindNotTheOrderOfEvents) {
  // The load completes before the earlier vector instruction: still "overwritten before read".
  Checked checked;
  Stream& s = checked.stream;
  s.launch(0, 1);
  event::Event event;
  event.kind = event::Kind::kInstruction;
  const auto send = [&](Pipe pipe, uint32_t line, uint32_t program, const Bytes& bytes) {
    event::Access access;
    access.space = bytes.space;
    access.role = bytes.role;
    access.span_count = 1;
    const event::Span span{bytes.begin, bytes.end};
    event.pipe = pipe;
    event.index = 1;
    event.program_index = program;
    event.site = checked.sites.intern({"kernel.cpp", "user_code", line});
    event.accesses = &access;
    event.access_count = 1;
    event.spans = &span;
    checked.on_event(event);
  };
  send(Pipe::kMte2, 20, 2, kWrite);
  send(Pipe::kV, 10, 1, kRead);
  s.end();
  const auto findings = checked.race.take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "ASC1202");
  EXPECT_EQ(findings[0].accesses[0].line, 10u);
  EXPECT_EQ(findings[0].missing, "AIV 0 V -> AIV 0 MTE2");
}

// --- same pipe, spec/hb-rules.md 6.1 to 6.3 ---

Scenario two_loads(uint32_t apart, uint64_t second_source = 0x30000, bool cross_set = false) {
  return [=](Stream& s) {
    s.launch(1, 2, 2);
    s.run(1, Pipe::kMte2, 10, {kWrite, reads(Space::kGm, 0x10000, 0x10040)});
    if (cross_set) s.cross_set(1, Pipe::kMte2, 2, 3);
    for (uint32_t i = 1; i < apart; ++i) s.run(1, Pipe::kMte2, 100, {reads(Space::kGm, 0x50000, 0x50020)});
    s.run(1, Pipe::kMte2, 20, {kWrite, reads(Space::kGm, second_source, second_source + 0x40)});
  };
}

TEST(RaceCoreRules, SamePipeSeverities) {
  expect_one(two_loads(1), "ASC1301", 10, 20);
  expect_one(two_loads(32), "ASC1301", 10, 20);
  expect_one(two_loads(33), "ASC1301", 10, 20, {}, Severity::kWarning);
  expect_one(two_loads(1, 0x10000), "ASC1301", 10, 20, {}, Severity::kInfo);
  expect_one(two_loads(2, 0x30000, true), "ASC1301", 10, 20, {}, Severity::kInfo);
  check::RaceOptions in_order;
  in_order.mte_in_order = true;
  expect_clean(two_loads(1), in_order);
}

TEST(RaceCoreRules, StoresAndFixpipeOfOnePipe) {
  const auto stores = [](Pipe pipe, bool barrier) {
    return [=](Stream& s) {
      s.launch(1, 0);
      s.run(0, pipe, 10, {writes(Space::kGm, 0x1000, 0x1100)});
      if (barrier) s.barrier(0, pipe);
      s.run(0, pipe, 20, {writes(Space::kGm, 0x10C0, 0x1200)});
    };
  };
  for (Pipe pipe : {Pipe::kMte3, Pipe::kFix}) {
    const report::Finding finding = expect_one(stores(pipe, false), "ASC1301", 10, 20);
    EXPECT_EQ(finding.bytes[1] - finding.bytes[0], 0x40u);
    expect_clean(stores(pipe, true));
  }
  // L0C -> L1, then L1 -> FB, both on FIX.
  const auto table = [](bool barrier) {
    return [=](Stream& s) {
      s.launch(1, 0);
      s.run(0, Pipe::kFix, 10, {writes(Space::kL1, 0, 256)});
      if (barrier) s.barrier(0, Pipe::kFix);
      s.run(0, Pipe::kFix, 20, {reads(Space::kL1, 0, 256), writes(Space::kFb, 0, 256)});
    };
  };
  expect_one(table(false), "ASC1301", 10, 20);
  expect_clean(table(true));
  // Parameters loaded to FB and used at once: shipping kernels do that.
  const auto use = [](bool barrier) {
    return [=](Stream& s) {
      s.launch(1, 0);
      s.run(0, Pipe::kFix, 10, {writes(Space::kFb, 0, 256)});
      if (barrier) s.barrier(0, Pipe::kFix);
      s.run(0, Pipe::kFix, 20, {reads(Space::kFb, 0, 256), writes(Space::kGm, 0x1000, 0x1100)});
    };
  };
  expect_one(use(false), "ASC1301", 10, 20, {}, Severity::kWarning);
  expect_clean(use(true));
}

TEST(RaceCoreRules, CompletionOutOfOrderKeepsTheProgramOrderOfTheTwo) {
  // Second load of the pipe first in the events.
  Checked checked;
  checked.stream.launch(0, 1);
  event::Access access;
  access.space = Space::kUb;
  access.role = event::Role::kWrite;
  access.span_count = 1;
  const event::Span span{0, 64};
  event::Event event;
  event.kind = event::Kind::kInstruction;
  event.pipe = Pipe::kMte2;
  event.accesses = &access;
  event.access_count = 1;
  event.spans = &span;
  event.index = 2;
  event.site = checked.sites.intern({"kernel.cpp", "user_code", 20});
  checked.on_event(event);
  event.index = 1;
  event.site = checked.sites.intern({"kernel.cpp", "user_code", 10});
  checked.on_event(event);
  checked.stream.end();
  const auto findings = checked.race.take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "ASC1301");
  EXPECT_EQ(findings[0].accesses[0].line, 10u);
  EXPECT_EQ(findings[0].accesses[1].line, 20u);
}

}  // namespace
}  // namespace ascsan::test
