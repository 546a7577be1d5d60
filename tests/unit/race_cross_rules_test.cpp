// Order rules between cores, and the exemptions: each rule alone orders the pair (silent), taken away it is reported
// with rule and lines, and so are near misses. The pair is at lines 10 (writer, usually) and 20.
#include "support/race_fixture.h"

namespace ascsan::test {
namespace {
using event::CoreId;
using report::Severity;

constexpr uint64_t kTensor = 0x100000;  // any address: GM is host memory
const Bytes kStore = writes(Space::kGm, kTensor + 0x40, kTensor + 0x80);
const Bytes kLoad = reads(Space::kGm, kTensor + 0x40, kTensor + 0x80);

void store(Stream& s, CoreId core, uint32_t line = 10, Pipe pipe = Pipe::kMte3) {
  s.run(core, pipe, line, {kStore});
}
void load(Stream& s, CoreId core, uint32_t line = 20) {
  s.run(core, Pipe::kMte2, line, {kLoad});
}

TEST(RaceCrossRules, NothingOrdersTwoCores) {
  const report::Finding finding = expect_one(
      [](Stream& s) {
        s.tensor("masked_target", kTensor, kTensor + 0x1000);
        s.launch(0, 4);
        store(s, 0);
        load(s, 3);
      },
      "ASC1101", 10, 20);
  EXPECT_EQ(finding.tensor, "masked_target");
  EXPECT_EQ(finding.space, "GM");
  EXPECT_EQ(finding.kernel, "kernel");
  EXPECT_EQ(finding.launch, 1u);
  EXPECT_EQ(finding.bytes[0], 0x40u);
  EXPECT_EQ(finding.bytes[1], 0x80u);
  EXPECT_EQ(finding.elements[0], 16u);
  EXPECT_EQ(finding.elements[1], 32u);
  EXPECT_EQ(finding.missing, "AIV 0 MTE3 -> AIV 3 MTE2");
  ASSERT_EQ(finding.accesses.size(), 2u);
  EXPECT_EQ(finding.accesses[0].role, "writer");
  EXPECT_EQ(finding.accesses[0].core, "AIV 0");
  EXPECT_EQ(finding.accesses[0].pipe, "MTE3");
  EXPECT_EQ(finding.accesses[0].operation, "DataCopy");
  EXPECT_EQ(finding.accesses[0].index, 1u);
  ASSERT_EQ(finding.accesses[0].stack.size(), 1u);
  EXPECT_EQ(finding.accesses[0].stack[0].line, 10u);
  EXPECT_EQ(finding.accesses[1].role, "reader");
  EXPECT_EQ(finding.accesses[1].core, "AIV 3");
  ASSERT_TRUE(finding.last_common.has_value());
  EXPECT_EQ(finding.last_common->what, "the begin of the launch");
}

TEST(RaceCrossRules, WriterIsNamedFirstWhoeverRanFirst) {
  const report::Finding finding = expect_one(
      [](Stream& s) {
        s.launch(0, 2);
        load(s, 0);
        store(s, 1);
      },
      "ASC1101", 10, 20);
  EXPECT_EQ(finding.missing, "AIV 1 MTE3 -> AIV 0 MTE2");
}

TEST(RaceCrossRules, TwoWriters) {
  expect_one(
      [](Stream& s) {
        s.launch(0, 2);
        store(s, 0, 10);
        store(s, 1, 20);
      },
      "ASC1102", 10, 20);
}

/// All AIVs set mode 0 on `pipe`, `waiting` cores wait.
Scenario mode0(Pipe pipe, int set_id, int wait_id, bool reader_waits, bool set_first = false) {
  return [=](Stream& s) {
    s.launch(0, 2);
    if (wait_id != set_id)
      for (CoreId core = 0; core < 2; ++core) s.cross_set(core, pipe, 0, wait_id);
    if (set_first) s.cross_set(0, pipe, 0, set_id);
    store(s, 0);
    if (!set_first) s.cross_set(0, pipe, 0, set_id);
    s.cross_set(1, pipe, 0, set_id);
    s.cross_wait(0, wait_id);
    if (reader_waits) s.cross_wait(1, wait_id);
    load(s, 1);
  };
}

TEST(RaceCrossRules, Mode0FlagOrdersAllVectorCores) {
  expect_clean(mode0(Pipe::kMte3, 3, 3, true));
  expect_one(mode0(Pipe::kMte3, 3, 3, false), "ASC1101", 10, 20);       // reader does not wait
  expect_one(mode0(Pipe::kMte2, 3, 3, true), "ASC1101", 10, 20);        // set on the wrong pipe
  expect_one(mode0(Pipe::kMte3, 3, 4, true), "ASC1101", 10, 20);        // wait on another id
  expect_one(mode0(Pipe::kMte3, 3, 3, true, true), "ASC1101", 10, 20);  // set before the store
}

TEST(RaceCrossRules, SecondWaitBringsTheSecondRelease) {
  const auto scenario = [](int waits) {
    return [waits](Stream& s) {
      s.launch(0, 2);
      for (CoreId core = 0; core < 2; ++core) s.cross_set(core, Pipe::kMte3, 0, 1);
      store(s, 0);
      for (CoreId core = 0; core < 2; ++core) s.cross_set(core, Pipe::kMte3, 0, 1);
      for (int i = 0; i < waits; ++i) s.cross_wait(1, 1);
      load(s, 1);
    };
  };
  expect_clean(scenario(2));
  expect_one(scenario(1), "ASC1101", 10, 20);
}

TEST(RaceCrossRules, TwoSetsOfOneCoreAreNotOrdered) {
  // The second set comes after the store; waiting for the first only brings what was before the first.
  const auto scenario = [](int wait_id) {
    return [wait_id](Stream& s) {
      s.launch(0, 2);
      for (CoreId core = 0; core < 2; ++core) s.cross_set(core, Pipe::kMte3, 0, 1);
      store(s, 0);
      for (CoreId core = 0; core < 2; ++core) s.cross_set(core, Pipe::kMte3, 0, 2);
      s.cross_wait(1, wait_id);
      load(s, 1);
    };
  };
  expect_clean(scenario(2));
  expect_one(scenario(1), "ASC1101", 10, 20);
}

TEST(RaceCrossRules, Mode2FromCubeToItsVectorCores) {
  const auto scenario = [](CoreId reader, bool wait) {
    return [=](Stream& s) {
      s.launch(2, 4, 2);  // AIC 0, 1 are cores 0, 1; AIV 0..3 are cores 2..5
      store(s, 0, 10, Pipe::kFix);
      s.cross_set(0, Pipe::kFix, 2, 5);
      s.cross_set(1, Pipe::kFix, 2, 5);
      if (wait) s.cross_wait(reader, 5);
      load(s, reader);
    };
  };
  expect_clean(scenario(2, true));
  expect_clean(scenario(3, true));
  expect_one(scenario(3, false), "ASC1101", 10, 20);
  const report::Finding other = expect_one(scenario(4, true), "ASC1101", 10, 20);  // waits for the other cube core
  EXPECT_EQ(other.accesses[0].core, "AIC 0");
  EXPECT_EQ(other.accesses[1].core, "AIV 2");
}

TEST(RaceCrossRules, Mode2FromBothVectorCores) {
  const auto scenario = [](CoreId writer, bool wait) {
    return [=](Stream& s) {
      s.launch(1, 2, 2);
      store(s, writer);
      s.cross_set(1, Pipe::kMte3, 2, 6);
      s.cross_set(2, Pipe::kMte3, 2, 6);
      if (wait) s.cross_wait(0, 6);
      load(s, 0);
    };
  };
  expect_clean(scenario(1, true));
  expect_clean(scenario(2, true));
  expect_one(scenario(2, false), "ASC1101", 10, 20);
}

TEST(RaceCrossRules, Mode1StaysWithinAnAiCore) {
  const auto scenario = [](CoreId reader) {
    return [=](Stream& s) {
      s.launch(2, 4, 2);
      store(s, 2);
      for (CoreId core = 2; core < 6; ++core) s.cross_set(core, Pipe::kMte3, 1, 7);
      s.cross_wait(reader, 7);
      load(s, reader);
    };
  };
  expect_clean(scenario(3));
  expect_one(scenario(4), "ASC1101", 10, 20);
}

TEST(RaceCrossRules, KnowledgeTravelsThroughAThirdCore) {
  const auto scenario = [](bool second_hop) {
    return [=](Stream& s) {
      s.launch(1, 2, 2);
      store(s, 1);                        // AIV 0 stores,
      s.cross_set(1, Pipe::kMte3, 2, 1);  // tells the cube core together with AIV 1,
      s.cross_set(2, Pipe::kMte3, 2, 1);
      s.cross_wait(0, 1);
      s.cross_set(0, Pipe::kFix, 2, 2);  // which tells both vector cores.
      if (second_hop) s.cross_wait(2, 2);
      load(s, 2);
    };
  };
  expect_clean(scenario(true));
  expect_one(scenario(false), "ASC1101", 10, 20);
}

TEST(RaceCrossRules, SyncAllHard) {
  const auto scenario = [](bool sync, Pipe pipe) {
    return [=](Stream& s) {
      s.launch(0, 3);
      s.run(0, pipe, 10, {kStore});
      if (sync) s.sync_all(15);
      load(s, 2);
    };
  };
  expect_clean(scenario(true, Pipe::kMte3));
  expect_clean(scenario(true, Pipe::kV));  // PIPE_ALL comes first: any pipe
  expect_one(scenario(false, Pipe::kMte3), "ASC1101", 10, 20);
  // Of the vector cores only: a cube core stays outside.
  expect_one(
      [](Stream& s) {
        s.launch(1, 2, 2);
        store(s, 0, 10, Pipe::kFix);
        s.sync_all(15);
        load(s, 1);
      },
      "ASC1101", 10, 20);
  // A store after the barrier is on nobody's side.
  const report::Finding late = expect_one(
      [](Stream& s) {
        s.launch(0, 3);
        s.sync_all(15);
        store(s, 0);
        load(s, 2);
      },
      "ASC1101", 10, 20);
  ASSERT_TRUE(late.last_common.has_value());
  EXPECT_EQ(late.last_common->what, "SyncAll");
  EXPECT_EQ(late.last_common->line, 15u);
}

TEST(RaceCrossRules, SyncAllSoft) {
  const auto scenario = [](const std::vector<CoreId>& members, uint32_t pass_round) {
    return [=](Stream& s) {
      s.launch(0, 3);
      for (CoreId core = 0; core < 3; ++core) s.arrive(core, 4, 1, 14);
      store(s, 0);
      for (CoreId core = 0; core < 3; ++core) s.arrive(core, 4, 2, 15);
      s.pass(2, 4, pass_round, members, 15);
      load(s, 2);
    };
  };
  expect_clean(scenario({0, 1, 2}, 2));
  expect_one(scenario({1, 2}, 2), "ASC1101", 10, 20);     // usedCores leaves the writer out
  expect_one(scenario({0, 1, 2}, 1), "ASC1101", 10, 20);  // the round before the store
}

TEST(RaceCrossRules, Mailbox) {
  const auto scenario = [](bool back) {
    return [=](Stream& s) {
      s.launch(0, 2);
      s.run(0, Pipe::kMte3, 5, {kStore});
      s.arrive(0, 0, 1);     // IBSet
      s.pass(1, 0, 1, {0});  // IBWait
      s.run(1, Pipe::kMte2, 20, {kLoad});
      s.all(1);
      s.arrive(1, 1, 1);               // consumed
      if (back) s.pass(0, 1, 1, {1});  // the next IBSet waits for that
      s.run(0, Pipe::kMte3, 10, {kStore});
    };
  };
  expect_clean(scenario(true));
  const report::Finding finding = expect_one(scenario(false), "ASC1101", 10, 20);
  // The data went from AIV 0 to AIV 1; what is missing is the way back.
  EXPECT_EQ(finding.missing, "AIV 1 MTE2 -> AIV 0 MTE3");
  EXPECT_NE(finding.title.find("is overwritten by"), std::string::npos) << finding.title;
}

TEST(RaceCrossRules, LaunchesAreOrdered) {
  expect_clean([](Stream& s) {
    s.launch(0, 2);
    store(s, 0);
    s.end();
    s.launch(0, 2);
    load(s, 1);
  });
  const report::Finding finding = expect_one(
      [](Stream& s) {
        s.launch(0, 2);
        s.end();
        s.launch(0, 2);
        store(s, 0);
        load(s, 1);
      },
      "ASC1101", 10, 20);
  EXPECT_EQ(finding.launch, 2u);
}

// --- exemptions ---

TEST(RaceCrossRules, AtomicStores) {  // E-1
  const auto pair = [](uint8_t first, uint8_t second, gate::DataType type = gate::DataType::kFloat) {
    return [=](Stream& s) {
      s.launch(0, 2);
      s.atomic(0, Pipe::kMte3, 10, kTensor, kTensor + 64, first, gate::DataType::kFloat);
      s.atomic(1, Pipe::kMte3, 20, kTensor, kTensor + 64, second, type);
    };
  };
  expect_clean(pair(1, 1));
  expect_one(pair(1, 2), "ASC1501", 10, 20, {}, Severity::kWarning);
  expect_one(pair(1, 1, gate::DataType::kHalf), "ASC1501", 10, 20, {}, Severity::kWarning);
  // Against a plain load or store: a race.
  expect_one(
      [](Stream& s) {
        s.launch(0, 2);
        s.atomic(0, Pipe::kMte3, 10, kTensor + 0x40, kTensor + 0x80, 1, gate::DataType::kFloat);
        load(s, 1);
      },
      "ASC1101", 10, 20);
  expect_one(
      [](Stream& s) {
        s.launch(0, 2);
        store(s, 0);
        s.atomic(1, Pipe::kMte3, 20, kTensor + 0x40, kTensor + 0x80, 1, gate::DataType::kFloat);
      },
      "ASC1102", 10, 20);
}

TEST(RaceCrossRules, OwnAtomicDoesNotHideTheZeroFillFromOtherCores) {
  const auto scenario = [](bool sync) {
    return [=](Stream& s) {
      s.launch(0, 3);
      store(s, 0, 10);  // zero fill
      if (sync)
        s.sync_all(12);
      else
        s.barrier(0, Pipe::kMte3);
      for (CoreId core = 0; core < 3; ++core)
        s.atomic(core, Pipe::kMte3, 20, kTensor + 0x40, kTensor + 0x80, 1, gate::DataType::kInt32);
    };
  };
  expect_clean(scenario(true));
  const report::Finding finding = expect_one(scenario(false), "ASC1102", 10, 20);
  EXPECT_EQ(finding.merged, 2u);
}

/// E-2: the order of three or more additions of floats decides the sum.
TEST(RaceCrossRules, OrderOfFloatAtomics) {
  const auto scenario = [](CoreId cores, gate::DataType type, uint8_t op, bool ordered) {
    return [=](Stream& s) {
      s.launch(0, cores);
      for (CoreId core = 0; core < cores; ++core) {
        s.atomic(core, Pipe::kMte3, 20, kTensor, kTensor + 0x40, op, type);
        if (ordered) s.sync_all(30);
      }
    };
  };
  const report::Finding finding =
      expect_one(scenario(3, gate::DataType::kFloat, 1, false), "ASC1502", 20, 20, {}, Severity::kInfo);
  EXPECT_EQ(finding.merged, 1u);
  EXPECT_EQ(expect_one(scenario(7, gate::DataType::kHalf, 1, false), "ASC1502", 20, 20, {}, Severity::kInfo).merged,
            5u);
  expect_clean(scenario(2, gate::DataType::kFloat, 1, false));
  expect_clean(scenario(5, gate::DataType::kFloat, 1, true));
  expect_clean(scenario(5, gate::DataType::kInt32, 1, false));
  expect_clean(scenario(5, gate::DataType::kFloat, 2, false));  // a maximum has no order
}

TEST(RaceCrossRules, AtomicsOfOnePipe) {
  const auto scenario = [](bool plain_first, bool barrier) {
    return [=](Stream& s) {
      s.launch(0, 1);
      if (plain_first)
        store(s, 0, 10);
      else
        s.atomic(0, Pipe::kMte3, 10, kTensor + 0x40, kTensor + 0x80, 1, gate::DataType::kFloat);
      if (barrier) s.barrier(0, Pipe::kMte3);
      s.atomic(0, Pipe::kMte3, 20, kTensor + 0x40, kTensor + 0x80, 1, gate::DataType::kFloat);
    };
  };
  expect_clean(scenario(false, false));
  expect_one(scenario(true, false), "ASC1301", 10, 20);
  expect_clean(scenario(true, true));
}

TEST(RaceCrossRules, NeighbouringBytesOfABlockAreNoRace) {  // E-6
  const auto scenario = [](uint64_t second_begin) {
    return [=](Stream& s) {
      s.tensor("out", kTensor, kTensor + 0x100);
      s.launch(0, 2);
      s.run(0, Pipe::kMte3, 10, {writes(Space::kGm, kTensor, kTensor + 41)});
      s.run(1, Pipe::kMte3, 20, {writes(Space::kGm, kTensor + second_begin, kTensor + 90)});
    };
  };
  expect_clean(scenario(41));
  const report::Finding finding = expect_one(scenario(40), "ASC1102", 10, 20);
  EXPECT_EQ(finding.bytes[0], 40u);
  EXPECT_EQ(finding.bytes[1], 41u);
  EXPECT_EQ(finding.elements[0], 10u);
  EXPECT_EQ(finding.elements[1], 11u);
}

TEST(RaceCrossRules, ScalarWordsOfOneLine) {  // E-5: values race word by word
  const auto scenario = [](uint64_t second) {
    return [=](Stream& s) {
      s.launch(0, 2);
      s.scalar(0, 10, writes(Space::kGm, kTensor, kTensor + 4));
      s.scalar(1, 20, writes(Space::kGm, kTensor + second, kTensor + second + 4));
    };
  };
  expect_clean(scenario(4));
  expect_one(scenario(0), "ASC1102", 10, 20);
}

TEST(RaceCrossRules, FrameworkMemory) {  // E-8
  const auto scenario = [](gate::Op first, gate::Op second) {
    return [=](Stream& s) {
      s.tensor("workspace", kTensor, kTensor + 0x1000, true);
      s.launch(0, 2);
      Stream::Extra extra;
      extra.op = first;
      s.run(0, Pipe::kMte3, 10, {kStore}, extra);
      extra.op = second;
      s.run(1, Pipe::kMte3, 20, {kStore}, extra);
    };
  };
  expect_clean(scenario(gate::Op::kSyncAllSoft, gate::Op::kSyncAllSoft));
  expect_one(scenario(gate::Op::kSyncAllSoft, gate::Op::kDataCopy), "ASC1102", 10, 20);
}

}  // namespace
}  // namespace ascsan::test
