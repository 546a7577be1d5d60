// Fixpipe and DataCopy out of L0C: column blocks of 16 accumulators go to GM or L1, row-major or NZ, converted on the
// way (fixpipe_convert.h). Formulas: spec/api-semantics.md 6; limits: execution-model.md 7. Stores to GM honour the
// atomic mode. Left out: unit flags (kept in the parameters for the machine), clip ReLU, element-wise operand.
#include <cstring>
#include <vector>

#include "isa/copy_ops.h"
#include "isa/fixpipe_convert.h"
#include "isa/gm_store.h"
#include "isa/violation.h"

namespace ascsan::isa {
namespace {

using gate::DataType;
using gate::Quant;
using gate::Space;

constexpr uint64_t kMostColumns = 4096;
constexpr uint64_t kTableWords = 256;  // scale words the FB part for quantisation holds (2 KB)

Quant quant_of(const gate::FixpipeParams& p) {
  return p.quant >= static_cast<uint8_t>(Quant::kOther) ? Quant::kOther : static_cast<Quant>(p.quant);
}

/// Sizes in bytes. NZ column groups hold 16 columns, 32 of 8-bit output (a last odd group of 16 stays alone), 8 of
/// split float; a row of a group is `row_bytes`.
struct Plan {
  uint64_t matrices = 1, rows = 0, columns = 0;
  uint64_t size = 4;        ///< output element
  uint64_t src_column = 0;  ///< 16 columns further on
  uint64_t src_matrix = 0, dst_matrix = 0;
  bool row_major = true;
  uint64_t dst_row = 0;                ///< row major
  uint64_t group = 16, dst_group = 0;  ///< NZ
};

Plan plan_of(const gate::Request& request) {
  const gate::FixpipeParams& p = request.params.fixpipe;
  Plan plan;
  plan.size = output_bytes(quant_of(p));
  plan.row_major = p.layout != 0;
  plan.rows = p.m, plan.columns = p.n;
  plan.matrices = plan.row_major ? p.nd_num : 1;
  if (p.m == 0 || p.n == 0) plan.matrices = 0;
  plan.src_column = uint64_t{p.src_stride} * 64;
  plan.src_matrix = uint64_t{p.src_nd_stride} * 1024;
  plan.dst_matrix = uint64_t{p.dst_nd_stride} * plan.size;
  plan.dst_row = uint64_t{p.dst_stride} * plan.size;
  plan.group = p.channel_split != 0 ? 8 : plan.size == 1 ? 32 : 16;
  plan.dst_group = uint64_t{p.dst_stride} * 32;
  return plan;
}

/// Columns of the NZ group that starts at `column`: a rest of up to 16 columns of 8-bit output is not merged.
uint64_t group_columns(const Plan& plan, uint64_t column) {
  if (plan.group == 32 && plan.columns - column <= 16) return 16;
  return plan.group;
}

gate::Pipe pipe(const gate::Request&) {
  return gate::Pipe::kFix;
}

/// Scale words, matrix strides and table address come from the registers; Fixpipe itself sets the ones it is given.
void prepare(gate::Request& request, gate::Registers& sticky) {
  gate::FixpipeParams& p = request.params.fixpipe;
  const Quant quant = quant_of(p);
  gate::CubeRegisters& cube = sticky.cube;
  if (p.from_registers != 0) {
    p.scalar = sticky.quant_scalar;
    p.nd_num = cube.nd_num, p.src_nd_stride = cube.src_nd_stride, p.dst_nd_stride = cube.dst_nd_stride;
  } else {
    if (gate::is_scalar_quant(quant)) sticky.quant_scalar = p.scalar;
    if (p.layout != 0)
      cube.nd_num = p.nd_num, cube.src_nd_stride = p.src_nd_stride, cube.dst_nd_stride = p.dst_nd_stride;
  }
  if (gate::is_vector_quant(quant)) {
    gate::Operand& table = request.operand[2];
    table = gate::Operand{};
    table.space = Space::kFb;
    table.address = sticky.quant_address;
    table.type = DataType::kUint64;
    request.operand_count = 3;
  }
  request.registers = sticky;
}

/// Accumulator and output type of a mode; kNone = the accumulator's own.
struct Mode {
  const char* name;
  DataType from, to;
};

Mode mode_of(Quant quant) {
  switch (quant) {
    case Quant::kNone:
      return {"NoQuant", DataType::kNone, DataType::kNone};
    case Quant::kF32ToF16:
      return {"F322F16", DataType::kFloat, DataType::kHalf};
    case Quant::kF32ToBf16:
      return {"F322BF16", DataType::kFloat, DataType::kBfloat16};
    case Quant::kDeqF16:
      return {"DEQF16", DataType::kInt32, DataType::kHalf};
    case Quant::kVecDeqF16:
      return {"VDEQF16", DataType::kInt32, DataType::kHalf};
    case Quant::kF32ToB8:
      return {"QF322B8_PRE", DataType::kFloat, DataType::kInt8};
    case Quant::kVecF32ToB8:
      return {"VQF322B8_PRE", DataType::kFloat, DataType::kInt8};
    case Quant::kReq8:
      return {"REQ8", DataType::kInt32, DataType::kInt8};
    case Quant::kVecReq8:
      return {"VREQ8", DataType::kInt32, DataType::kInt8};
    case Quant::kOther:
      break;
  }
  return {"?", DataType::kNone, DataType::kNone};
}

bool check_types(Limits& limits, const gate::Request& request) {
  const gate::FixpipeParams& p = request.params.fixpipe;
  const DataType dst = request.operand[0].type, src = request.operand[1].type;
  const Quant quant = quant_of(p);
  if (quant == Quant::kOther) {
    limits.fatal("type", "quantPre ", int{p.quant},
                 " does not exist on A2/A3; allowed are NoQuant, F322F16, F322BF16, (V)DEQF16, ",
                 "(V)QF322B8_PRE and (V)REQ8");
    return false;
  }
  if (src != DataType::kFloat && src != DataType::kInt32) {
    limits.fatal("type", "L0C holds float or int32_t, given ", name_of(src));
    return false;
  }
  const Mode mode = mode_of(quant);
  const DataType to = mode.to == DataType::kInt8 && dst == DataType::kUint8 ? DataType::kUint8 : mode.to;
  const bool fits = quant == Quant::kNone ? dst == src : mode.from == src && to == dst;
  if (!fits) {
    limits.fatal("type", "quantPre ", mode.name, " does not turn ", name_of(src), " into ", name_of(dst),
                 "; set quantPre to the mode of these two types");
  }
  return fits;
}

void check_shape(Limits& limits, const gate::Request& request, const Plan& plan) {
  const gate::FixpipeParams& p = request.params.fixpipe;
  limits.range("length", "nSize", p.n, 0, 4095);
  limits.range("length", "mSize", p.m, 0, plan.row_major ? 8192 : 65535);
  if (plan.matrices == 0) return;
  if (p.dst_stride == 0)
    limits.error("stride", "dstStride is 0; it must be the distance of two rows or column blocks of the destination");
  if (plan.row_major) {
    if (p.m > 1 && p.dst_stride != 0 && p.dst_stride < p.n) {
      limits.error("overlap", "dstStride ", p.dst_stride, " is smaller than nSize ", p.n,
                   ": rows overwrite each other");
    }
    if (p.nd_num > 1) {
      limits.range("stride", "srcNdStride", p.src_nd_stride, 1, 512);
      limits.range("stride", "dstNdStride", p.dst_nd_stride, 1, 65535);
    }
  } else {
    const uint64_t unit = p.channel_split != 0 ? 8 : 16;
    if (p.n % unit != 0) limits.error("length", "nSize is ", p.n, "; NZ output needs a multiple of ", unit);
    const uint64_t needed = plan.rows * plan.group * plan.size;
    if (plan.columns > plan.group && p.dst_stride != 0 && plan.dst_group < needed) {
      limits.error("overlap", "dstStride ", p.dst_stride, " (blocks of 32 bytes) is smaller than a column block of ",
                   needed, " bytes");
    }
  }
  if (p.n > 16 && p.src_stride < p.m) {
    limits.error("stride", "srcStride ", p.src_stride, " is smaller than mSize ", p.m,
                 "; it is mSize of the Mmad rounded up to 16");
  }
}

void check(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  const gate::FixpipeParams& p = request.params.fixpipe;
  const gate::Operand &dst = request.operand[0], &src = request.operand[1];
  if (src.space != Space::kL0c || (dst.space != Space::kGm && dst.space != Space::kL1)) {
    limits.no_path(dst, src, "results leave L0C (CO1) to GM or L1");
    return;
  }
  if (!check_types(limits, request)) return;
  const Plan plan = plan_of(request);
  if (!limits.pieces({plan.matrices, plan.rows, ceil_div(plan.columns, 16)})) return;
  check_shape(limits, request, plan);
  limits.aligned("source", src);
  limits.aligned("destination", dst, dst.space == Space::kL1 || !plan.row_major ? 32 : 1);
  if (p.channel_split != 0 &&
      (dst.type != DataType::kFloat || plan.row_major || dst.space != Space::kGm || p.unit_flag != 0)) {
    limits.error("type", "channel split needs float output in NZ to GM without unitFlag");
  }
  if (gate::is_vector_quant(quant_of(p)) && p.n > kTableWords) {
    limits.error("length", "nSize is ", p.n, " but FB holds ", kTableWords, " scale words; split the columns");
  }
  if (p.unit_flag != 0 && p.unit_flag != 2 && p.unit_flag != 3) {
    limits.error("type", "unitFlag is ", int{p.unit_flag}, ", allowed are 0, 2 and 3");
  }
  check_atomic(limits, request, plan.columns * plan.size);
}

/// `count` runs of `bytes`, `step` apart, of every matrix; they may meet.
void add_pieces(machine::Footprint& out, uint64_t base, const Plan& plan, uint64_t matrix_step, uint64_t bytes,
                uint64_t count, uint64_t step) {
  if (plan.matrices == 1 && (step >= bytes || count == 1))
    return out.add_strided(base, bytes, count, static_cast<int64_t>(step));
  std::vector<event::Span> runs;
  for (uint64_t m = 0; m < plan.matrices; ++m)
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t begin = base + m * matrix_step + i * step;
      runs.push_back({begin, begin + bytes});
    }
  add_union(out, runs);
}

void footprint(const gate::Request& request, machine::Footprint& out) {
  const gate::Operand &dst = request.operand[0], &src = request.operand[1];
  const Plan plan = plan_of(request);
  out.open(dst, 0, store_role(request));
  if (plan.row_major) {
    add_pieces(out, dst.address, plan, plan.dst_matrix, plan.columns * plan.size, plan.rows, plan.dst_row);
  } else if (plan.matrices != 0) {
    std::vector<event::Span> runs;
    for (uint64_t n = 0; n < plan.columns; n += plan.group) {
      const uint64_t begin = dst.address + n / plan.group * plan.dst_group;
      runs.push_back({begin, begin + plan.rows * group_columns(plan, n) * plan.size});
    }
    add_union(out, runs);
  }
  out.open(src, 1, event::Role::kRead);
  add_pieces(out, src.address, plan, plan.src_matrix, plan.rows * 64, ceil_div(plan.columns, 16), plan.src_column);
  if (request.operand_count < 3) return;
  out.open(request.operand[2], 2, event::Role::kRead);
  if (plan.matrices != 0) out.add(request.operand[2].address, std::min(plan.columns, kTableWords) * 8);
}

/// Row-major: the pieces of 16 columns of one row are collected, converted together and stored as one run.
void store_rows(const Plan& plan, const Conversion& how, const GmStore& store, std::byte* dst, const std::byte* src) {
  std::byte collected[kMostColumns * 4], converted[kMostColumns * 4];
  const bool as_is = how.quant == Quant::kNone && !how.relu;
  const uint64_t blocks = ceil_div(plan.columns, 16);
  for (uint64_t m = 0; m < plan.rows; ++m) {
    const std::byte* from = src + m * 64;
    for (uint64_t b = 0; b < blocks; ++b, from += plan.src_column) std::memcpy(collected + b * 64, from, 64);
    if (!as_is) convert(how, collected, converted, plan.columns, 0);
    store(dst + m * plan.dst_row, as_is ? collected : converted, plan.columns * plan.size);
  }
}

/// A group whose rows lie behind each other on both sides: many rows are converted together.
void store_whole_group(const Plan& plan, const Conversion& how, const GmStore& store, std::byte* group,
                       const std::byte* src) {
  constexpr uint64_t kRows = 32;
  std::byte buffer[kRows * 64];
  const uint64_t row_bytes = 16 * plan.size;
  for (uint64_t m = 0; m < plan.rows; m += kRows) {
    const uint64_t rows = std::min(kRows, plan.rows - m);
    convert(how, src + m * 64, buffer, rows * 16, 0);
    store(group + m * row_bytes, buffer, rows * row_bytes);
  }
}

/// NZ: group by group, whole groups of columns.
void store_groups(const Plan& plan, const Conversion& how, const GmStore& store, std::byte* dst, const std::byte* src) {
  for (uint64_t n = 0; n < plan.columns; n += plan.group) {
    const uint64_t columns = group_columns(plan, n), row_bytes = columns * plan.size;
    std::byte* group = dst + n / plan.group * plan.dst_group;
    if (columns == 16 && !how.per_column) {
      store_whole_group(plan, how, store, group, src + n / 16 * plan.src_column);
      continue;
    }
    for (uint64_t m = 0; m < plan.rows; ++m) {
      std::byte row[64];
      for (uint64_t c = 0; c < columns; c += 16) {
        const uint64_t column = n + c;
        const std::byte* from = src + column / 16 * plan.src_column + m * 64 + column % 16 * 4;
        convert(how, from, row + c * plan.size, std::min<uint64_t>(16, columns), column);
      }
      store(group + m * row_bytes, row, row_bytes);
    }
  }
}

void execute(const gate::Request& request, const machine::Memories& memories) {
  const gate::FixpipeParams& p = request.params.fixpipe;
  Plan plan = plan_of(request);
  if (plan.columns > 4095) plan.columns = 4095;  // reported
  ScaleWord words[kTableWords];
  Conversion how;
  how.quant = quant_of(p);
  how.relu = p.relu != 0;
  how.integer = request.operand[1].type == DataType::kInt32;
  how.saturate = request.registers.float_saturate;
  how.words = words;
  if (gate::is_scalar_quant(how.quant)) words[0] = ScaleWord(p.scalar);
  if (gate::is_vector_quant(how.quant)) {
    how.per_column = true;
    plan.columns = std::min(plan.columns, kTableWords);
    const std::byte* table = memories.at(request.operand[2]);
    for (uint64_t n = 0; n < plan.columns; ++n) {
      uint64_t bits;
      std::memcpy(&bits, table + n * 8, 8);
      words[n] = ScaleWord(bits);
    }
  }
  const GmStore store(request);
  for (uint64_t i = 0; i < plan.matrices; ++i) {
    std::byte* dst = memories.at(request.operand[0]) + i * plan.dst_matrix;
    const std::byte* src = memories.at(request.operand[1]) + i * plan.src_matrix;
    if (plan.row_major) {
      store_rows(plan, how, store, dst, src);
    } else {
      store_groups(plan, how, store, dst, src);
    }
  }
}

}  // namespace

void add_fixpipe(machine::OpTable& table) {
  set_op(table, gate::Op::kFixpipe, pipe, prepare, check, footprint, execute);
  set_op(table, gate::Op::kFixpipeCopy, pipe, prepare, check, footprint, execute);
}

}  // namespace ascsan::isa
