// Host side: order, codes and messages of the checks, split of work, tile order, target windows.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>
#include <set>

#include "fused_linear_cross_entropy/ascendc/checks.h"
#include "fused_linear_cross_entropy/ascendc/tile_order.h"
#include "fused_linear_cross_entropy/ascendc/tiling.h"

namespace flce::ascendc {
namespace {

OpDesc good() {
  return make_op_desc(300, 512, 1187, DType::kBfloat16, DType::kInt32, 0, 1187, true);
}

struct Refusal {
  const char* what;
  std::function<void(OpDesc&)> spoil;
  int code;
  const char* message;
};

TEST(Checks, CodesAndMessages) {
  const Refusal refusals[] = {
      {"input", [](OpDesc& op) { op.input.present = false; }, 161001,
       "input: null pointer given, the argument is required"},
      {"mask", [](OpDesc& op) { op.target_mask.present = false; }, 161001,
       "target_mask: null pointer given, the argument is required"},
      {"float input", [](OpDesc& op) { op.input.dtype = DType::kFloat32; }, 161002,
       "input: dtype is float32, must be float16 or bfloat16"},
      {"mixed", [](OpDesc& op) { op.weight.dtype = DType::kFloat16; }, 161002,
       "weight: dtype is float16, must be that of input (bfloat16)"},
      {"float target", [](OpDesc& op) { op.target.dtype = DType::kFloat32; }, 161002,
       "target: dtype is float32, must be int32 or int64"},
      {"max", [](OpDesc& op) { op.logits_max.dtype = DType::kFloat16; }, 161002,
       "logits_max: dtype is float16, must be float32"},
      {"mask type", [](OpDesc& op) { op.target_mask.dtype = DType::kBool; }, 161002,
       "target_mask: dtype is bool, must be uint8"},
      {"masked", [](OpDesc& op) { op.masked_target.dtype = DType::kInt64; }, 161002,
       "masked_target: dtype is int64, must be that of target (int32)"},
      {"rank", [](OpDesc& op) { op.weight.shape = {1187}; }, 161002,
       "weight: shape [1187] has 1 dimensions, must have 2"},
      {"no classes", [](OpDesc& op) { op.weight.shape[0] = 0; }, 161002,
       "weight: shape [0, 512] has no rows, n must be at least 1"},
      {"k", [](OpDesc& op) { op.input.shape[1] = op.weight.shape[1] = 65535; }, 161002,
       "input: k is 65535, must be at most 65534"},
      {"m", [](OpDesc& op) { op.input.shape[0] = 1 << 30; }, 161002,
       "input: m is 1073741824, must be at most 1073741823"},
      {"weight k", [](OpDesc& op) { op.weight.shape[1] = 511; }, 161002,
       "weight: k is 511, must be that of input (512)"},
      {"rows", [](OpDesc& op) { op.target.shape[0] = 301; }, 161002,
       "target: length is 301, must be the rows of input (300)"},
      {"mask length", [](OpDesc& op) { op.target_mask.shape[0] = 37; }, 161002,
       "target_mask: length is 37, must be ceil(m / 8) = 38"},
      {"logits", [](OpDesc& op) { op.vocab_parallel_logits.shape[1] = 1; }, 161002,
       "vocab_parallel_logits: shape is [300, 1], must be [m, n] = [300, 1187]"},
      {"logits type", [](OpDesc& op) { op.vocab_parallel_logits.dtype = DType::kFloat32; }, 161002,
       "vocab_parallel_logits: dtype is float32, must be that of input (bfloat16)"},
      {"start", [](OpDesc& op) { op.vocab_start_index = -1; }, 161002,
       "vocab_start_index: -1 given, must be at least 0"},
      {"end", [](OpDesc& op) { op.vocab_start_index = 3, op.vocab_end_index = 2; }, 161002,
       "vocab_end_index: 2 given, must be at least vocab_start_index (3)"},
      {"wide", [](OpDesc& op) { op.vocab_end_index = 1188; }, 161002,
       "vocab_end_index: the range [0, 1188] covers 1188 classes, must be at most the rows of weight (1187)"},
  };
  TilingData tiling;
  ASSERT_TRUE(compute_tiling(good(), {}, tiling).ok());
  for (const Refusal& refusal : refusals) {
    OpDesc op = good();
    refusal.spoil(op);
    const Status status = compute_tiling(op, {}, tiling);
    EXPECT_EQ(status.code, refusal.code) << refusal.what;
    EXPECT_EQ(status.message, refusal.message) << refusal.what;
  }
}

/// Spoiling a later step as well must not change the answer: the first failing check decides.
TEST(Checks, FirstFailureDecides) {
  OpDesc op = good();
  op.vocab_end_index = -5;
  op.weight.shape[0] = 0;
  EXPECT_EQ(check_arguments(op).message, "weight: shape [0, 512] has no rows, n must be at least 1");
  op.masked_target.dtype = DType::kUint8;
  EXPECT_EQ(check_arguments(op).message, "masked_target: dtype is uint8, must be int32 or int64");
  op.weight.present = false;
  EXPECT_EQ(check_arguments(op).code, kNullArgument);
}

TEST(Checks, NoRowsIsSuccessAfterAllChecks) {
  TilingData tiling;
  OpDesc op = make_op_desc(0, 16, 4, DType::kFloat16, DType::kInt64, 0, 4, false);
  ASSERT_TRUE(compute_tiling(op, {}, tiling).ok());
  EXPECT_EQ(tiling.block_dim, 0u);
  EXPECT_EQ(tiling.user_workspace_bytes, 0u);
  op.vocab_end_index = -1;
  EXPECT_EQ(compute_tiling(op, {}, tiling).code, kInvalidArgument);
}

TEST(Checks, RangeOptions) {
  OpDesc op = make_op_desc(8, 16, 4, DType::kFloat16, DType::kInt32, 0, 4, false);
  EXPECT_TRUE(check_arguments(op).ok());
  op.vocab_range = VocabRange::kInclusive;
  EXPECT_FALSE(check_arguments(op).ok());
  op.vocab_end_index = 3;
  EXPECT_TRUE(check_arguments(op).ok());
  op.vocab_start_index = op.vocab_end_index = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(check_arguments(op).ok());
  op.vocab_start_index = 0;
  op.vocab_range = VocabRange::kExclusive;
  op.vocab_end_index = 400;
  op.validate = Validate::kOff;
  EXPECT_TRUE(check_arguments(op).ok());
  op.vocab_end_index = int64_t{1} << 40;
  EXPECT_FALSE(check_arguments(op).ok());
}

TEST(Checks, TargetValuesFindAnInclusiveCaller) {
  OpDesc op = make_op_desc(3, 16, 4, DType::kFloat16, DType::kInt32, 0, 3, false);
  const int64_t with_end[] = {0, 3, 1}, without[] = {0, 2, 1};
  EXPECT_TRUE(check_target_values(op, with_end).ok());
  op.validate = Validate::kValues;
  EXPECT_EQ(check_target_values(op, with_end).code, kInvalidArgument);
  EXPECT_TRUE(check_target_values(op, without).ok());
}

TEST(Tiling, SplitAndWorkspace) {
  TilingData tiling;
  ASSERT_TRUE(
      compute_tiling(make_op_desc(8192, 4096, 19392, DType::kFloat16, DType::kInt32, 0, 19392, false), {}, tiling)
          .ok());
  EXPECT_EQ(tiling.block_dim, 24u);
  EXPECT_EQ(tiling.system_workspace_bytes, 16u << 20);
  EXPECT_EQ(tiling.user_workspace_bytes, (3u << 19) + (3u << 20));  // 1.5 MiB of partials, 3 MiB of slots
  EXPECT_EQ(tiling.tiling_key, kKeyHalfInt32);
  ASSERT_TRUE(
      compute_tiling(make_op_desc(129, 4, 257, DType::kBfloat16, DType::kInt64, 0, 257, true), {}, tiling).ok());
  EXPECT_EQ(tiling.block_dim, 4u);  // tiles, not cores
  EXPECT_EQ(tiling.user_workspace_bytes, 2u * 4 * 129 * 4);
  EXPECT_EQ(tiling.tiling_key, kKeyBfloat16Int64);
  EXPECT_EQ(compute_tiling(good(), {.cube_cores = 0}, tiling).code, kInvalidArgument);
  EXPECT_EQ(compute_tiling(good(), {.ub_bytes = 100}, tiling).code, kInvalidArgument);
}

TEST(TileOrder, IsABijection) {
  for (uint32_t rows = 1; rows < 70; ++rows)
    for (uint32_t columns = 1; columns < 80; ++columns) {
      std::vector<char> seen(rows * columns, 0);
      for (uint64_t index = 0; index < uint64_t{rows} * columns; ++index) {
        const TilePosition tile = tile_position(index, rows, columns);
        ASSERT_LT(tile.row, rows) << rows << " x " << columns;
        ASSERT_LT(tile.column, columns) << rows << " x " << columns;
        ASSERT_EQ(seen[tile.row * columns + tile.column]++, 0) << rows << " x " << columns << " tile " << index;
      }
    }
}

TEST(TileOrder, DiagonalsInsideAWindow) {
  for (uint32_t index = 0; index < 8; ++index) {
    EXPECT_EQ(tile_position(index, 16, 16).row, index);
    EXPECT_EQ(tile_position(index, 16, 16).column, index);
    EXPECT_EQ(tile_position(8 + index, 16, 16).column, (index + 1) % 8);
    EXPECT_EQ(tile_position(index, 5, 16).row, 0u);
  }
}

/// Decides by the windows with the operations the kernel has: clamp and equality on signed 32-bit numbers.
bool windows_own(const TargetWindow* windows, uint32_t count, bool wide, int64_t target, int64_t& local) {
  const int32_t low = static_cast<int32_t>(static_cast<uint32_t>(target)), high = static_cast<int32_t>(target >> 32);
  for (uint32_t i = 0; i < count; ++i) {
    const int32_t clamped = std::min(std::max(low, windows[i].first), windows[i].last);
    if (clamped != low || (wide && high != windows[i].high)) continue;
    const int64_t once = int64_t{clamped} + windows[i].shift, twice = once + windows[i].shift_rest;
    EXPECT_EQ(once, static_cast<int32_t>(once));
    EXPECT_EQ(twice, static_cast<int32_t>(twice));
    local = twice;
    return true;
  }
  return false;
}

TEST(Windows, DecideEveryTargetExactly) {
  constexpr int64_t kHalfWord = int64_t{1} << 31, kMax = std::numeric_limits<int64_t>::max();
  std::mt19937_64 rng(99);
  const int64_t edges[] = {0, 1, 1000, kHalfWord, 2 * kHalfWord, 3 * kHalfWord, 5 * kHalfWord, int64_t{1} << 45, kMax};
  for (int round = 0; round < 4000; ++round) {
    const int64_t edge = edges[rng() % std::size(edges)];
    const int64_t start = std::max<int64_t>(0, edge - static_cast<int64_t>(rng() % 3000));
    const int64_t room = std::min<int64_t>(kMax - start, round % 3 == 0 ? kHalfWord - 1 : 5000);
    const int64_t end = start + static_cast<int64_t>(rng() % static_cast<uint64_t>(room + 1));
    for (bool wide : {false, true}) {
      TargetWindow windows[2];
      const uint32_t count = cut_target_windows(start, end, wide, windows);
      const uint64_t offsets[] = {0, 1, ~uint64_t{0}, rng() % 5000, rng(), uint64_t{1} << 32, uint64_t{1} << 31};
      for (int64_t base : {start, end, int64_t{0}, edge})
        for (uint64_t offset : offsets) {
          const int64_t target = static_cast<int64_t>(static_cast<uint64_t>(base) + offset);
          if (!wide && target != static_cast<int32_t>(target)) continue;
          int64_t local = -1;
          const bool expected = target >= start && target < end;
          ASSERT_EQ(windows_own(windows, count, wide, target, local), expected)
              << "range [" << start << ", " << end << ") target " << target << " wide " << wide;
          if (expected) {
            ASSERT_EQ(local, target - start) << start << " " << target;
          }
        }
    }
  }
}

}  // namespace
}  // namespace flce::ascendc
