// Limits of the instructions that compute each lane by itself (spec/execution-model.md 7, api-semantics.md 2). A first,
// cheap look recognises the usual legal call; only what it does not recognise is examined rule by rule.
#include <algorithm>

#include "isa/legal_vector.h"
#include "isa/vec_elementwise.h"

namespace ascsan::isa {
namespace {

using gate::DataType;
using gate::Op;

/// Copy and Duplicate move bytes: any 16- and 32-bit type of the documented lists.
bool movable(DataType type) {
  switch (type) {
    case DataType::kInt16:
    case DataType::kUint16:
    case DataType::kHalf:
    case DataType::kBfloat16:
    case DataType::kInt32:
    case DataType::kUint32:
    case DataType::kFloat:
      return true;
    default:
      return false;
  }
}

/// Rounding modes that exist for a pair of types, one bit per mode (spec/api-semantics.md 2.2).
uint32_t cast_modes(DataType src, DataType dst) {
  constexpr uint32_t kNo = 1, kFive = 0x3E, kOdd = 0x40, kAny = 0x7F;  // kNo: CAST_NONE, kFive: RINT to TRUNC
  using enum DataType;
  switch (src) {
    case kInt16:
      return dst == kHalf ? kFive | kNo : kNo;
    case kHalf:
      if (dst == kFloat) return kNo;
      return dst == kInt16 || dst == kInt32 ? kFive : kFive | kNo;
    case kBfloat16:
      return dst == kInt32 ? kFive : kNo;
    case kInt32:
      if (dst == kHalf) return kAny;
      return dst == kFloat ? kFive | kNo : kNo;
    case kFloat:
      return dst == kHalf ? kFive | kOdd | kNo : kFive;
    case kInt64:
      return dst == kFloat ? kFive : kNo;
    default:
      return kNo;
  }
}

Overlap overlap_rule(const gate::Request& request) {
  switch (request.op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kMax:
    case Op::kMin:
    case Op::kAddRelu:
    case Op::kSubRelu:
      return Overlap::kAccumulate;
    case Op::kAxpy:
    case Op::kMulAddDst:
      return request.operand[0].type == request.operand[1].type ? Overlap::kSame : Overlap::kNone;
    default:
      return Overlap::kSame;
  }
}

const char* const kModeNames[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                  "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};

void check_types(const gate::Request& request, Limits& limits) {
  const bool moves = request.op == Op::kCopy || request.op == Op::kDuplicate;
  const bool same = request.operand_count < 2 || request.operand[0].type == request.operand[1].type;
  if (moves ? !movable(request.operand[0].type) || !same : !lane_kernel(request)) {
    limits.fatal("type", "the types ", types_text(request), " do not exist for this instruction on A2/A3");
    return;
  }
  if (request.op != Op::kCast) return;
  const uint8_t mode = request.params.vector.mode;
  if (mode <= 6 && ((cast_modes(request.operand[1].type, request.operand[0].type) >> mode) & 1) != 0) return;
  limits.error("type", "the conversion ", types_text(request), " has no rounding mode ",
               mode <= 6 ? kModeNames[mode] : "of this number", " on A2/A3");
}

/// Modes that exist for (operation, dst, src), by the same rules as check_types; built once.
class TypeTable {
 public:
  TypeTable() {
    for (int op = 0; op < gate::kOpCount; ++op)
      for (int dst = 0; dst < kTypes; ++dst)
        for (int src = 0; src < kTypes; ++src)
          modes_[op][dst][src] = modes(static_cast<Op>(op), static_cast<DataType>(dst), static_cast<DataType>(src));
  }
  uint8_t of(Op op, DataType dst, DataType src) const {
    return modes_[static_cast<int>(op)][static_cast<int>(dst)][static_cast<int>(src)];
  }

 private:
  static constexpr int kTypes = static_cast<int>(DataType::kBool) + 1;
  static uint8_t modes(Op op, DataType dst, DataType src) {
    if (op == Op::kCopy || op == Op::kDuplicate) return movable(dst) && dst == src ? 0xFF : 0;
    gate::Request request;
    request.op = op;
    request.operand_count = 2;
    request.operand[0].type = dst;
    request.operand[1].type = src;
    if (!lane_kernel(request)) return 0;
    return op == Op::kCast ? static_cast<uint8_t>(cast_modes(src, dst)) : 0xFF;
  }
  uint8_t modes_[gate::kOpCount][kTypes][kTypes];
};

/// Nothing to say about where the operands lie: the destination is clear of the sources by their outer bounds, or the
/// call works in place on contiguous lanes.
bool plainly_apart(const gate::Request& request, uint64_t elements) {
  const gate::VectorParams& p = request.params.vector;
  const bool count_form = request.mask_form == gate::MaskForm::kCount;
  const uint16_t block[] = {p.dst_block, p.src0_block, p.src1_block},
                 repeat[] = {p.dst_repeat, p.src0_repeat, p.src1_repeat};
  const auto bytes = [&](int i) -> uint64_t {
    if (count_form) return elements * gate::bits_of(request.operand[i].type) / 8;
    return (repeat8(request) * repeat[i] + 7u * block[i] + 1u) * kBlockBytes;
  };
  const gate::Operand& dst = request.operand[0];
  const uint64_t dst_end = dst.address + bytes(0);
  for (int i = 1; i < request.operand_count; ++i) {
    const gate::Operand& src = request.operand[i];
    if (src.address >= dst_end || src.address + bytes(i) <= dst.address) continue;
    const bool in_place = src.address == dst.address && src.type == dst.type &&
                          (count_form || (block[i] == 1 && block[0] == 1 && repeat[i] == 8 && repeat[0] == 8));
    if (!in_place) return false;
  }
  return true;
}

/// The good path: true means that no rule can be broken; false means nothing.
bool plainly_legal(const gate::Request& request) {
  static const TypeTable table;
  const gate::VectorParams& p = request.params.vector;
  const gate::Registers& registers = request.registers;
  uint64_t addresses = 0;
  for (int i = 0; i < request.operand_count; ++i) {
    if (request.operand[i].space != gate::Space::kUb) return false;
    addresses |= request.operand[i].address;
  }
  const DataType dst = request.operand[0].type, src = request.operand_count > 1 ? request.operand[1].type : dst;
  if (addresses % kBlockBytes != 0 || (request.operand_count > 2 && request.operand[2].type != src)) return false;
  const uint32_t rounding = request.op == Op::kCast ? p.mode : 0;
  if (rounding > 31 || ((table.of(request.op, dst, src) >> rounding) & 1) == 0) return false;
  const uint32_t bits = std::max(gate::bits_of(dst), gate::bits_of(src));
  if (dst == DataType::kInt4 || src == DataType::kInt4 || request.op == Op::kCopy) return false;
  if (request.mask_form == gate::MaskForm::kCount)
    return registers.mask_low * bits <= kUbBytes * 8 && plainly_apart(request, registers.mask_low);
  const LaneMask all = LaneMask::leading(lanes_of(bits));
  const bool mask_fits = request.mask_form == gate::MaskForm::kContinuous
                             ? request.mask_low <= lanes_of(bits)
                             : (request.mask_low & ~all.low) == 0 && (request.mask_high & ~all.high) == 0;
  return !registers.counter_mode && mask_fits && p.repeat >= 0 && p.repeat <= 255 && p.dst_block != 0 &&
         p.out_of_range == 0 && plainly_apart(request, 0);
}

}  // namespace

void check_lane_instruction(const gate::Request& request, machine::Violations& violations) {
  if (plainly_legal(request)) return;
  Limits limits(violations);
  if (!check_operands(request, limits)) return;
  check_types(request, limits);
  if (!violations.empty() && !violations.back().executable) return;
  const uint32_t bits = widest_bits(request), lanes = lanes_of(bits);
  check_repeats(request, lanes, limits);
  const LaneShape shape = lane_instruction_shape(request);
  if (request.registers.counter_mode && !check_amount(shape.total, bits, limits)) return;
  if (request.op == Op::kCopy &&
      (request.params.vector.dst_repeat > 4095 || request.params.vector.src0_repeat > 4095)) {
    limits.error("stride", "a repeat stride of Copy is above 4095");
  }
  const bool nibbles = request.operand[0].type == DataType::kInt4 ||
                       (request.operand_count > 1 && request.operand[1].type == DataType::kInt4);
  if (nibbles && (shape.tail.count() % 2 != 0 || shape.mask.count() % 2 != 0)) {
    limits.error("mask", "an odd number of 4-bit elements: two share one byte, so counts and masks must be even");
  }
  check_overlap(request, shape, overlap_rule(request), limits);
}

}  // namespace ascsan::isa
