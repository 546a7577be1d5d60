// What the race checker keeps: memory follows the bytes in use, not the length of the run; blocks escape to bytes and
// come back; many readers stay one state.
#include <algorithm>

#include "support/race_fixture.h"

namespace ascsan::test {
namespace {
using event::CoreId;

constexpr uint64_t kTensor = 0x40000000;

/// One round of a double-buffered CopyIn / Compute / CopyOut, with all flags of the queues.
void round_of(Stream& s, CoreId core, uint32_t i) {
  const uint64_t in = (i % 2) * 2048, out = 8192 + (i % 2) * 2048;
  const uint64_t tile = kTensor + (core * 16 + i % 16) * 2048;
  const int id = static_cast<int>(i % 2);
  if (i >= 2) s.wait(core, Pipe::kV, Pipe::kMte2, id);
  s.run(core, Pipe::kMte2, 10, {writes(Space::kUb, in, in + 2048), reads(Space::kGm, tile, tile + 2048)});
  s.flag(core, Pipe::kMte2, Pipe::kV, id);
  if (i >= 2) s.wait(core, Pipe::kMte3, Pipe::kV, id);
  s.run(core, Pipe::kV, 20, {writes(Space::kUb, out, out + 2048), reads(Space::kUb, in, in + 2048)});
  s.run(core, Pipe::kV, 21, {writes(Space::kUb, out, out + 2048), reads(Space::kUb, out, out + 2048)});
  s.set(core, Pipe::kV, Pipe::kMte2, id);
  s.flag(core, Pipe::kV, Pipe::kMte3, id);
  s.run(core, Pipe::kMte3, 30,
        {writes(Space::kGm, tile + 0x10000000, tile + 0x10000000 + 2048), reads(Space::kUb, out, out + 2048)});
  if (i >= 16) s.barrier(core, Pipe::kMte3);  // tiles come round again
  s.set(core, Pipe::kMte3, Pipe::kV, id);
}

struct Kept {
  size_t accesses, crowds, pairs, shadow, clocks;
};
Kept after(uint32_t rounds, const std::function<void(Stream&, uint32_t)>& body, size_t* findings = nullptr) {
  Checked checked;
  checked.stream.launch(0, 4);
  for (uint32_t i = 0; i < rounds; ++i) body(checked.stream, i);
  const auto usage = checked.race.usage();
  const Kept kept{usage.accesses, usage.crowds, usage.pairs, usage.shadow_bytes, checked.order.kept_clocks()};
  checked.stream.end();
  const auto found = checked.race.take_findings();
  if (findings != nullptr)
    *findings = found.size();
  else
    EXPECT_TRUE(found.empty()) << text_of(found);
  return kept;
}

void expect_flat(const Kept& some, const Kept& many) {
  EXPECT_LE(many.accesses, some.accesses + some.accesses / 20);
  EXPECT_LE(many.crowds, some.crowds + 2);
  EXPECT_LE(many.pairs, some.pairs + 2);
  EXPECT_EQ(many.shadow, some.shadow);
  EXPECT_LE(many.clocks, some.clocks + 8);
}

TEST(RaceMemory, ALoopAHundredTimesLongerKeepsNoMore) {
  const auto pipeline = [](Stream& s, uint32_t i) {
    for (CoreId core = 0; core < 4; ++core) round_of(s, core, i);
  };
  expect_flat(after(40, pipeline), after(4000, pipeline));
}

TEST(RaceMemory, FlatWithSyncAllAndAutomaticWaits) {
  const auto body = [](Stream& s, uint32_t i) {
    for (CoreId core = 0; core < 4; ++core) {
      s.run(core, Pipe::kV, 10, {writes(Space::kUb, 0, 256)});
      s.scalar(core, 11, reads(Space::kUb, 32, 36));  // automatic wait: a new scalar clock
      s.run(core, Pipe::kMte3, 12, {writes(Space::kGm, kTensor + core * 64, kTensor + core * 64 + 64)});
    }
    if (i % 2 == 0)
      s.sync_all(13);
    else
      for (CoreId core = 0; core < 4; ++core) s.all(core);
    for (CoreId core = 0; core < 4; ++core)
      if (i % 2 == 0)
        s.run(core, Pipe::kMte2, 14, {writes(Space::kUb, 1024, 1280), reads(Space::kGm, kTensor, kTensor + 256)});
    s.sync_all(15);
  };
  expect_flat(after(40, body), after(4000, body));
}

TEST(RaceMemory, FlatWhileRacing) {
  // Store and load of different cores without any order, again and again.
  const auto body = [](Stream& s, uint32_t) {
    for (CoreId core = 0; core < 4; ++core) {
      s.run(core, Pipe::kMte3, 10, {writes(Space::kGm, kTensor, kTensor + 1024)});
      s.barrier(core, Pipe::kMte3);
      s.run(core, Pipe::kMte2, 20, {reads(Space::kGm, kTensor, kTensor + 1024)});
    }
  };
  size_t few = 0, many = 0;
  expect_flat(after(20, body, &few), after(2000, body, &many));
  EXPECT_EQ(few, many);
  EXPECT_GE(few, 2u);
}

TEST(RaceMemory, ShadowIsAQuarterOfTheBytesTouched) {
  Checked checked;
  checked.stream.launch(0, 1);
  const uint64_t bytes = 8 << 20;
  for (uint64_t at = 0; at < bytes; at += 4096)
    checked.stream.run(0, Pipe::kMte2, 10, {reads(Space::kGm, kTensor + at, kTensor + at + 4096)});
  EXPECT_LE(checked.race.usage().shadow_bytes, bytes / 4 + bytes / 100);
}

TEST(RaceMemory, BlocksEscapeToBytesAndComeBack) {
  Checked checked;
  Stream& s = checked.stream;
  s.launch(0, 2);
  for (uint64_t row = 0; row < 50; ++row) {
    s.run(0, Pipe::kMte3, 10, {writes(Space::kGm, kTensor + row * 200, kTensor + row * 200 + 41)});
    s.run(1, Pipe::kMte3, 20, {writes(Space::kGm, kTensor + row * 200 + 41, kTensor + row * 200 + 77)});
  }
  EXPECT_GT(checked.race.usage().escaped_blocks, 40u);
  s.sync_all();
  s.run(0, Pipe::kMte3, 30, {writes(Space::kGm, kTensor - 32, kTensor + 10016)});
  EXPECT_EQ(checked.race.usage().escaped_blocks, 0u);
  EXPECT_EQ(checked.race.usage().accesses, 1u);
  s.end();
  EXPECT_TRUE(checked.race.take_findings().empty());
}

TEST(RaceMemory, ManyReadersAreOneState) {
  Checked checked;
  Stream& s = checked.stream;
  s.launch(0, 48);
  const uint64_t bytes = 1 << 18;
  for (CoreId core = 0; core < 48; ++core)
    for (uint64_t at = 0; at < bytes; at += 32768)
      s.run(core, Pipe::kMte2, 10, {reads(Space::kGm, kTensor + at, kTensor + at + 32768)});
  EXPECT_EQ(checked.race.usage().crowds, 8u);  // one per tile, not one per block
  EXPECT_EQ(checked.race.usage().accesses, 8u * 48u);
  // A write after a barrier takes the place of all of them; without the barrier it races with each.
  Checked racing;
  racing.stream.launch(0, 48);
  for (CoreId core = 0; core < 48; ++core)
    racing.stream.run(core, Pipe::kMte2, 10, {reads(Space::kGm, kTensor, kTensor + 1024)});
  racing.stream.run(0, Pipe::kMte3, 20, {writes(Space::kGm, kTensor, kTensor + 1024)});
  racing.stream.end();
  const auto findings = racing.race.take_findings();
  ASSERT_EQ(findings.size(), 2u) << text_of(findings);  // 47 cores: between cores; own load: between pipes
  EXPECT_EQ(findings[0].rule, "ASC1101");
  EXPECT_EQ(findings[0].merged, 47u);
  EXPECT_EQ(findings[1].rule, "ASC1402");
  s.sync_all();
  s.run(0, Pipe::kMte3, 20, {writes(Space::kGm, kTensor, kTensor + bytes)});
  EXPECT_EQ(checked.race.usage().crowds, 0u);
  s.end();
  EXPECT_TRUE(checked.race.take_findings().empty());
}

TEST(RaceMemory, StridedFootprintsAreExact) {
  // Rows of 24 bytes, 64 apart: what lies between them belongs to someone else.
  const auto scenario = [](uint64_t shift) {
    return [shift](Stream& s) {
      s.launch(0, 2);
      s.run(0, Pipe::kMte3, 10, {{Space::kGm, event::Role::kWrite, kTensor, kTensor + 24, 64, 100}});
      s.run(1, Pipe::kMte3, 20, {{Space::kGm, event::Role::kWrite, kTensor + shift, kTensor + shift + 40, 64, 100}});
    };
  };
  expect_clean(scenario(24));
  const report::Finding finding = expect_one(scenario(23), "ASC1102", 10, 20);
  EXPECT_EQ(finding.merged, 1u);
}

TEST(RaceMemory, NewLaunchStartsEmpty) {
  Checked checked;
  for (int launch = 0; launch < 3; ++launch) {
    checked.stream.launch(0, 2);
    for (CoreId core = 0; core < 2; ++core)
      for (uint32_t i = 0; i < 20; ++i) round_of(checked.stream, core, i);
    checked.stream.end();
    const auto usage = checked.race.usage();
    EXPECT_EQ(usage.accesses, 0u);
    EXPECT_EQ(usage.shadow_bytes, 0u);
  }
  EXPECT_TRUE(checked.race.take_findings().empty());
}

TEST(RaceMemory, BytesCheckedCountsFootprints) {
  Checked checked;
  checked.stream.launch(0, 1);
  checked.stream.run(0, Pipe::kMte2, 10,
                     {writes(Space::kUb, 0, 100), {Space::kGm, event::Role::kRead, kTensor, kTensor + 7, 32, 3}});
  EXPECT_EQ(checked.race.bytes_checked(), 121u);
}

}  // namespace
}  // namespace ascsan::test
