// Enumerations, parameter structures and constants of the vector instructions, with the documented values and defaults.
// Rules: spec/api-semantics.md 0 and 2 to 5. Strides are start-to-start in blocks of 32 bytes.
// Left out: modes of other chips; fields that exist only for them are kept where kernels name them.
#pragma once

#include <cstdint>
#include "ascendc/utils.h"

namespace AscendC {

/// Rounding of conversions (spec/api-semantics.md 2.2).
enum class RoundMode : uint8_t { CAST_NONE = 0, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD };

enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };

/// Where Select takes its bits and its second source from (spec/api-semantics.md 3).
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };

/// What WholeReduceMax / WholeReduceMin store per repeat.
enum class ReduceOrder : uint8_t { ORDER_VALUE_INDEX = 0, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
/// The same under the newer name.
enum class Order_t : uint8_t { VALUE_INDEX = 0, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };

enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };

/// Reserved by the API; both values behave alike on A2/A3.
enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };
constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V2;

enum class DeqScale : uint8_t { DEQ_NONE = 0, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };

enum class TransposeType : uint8_t {
  TRANSPOSE_TYPE_NONE = 0,
  TRANSPOSE_NZ2ND_0213,
  TRANSPOSE_NZ2NZ_0213,
  TRANSPOSE_NZ2NZ_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITHOUT_N,
  TRANSPOSE_NZ2NZ_012_WITHOUT_N,
  TRANSPOSE_ND2ND_ONLY,
  TRANSPOSE_ND_UB_GM,
  TRANSPOSE_GRAD_ND_UB_GM,
  TRANSPOSE_ND2ND_B16,
  TRANSPOSE_NCHW2NHWC,
  TRANSPOSE_NHWC2NCHW
};

constexpr int32_t DEFAULT_BLOCK_SIZE = 256;  ///< bytes of one repeat
constexpr uint32_t TMP_UB_SIZE =
    8 * 1024;  ///< scratch of framework APIs at the top of UB (spec/execution-model.md 1.2)
constexpr uint32_t TMP_UB_OFFSET = 184 * 1024;  ///< where it starts

/// Mask arguments of calls with isSetMask = false.
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};

/// Strides of instructions with two sources.
struct BinaryRepeatParams {
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint8_t dstBlkStride = DEFAULT_BLK_STRIDE, src0BlkStride = DEFAULT_BLK_STRIDE, src1BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE, src0RepStride = DEFAULT_REPEAT_STRIDE,
          src1RepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false, strideSizeMode = false;

  BinaryRepeatParams() = default;
  BinaryRepeatParams(uint8_t dst_block, uint8_t src0_block, uint8_t src1_block, uint8_t dst_repeat, uint8_t src0_repeat,
                     uint8_t src1_repeat)
      : dstBlkStride(dst_block),
        src0BlkStride(src0_block),
        src1BlkStride(src1_block),
        dstRepStride(dst_repeat),
        src0RepStride(src0_repeat),
        src1RepStride(src1_repeat) {}
};

/// Strides of instructions with one source. `halfBlock` belongs to CastDequant.
struct UnaryRepeatParams {
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint16_t dstBlkStride = DEFAULT_BLK_STRIDE, srcBlkStride = DEFAULT_BLK_STRIDE;
  uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE, srcRepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false, strideSizeMode = false, halfBlock = false;

  UnaryRepeatParams() = default;
  UnaryRepeatParams(uint16_t dst_block, uint16_t src_block, uint8_t dst_repeat, uint8_t src_repeat)
      : dstBlkStride(dst_block), srcBlkStride(src_block), dstRepStride(dst_repeat), srcRepStride(src_repeat) {}
  UnaryRepeatParams(uint16_t dst_block, uint16_t src_block, uint8_t dst_repeat, uint8_t src_repeat, bool half_block)
      : UnaryRepeatParams(dst_block, src_block, dst_repeat, src_repeat) {
    halfBlock = half_block;
  }
};

