// The high-level Matmul against a naive product: formats, transposes, types, tails, bias, atomic and sequential stores,
// use of one object for many products. Inputs are small integers, so that every sum is exact and results compare bit
// for bit. Flags must be balanced after every call.
#include "lib/matmul_intf.h"

#include <cmath>

#include "local_gate.h"

namespace {

using namespace AscendC;
using local::core;

template <typename T>
T value_of(int32_t v) {
  return static_cast<T>(static_cast<float>(v));
}
template <>
int8_t value_of<int8_t>(int32_t v) {
  return static_cast<int8_t>(v);
}
template <typename T>
double number(T v) {
  return static_cast<double>(static_cast<float>(v));
}

struct Case {
  uint32_t m, n, k;
  bool trans_a = false, trans_b = false;
  bool bias = false;
  int base_m = 32, base_n = 48, base_k = 32, step = 2;
  int order = 0;
  uint32_t extra = 0;  ///< the whole matrices are larger than the product by this much (ND only)
  uint8_t atomic = 0;
};

/// Logical matrix of small integers, stored in GM in either format.
template <typename T>
struct Stored {
  uint32_t rows, columns, pitch;
  std::vector<int32_t> logical;
  T* memory;

  Stored(uint32_t rows_in, uint32_t columns_in, uint32_t org_rows, uint32_t org_columns, bool nz,
         uint32_t c0 = 32 / sizeof(T))
      : rows(rows_in), columns(columns_in), pitch(org_columns), logical(size_t{rows} * columns) {
    const uint32_t padded = (org_rows + 15) / 16 * 16, blocks = (org_columns + c0 - 1) / c0;
    memory = core().gm<T>(nz ? size_t{padded} * blocks * c0 : size_t{org_rows} * org_columns);
    for (uint32_t r = 0; r < rows; ++r)
      for (uint32_t c = 0; c < columns; ++c) {
        const int32_t v = static_cast<int32_t>(core().random() % 15) - 7;
        logical[size_t{r} * columns + c] = v;
        memory[nz ? size_t{c} / c0 * padded * c0 + size_t{r} * c0 + c % c0 : size_t{r} * pitch + c] = value_of<T>(v);
      }
  }
  int32_t at(uint32_t r, uint32_t c) const { return logical[size_t{r} * columns + c]; }
};

TCubeTiling tiling_of(const Case& c, uint32_t extra) {
  TCubeTiling t;
  t.usedCoreNum = 1;
  t.M = static_cast<int>(c.m + extra), t.N = static_cast<int>(c.n + extra), t.Ka = t.Kb = static_cast<int>(c.k + extra);
  t.singleCoreM = static_cast<int>(c.m), t.singleCoreN = static_cast<int>(c.n), t.singleCoreK = static_cast<int>(c.k);
  t.baseM = c.base_m, t.baseN = c.base_n, t.baseK = c.base_k;
  t.stepKa = t.stepKb = c.step;
  t.stepM = t.stepN = 1;
  t.depthA1 = t.depthB1 = 2 * c.step;
  t.isBias = c.bias ? 1 : 0;
  t.iterateOrder = c.order;
  t.dbL0A = t.dbL0B = 2;
  t.dbL0C = 1;
  return t;
}

class MatmulObject : public local::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(core().open_flags(), 0);
    EXPECT_EQ(core().flag_fault, "");
    EXPECT_TRUE(core().violations.empty());
    EXPECT_TRUE(core().unsupported.empty());
    local::Test::TearDown();
  }
};

template <typename T, typename O, CubeFormat kA, CubeFormat kB, CubeFormat kC, typename Bias>
using Object = MatmulImpl<MatmulType<TPosition::GM, kA, T>, MatmulType<TPosition::GM, kB, T>,
                          MatmulType<TPosition::GM, kC, O>, MatmulType<TPosition::GM, CubeFormat::ND, Bias>>;

template <typename T, typename O, CubeFormat kA = CubeFormat::ND, CubeFormat kB = CubeFormat::ND,
          CubeFormat kC = CubeFormat::ND, typename Bias = std::conditional_t<std::is_same_v<T, int8_t>, int32_t, float>>
