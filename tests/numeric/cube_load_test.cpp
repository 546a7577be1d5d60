// Loads into L0A and L0B against element-wise references: LoadData 2D with all parameters, LoadDataWithTranspose of all
// element sizes, LoadData 3D against an im2col written from the definition, Fill; footprints and limits.
#include "ascendc/load_data.h"
#include "local_gate.h"

namespace {

using namespace AscendC;
using ascsan::gate::Space;
using local::core;

class CubeLoad : public local::Test {};

// --- 2D ---

template <typename T>
void load_2d(const LoadData2DParams& p, TPosition from, TPosition to) {
  SCOPED_TRACE(::testing::Message() << "start " << p.startIndex << " repeat " << int{p.repeatTimes} << " stride "
                                    << p.srcStride << " gap " << p.dstGap << " transpose " << p.ifTranspose << " mode "
                                    << int{p.addrMode});
  core().violations.clear();
  core().gm_used = 0;
  constexpr size_t kSpan = 60000;
  T* gm = core().gm<T>(kSpan / sizeof(T));
  std::byte* src = from == TPosition::GM ? reinterpret_cast<std::byte*>(gm) : core().base(space_of(from)) + 1024;
  std::byte* dst = core().base(space_of(to)) + 512;
  std::vector<std::byte> expected(dst, dst + kSpan);
  for (int r = 0; r < p.repeatTimes; ++r) {
    const size_t s =
        static_cast<size_t>(p.addrMode == 0 ? p.startIndex + r * p.srcStride : p.startIndex - r * p.srcStride) * 512;
    for (size_t i = 0; i < 512; ++i) {
      size_t at = i;
      if (p.ifTranspose) at = (i / 2 % 16) * 32 + i / 32 * 2 + i % 2;
      expected[static_cast<size_t>(r) * (1 + p.dstGap) * 512 + at] = src[s + i];
    }
  }
  const LocalTensor<T> local_dst(to, 512, kSpan / sizeof(T));
  if (from == TPosition::GM) {
    GlobalTensor<T> global;
    global.SetGlobalBuffer(gm);
    LoadData(local_dst, global, p);
  } else {
    LoadData(local_dst, LocalTensor<T>(from, 1024, kSpan / sizeof(T)), p);
  }
  ASSERT_TRUE(std::equal(expected.begin(), expected.end(), dst));
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CubeLoad, TwoDimensions) {
  core().prove_footprints = true;
  for (const auto& [from, to] : {std::pair{TPosition::A1, TPosition::A2},
                                 {TPosition::B1, TPosition::B2},
                                 {TPosition::GM, TPosition::A2},
                                 {TPosition::GM, TPosition::B2},
                                 {TPosition::GM, TPosition::A1}}) {
    load_2d<half>({0, 1, 1, 0, 0, false, 0}, from, to);
    load_2d<half>({3, 9, 1, 0, 0, false, 0}, from, to);
    load_2d<float>({2, 5, 7, 0, 3, false, 0}, from, to);
    load_2d<int8_t>({40, 6, 5, 0, 1, false, 1}, from, to);
    load_2d<half>({5, 4, 0, 0, 0, false, 0}, from, to);
    load_2d<half>({5, 0, 3, 0, 1, false, 0}, from, to);
  }
  load_2d<half>({1, 7, 2, 0, 0, true, 0}, TPosition::A1, TPosition::A2);
  load_2d<bfloat16_t>({20, 4, 3, 0, 2, true, 1}, TPosition::B1, TPosition::B2);
}

TEST_F(CubeLoad, LimitsOfTwoDimensions) {
  const LocalTensor<half> l1(TPosition::A1, 0, 10000), l0(TPosition::A2, 0, 10000);
  LoadData(l0, LocalTensor<half>(TPosition::A2, 0, 100), LoadData2DParams(0, 1, 1, 0, 0, false, 0));
  EXPECT_TRUE(core().has_violation("path"));
  core().violations.clear();
  LoadData(LocalTensor<half>(TPosition::A2, 256, 1000), l1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
  EXPECT_TRUE(core().has_violation("alignment"));
  core().violations.clear();
  LoadData(LocalTensor<float>(TPosition::A2, 0, 1000), LocalTensor<float>(TPosition::A1, 0, 1000),
           LoadData2DParams(0, 1, 1, 0, 0, true, 0));
  EXPECT_TRUE(core().has_violation("type"));
  core().violations.clear();
  LoadData(l0, l1, LoadData2DParams(3, 3, 2, 0, 0, false, 1));  // 3, 1, -1
  EXPECT_TRUE(core().has_violation("stride"));
}

// --- transpose of square tiles ---

/// Element (row, column) of the square tile whose fractals start at `tile`: 16 x 16 of 16 bits, two fractals below each
/// other (8 bits) or side by side (32 bits), four below each other (4 bits). Returned as bits.
uint32_t tile_element(const std::byte* tile, uint32_t bits, uint32_t r, uint32_t c, size_t fractal_step) {
  if (bits == 4) {
    const auto byte = static_cast<uint8_t>(tile[r / 16 * fractal_step + r % 16 * 32 + c / 2]);
    return c % 2 == 0 ? byte & 15 : byte >> 4;
  }
  uint32_t value = 0;
  const size_t size = bits / 8;
  const size_t at =
      bits == 32 ? c / 8 * fractal_step + r * 32 + c % 8 * 4 : r / 16 * fractal_step + r % 16 * 32 + c * size;
  std::memcpy(&value, tile + at, size);
  return value;
}

template <typename T>
void load_transposed(const LoadData2dTransposeParams& p, TPosition to) {
  constexpr uint32_t kBits = ascsan::gate::bits_of(data_type_of<T>());
  constexpr uint32_t kFractals = kBits == 4 ? 4 : kBits == 16 ? 1 : 2, kSide = kBits == 4 ? 64 : kBits == 8 ? 32 : 16;
  SCOPED_TRACE(::testing::Message() << "bits " << kBits << " start " << p.startIndex << " repeat " << int{p.repeatTimes}
                                    << " stride " << p.srcStride << " gaps " << p.dstGap << " " << p.dstFracGap);
  core().violations.clear();
  const std::byte* src = core().base(Space::kL1) + 2048;
  const std::byte* dst = core().base(space_of(to)) + 1024;
  LoadDataWithTranspose(LocalTensor<T>(to, 1024, 60000 * 8 / kBits),
                        LocalTensor<T>(TPosition::A1, 2048, 400000 * 8 / kBits), p);
  for (int t = 0; t < p.repeatTimes; ++t) {
    const std::byte* from =
        src + static_cast<size_t>(p.addrMode == 0 ? p.startIndex + t * p.srcStride : p.startIndex - t * p.srcStride) *
                  kFractals * 512;
    const std::byte* at = dst + static_cast<size_t>(t) * (1 + p.dstGap) * 512;
    for (uint32_t r = 0; r < kSide; ++r)
      for (uint32_t c = 0; c < kSide; ++c)
        ASSERT_EQ(tile_element(at, kBits, c, r, (1 + size_t{p.dstFracGap}) * 512), tile_element(from, kBits, r, c, 512))
            << t << " " << r << " " << c;
  }
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CubeLoad, TransposedTiles) {
  core().prove_footprints = true;
  for (TPosition to : {TPosition::A2, TPosition::B2}) {
    load_transposed<int8_t>({0, 3, 1, 0, 2}, to);  // halves of all tiles follow each other
    load_transposed<int8_t>({2, 4, 3, 1, 0}, to);  // tiles follow each other
    load_transposed<uint8_t>({9, 3, 2, 3, 1, 1}, to);
    load_transposed<half>({1, 5, 2, 0, 0}, to);
    load_transposed<half>({0, 3, 1, 2, 0}, to);
    load_transposed<float>({0, 4, 1, 1, 0}, to);
    load_transposed<float>({3, 3, 2, 0, 4}, to);
  }
  load_transposed<int4b_t>({1, 2, 1, 3, 0}, TPosition::B2);
  load_transposed<int4b_t>({0, 3, 2, 0, 5}, TPosition::B2);
}

TEST_F(CubeLoad, LimitsOfTransposedTiles) {
  const auto call = [](auto type, const LoadData2dTransposeParams& p, TPosition to) {
    using T = decltype(type);
    core().violations.clear();
    LoadDataWithTranspose(LocalTensor<T>(to, 0, 10000), LocalTensor<T>(TPosition::A1, 0, 10000), p);
  };
  call(int8_t{}, {0, 3, 1, 0, 0}, TPosition::A2);  // the second half of a tile lands on the next tile
  EXPECT_TRUE(core().has_violation("overlap"));
  call(int64_t{}, {0, 1, 1, 0, 0}, TPosition::A2);
  EXPECT_TRUE(core().has_violation("type"));
  call(int4b_t{}, {0, 1, 1, 3, 0}, TPosition::A2);
  EXPECT_TRUE(core().has_violation("type"));
}

// --- 3D ---

/// The im2col matrix by its definition, as raw element bits. `image` is [c1][h][w][c0].
struct Convolution {
  uint32_t h, w, channels, filter_h = 1, filter_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  uint8_t pad[4] = {0, 0, 0, 0};  // left, right, top, bottom

  uint32_t out(uint32_t extent, uint32_t before, uint32_t after, uint32_t filter, uint32_t dilation,
               uint32_t stride) const {
    return (extent + before + after - ((filter - 1) * dilation + 1)) / stride + 1;
  }
  uint32_t out_h() const { return out(h, pad[2], pad[3], filter_h, dilation_h, stride_h); }
  uint32_t out_w() const { return out(w, pad[0], pad[1], filter_w, dilation_w, stride_w); }
  uint32_t rows() const { return out_h() * out_w(); }

  template <typename T>
  uint32_t at(const std::byte* image, uint32_t row, uint32_t column, uint32_t padding) const {
    const uint32_t c0 = 32 / sizeof(T);
    const uint32_t lane = column % c0, kw = column / c0 % filter_w, kh = column / c0 / filter_w % filter_h,
                   c1 = column / c0 / filter_w / filter_h;
    const int y = static_cast<int>(row / out_w() * stride_h + kh * dilation_h) - pad[2];
    const int x = static_cast<int>(row % out_w() * stride_w + kw * dilation_w) - pad[0];
    if (row >= rows() || y < 0 || x < 0 || y >= static_cast<int>(h) || x >= static_cast<int>(w)) return padding;
    uint32_t value = 0;
    std::memcpy(
        &value,
        image + (((size_t{c1} * h + static_cast<uint32_t>(y)) * w + static_cast<uint32_t>(x)) * c0 + lane) * sizeof(T),
        sizeof(T));
    return value;
  }
};

struct Piece {
  uint32_t m_start, m_extension, k_start, k_extension;
  bool transpose = false;
};

/// Byte offset of matrix element (row, column) of a loaded piece in L0A or L0B, from the layout definitions.
template <typename T>
size_t place(TPosition to, const Piece& p, uint32_t row, uint32_t column) {
  const uint32_t c0 = 32 / sizeof(T);
  const auto fractal = [](size_t index, uint32_t r, uint32_t c) { return index * 512 + r * 32 + c * sizeof(T); };
  if (to == TPosition::B2) {  // Zn of the matrix: k runs over rows
    const size_t across = (p.k_extension + 15) / 16;
    return fractal(row / c0 * across + column / 16, column % 16, row % c0);
  }
  if (!p.transpose) {  // Zz
    const size_t across = (p.k_extension + c0 - 1) / c0;
    return fractal(row / 16 * across + column / c0, row % 16, column % c0);
  }
  const size_t across = (p.m_extension + 15) / 16 * 16 / c0;  // Zz of the transposed matrix
  return fractal(column / 16 * across + row / c0, column % 16, row % c0);
}

template <typename T, const IsResetLoad3dConfig& config = IS_RESER_LOAD3D_DEFAULT_CONFIG>
void load_3d(const Convolution& conv, const Piece& p, TPosition to, uint32_t padding = 0) {
  SCOPED_TRACE(::testing::Message() << conv.h << " x " << conv.w << " x " << conv.channels << " filter "
                                    << conv.filter_h << " x " << conv.filter_w << " m " << p.m_start << " +"
                                    << p.m_extension << " k " << p.k_start << " +" << p.k_extension << " transpose "
                                    << p.transpose << " L0B " << (to == TPosition::B2) << " size " << sizeof(T));
  core().violations.clear();
  const std::byte* image = core().base(Space::kL1) + 4096;
  LoadData3DParamsV2<T> params;
  std::memcpy(params.padList, conv.pad, 4);
  params.l1H = static_cast<uint16_t>(conv.h), params.l1W = static_cast<uint16_t>(conv.w),
  params.channelSize = static_cast<uint16_t>(conv.channels);
  params.kExtension = static_cast<uint16_t>(p.k_extension), params.mExtension = static_cast<uint16_t>(p.m_extension);
  params.kStartPt = static_cast<uint16_t>(p.k_start), params.mStartPt = static_cast<uint16_t>(p.m_start);
  params.filterH = static_cast<uint8_t>(conv.filter_h), params.filterW = static_cast<uint8_t>(conv.filter_w);
  params.strideH = static_cast<uint8_t>(conv.stride_h), params.strideW = static_cast<uint8_t>(conv.stride_w);
  params.dilationFilterH = static_cast<uint8_t>(conv.dilation_h),
  params.dilationFilterW = static_cast<uint8_t>(conv.dilation_w);
  params.enTranspose = p.transpose;
  std::memcpy(&params.padValue, &padding, sizeof(T));
  if (!config.isSetFMatrix) {
    SetFmatrix(params.l1H, params.l1W, params.padList, FmatrixMode::FMATRIX_LEFT);
    params.l1H = params.l1W = 1;
  }
  if (!config.isSetPadding) {
    SetLoadDataPaddingValue(params.padValue);
    std::memset(static_cast<void*>(&params.padValue), 0x5A, sizeof(T));
  }
  const std::byte* dst = core().base(space_of(to)) + 2048;
  LoadData<T, config>(LocalTensor<T>(to, 2048, 60000 / sizeof(T)),
                      LocalTensor<T>(TPosition::A1, 4096, 400000 / sizeof(T)), params);
  for (uint32_t row = 0; row < p.m_extension; ++row)
    for (uint32_t column = 0; column < p.k_extension; ++column) {
      uint32_t value = 0;
      std::memcpy(&value, dst + place<T>(to, p, row, column), sizeof(T));
      ASSERT_EQ(value, conv.at<T>(image, p.m_start + row, p.k_start + column, padding)) << row << " " << column;
    }
  EXPECT_TRUE(core().violations.empty());
}

template <typename T>
void panels(TPosition to, bool transpose) {
  const uint32_t c0 = 32 / sizeof(T);
  for (const auto& [rows, columns] : {std::pair{16u, 2 * c0}, {48u, 4 * c0}, {80u, 3 * c0}}) {
    Convolution conv{1, rows, columns};
    load_3d<T>(conv, {0, rows, 0, columns, transpose}, to);
    load_3d<T>(conv, {0, rows, c0, columns - c0, transpose}, to);
    load_3d<T>(conv, {rows / 2, rows / 2, 0, 2 * c0, transpose}, to);
    load_3d<T>(conv, {0, rows - 5, 0, columns, transpose}, to);
    load_3d<T>(conv, {0, 3, 0, c0, transpose}, to);
  }
}

TEST_F(CubeLoad, PanelsOfAMatrix) {
  core().prove_footprints = true;
  panels<half>(TPosition::A2, false);
  panels<int8_t>(TPosition::A2, false);
  panels<float>(TPosition::A2, false);
  panels<half>(TPosition::A2, true);
  panels<float>(TPosition::A2, true);
  panels<half>(TPosition::B2, false);
  panels<float>(TPosition::B2, false);
}

TEST_F(CubeLoad, Convolutions) {
  for (bool prove : {true, false}) {
    core().prove_footprints = prove;
    Convolution conv{6, 7, 32, 3, 3};
    load_3d<half>(conv, {0, 20, 0, 32 * 9}, TPosition::A2);
    conv.pad[0] = 1, conv.pad[1] = 2, conv.pad[2] = 1, conv.pad[3] = 0;
    load_3d<half>(conv, {4, 24, 48, 128}, TPosition::A2, 0x3C00);
    conv.stride_h = 2, conv.stride_w = 2, conv.dilation_w = 2;
    load_3d<half>(conv, {0, conv.rows(), 16, 64}, TPosition::A2, 0x1234);
    load_3d<half>(conv, {0, conv.rows(), 16, 64, true}, TPosition::A2, 0x1234);
    load_3d<half>(conv, {0, conv.rows(), 16, 64}, TPosition::B2, 0x1234);
    Convolution bytes{9, 5, 64, 2, 3};
    bytes.pad[2] = 2;
    load_3d<int8_t>(bytes, {3, 17, 32, 96}, TPosition::A2, 0x55);
    Convolution words{4, 8, 16, 2, 2};
    load_3d<float>(words, {0, 21, 8, 24}, TPosition::A2);
    load_3d<float>(words, {0, 16, 16, 32, true}, TPosition::A2);
    load_3d<float>(words, {0, 16, 16, 32}, TPosition::B2);
  }
}

constexpr IsResetLoad3dConfig kFromRegisters = {false, false};

TEST_F(CubeLoad, FeatureMapAndPaddingFromRegisters) {
  Convolution conv{5, 6, 16, 2, 2};
  conv.pad[0] = conv.pad[3] = 1;
  load_3d<half, kFromRegisters>(conv, {0, 25, 0, 64}, TPosition::A2, 0x4242);
}

TEST_F(CubeLoad, PackedParametersLoadTheSame) {
  const LocalTensor<half> l1(TPosition::A1, 4096, 10000), first(TPosition::A2, 0, 10000),
      second(TPosition::A2, 32768, 10000);
  const uint8_t pad[4] = {1, 0, 1, 0};
  LoadData3DParamsV2<half> v2(pad, 6, 5, 32, 48, 12, 16, 2, 1, 2, 2, 3, 1, 1, false, false, half(0.0f));
  LoadData(first, l1, v2);
  LoadData3DParamsV2Pro pro;
  pro.channelSize = 32;
  pro.extConfig = (uint64_t{2} << 48) | (uint64_t{16} << 32) | (uint64_t{12} << 16) | 48;
  pro.filterConfig =
      (uint64_t{1} << 40) | (uint64_t{1} << 32) | (uint64_t{3} << 24) | (uint64_t{2} << 16) | (uint64_t{2} << 8) | 1;
  SetFmatrix(6, 5, pad, FmatrixMode::FMATRIX_LEFT);
  SetLoadDataPaddingValue(half(0.0f));
  LoadData(second, l1, pro);
  for (int i = 0; i < 12; ++i)
    for (int f = 0; f < 3; ++f)
      EXPECT_EQ(0, std::memcmp(core().base(Space::kL0a) + f * 512 + i * 32,
                               core().base(Space::kL0a) + 32768 + f * 512 + i * 32, 32));
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CubeLoad, RepeatsJoinPieces) {
  core().prove_footprints = true;
  const LocalTensor<half> l1(TPosition::A1, 0, 100000), l0(TPosition::A2, 0, 30000);
  const Convolution conv{1, 96, 96};
  LoadData3DParamsV2<half> p;
  p.l1H = 1, p.l1W = 96, p.channelSize = 96, p.mExtension = 16, p.kExtension = 32;
  SetLoadDataRepeat({2, 3, 0});  // rows 0, 32, 64
  LoadData(l0, l1, p);
  for (uint32_t row = 0; row < 48; ++row)
    for (uint32_t column = 0; column < 32; ++column) {
      const size_t at = (row / 16 * 2 + column / 16) * 512 + row % 16 * 32 + column % 16 * 2;
      ASSERT_EQ(*core().at<uint16_t>(Space::kL0a, at),
                conv.at<half>(core().base(Space::kL1), row / 16 * 32 + row % 16, column, 0));
    }
  SetLoadDataRepeat({3, 2, 1});  // columns 0.., 48..
  LoadData(l0, l1, p);
  for (uint32_t row = 0; row < 16; ++row)
    for (uint32_t column = 0; column < 64; ++column) {
      const size_t at = column / 16 * 512 + row * 32 + column % 16 * 2;
      ASSERT_EQ(*core().at<uint16_t>(Space::kL0a, at),
                conv.at<half>(core().base(Space::kL1), row, column / 32 * 48 + column % 32, 0));
    }
  SetLoadDataRepeat({0, 0, 0});  // nothing
  const auto before = core().memory;
  LoadData(l0, l1, p);
  EXPECT_EQ(before, core().memory);
}

TEST_F(CubeLoad, RemaindersOfChannels) {
  // 20 channels: a full plane of 16, then 4 elements a pixel without gap.
  const LocalTensor<half> l1(TPosition::A1, 0, 10000), l0(TPosition::A2, 0, 10000);
  LoadData3DParamsV2<half> p;
  p.l1H = 4, p.l1W = 5, p.channelSize = 20, p.mExtension = 12, p.kExtension = 20 * 4, p.filterH = p.filterW = 2;
  LoadData(l0, l1, p);
  EXPECT_TRUE(core().violations.empty());
  const auto* image = core().at<uint16_t>(Space::kL1, 0);
  for (uint32_t row = 0; row < 12; ++row)
    for (uint32_t column = 0; column < 80; ++column) {
      const uint32_t y = row / 4, x = row % 4;
      uint16_t expected;
      if (column < 64) {
        const uint32_t position = column / 16;
        expected = image[((y + position / 2) * 5 + x + position % 2) * 16 + column % 16];
      } else {
        const uint32_t position = (column - 64) / 4;
        expected = image[16 * 20 + ((y + position / 2) * 5 + x + position % 2) * 4 + column % 4];
      }
      const size_t at = column / 16 * 512 + row % 16 * 32 + column % 16 * 2;
      ASSERT_EQ(*core().at<uint16_t>(Space::kL0a, at), expected) << row << " " << column;
    }
}

TEST_F(CubeLoad, EmptyLoadsDoNothing) {
  const LocalTensor<half> l1(TPosition::A1, 0, 10000), l0(TPosition::A2, 0, 10000);
  LoadData3DParamsV2<half> p;
  p.l1H = 1, p.l1W = 16, p.channelSize = 16, p.mExtension = 16, p.kExtension = 16;
  const auto before = core().memory;
  const auto with = [&](auto change) {
    LoadData3DParamsV2<half> q = p;
    change(q);
    LoadData(l0, l1, q);
    EXPECT_EQ(before, core().memory);
  };
  with([](auto& q) { q.l1H = 0; });
  with([](auto& q) { q.l1W = 0; });
  with([](auto& q) { q.channelSize = 0; });
  with([](auto& q) { q.kExtension = 0; });
  with([](auto& q) { q.mExtension = 0; });
  with([](auto& q) { q.filterW = 0; });
}

TEST_F(CubeLoad, LimitsOfThreeDimensions) {
  const LocalTensor<int8_t> l1(TPosition::A1, 0, 10000), l0a(TPosition::A2, 0, 10000), l0b(TPosition::B2, 0, 10000);
  LoadData3DParamsV2<int8_t> p;
  p.l1H = 1, p.l1W = 16, p.channelSize = 32, p.mExtension = 16, p.kExtension = 32;
  LoadData(l0b, l1, p);
  EXPECT_TRUE(core().has_violation("type"));
  core().violations.clear();
  p.enTranspose = true;
  LoadData(l0a, l1, p);
  EXPECT_TRUE(core().has_violation("type"));
  core().violations.clear();
  p.enTranspose = false, p.kExtension = 64;
  LoadData(l0a, l1, p);
  EXPECT_TRUE(core().has_violation("length"));
  core().violations.clear();
  p.kExtension = 32, p.kStartPt = 3;
  LoadData(l0a, l1, p);
  EXPECT_TRUE(core().has_violation("alignment"));
  core().violations.clear();
  p.kStartPt = 0, p.channelSize = 33;
  LoadData(l0a, l1, p);
  EXPECT_TRUE(core().has_violation("length"));
}

// --- Fill ---

template <typename T>
void fill(TPosition to, uint16_t repeat, uint16_t blocks, uint16_t gap, T value) {
  core().violations.clear();
  const size_t block = to == TPosition::A1 ? 32 : 512;
  std::byte* dst = core().base(space_of(to)) + 1024;
  std::vector<std::byte> expected(dst, dst + 50000);
  for (size_t r = 0; r < repeat; ++r)
    for (size_t i = 0; i < blocks * block / sizeof(T); ++i)
      std::memcpy(expected.data() + r * (size_t{blocks} + gap) * block + i * sizeof(T), &value, sizeof(T));
  InitConstValue(LocalTensor<T>(to, 1024, 50000 / sizeof(T)), InitConstValueParams<T>(repeat, blocks, gap, value));
  ASSERT_TRUE(std::equal(expected.begin(), expected.end(), dst));
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CubeLoad, Fills) {
  core().prove_footprints = true;
  for (TPosition to : {TPosition::A1, TPosition::A2, TPosition::B2}) {
    fill<half>(to, 3, 2, 1, half(1.5f));
    fill<float>(to, 1, 5, 0, -2.25f);
    fill<uint16_t>(to, 4, 1, 2, 0xBEEF);
    fill<int32_t>(to, 0, 3, 0, 7);
    fill<bfloat16_t>(to, 3, 0, 0, bfloat16_t(2.0f));
  }
  Fill(LocalTensor<half>(TPosition::VECIN, 0, 100), InitConstValueParams<half>(1, 1, 0, half(0.0f)));
  EXPECT_TRUE(core().has_violation("path"));
}

}  // namespace
