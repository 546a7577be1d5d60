// Fixpipe and DataCopy out of L0C against references written from spec/fp.md 6: every conversion bit for bit, row-major
// and NZ output, channel merge and split, several matrices, ReLU, atomic stores, registers, tables; footprints and
// limits.
#include "ascendc/fixpipe.h"

#include <cmath>
#include <limits>

#include "ascendc/atomics.h"
#include "fixpipe_reference.h"
#include "local_gate.h"

namespace {

using namespace AscendC;
using ascsan::gate::Space;
using local::core;
using reference::shifted_input;
using reference::to_b8;
using reference::to_bfloat16;
using reference::to_half;
using reference::Word;
using reference::word_of;

class CubeFixpipe : public local::Test {};

constexpr uint32_t up(uint32_t value, uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

// --- layouts ---

struct Layout {
  uint32_t n, m, src_stride;
};

/// Accumulators of an Nz tile with random contents; returns element (row, column).
template <typename C>
C& cell(const Layout& l, uint32_t row, uint32_t column, size_t address = 0) {
  return core().at<C>(Space::kL0c, address)[size_t{column / 16} * l.src_stride * 16 + size_t{row} * 16 + column % 16];
}

template <typename C, typename Value>
void fill(const Layout& l, const Value& value, size_t address = 0) {
  for (uint32_t j = 0; j < up(l.n, 16); ++j)
    for (uint32_t i = 0; i < l.src_stride; ++i) cell<C>(l, i, j, address) = static_cast<C>(value());
}

float wide_float() {  // all magnitudes a half can or cannot hold, and exact ties
  const int kind = static_cast<int>(core().random() % 6);
  const float sign = core().random() % 2 == 0 ? 1.0f : -1.0f;
  const auto unit = static_cast<float>(core().random() % 100000) / 100000.0f;
  switch (kind) {
    case 0:
      return sign * unit * 70000.0f;
    case 1:
      return sign * std::ldexp(unit, -14 - static_cast<int>(core().random() % 14));
    case 2:
      return sign * (1.0f + static_cast<float>(core().random() % 4096) * 0x1p-12f);
    case 3:
      return sign * (65504.0f + static_cast<float>(core().random() % 64));
    case 4:
      return sign * static_cast<float>(core().random() % 4096) + 0.5f;
    default:
      return sign * unit;
  }
}

template <typename T>
uint64_t raw(const T& v) {
  uint64_t bits = 0;
  std::memcpy(&bits, &v, sizeof(T));
  return bits;
}

template <typename O>
O* output(size_t elements) {
  core().gm_used = 0;
  return core().gm<O>(elements);
}

template <typename O>
GlobalTensor<O> global(O* at) {
  GlobalTensor<O> tensor;
  tensor.SetGlobalBuffer(at);
  return tensor;
}

template <typename C>
LocalTensor<C> l0c(uint32_t address = 0) {
  return LocalTensor<C>(TPosition::CO1, address, (131072 - address) / 4);
}

FixpipeParamsV220 params_of(const Layout& l, uint32_t dst_stride, QuantMode_t quant, bool relu = false) {
  FixpipeParamsV220 p(static_cast<uint16_t>(l.n), static_cast<uint16_t>(l.m), static_cast<uint16_t>(l.src_stride),
                      dst_stride, relu);
  p.quantPre = quant;
  return p;
}

// --- conversions, row-major ---

TEST_F(CubeFixpipe, FloatToHalfAndBfloat16) {
  for (bool saturate : {false, true})
    for (bool relu : {false, true})
      for (const Layout& l : {Layout{37, 21, 32}, {16, 1, 16}, {256, 64, 64}, {1, 3, 16}}) {
        core().registers.float_saturate = saturate;
        fill<float>(l, wide_float);
        cell<float>(l, 0, 0) = std::numeric_limits<float>::infinity();
        if (l.n > 3)
          cell<float>(l, 0, 1) = -std::numeric_limits<float>::infinity(), cell<float>(l, 0, 2) = std::nanf("");
        half* h = output<half>(size_t{l.m} * 300);
        Fixpipe(global(h), l0c<float>(), params_of(l, 300, QuantMode_t::F322F16, relu));
        for (uint32_t i = 0; i < l.m; ++i)
          for (uint32_t j = 0; j < l.n; ++j) {
            const float x = relu && cell<float>(l, i, j) < 0 ? 0.0f : cell<float>(l, i, j);
            ASSERT_EQ(h[i * 300 + j].bits(), to_half(x, saturate)) << x;
          }
        bfloat16_t* b = output<bfloat16_t>(size_t{l.m} * 300);
        Fixpipe<bfloat16_t, float, CFG_ROW_MAJOR>(global(b), l0c<float>(),
                                                  params_of(l, 300, QuantMode_t::F322BF16, relu));
        for (uint32_t i = 0; i < l.m; ++i)
          for (uint32_t j = 0; j < l.n; ++j) {
            const float x = relu && cell<float>(l, i, j) < 0 ? 0.0f : cell<float>(l, i, j);
            ASSERT_EQ(b[i * 300 + j].bits(), to_bfloat16(x, saturate)) << x;
          }
      }
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CubeFixpipe, PlainCopies) {
  core().prove_footprints = true;
  core().every_byte_matters = false;  // whole fractals are read, columns behind nSize reach nothing
  const Layout l{40, 13, 16};
  fill<float>(l, wide_float);
  float* f = output<float>(13 * 50);
  Fixpipe(global(f), l0c<float>(), params_of(l, 50, QuantMode_t::NoQuant));
  for (uint32_t i = 0; i < l.m; ++i)
    for (uint32_t j = 0; j < l.n; ++j) ASSERT_EQ(raw(f[i * 50 + j]), raw(cell<float>(l, i, j)));
  fill<int32_t>(l, [] { return core().random(); });
  int32_t* g = output<int32_t>(13 * 40);
  core().every_byte_matters = false;
  Fixpipe(global(g), l0c<int32_t>(), params_of(l, 40, QuantMode_t::NoQuant, true));
  for (uint32_t i = 0; i < l.m; ++i)
    for (uint32_t j = 0; j < l.n; ++j) ASSERT_EQ(g[i * 40 + j], std::max(cell<int32_t>(l, i, j), 0));
  EXPECT_TRUE(core().violations.empty());
}

template <typename C, typename O>
void scalar_mode(QuantMode_t mode, const Word& w, bool relu) {
  SCOPED_TRACE(::testing::Message() << "mode " << static_cast<int>(mode) << " scale " << w.scale << " shift " << w.shift
                                    << " offset " << w.offset << " relu " << relu);
  const Layout l{50, 17, 32};
  fill<C>(l, [] {
    if constexpr (std::is_same_v<C, float>)
      return (static_cast<float>(core().random() % 200001) - 100000.0f) * 0.013f;
    else
      return static_cast<int32_t>(core().random()) >> (core().random() % 28);
  });
  O* out = output<O>(17 * 64);
  FixpipeParamsV220 p = params_of(l, 64, mode, relu);
  p.deqScalar = w.bits;
  Fixpipe(global(out), l0c<C>(), p);
  for (uint32_t i = 0; i < l.m; ++i)
    for (uint32_t j = 0; j < l.n; ++j) {
      const C x = cell<C>(l, i, j);
      const float input = std::is_same_v<C, float> ? static_cast<float>(x) : shifted_input(static_cast<int32_t>(x), w);
      uint64_t expected;
      if (mode == QuantMode_t::DEQF16) {
        const float y = input * (relu && input < 0 ? 0.0f : w.scale);
        expected = to_half(y, true);
        if (y == 0) expected &= 0x7FFF;  // the sign of a zero is not documented
        ASSERT_EQ(y == 0 ? raw(out[i * 64 + j]) & 0x7FFF : raw(out[i * 64 + j]), expected) << x;
      } else {
        expected = to_b8(input, w, relu);
        ASSERT_EQ(raw(out[i * 64 + j]), expected) << x;
      }
    }
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CubeFixpipe, ScalarQuantisation) {
  for (bool relu : {false, true})
    for (float scale : {1.0f, 0.037f, 1.5f, -0.25f, 0.0009765f}) {
      for (int offset : {0, 17, -200, 255, -256})
        for (bool is_signed : {true, false}) {
          scalar_mode<float, int8_t>(QuantMode_t::QF322B8_PRE, word_of(scale, 0, offset, is_signed), relu);
          scalar_mode<int32_t, int8_t>(QuantMode_t::REQ8, word_of(scale, 0, offset, is_signed), relu);
          scalar_mode<int32_t, uint8_t>(QuantMode_t::REQ8, word_of(scale, (1 + offset) & 15, offset, is_signed), relu);
        }
      scalar_mode<int32_t, half>(QuantMode_t::DEQF16, word_of(scale, 0, 0, false), relu);
      scalar_mode<int32_t, half>(QuantMode_t::DEQF16, word_of(scale, 16, 0, false), relu);
      scalar_mode<int32_t, half>(QuantMode_t::DEQF16, word_of(scale, 3, 0, false), relu);
    }
}

TEST_F(CubeFixpipe, QuantisationByColumn) {
  core().every_byte_matters = false;
  for (bool prove : {true, false}) {
    core().prove_footprints = prove;
    const Layout l{96, 20, 32};
    std::vector<Word> words;
    auto* table = core().at<uint64_t>(Space::kFb, 256);
    for (uint32_t j = 0; j < l.n; ++j) {
      words.push_back(
          word_of(0.01f * static_cast<float>(j + 1), static_cast<int>(j % 3), static_cast<int>(j) - 40, j % 2 == 0));
      table[j] = words.back().bits;
    }
    SetFixPipeConfig(LocalTensor<uint64_t>(TPosition::C2PIPE2GM, 256, 96));
    fill<int32_t>(l, [] { return static_cast<int32_t>(core().random()) >> (core().random() % 28); });
    uint8_t* bytes = output<uint8_t>(20 * 100);
    Fixpipe(global(bytes), l0c<int32_t>(), params_of(l, 100, QuantMode_t::VREQ8, true));
    for (uint32_t i = 0; i < l.m; ++i)
      for (uint32_t j = 0; j < l.n; ++j)
        ASSERT_EQ(bytes[i * 100 + j], to_b8(shifted_input(cell<int32_t>(l, i, j), words[j]), words[j], true))
            << i << " " << j;
    half* halves = output<half>(20 * 96);
    Fixpipe(global(halves), l0c<int32_t>(), params_of(l, 96, QuantMode_t::VDEQF16));
    for (uint32_t i = 0; i < l.m; ++i)
      for (uint32_t j = 0; j < l.n; ++j)
        ASSERT_EQ(halves[i * 96 + j].bits() & 0x7FFF,
                  to_half(shifted_input(cell<int32_t>(l, i, j), words[j]) * words[j].scale, true) & 0x7FFF);
    fill<float>(l, [] { return (static_cast<float>(core().random() % 20001) - 10000.0f) * 0.13f; });
    int8_t* quantised = output<int8_t>(20 * 96);
    Fixpipe(global(quantised), l0c<float>(), params_of(l, 96, QuantMode_t::VQF322B8_PRE));
    for (uint32_t i = 0; i < l.m; ++i)
      for (uint32_t j = 0; j < l.n; ++j)
        ASSERT_EQ(static_cast<uint8_t>(quantised[i * 96 + j]), to_b8(cell<float>(l, i, j), words[j], false));
  }
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CubeFixpipe, TableFromL1IsBroughtInParts) {
  const Layout l{560, 16, 16};
  auto* table = core().at<uint64_t>(Space::kL1, 4096);
  std::vector<Word> words;
  for (uint32_t j = 0; j < l.n; ++j) {
    words.push_back(word_of(0.001f * static_cast<float>(j + 1), 0, 0, true));
    table[j] = words.back().bits;
  }
  fill<int32_t>(l, [] { return static_cast<int32_t>(core().random() % 100000) - 50000; });
  const LocalTensor<uint64_t> workspace(TPosition::C1, 4096, 640);
  half* out = output<half>(16 * 600);
  Fixpipe(global(out), l0c<int32_t>(), workspace, params_of(l, 600, QuantMode_t::VDEQF16));
  for (uint32_t i = 0; i < l.m; ++i)
    for (uint32_t j = 0; j < l.n; ++j)
      ASSERT_EQ(out[i * 600 + j].bits() & 0x7FFF,
                to_half(static_cast<float>(cell<int32_t>(l, i, j)) * words[j].scale, true) & 0x7FFF)
          << i << " " << j;
  EXPECT_EQ(core().executed[ascsan::gate::Op::kFixpipe], 3);
  EXPECT_EQ(core().executed[ascsan::gate::Op::kDataCopy], 3);
  // NZ output of the same: column blocks of 16.
  half* nz = core().gm<half>(16 * 560);
  Fixpipe<half, int32_t, CFG_NZ>(global(nz), l0c<int32_t>(), workspace, params_of(l, 16, QuantMode_t::VDEQF16));
  for (uint32_t i = 0; i < l.m; ++i)
    for (uint32_t j = 0; j < l.n; ++j)
      ASSERT_EQ(nz[size_t{j / 16} * 256 + i * 16 + j % 16].bits() & 0x7FFF, out[i * 600 + j].bits() & 0x7FFF);
  EXPECT_TRUE(core().violations.empty());
}

// --- layouts of the output ---

TEST_F(CubeFixpipe, ColumnBlocks) {
  core().every_byte_matters = false;
  for (bool prove : {true, false}) {
    core().prove_footprints = prove;
    for (const Layout& l : {Layout{48, 20, 32}, {16, 1, 16}, {80, 33, 48}, {32, 16, 16}, {64, 7, 16}}) {
      fill<float>(l, wide_float);
      const uint32_t rows = l.m + 3;  // the destination is taller than the piece
      half* h = output<half>(size_t{l.n} * rows);
      Fixpipe<half, float, CFG_NZ>(global(h), l0c<float>(), params_of(l, rows, QuantMode_t::F322F16));
      for (uint32_t i = 0; i < l.m; ++i)
        for (uint32_t j = 0; j < l.n; ++j)
          ASSERT_EQ(h[(size_t{j / 16} * rows + i) * 16 + j % 16].bits(), to_half(cell<float>(l, i, j), false));
      float* f = output<float>(size_t{l.n} * rows);
      Fixpipe<float, float, CFG_NZ>(global(f), l0c<float>(), params_of(l, 2 * rows, QuantMode_t::NoQuant));
      for (uint32_t i = 0; i < l.m; ++i)
        for (uint32_t j = 0; j < l.n; ++j)
          ASSERT_EQ(raw(f[(size_t{j / 16} * rows + i) * 16 + j % 16]), raw(cell<float>(l, i, j)));
      // 8-bit output: two blocks of 16 columns become one of 32; a last odd one stays.
      const Word w = word_of(0.01f, 0, 3, true);
      FixpipeParamsV220 p = params_of(l, rows, QuantMode_t::QF322B8_PRE);
      p.deqScalar = w.bits;
      int8_t* q = output<int8_t>(size_t{up(l.n, 32)} * rows);
      Fixpipe<int8_t, float, CFG_NZ>(global(q), l0c<float>(), p);
      for (uint32_t i = 0; i < l.m; ++i)
        for (uint32_t j = 0; j < l.n; ++j) {
          const bool alone = l.n - j / 32 * 32 <= 16;
          const size_t at = size_t{j / 32} * rows * 32 + (alone ? i * 16 + j % 16 : i * 32 + j % 32);
          ASSERT_EQ(static_cast<uint8_t>(q[at]), to_b8(cell<float>(l, i, j), w, false)) << i << " " << j;
        }
    }
  }
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CubeFixpipe, SplitChannels) {
  for (const Layout& l : {Layout{24, 64, 64}, {32, 20, 32}, {8, 5, 16}}) {
    fill<float>(l, wide_float);
    float* f = output<float>(size_t{l.n} * 80);
    FixpipeParamsV220 p = params_of(l, 80, QuantMode_t::NoQuant);
    p.isChannelSplit = true;
    Fixpipe<float, float, CFG_NZ>(global(f), l0c<float>(), p);
    for (uint32_t i = 0; i < l.m; ++i)
      for (uint32_t j = 0; j < l.n; ++j)
        ASSERT_EQ(raw(f[(size_t{j / 8} * 80 + i) * 8 + j % 8]), raw(cell<float>(l, i, j)));
  }
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CubeFixpipe, ToL1) {
  core().prove_footprints = true;
  core().every_byte_matters = false;
  const Layout l{32, 20, 32};
  fill<float>(l, wide_float);
  Fixpipe<half, float, CFG_NZ>(LocalTensor<half>(TPosition::A1, 1024, 4000), l0c<float>(),
                               params_of(l, 20, QuantMode_t::F322F16));
  for (uint32_t i = 0; i < l.m; ++i)
    for (uint32_t j = 0; j < l.n; ++j)
      ASSERT_EQ(core().at<uint16_t>(Space::kL1, 1024)[(size_t{j / 16} * 20 + i) * 16 + j % 16],
                to_half(cell<float>(l, i, j), false));
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CubeFixpipe, WholeTilesMatter) {
  core().prove_footprints = true;
  const Layout l{48, 13, 16};
  fill<float>(l, wide_float);
  float* f = output<float>(13 * 50);
  Fixpipe(global(f), l0c<float>(), params_of(l, 50, QuantMode_t::NoQuant));
  Fixpipe<float, float, CFG_NZ>(global(f), l0c<float>(), params_of(l, 26, QuantMode_t::NoQuant));
}

TEST_F(CubeFixpipe, SeveralMatrices) {
  core().prove_footprints = true;
  core().every_byte_matters = false;
  for (uint32_t dst_matrix : {40u * 25u, 25u}) {  // behind each other, beside each other
    const Layout l{25, 10, 16};
    const uint32_t pitch = dst_matrix == 25 ? 100 : 40;
    for (int matrix = 0; matrix < 3; ++matrix) fill<float>(l, wide_float, static_cast<size_t>(matrix) * 3 * 1024);
    float* f = output<float>(3 * 25 * 100);
    FixpipeParamsV220 p = params_of(l, pitch, QuantMode_t::NoQuant);
    p.ndNum = 3, p.srcNdStride = 3, p.dstNdStride = static_cast<uint16_t>(dst_matrix);
    Fixpipe(global(f), l0c<float>(), p);
    for (uint32_t matrix = 0; matrix < 3; ++matrix)
      for (uint32_t i = 0; i < l.m; ++i)
        for (uint32_t j = 0; j < l.n; ++j)
          ASSERT_EQ(raw(f[size_t{matrix} * dst_matrix + i * pitch + j]),
                    raw(cell<float>(l, i, j, size_t{matrix} * 3 * 1024)))
              << matrix;
  }
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CubeFixpipe, AtomicAdd) {
  core().prove_footprints = true;
  core().every_byte_matters = false;
  const Layout l{20, 9, 16};
  fill<float>(l, [] { return static_cast<float>(core().random() % 100); });
  float* f = output<float>(9 * 30);
  for (int i = 0; i < 9 * 30; ++i) f[i] = static_cast<float>(i);
  SetAtomicAdd<float>();
  Fixpipe(global(f), l0c<float>(), params_of(l, 30, QuantMode_t::NoQuant));
  SetAtomicNone();
  for (uint32_t i = 0; i < 9; ++i)
    for (uint32_t j = 0; j < 30; ++j)
      ASSERT_EQ(f[i * 30 + j], static_cast<float>(i * 30 + j) + (j < 20 ? cell<float>(l, i, j) : 0.0f));
  half* h = output<half>(9 * 30);
  for (int i = 0; i < 9 * 30; ++i) h[i] = half(static_cast<float>(i));
  SetAtomicAdd<half>();
  Fixpipe(global(h), l0c<float>(), params_of(l, 30, QuantMode_t::F322F16));
  for (uint32_t i = 0; i < 9; ++i)
    for (uint32_t j = 0; j < 20; ++j)
      ASSERT_EQ(h[i * 30 + j].bits(), to_half(i * 30 + j + cell<float>(l, i, j), false));
  EXPECT_TRUE(core().violations.empty());
}

// --- DataCopy with registers ---

TEST_F(CubeFixpipe, DataCopyUsesTheRegisters) {
  const Layout l{32, 10, 16};
  for (int matrix = 0; matrix < 2; ++matrix)
    fill<int32_t>(
        l, [] { return static_cast<int32_t>(core().random() % 2000) - 1000; }, static_cast<size_t>(matrix) * 2 * 1024);
  const Word w = word_of(0.5f, 0, 0, false);
  SetFixpipePreQuantFlag(w.bits);
  SetFixpipeNz2ndFlag(2, 2, 400);
  DataCopyCO12DstParams p(32, 10, 40, 16, QuantMode_t::DEQF16, 1, false, true);
  half* h = output<half>(1000);
  DataCopy(global(h), l0c<int32_t>(), p);
  for (uint32_t matrix = 0; matrix < 2; ++matrix)
    for (uint32_t i = 0; i < 10; ++i)
      for (uint32_t j = 0; j < 32; ++j)
        ASSERT_EQ(h[matrix * 400 + i * 40 + j].bits(),
                  to_half(std::max(cell<int32_t>(l, i, j, size_t{matrix} * 2 * 1024), 0) * 0.5, true));
  // NZ to L1 with a table.
  auto* table = core().at<uint64_t>(Space::kFb, 0);
  for (int j = 0; j < 32; ++j) table[j] = word_of(static_cast<float>(j), 0, 0, false).bits;
  SetFixPipeConfig(LocalTensor<uint64_t>(), LocalTensor<uint64_t>(TPosition::C2PIPE2GM, 0, 32));
  DataCopyCO12DstParams nz(32, 10, 10, 16, QuantMode_t::VDEQF16, 0, false, false);
  DataCopy(LocalTensor<half>(TPosition::C1, 0, 1000), l0c<int32_t>(), nz);
  for (uint32_t i = 0; i < 10; ++i)
    for (uint32_t j = 0; j < 32; ++j)
      ASSERT_EQ(core().at<uint16_t>(Space::kL1, 0)[(j / 16 * 10 + i) * 16 + j % 16] & 0x7FFF,
                to_half(static_cast<float>(cell<int32_t>(l, i, j)) * static_cast<float>(j), true) & 0x7FFF);
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CubeFixpipe, EmptyExtentsDoNothing) {
  float* f = output<float>(100);
  const auto before = core().memory;
  for (const auto& [n, m, nd] : {std::array{0, 4, 1}, {16, 0, 1}, {16, 4, 0}}) {
    FixpipeParamsV220 p(static_cast<uint16_t>(n), static_cast<uint16_t>(m), 16, 16, false);
    p.ndNum = static_cast<uint16_t>(nd);
    Fixpipe(global(f), l0c<float>(), p);
  }
  EXPECT_EQ(before, core().memory);
}

TEST_F(CubeFixpipe, Limits) {
  const Layout l{32, 16, 16};
  const auto clear = [] { core().violations.clear(); };
  half* h = output<half>(4000);
  Fixpipe(global(h), l0c<float>(), params_of(l, 32, QuantMode_t::NoQuant));
  EXPECT_TRUE(core().has_violation("type"));
  clear();
  Fixpipe(global(h), l0c<float>(), params_of(l, 32, QuantMode_t::DEQF16));
  EXPECT_TRUE(core().has_violation("type"));
  clear();
  Fixpipe(global(h), l0c<float>(), params_of(l, 32, QuantMode_t::QF322F16_PRE));
  EXPECT_TRUE(core().has_violation("type"));
  clear();
  Fixpipe(global(h), l0c<float>(), params_of(l, 16, QuantMode_t::F322F16));
  EXPECT_TRUE(core().has_violation("overlap"));
  clear();
  Fixpipe(global(h), l0c<float>(), params_of(l, 0, QuantMode_t::F322F16));
  EXPECT_TRUE(core().has_violation("stride"));
  clear();
  Fixpipe<half, float, CFG_NZ>(global(h), l0c<float>(), params_of({20, 16, 16}, 16, QuantMode_t::F322F16));
  EXPECT_TRUE(core().has_violation("length"));
  clear();
  Fixpipe(global(h), l0c<float>(16), params_of(l, 32, QuantMode_t::F322F16));
  EXPECT_TRUE(core().has_violation("alignment"));
  clear();
  Fixpipe(LocalTensor<half>(TPosition::VECIN, 0, 1000), l0c<float>(), params_of(l, 32, QuantMode_t::F322F16));
  EXPECT_TRUE(core().has_violation("path"));
  clear();
  Fixpipe(global(h), LocalTensor<float>(TPosition::A1, 0, 1000), params_of(l, 32, QuantMode_t::F322F16));
  EXPECT_TRUE(core().has_violation("path"));
  clear();
  Fixpipe(global(h), l0c<float>(), params_of({4096, 16, 16}, 4096, QuantMode_t::F322F16));
  EXPECT_TRUE(core().has_violation("length"));
  clear();
  FixpipeParamsV220 split = params_of(l, 32, QuantMode_t::F322F16);
  split.isChannelSplit = true;
  Fixpipe<half, float, CFG_NZ>(global(h), l0c<float>(), split);
  EXPECT_TRUE(core().has_violation("type"));
}

}  // namespace