void run(const Case& c) {
  SCOPED_TRACE(::testing::Message() << "m " << c.m << " n " << c.n << " k " << c.k << " transposed " << c.trans_a
                                    << c.trans_b << " bias " << c.bias << " base " << c.base_m << " " << c.base_n << " "
                                    << c.base_k << " NZ " << (kA == CubeFormat::NZ) << (kB == CubeFormat::NZ)
                                    << (kC == CubeFormat::NZ) << " bytes " << sizeof(T) << "->" << sizeof(O));
  core().gm_used = 0;
  const bool nd = kA == CubeFormat::ND && kB == CubeFormat::ND && kC == CubeFormat::ND;
  const uint32_t extra = nd ? c.extra : 0;
  const uint32_t ar = c.trans_a ? c.k : c.m, ac = c.trans_a ? c.m : c.k, br = c.trans_b ? c.n : c.k,
                 bc = c.trans_b ? c.k : c.n;
  const Stored<T> a(ar, ac, ar + extra, ac + extra, kA == CubeFormat::NZ),
      b(br, bc, br + extra, bc + extra, kB == CubeFormat::NZ);
  const bool c_nz = kC == CubeFormat::NZ;
  const uint32_t padded_m = (c.m + 15) / 16 * 16, padded_n = (c.n + 31) / 32 * 32, pitch = c.n + extra;
  const size_t out_elements = c_nz ? size_t{padded_m} * padded_n : size_t{c.m} * pitch;
  O* out = core().gm<O>(out_elements);
  for (size_t i = 0; i < out_elements; ++i) out[i] = value_of<O>(static_cast<int32_t>(i % 5) - 2);
  const std::vector<O> before(out, out + out_elements);
  Bias* bias = core().gm<Bias>(c.n);
  for (uint32_t i = 0; i < c.n; ++i) bias[i] = static_cast<Bias>(static_cast<int32_t>(core().random() % 100) - 50);

  GlobalTensor<T> ga, gb;
  GlobalTensor<O> gc;
  GlobalTensor<Bias> gbias;
  ga.SetGlobalBuffer(a.memory), gb.SetGlobalBuffer(b.memory), gc.SetGlobalBuffer(out), gbias.SetGlobalBuffer(bias, c.n);
  Object<T, O, kA, kB, kC, Bias> mm;
  const TCubeTiling tiling = tiling_of(c, extra);
  mm.Init(&tiling);
  mm.SetTensorA(ga, c.trans_a);
  mm.SetTensorB(gb, c.trans_b);
  if (c.bias) mm.SetBias(gbias);
  mm.IterateAll(gc, c.atomic);
  mm.End();
  ASSERT_EQ(core().open_flags(), 0);

  size_t wrong = 0;
  for (uint32_t i = 0; i < c.m; ++i)
    for (uint32_t j = 0; j < c.n; ++j) {
      int64_t sum = 0;
      for (uint32_t x = 0; x < c.k; ++x)
        sum += int64_t{c.trans_a ? a.at(x, i) : a.at(i, x)} * (c.trans_b ? b.at(j, x) : b.at(x, j));
      if (c.bias) sum += static_cast<int64_t>(static_cast<float>(bias[j]));
      const size_t at = c_nz ? size_t{j} / 16 * padded_m * 16 + size_t{i} * 16 + j % 16 : size_t{i} * pitch + j;
      O expected = value_of<O>(static_cast<int32_t>(sum));
      if (c.atomic == 1) expected = value_of<O>(static_cast<int32_t>(number(expected) + number(before[at])));
      if (number(out[at]) != number(expected) && wrong++ == 0)
        ADD_FAILURE() << "C[" << i << "][" << j << "] is " << number(out[at]) << ", expected " << number(expected);
    }
  EXPECT_EQ(wrong, 0u);
  if (c_nz) return;
  for (uint32_t i = 0; i < c.m; ++i)  // the rest of the rows stays
    for (uint32_t j = c.n; j < pitch; ++j)
      ASSERT_EQ(number(out[size_t{i} * pitch + j]), number(before[size_t{i} * pitch + j]));
}

