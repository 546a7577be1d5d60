// Transpose of a 16 x 16 matrix, TransDataTo5HD on lists of blocks, and the NCHW <-> NHWC transposes of the framework.
// Rules: spec/api-semantics.md 5. In TransDataTo5HD with repeat 1 the repeat stride is added to every list address, so
// it must be 0 (reported). Left out: transpose types of other chips.
#include "isa/legal_vector.h"
#include "isa/vec_ops.h"

namespace ascsan::isa {
namespace {

using gate::Op;

// ---- Transpose

constexpr uint32_t kSide = 16;
constexpr uint64_t kMatrixBytes = kSide * kSide * 2;

void check_transpose(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  if (!check_operands(request, limits)) return;
  if (request.operand[0].type != request.operand[1].type || gate::bits_of(request.operand[0].type) != 16) {
    limits.fatal("type", "the types ", types_text(request),
                 " do not exist for this instruction; it takes 16-bit types");
    return;
  }
  const uint64_t a = request.operand[0].address, b = request.operand[1].address;
  if (a != b) check_disjoint("the destination", a, kMatrixBytes, "the source", b, kMatrixBytes, limits);
}
void footprint_transpose(const gate::Request& request, machine::Footprint& out) {
  out.open(request.operand[0], 0, event::Role::kWrite);
  out.add(request.operand[0].address, kMatrixBytes);
  out.open(request.operand[1], 1, event::Role::kRead);
  out.add(request.operand[1].address, kMatrixBytes);
}
void execute_transpose(const gate::Request& request, const machine::Memories& memories) {
  uint16_t in[kSide][kSide], out[kSide][kSide];
  std::memcpy(in, memories.at(request.operand[1]), sizeof(in));
  for (uint32_t i = 0; i < kSide; ++i)
    for (uint32_t j = 0; j < kSide; ++j) out[j][i] = in[i][j];
  std::memcpy(memories.at(request.operand[0]), out, sizeof(out));
}

// ---- NCHW <-> NHWC

struct Shape4 {
  uint64_t n, c, h, w, bytes;
  uint64_t total() const { return n * c * h * w * bytes; }
};
Shape4 shape4(const gate::Request& request) {
  const uint64_t* e = request.params.vector.extra;
  return {e[0], e[1], e[2], e[3], gate::bytes_of(request.operand[0].type)};
}
constexpr uint8_t kToNhwc = 11, kToNchw = 12;  // TransposeType

/// Scratch by the documented sizes: (C + 2) planes, or 2C + 1 of them, for the b8 and other types alike.
uint64_t scratch_bytes(const gate::Request& request) {
  const Shape4 s = shape4(request);
  const uint64_t plane = s.h * s.w * s.bytes;
  return (request.params.vector.mode == kToNhwc ? s.c + 2 : 2 * s.c + 1) * plane;
}

void check_nchw(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  if (!check_operands(request, limits)) return;
  const uint8_t mode = request.params.vector.mode;
  if (mode != kToNhwc && mode != kToNchw) {
    limits.fatal("mode", "TransposeType ", int{mode},
                 " does not exist on A2/A3 (TRANSPOSE_ND2ND_B16, NCHW2NHWC, NHWC2NCHW do)");
    return;
  }
  const uint32_t bytes = gate::bytes_of(request.operand[0].type);
  if (request.operand[0].type != request.operand[1].type || (bytes != 1 && bytes != 2 && bytes != 4)) {
    limits.fatal("type", "the types ", name_of(request.operand[1].type), " -> ", name_of(request.operand[0].type),
                 " do not exist");
    return;
  }
  const Shape4 s = shape4(request);
  if (!limits.pieces({s.n, s.c, s.h, s.w})) return;
  if (!check_amount(s.n * s.c * s.h * s.w, bytes * 8, limits)) return;
  check_disjoint("the destination", request.operand[0].address, s.total(), "the source", request.operand[1].address,
                 s.total(), limits);
  if (request.operand[2].bytes != 0 && request.operand[2].bytes < scratch_bytes(request)) {
    limits.error("length", "sharedTmpBuffer has ", request.operand[2].bytes, " bytes, this transpose needs ",
                 scratch_bytes(request));
  }
}
void footprint_nchw(const gate::Request& request, machine::Footprint& out) {
  const uint64_t bytes = shape4(request).total();
  out.open(request.operand[0], 0, event::Role::kWrite);
  out.add(request.operand[0].address, bytes);
  out.open(request.operand[1], 1, event::Role::kRead);
  out.add(request.operand[1].address, bytes);
  const uint64_t tmp = scratch_bytes(request);
  out.open(request.operand[2], 2, event::Role::kWrite);
  if (bytes != 0)
    out.add(request.operand[2].address, request.operand[2].bytes != 0 ? std::min(tmp, request.operand[2].bytes) : tmp);
}
void execute_nchw(const gate::Request& request, const machine::Memories& memories) {
  const Shape4 s = shape4(request);
  const bool to_nhwc = request.params.vector.mode == kToNhwc;
  const uint64_t total = s.total(), plane = s.h * s.w;
  if (total == 0) return;
  std::vector<std::byte> in(total), out(total);
  std::memcpy(in.data(), memories.at(request.operand[1]), total);
  for (uint64_t n = 0; n < s.n; ++n) {
    for (uint64_t c = 0; c < s.c; ++c) {
      for (uint64_t p = 0; p < plane; ++p) {
        const uint64_t nchw = (n * s.c + c) * plane + p, nhwc = (n * plane + p) * s.c + c;
        std::memcpy(&out[(to_nhwc ? nhwc : nchw) * s.bytes], &in[(to_nhwc ? nchw : nhwc) * s.bytes], s.bytes);
      }
    }
  }
  std::memcpy(memories.at(request.operand[0]), out.data(), total);
  // What the scratch holds afterwards is not documented: fill it, so that nobody relies on its old content.
  const uint64_t tmp = request.operand[2].bytes != 0 ? std::min(scratch_bytes(request), request.operand[2].bytes)
                                                     : scratch_bytes(request);
  std::memset(memories.at(request.operand[2]), 0, tmp);
}

}  // namespace

void add_to_5hd_op(machine::OpTable& table);  // vec_to_5hd.cpp

void add_transpose_ops(machine::OpTable& table) {
  machine::OpInfo& plain = table[static_cast<size_t>(Op::kTranspose)];
  plain.prepare = prepare_plain;
  plain.check = check_transpose;
  plain.footprint = footprint_transpose;
  plain.execute = execute_transpose;
  machine::OpInfo& nchw = table[static_cast<size_t>(Op::kTransposeNchw)];
  nchw.prepare = prepare_plain;
  nchw.check = check_nchw;
  nchw.footprint = footprint_nchw;
  nchw.execute = execute_nchw;
  add_to_5hd_op(table);
}

}  // namespace ascsan::isa
