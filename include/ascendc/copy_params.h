// Parameter structures of the data movement APIs, with the members and constructors kernels use (spec/api-semantics.md
// 1). Every constructor takes none or all members, so that a braced list selects one overload only.
#pragma once

#include <cstdint>

#include "ascendc/enums_vector.h"

enum class pad_t : uint8_t {
  PAD_NONE,
  PAD_MODE1,
  PAD_MODE2,
  PAD_MODE3,
  PAD_MODE4,
  PAD_MODE5,
  PAD_MODE6,
  PAD_MODE7,
  PAD_MODE8
};

namespace AscendC {

constexpr uint16_t DEFAULT_DATA_COPY_NBURST = 1;
constexpr uint16_t DEFAULT_DATA_COPY_STRIDE = 0;

enum class BlockMode : uint8_t {
  BLOCK_MODE_NORMAL,
  BLOCK_MODE_MATRIX,
  BLOCK_MODE_VECTOR,
  BLOCK_MODE_SMALL_CHANNEL,
  BLOCK_MODE_DEPTHWISE
};

/// Blocks of 32 bytes (destination C2: 64, C2PIPE2GM: 128); gaps tail to head in the same unit on each side.
struct DataCopyParams {
  DataCopyParams() {}
  DataCopyParams(uint16_t count, uint16_t len, uint16_t src_gap, uint16_t dst_gap)
      : blockCount(count), blockLen(len), srcGap(src_gap), dstGap(dst_gap) {}
  uint16_t blockCount = DEFAULT_DATA_COPY_NBURST;
  uint16_t blockLen = 0;
  union {
    uint16_t srcGap = DEFAULT_DATA_COPY_STRIDE;
    uint16_t srcStride;
  };
  union {
    uint16_t dstGap = DEFAULT_DATA_COPY_STRIDE;
    uint16_t dstStride;
  };
};

/// Extras of older chips. On A2/A3 a plain move accepts it and uses nothing of it.
struct DataCopyEnhancedParams {
  DataCopyEnhancedParams() {}
  DataCopyEnhancedParams(BlockMode block_mode, DeqScale deq_scale, uint64_t deq_value, uint8_t sid_store, bool is_relu,
                         pad_t pad_mode, uint64_t pad_value)
      : blockMode(block_mode),
        deqScale(deq_scale),
        deqValue(deq_value),
        sidStoreMode(sid_store),
        isRelu(is_relu),
        padMode(pad_mode),
        padValue(pad_value) {}
  BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
  DeqScale deqScale = DeqScale::DEQ_NONE;
  uint64_t deqValue = 0;
  uint8_t sidStoreMode = 0;
  bool isRelu = false;
  pad_t padMode = pad_t::PAD_NONE;
  uint64_t padValue = 0;
  uint64_t deqTensorAddr = 0;
};

/// DataCopyPad: lengths in bytes; strides are gaps, in bytes on the GM side and in 32-byte blocks on the local side.
struct DataCopyExtParams {
  DataCopyExtParams() {}
  DataCopyExtParams(uint16_t count, uint32_t len, uint32_t src_stride, uint32_t dst_stride, uint32_t reserved)
      : blockCount(count), blockLen(len), srcStride(src_stride), dstStride(dst_stride), rsv(reserved) {}
  uint16_t blockCount = DEFAULT_DATA_COPY_NBURST;
  uint32_t blockLen = 0;
  uint32_t srcStride = DEFAULT_DATA_COPY_STRIDE;
  uint32_t dstStride = DEFAULT_DATA_COPY_STRIDE;
  uint32_t rsv = 0;
};

/// Padding of the older DataCopyPad; left and right in elements, at most 32 bytes each.
struct DataCopyPadParams {
  DataCopyPadParams() {}
  DataCopyPadParams(bool is_pad, uint8_t left, uint8_t right, uint64_t value)
      : isPad(is_pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  uint64_t paddingValue = 0;
};

template <typename T>
struct DataCopyPadExtParams {
  DataCopyPadExtParams() {}
  DataCopyPadExtParams(bool is_pad, uint8_t left, uint8_t right, T value)
      : isPad(is_pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  T paddingValue = static_cast<T>(0);
};

struct Nd2NzParams {
  Nd2NzParams() {}
  Nd2NzParams(uint16_t nd_num, uint16_t n, uint16_t d, uint16_t src_matrix_stride, uint16_t src_d,
              uint16_t dst_c0_stride, uint16_t dst_n_stride, uint16_t dst_matrix_stride)
      : ndNum(nd_num),
        nValue(n),
        dValue(d),
        srcNdMatrixStride(src_matrix_stride),
        srcDValue(src_d),
        dstNzC0Stride(dst_c0_stride),
        dstNzNStride(dst_n_stride),
        dstNzMatrixStride(dst_matrix_stride) {}
  uint16_t ndNum = 0;
  uint16_t nValue = 0;
  uint16_t dValue = 0;
  uint16_t srcNdMatrixStride = 0;
  uint16_t srcDValue = 0;
  uint16_t dstNzC0Stride = 0;
  uint16_t dstNzNStride = 0;
  uint16_t dstNzMatrixStride = 0;
};

struct Nz2NdParamsFull {
  Nz2NdParamsFull() {}
  Nz2NdParamsFull(uint16_t nd_num, uint16_t n, uint16_t d, uint16_t src_matrix_stride, uint16_t src_n_stride,
                  uint16_t dst_d_stride, uint16_t dst_matrix_stride)
      : ndNum(nd_num),
        nValue(n),
        dValue(d),
        srcNdMatrixStride(src_matrix_stride),
        srcNStride(src_n_stride),
        dstDStride(dst_d_stride),
        dstNdMatrixStride(dst_matrix_stride) {}
  uint16_t ndNum = 1;
  uint16_t nValue = 0;
  uint16_t dValue = 0;
  uint16_t srcNdMatrixStride = 1;
  uint16_t srcNStride = 0;
  uint16_t dstDStride = 0;
  uint16_t dstNdMatrixStride = 1;
};

/// One dimension of a slice copy: pieces of burstLen blocks of 32 bytes from startIndex to endIndex (both inclusive),
/// `stride` elements (rows, planes) between pieces; shapeValue is the extent of the dimension.
struct SliceInfo {
  SliceInfo() {}
  SliceInfo(uint32_t start, uint32_t end, uint32_t gap, uint32_t burst, uint32_t shape)
      : startIndex(start), endIndex(end), stride(gap), burstLen(burst), shapeValue(shape) {}
  uint32_t startIndex = 0;
  uint32_t endIndex = 0;
  uint32_t stride = 0;
  uint32_t burstLen = 0;
  uint32_t shapeValue = 0;
};

}  // namespace AscendC