const Case kShapes[] = {
    {1, 1, 1},    {1, 16, 16},  {16, 1, 33},   {2, 3, 5},     {17, 31, 47}, {32, 48, 64},
    {33, 49, 65}, {1, 100, 70}, {64, 96, 128}, {13, 53, 130}, {47, 17, 97},
};

template <typename T, typename O, CubeFormat kA, CubeFormat kB, CubeFormat kC>
void all_shapes() {
  for (Case c : kShapes)
    for (int trans = 0; trans < 4; ++trans) {
      c.trans_a = (trans & 1) != 0, c.trans_b = (trans & 2) != 0;
      c.bias = (c.m + c.n + static_cast<uint32_t>(trans)) % 3 == 0;
      c.order = static_cast<int>(c.k % 2);
      c.extra = trans == 3 ? 5 : 0;
      if (sizeof(T) == 1) c.base_n = 64;  // NZ blocks begin at multiples of 32 bytes
      run<T, O, kA, kB, kC>(c);
    }
}

constexpr CubeFormat ND = CubeFormat::ND, NZ = CubeFormat::NZ;

TEST_F(MatmulObject, HalfRowMajor) {
  all_shapes<half, float, ND, ND, ND>();
}
TEST_F(MatmulObject, HalfToHalf) {
  all_shapes<half, half, ND, ND, ND>();
}
TEST_F(MatmulObject, Bfloat16ToBfloat16) {
  all_shapes<bfloat16_t, bfloat16_t, ND, ND, ND>();
}
TEST_F(MatmulObject, Bfloat16) {
  all_shapes<bfloat16_t, float, ND, ND, ND>();
}
TEST_F(MatmulObject, Float) {
  all_shapes<float, float, ND, ND, ND>();
}
TEST_F(MatmulObject, Int8) {
  all_shapes<int8_t, int32_t, ND, ND, ND>();
}
TEST_F(MatmulObject, HalfColumnBlocks) {
  all_shapes<half, half, NZ, ND, ND>();
  all_shapes<half, half, ND, NZ, ND>();
  all_shapes<half, half, NZ, NZ, NZ>();
}
TEST_F(MatmulObject, FloatColumnBlocks) {
  all_shapes<float, float, NZ, NZ, NZ>();
}
TEST_F(MatmulObject, Int8ColumnBlocks) {
  all_shapes<int8_t, int32_t, NZ, NZ, NZ>();
}

TEST_F(MatmulObject, HalfBias) {
  for (Case c : kShapes) {
    c.bias = true;
    run<half, float, ND, ND, ND, half>(c);
  }
}

TEST_F(MatmulObject, AtomicAdd) {
  for (Case c : kShapes) {
    c.atomic = 1, c.trans_b = true;
    run<half, float>(c);
    run<int8_t, int32_t>(c);
  }
}

TEST_F(MatmulObject, TilingsOfRealKernels) {
  for (const auto& [bm, bn, bk, step] :
       {std::array{128, 256, 64, 4}, {128, 128, 64, 4}, {16, 256, 64, 1}, {256, 128, 64, 2}, {64, 64, 16, 8}}) {
    Case c{130, 270, 300};
    c.base_m = bm, c.base_n = bn, c.base_k = bk, c.step = step;
    c.trans_b = true;
    run<half, half>(c);
    c.trans_a = true;
    run<bfloat16_t, float>(c);
  }
}