struct CopyRepeatParams {
  uint16_t dstStride = DEFAULT_BLK_STRIDE, srcStride = DEFAULT_BLK_STRIDE;                ///< between blocks
  uint16_t dstRepeatSize = DEFAULT_REPEAT_STRIDE, srcRepeatSize = DEFAULT_REPEAT_STRIDE;  ///< between repeats

  CopyRepeatParams() = default;
  CopyRepeatParams(uint16_t dst_block, uint16_t src_block, uint16_t dst_repeat, uint16_t src_repeat)
      : dstStride(dst_block), srcStride(src_block), dstRepeatSize(dst_repeat), srcRepeatSize(src_repeat) {}
};

struct BrcbRepeatParams {
  uint16_t dstBlkStride = DEFAULT_BLK_STRIDE, dstRepStride = DEFAULT_REPEAT_STRIDE;

  BrcbRepeatParams() = default;
  BrcbRepeatParams(uint16_t dst_block, uint16_t dst_repeat) : dstBlkStride(dst_block), dstRepStride(dst_repeat) {}
};

struct GatherRepeatParams {
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint16_t dstBlkStride = DEFAULT_BLK_STRIDE, dstRepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false, strideSizeMode = false;

  GatherRepeatParams() = default;
  GatherRepeatParams(uint8_t dst_block, uint8_t dst_repeat) : dstBlkStride(dst_block), dstRepStride(dst_repeat) {}
};

struct GatherMaskParams {
  uint8_t src0BlockStride = DEFAULT_BLK_STRIDE;
  uint16_t repeatTimes = 0;
  uint16_t src0RepeatStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src1RepeatStride = DEFAULT_REPEAT_STRIDE;

  GatherMaskParams() = default;
  GatherMaskParams(uint8_t src0_block, uint16_t repeats, uint16_t src0_repeat, uint8_t src1_repeat)
      : src0BlockStride(src0_block),
        repeatTimes(repeats),
        src0RepeatStride(src0_repeat),
        src1RepeatStride(src1_repeat) {}
};

struct TransDataTo5HDParams {
  bool dstHighHalf = false, srcHighHalf = false;
  uint8_t repeatTimes = 1;
  uint16_t dstRepStride = 0, srcRepStride = 0;

  TransDataTo5HDParams() = default;
  TransDataTo5HDParams(bool dst_high, bool src_high, uint8_t repeats, uint16_t dst_repeat, uint16_t src_repeat)
      : dstHighHalf(dst_high),
        srcHighHalf(src_high),
        repeatTimes(repeats),
        dstRepStride(dst_repeat),
        srcRepStride(src_repeat) {}
};

struct TransposeParamsExt {
  uint16_t nSize = 0, cSize = 0, hSize = 0, wSize = 0;
  TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;

  TransposeParamsExt() = default;
  TransposeParamsExt(uint16_t n, uint16_t c, uint16_t h, uint16_t w, TransposeType type)
      : nSize(n), cSize(c), hSize(h), wSize(w), transposeType(type) {}
};

/// Lengths in structures of 8 bytes; validBit 3, 7 or 15 = two, three or four lists.
struct MrgSort4Info {
  uint16_t elementLengths[4] = {0, 0, 0, 0};
  bool ifExhaustedSuspension = false;
  uint16_t validBit = 0;
  uint8_t repeatTimes = 1;

  MrgSort4Info() = default;
  MrgSort4Info(const uint16_t lengths[4], bool suspend, uint16_t valid, uint16_t repeats)
      : ifExhaustedSuspension(suspend), validBit(valid), repeatTimes(static_cast<uint8_t>(repeats)) {
    for (int i = 0; i < 4; ++i) elementLengths[i] = lengths[i];
  }
};

/// Sixteen quantisation sets of SetDeqScale(tensor, info).
struct VdeqInfo {
  float vdeqScale[16] = {};
  int16_t vdeqOffset[16] = {};
  bool vdeqSignMode[16] = {};

  VdeqInfo() = default;
  VdeqInfo(const float scale[16], const int16_t offset[16], const bool sign[16]) {
    for (int i = 0; i < 16; ++i) vdeqScale[i] = scale[i], vdeqOffset[i] = offset[i], vdeqSignMode[i] = sign[i];
  }
};

}  // namespace AscendC
