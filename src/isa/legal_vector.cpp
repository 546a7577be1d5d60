#include "isa/legal_vector.h"

#include <algorithm>

namespace ascsan::isa {
namespace {

const char* const kWho[] = {"the destination", "source 0", "source 1", "source 2", "source 3", "source 4"};
/// Role name of operand `index`; instructions without destination count their sources from operand 0.
const char* who(const gate::Request& request, int index) {
  if (request.op == gate::Op::kCompareRegister) return kWho[index + 1];
  if (request.op == gate::Op::kSetCmpMask || request.op == gate::Op::kReduceSumCount) return "the source";
  return kWho[index];
}

/// Byte runs of one repeat, for the exact overlap test.
std::vector<event::Span> spans_of(const Walk& walk, const LaneShape& shape, uint32_t repeat) {
  std::vector<event::Span> spans;
  for_each_piece(walk, repeat, shape.of(repeat), [&](uint64_t offset, uint32_t first, uint32_t lanes) {
    const uint64_t begin = walk.address + offset;
    spans.push_back({begin, begin + walk.bytes_from(first, lanes)});
  });
  return spans;
}

bool meet(const std::vector<event::Span>& a, const std::vector<event::Span>& b) {
  for (const event::Span& x : a)
    for (const event::Span& y : b)
      if (x.begin < y.end && y.begin < x.end) return true;
  return false;
}

bool same_walk(const Walk& a, const Walk& b) {
  return a.address == b.address && a.bits == b.bits && a.block_stride == b.block_stride;
}

bool accumulates(const gate::Request& request, int source) {
  const gate::DataType type = request.operand[0].type;
  return source == 2 &&
         (type == gate::DataType::kHalf || type == gate::DataType::kInt32 || type == gate::DataType::kFloat);
}

/// Slow path: the ranges meet and the walks are not the same. Compares repeat by repeat.
void compare_repeats(const gate::Request& request, const Walk& dst, const Walk& src, const LaneShape& shape, int source,
                     Overlap rule, Limits& limits) {
  const bool same_base = dst.address == src.address;
  const bool exact = same_walk(dst, src) || (same_base && rule != Overlap::kNone);
  std::vector<event::Span> written;
  for (uint32_t r = 0; r < shape.repeats; ++r) {
    const std::vector<event::Span> read = spans_of(src, shape, r);
    if (r > 0 && meet(written, read)) {
      const bool allowed = rule == Overlap::kAccumulate && accumulates(request, source) && same_walk(dst, src) &&
                           dst.repeat_stride == 0 && src.repeat_stride == 0;
      if (!allowed) {
        limits.error(
            "overlap", "repeat ", r, " reads through ", kWho[source], " what repeat ", r - 1,
            " writes: the destination of one repeat must not meet a source of the next; keep them apart or issue "
            "the repeats one by one");
      }
      if (!allowed || same_walk(dst, src)) return;
    }
    written = spans_of(dst, shape, r);
    if (!exact && meet(written, read)) {
      limits.error("overlap", "the destination (offset ", dst.address, ") and ", kWho[source], " (offset ", src.address,
                   ") overlap partly inside repeat ", r,
                   rule == Overlap::kNone ? "; they must be disjoint" : "; they must be disjoint or exactly the same");
      return;
    }
  }
}

}  // namespace

std::string types_text(const gate::Request& request) {
  std::string text;
  for (int i = 1; i < request.operand_count; ++i) {
    if (request.operand[i].space == gate::Space::kNone) continue;
    if (!text.empty()) text += ", ";
    text += name_of(request.operand[i].type);
  }
  if (text.empty()) return name_of(request.operand[0].type);
  return text + " -> " + name_of(request.operand[0].type);
}

bool check_operand(const gate::Request& request, int index, uint32_t alignment, Limits& limits) {
  const gate::Operand& operand = request.operand[index];
  if (operand.space != gate::Space::kUb) {
    limits.fatal("path", who(request, index), " is in ", name_of(operand.space),
                 ", but vector instructions work on UB; copy the data there first");
    return false;
  }
  if (operand.address % alignment != 0) limits.aligned(who(request, index), operand, alignment);
  return true;
}

bool check_operands(const gate::Request& request, Limits& limits) {
  bool fine = true;
  for (int i = 0; i < request.operand_count; ++i) {
    if (request.operand[i].space == gate::Space::kUb && request.operand[i].address % kBlockBytes == 0) continue;
    fine = check_operand(request, i, kBlockBytes, limits) && fine;
  }
  return fine;
}

void check_repeat8(const gate::Request& request, Limits& limits) {
  const int32_t repeat = request.params.vector.repeat;
  if (repeat >= 0 && repeat <= 255) return;
  limits.error("repeat", "repeatTime is ", repeat,
               ", allowed is 0..255 (the device keeps the low 8 bits: ", repeat & 0xFF, "); split the call");
}

void check_stride_fields(const gate::Request& request, Limits& limits) {
  if (request.params.vector.out_of_range == 0) return;
  limits.error("stride", "a stride is ", static_cast<int64_t>(request.params.vector.extra[7]), ", allowed is 0..65535");
}

void check_repeats(const gate::Request& request, uint32_t lanes, Limits& limits, bool has_dst_blocks) {
  const gate::VectorParams& p = request.params.vector;
  check_stride_fields(request, limits);
  if (request.mask_form == gate::MaskForm::kCount) return;
  if (!request.registers.counter_mode) {
    check_repeat8(request, limits);
    if (request.mask_form == gate::MaskForm::kContinuous && request.mask_low > lanes) {
      limits.warning("mask", "mask is ", request.mask_low, " lanes, but one repeat of this type has ", lanes,
                     "; the device uses ", lanes);
    }
    if (request.mask_form == gate::MaskForm::kBits) {
      const LaneMask given{request.mask_low, request.mask_high};
      if (!((given & LaneMask::leading(lanes)) == given)) {
        limits.warning("mask", "mask bits are set above lane ", lanes - 1,
                       ", the last one of this type; they have no effect");
      }
    }
  }
  if (has_dst_blocks && p.dst_block == 0) {
    limits.error("stride",
                 "the block stride of the destination is 0: its blocks would be written over each other and the "
                 "result is undefined; use 1 for contiguous blocks");
  }
}

bool check_amount(uint64_t elements, uint32_t bits, Limits& limits) {
  if (elements * bits <= kUbBytes * 8) return true;
  limits.fatal("length", "the call works on ", elements, " elements of ", bits, " bits, more than UB holds (", kUbBytes,
               " bytes); a negative or overflowed count looks like this");
  return false;
}

void check_overlap(const gate::Request& request, const LaneShape& shape, Overlap rule, Limits& limits) {
  if (shape.repeats == 0) return;
  const Walk dst = walk_of(request, 0, shape.lanes);
  const uint64_t dst_end = dst.address + extent_of(dst, shape);
  for (int i = 1; i < request.operand_count && i < 3; ++i) {
    if (request.operand[i].space != gate::Space::kUb) continue;
    const Walk src = walk_of(request, i, shape.lanes);
    if (src.address >= dst_end || dst.address >= src.address + extent_of(src, shape)) continue;
    // Exactly the same walk over repeats that do not meet is the in-place case.
    if (rule != Overlap::kNone && same_walk(dst, src) && dst.block_stride >= kBlockBytes) {
      if (shape.repeats == 1 || (is_flat(dst, shape) && is_flat(src, shape))) continue;
    }
    compare_repeats(request, dst, src, shape, i, rule, limits);
  }
}

void check_disjoint(const char* first, uint64_t a, uint64_t a_bytes, const char* second, uint64_t b, uint64_t b_bytes,
                    Limits& limits) {
  if (a_bytes == 0 || b_bytes == 0 || a >= b + b_bytes || b >= a + a_bytes) return;
  limits.error("overlap", first, " (bytes ", a, "..", a + a_bytes, ") and ", second, " (bytes ", b, "..", b + b_bytes,
               ") overlap; this instruction needs them disjoint");
}

}  // namespace ascsan::isa