TEST_F(MatmulObject, RandomShapes) {
  for (uint32_t round = 0; round < 40; ++round) {
    seed(7000 + round);
    Case c{pick(1, 90), pick(1, 90), pick(1, 150)};
    c.trans_a = pick(0, 1) != 0, c.trans_b = pick(0, 1) != 0, c.bias = pick(0, 1) != 0;
    c.base_m = static_cast<int>(pick(1, 4) * 16), c.base_n = static_cast<int>(pick(1, 4) * 16),
    c.base_k = static_cast<int>(pick(1, 4) * 32);
    c.step = static_cast<int>(pick(1, 3)), c.order = static_cast<int>(pick(0, 1)), c.extra = pick(0, 20);
    switch (round % 5) {
      case 0:
        run<half, float>(c);
        break;
      case 1:
        run<bfloat16_t, bfloat16_t>(c);
        break;
      case 2:
        run<float, float>(c);
        break;
      case 3:
        run<int8_t, int32_t>(c);
        break;
      default:
        run<half, half, NZ, NZ, NZ>(c);
        break;
    }
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(MatmulObject, DeclaredFootprintsHold) {
  core().prove_footprints = true;
  core().every_byte_matters = false;  // padding columns of L0C reach no output
  Case c{20, 37, 41};
  c.bias = true;
  run<half, half>(c);
  c.trans_a = c.trans_b = true;
  run<float, float>(c);
  run<int8_t, int32_t>(c);
}

TEST_F(MatmulObject, OneObjectManyProducts) {
  // As the fused kernel uses it: one Init, then tensors and tails change from tile to tile.
  constexpr uint32_t kM = 50, kN = 70, kK = 90;
  const Stored<half> x(kM, kK, kM, kK, false), w(kN, kK, kN, kK, false);
  half* out = core().gm<half>(kM * kN);
  GlobalTensor<half> gx, gw, gc;
  gx.SetGlobalBuffer(x.memory, kM * kK), gw.SetGlobalBuffer(w.memory, kN * kK), gc.SetGlobalBuffer(out, kM * kN);
  Case c{16, 32, kK};
  c.base_m = 16, c.base_n = 32, c.base_k = 16;
  TCubeTiling tiling = tiling_of(c, 0);
  tiling.M = kM, tiling.N = kN, tiling.Ka = tiling.Kb = kK;
  MatmulImpl<MatmulType<TPosition::GM, ND, half>, MatmulType<TPosition::GM, ND, half, true>,
             MatmulType<TPosition::GM, ND, half>>
      mm;
  mm.Init(&tiling);
  mm.DisableBias();
  for (uint32_t m0 = 0; m0 < kM; m0 += 16)
    for (uint32_t n0 = 0; n0 < kN; n0 += 32) {
      mm.SetTensorA(gx[m0 * kK]);
      mm.SetTensorB(gw[n0 * kK], true);
      mm.SetTail(static_cast<int>(std::min(16u, kM - m0)), static_cast<int>(std::min(32u, kN - n0)), kK);
      mm.IterateAll(gc[m0 * kN + n0]);
      ASSERT_EQ(core().open_flags(), 0);
    }
  mm.End();
  for (uint32_t i = 0; i < kM; ++i)
    for (uint32_t j = 0; j < kN; ++j) {
      int32_t sum = 0;
      for (uint32_t k = 0; k < kK; ++k) sum += x.at(i, k) * w.at(j, k);
      ASSERT_EQ(out[i * kN + j].bits(), half(static_cast<float>(sum)).bits()) << i << " " << j;
    }
}

TEST_F(MatmulObject, IterateAndGetTensorC) {
  constexpr uint32_t kM = 40, kN = 75, kK = 33;
  const Stored<half> a(kM, kK, kM, kK, false), b(kK, kN, kK, kN, false);
  float* out = core().gm<float>(kM * kN);
  GlobalTensor<half> ga, gb;
  GlobalTensor<float> gc;
  ga.SetGlobalBuffer(a.memory), gb.SetGlobalBuffer(b.memory), gc.SetGlobalBuffer(out, kM * kN);
  const auto reference = [&](uint32_t i, uint32_t j) {
    int32_t sum = 0;
    for (uint32_t k = 0; k < kK; ++k) sum += a.at(i, k) * b.at(k, j);
    return static_cast<float>(sum);
  };
  for (int order : {0, 1}) {
    Case c{kM, kN, kK};
    c.base_m = 16, c.base_n = 32, c.order = order;
    const TCubeTiling tiling = tiling_of(c, 0);
    Object<half, float, ND, ND, ND, float> mm;
    mm.Init(&tiling);
    mm.SetTensorA(ga), mm.SetTensorB(gb);
    int tiles = 0;
    while (mm.Iterate()) {
      mm.GetTensorC(gc);
      ++tiles;
    }
    EXPECT_EQ(tiles, 9);
    for (uint32_t i = 0; i < kM; ++i)
      for (uint32_t j = 0; j < kN; ++j) ASSERT_EQ(out[i * kN + j], reference(i, j));
    // Sequential: every tile tight, at the place the user gives.
    float* tile_out = core().gm<float>(16 * 32);
    GlobalTensor<float> gt;
    gt.SetGlobalBuffer(tile_out);
    mm.SetTensorA(ga);
    for (uint32_t t = 0; mm.Iterate(); ++t) {
      mm.GetTensorC(gt, 0, true);
      const uint32_t mi = order == 0 ? t % 3 : t / 3, ni = order == 0 ? t / 3 : t % 3;
      const uint32_t rows = std::min(16u, kM - mi * 16), columns = std::min(32u, kN - ni * 32);
      for (uint32_t i = 0; i < rows; ++i)
        for (uint32_t j = 0; j < columns; ++j)
          ASSERT_EQ(tile_out[i * columns + j], reference(mi * 16 + i, ni * 32 + j));
    }
    mm.End();
  }
}

TEST_F(MatmulObject, PartialSumsStayInL0c) {
  constexpr uint32_t kM = 16, kN = 32, kK = 64;
  const Stored<half> a(kM, kK, kM, kK, false), b(kK, kN, kK, kN, false);
  float* out = core().gm<float>(kM * kN);
  GlobalTensor<half> ga, gb;
  GlobalTensor<float> gc;
  ga.SetGlobalBuffer(a.memory), gb.SetGlobalBuffer(b.memory), gc.SetGlobalBuffer(out);
  Case c{kM, kN, 16};
  c.base_m = 16, c.base_n = 32, c.base_k = 16;
  TCubeTiling tiling = tiling_of(c, 0);
  tiling.Ka = tiling.Kb = kK;
  Object<half, float, ND, ND, ND, float> mm;
  mm.Init(&tiling);
  for (uint32_t k = 0; k < kK; k += 16) {
    mm.SetTensorA(ga[k]), mm.SetTensorB(gb[k * kN]);
    EXPECT_TRUE(mm.Iterate(k != 0));
  }
  mm.GetTensorC(gc);
  for (uint32_t i = 0; i < kM; ++i)
    for (uint32_t j = 0; j < kN; ++j) {
      int32_t sum = 0;
      for (uint32_t k = 0; k < kK; ++k) sum += a.at(i, k) * b.at(k, j);
      ASSERT_EQ(out[i * kN + j], static_cast<float>(sum));
    }
}

TEST_F(MatmulObject, QuantisedOutput) {
  constexpr uint32_t kM = 19, kN = 50, kK = 40;
  const Stored<int8_t> a(kM, kK, kM, kK, false), b(kN, kK, kN, kK, false);
  half* out = core().gm<half>(kM * kN);
  uint64_t* words = core().gm<uint64_t>(kN);
  for (uint32_t j = 0; j < kN; ++j) {
    const float scale = 0.25f * static_cast<float>(1 + j % 7);
    uint32_t bits;
    std::memcpy(&bits, &scale, 4);
    words[j] = bits;
  }
  GlobalTensor<int8_t> ga, gb;
  GlobalTensor<half> gc;
  GlobalTensor<uint64_t> gw;
  ga.SetGlobalBuffer(a.memory), gb.SetGlobalBuffer(b.memory), gc.SetGlobalBuffer(out), gw.SetGlobalBuffer(words, kN);
  Case c{kM, kN, kK};
  c.base_m = 16, c.base_n = 32;
  const TCubeTiling tiling = tiling_of(c, 0);
  MatmulImpl<MatmulType<TPosition::GM, ND, int8_t>, MatmulType<TPosition::GM, ND, int8_t>,
             MatmulType<TPosition::GM, ND, half>, MatmulType<TPosition::GM, ND, int32_t>>
      mm;
  mm.Init(&tiling);
  for (bool per_column : {true, false}) {
    mm.SetTensorA(ga), mm.SetTensorB(gb, true);
    if (per_column) {
      mm.SetQuantVector(gw);
    } else {
      mm.SetQuantScalar(words[2]);
    }
    mm.IterateAll(gc);
    for (uint32_t i = 0; i < kM; ++i)
      for (uint32_t j = 0; j < kN; ++j) {
        int32_t sum = 0;
        for (uint32_t k = 0; k < kK; ++k) sum += a.at(i, k) * b.at(j, k);
        const float scale = 0.25f * static_cast<float>(1 + (per_column ? j : 2) % 7);
        ASSERT_EQ(out[i * kN + j].bits(), half(static_cast<float>(sum) * scale).bits()) << i << " " << j;
      }
  }
}

TEST_F(MatmulObject, ClosesToTheRealNumbers) {
  constexpr uint32_t kM = 37, kN = 83, kK = 700;
  half* a = core().gm<half>(kM * kK);
  half* b = core().gm<half>(kN * kK);
  float* out = core().gm<float>(kM * kN);
  std::normal_distribution<float> normal;
  for (uint32_t i = 0; i < kM * kK; ++i) a[i] = half(normal(core().random));
  for (uint32_t i = 0; i < kN * kK; ++i) b[i] = half(normal(core().random));
  GlobalTensor<half> ga, gb;
  GlobalTensor<float> gc;
  ga.SetGlobalBuffer(a), gb.SetGlobalBuffer(b), gc.SetGlobalBuffer(out);
  Case c{kM, kN, kK};
  const TCubeTiling tiling = tiling_of(c, 0);
  Object<half, float, ND, ND, ND, float> mm;
  mm.Init(&tiling);
  mm.SetTensorA(ga), mm.SetTensorB(gb, true);
  mm.IterateAll(gc);
  for (uint32_t i = 0; i < kM; ++i)
    for (uint32_t j = 0; j < kN; ++j) {
      double sum = 0, magnitude = 0;
      for (uint32_t k = 0; k < kK; ++k) {
        const double term = number(a[i * kK + k]) * number(b[j * kK + k]);
        sum += term, magnitude += std::fabs(term);
      }
      ASSERT_NEAR(out[i * kN + j], sum, magnitude * 1e-6) << i << " " << j;
    }
}

TEST_F(MatmulObject, NothingHappensOnAnAiv) {
  core().kind = local::gate::CoreKind::kAiv;
  const Case c{16, 16, 16};
  const TCubeTiling tiling = tiling_of(c, 0);
  GlobalTensor<half> g;
  g.SetGlobalBuffer(core().gm<half>(256));
  GlobalTensor<float> gc;
  gc.SetGlobalBuffer(core().gm<float>(256));
  Object<half, float, ND, ND, ND, float> mm;
  mm.Init(&tiling);
  mm.SetTensorA(g), mm.SetTensorB(g);
  mm.IterateAll(gc);
  EXPECT_FALSE(mm.Iterate());
  EXPECT_TRUE(core().executed.empty());
}

TEST_F(MatmulObject, TilingsThatDoNotFitAreReported) {
  Case c{16, 16, 16};
  c.base_m = 512, c.base_n = 512;
  const TCubeTiling tiling = tiling_of(c, 0);
  GlobalTensor<float> gc;
  gc.SetGlobalBuffer(core().gm<float>(256));
  Object<half, float, ND, ND, ND, float> mm;
  mm.Init(&tiling);
  mm.IterateAll(gc);
  EXPECT_TRUE(core().executed.empty());
  ASSERT_EQ(core().unsupported.size(), 1u);
  EXPECT_NE(core().unsupported[0].find("L0C"), std::string::npos);
  core().unsupported.clear();
}

}  // namespace
