// Mmad: C = A * B, C += A * B or C = A * B + bias on fractals in L0A, L0B, L0C. Arithmetic: spec/fp.md 5 (float
// accumulation, int32 that wraps); footprints: api-semantics.md 8, except that A and B are read in their valid elements
// only, because padding lanes cannot change a result. C is written up to whole fractals, garbage in its padding.
// Left out: unit flags (kept in the parameters for the machine), sparsity.
#include <cstring>
#include <memory>

#include "isa/copy_ops.h"
#include "isa/cube_operand.h"
#include "isa/cube_simd.h"
#include "isa/host_gemm.h"
#include "isa/violation.h"

namespace ascsan::isa {
namespace {

using gate::DataType;
using gate::Space;

constexpr uint32_t kGarbage = 0x7FC17FC1;  // NaN as float: use of padding shows

bool nothing(const gate::MmadParams& p) {
  return p.m == 0 || p.n == 0 || p.k == 0;
}

DataType accumulator_of(DataType a, DataType b) {
  if (a != b) return DataType::kNone;
  switch (a) {
    case DataType::kHalf:
    case DataType::kBfloat16:
    case DataType::kFloat:
      return DataType::kFloat;
    case DataType::kInt8:
    case DataType::kInt4:
      return DataType::kInt32;
    default:
      return DataType::kNone;
  }
}

gate::Pipe pipe(const gate::Request&) {
  return gate::Pipe::kM;
}

/// A start value in L0C itself is accumulation; one without operand lies at the start of BT.
void prepare(gate::Request& request, gate::Registers& sticky) {
  request.registers = sticky;
  gate::MmadParams& p = request.params.mmad;
  if (p.bias_source == 0) return;
  if (request.operand_count == 4 && request.operand[3].space == Space::kL0c &&
      request.operand[3].address == request.operand[0].address) {
    request.operand_count = 3;
    p.bias_source = 0, p.init = 0;
  } else if (request.operand_count == 3) {
    gate::Operand& bias = request.operand[request.operand_count++];
    bias = gate::Operand{};
    bias.space = Space::kBt;
    bias.type = request.operand[0].type;
  }
}

void check(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  const gate::MmadParams& p = request.params.mmad;
  const gate::Operand &c = request.operand[0], &a = request.operand[1], &b = request.operand[2];
  if (c.space != Space::kL0c || a.space != Space::kL0a || b.space != Space::kL0b) {
    limits.fatal("path", "C must lie in L0C (CO1), A in L0A (A2), B in L0B (B2); given ", name_of(c.space), ", ",
                 name_of(a.space), ", ", name_of(b.space));
    return;
  }
  const DataType accumulator = accumulator_of(a.type, b.type);
  if (accumulator == DataType::kNone || c.type != accumulator) {
    limits.fatal("type", "A ", name_of(a.type), ", B ", name_of(b.type), ", C ", name_of(c.type),
                 ": allowed are half, bfloat16_t or float with C float, int8_t or int4b_t with C int32_t");
    return;
  }
  if (p.bias_source != 0) {
    const gate::Operand& bias = request.operand[3];
    if (bias.space != Space::kBt) {
      limits.fatal("path", "the bias must lie in BT (C2), given ", name_of(bias.space),
                   "; copy it there with DataCopy from L1");
      return;
    }
    if (bias.type != accumulator) {
      limits.fatal("type", "the bias has type ", name_of(bias.type), ", C has ", name_of(accumulator),
                   "; they must be equal");
      return;
    }
    limits.aligned("bias", bias, 64);
  }
  limits.range("length", "m", p.m, 0, 4095);
  limits.range("length", "n", p.n, 0, 4095);
  limits.range("length", "k", p.k, 0, 4095);
  const uint64_t k_blocks = ceil_div(uint64_t{p.k} * gate::bits_of(a.type), 256);
  if (!limits.pieces({p.m, k_blocks}) || !limits.pieces({p.n, k_blocks})) return;
  limits.aligned("C", c, 1024);
  limits.aligned("A", a);
  limits.aligned("B", b);
  if (p.unit_flag != 0 && p.unit_flag != 2 && p.unit_flag != 3) {
    limits.error("type", "unitFlag is ", int{p.unit_flag}, ", allowed are 0, 2 and 3");
  }
}

void footprint(const gate::Request& request, machine::Footprint& out) {
  const gate::MmadParams& p = request.params.mmad;
  const bool accumulates = p.init == 0 && p.bias_source == 0;
  out.open(request.operand[0], 0, accumulates ? event::Role::kUpdate : event::Role::kWrite);
  if (!nothing(p)) out.add(request.operand[0].address, ceil_to(p.m, 16) * ceil_to(p.n, 16) * 4);
  out.open(request.operand[1], 1, event::Role::kRead);
  if (!nothing(p)) add_valid_bytes(operand_a(request, nullptr), request.operand[1].address, out);
  out.open(request.operand[2], 2, event::Role::kRead);
  if (!nothing(p)) add_valid_bytes(operand_b(request, nullptr), request.operand[2].address, out);
  if (p.bias_source == 0) return;
  out.open(request.operand[3], 3, event::Role::kRead);
  if (!nothing(p)) out.add(request.operand[3].address, uint64_t{p.n} * 4);
}

/// Memory of one thread that only grows.
template <typename T>
class Scratch {
 public:
  T* get(uint64_t count) {
    if (count > size_) {
      data_.reset(new T[count]());
      size_ = count;
    }
    return data_.get();
  }

 private:
  std::unique_ptr<T[]> data_;
  uint64_t size_ = 0;
};

/// Dense products into NZ: column blocks of 16, rows padded to 16. `start` says what is added to them.
template <typename T>
void put(std::byte* c, const T* product, uint64_t pitch, const gate::MmadParams& p, const std::byte* bias) {
  const uint64_t padded_m = ceil_to(p.m, 16);
  const bool accumulates = p.init == 0 && bias == nullptr;
  for (uint64_t n0 = 0; n0 < p.n; n0 += 16) {
    const uint64_t columns = std::min<uint64_t>(16, p.n - n0);
    T start[16] = {};
    if (bias != nullptr) std::memcpy(start, bias + n0 * 4, columns * 4);
    std::byte* block = c + n0 * padded_m * 4;
    for (uint64_t m = 0; m < p.m; ++m, block += 64) {
      T row[16];
      if (accumulates) std::memcpy(start, block, 64);
      const T* from = product + m * pitch + n0;
      for (int i = 0; i < 16; ++i) row[i] = start[i] + from[i];
      std::memcpy(block, row, 64);
      for (uint64_t i = columns; i < 16; ++i) std::memcpy(block + i * 4, &kGarbage, 4);
    }
    for (uint64_t i = 0; i < (padded_m - p.m) * 16; ++i) std::memcpy(block + i * 4, &kGarbage, 4);
  }
}

void execute_float(const gate::Request& request, std::byte* c, const CubeOperand& a, const CubeOperand& b,
                   const std::byte* bias) {
  thread_local Scratch<float> dense_a, dense_b, dense_c;
  const gate::Registers& registers = request.registers;
  const bool rounds = registers.hf32 && a.type == DataType::kFloat;
  const Hf32 hf32 = !rounds ? Hf32::kOff : registers.hf32_away ? Hf32::kAway : Hf32::kEven;
  const uint64_t k_pitch = ceil_to(a.k, 16), c_pitch = ceil_to(b.rows, 16);
  float* left = dense_a.get(a.rows * k_pitch);
  float* right = dense_b.get(b.rows * k_pitch);
  float* product = dense_c.get(a.rows * c_pitch);
  unpack_float(a, left, k_pitch, hf32);
  unpack_float(b, right, k_pitch, hf32);
  multiply_float(left, right, product, a.rows, b.rows, a.k, k_pitch, k_pitch, c_pitch);
  put<float>(c, product, c_pitch, request.params.mmad, bias);
}

void execute_integer(const gate::Request& request, std::byte* c, const CubeOperand& a, const CubeOperand& b,
                     const std::byte* bias) {
  thread_local Scratch<int16_t> dense_a, dense_b;
  thread_local Scratch<uint32_t> dense_c;
  const uint64_t k_pitch = ceil_to(a.k, 64), c_pitch = ceil_to(b.rows, 16);
  int16_t* left = dense_a.get(a.rows * k_pitch);
  int16_t* right = dense_b.get(b.rows * k_pitch);
  uint32_t* product = dense_c.get(a.rows * c_pitch);
  unpack_int16(a, left, k_pitch);
  unpack_int16(b, right, k_pitch);
  multiply_int16(left, right, product, a.rows, b.rows, k_pitch, k_pitch, c_pitch);
  put<uint32_t>(c, product, c_pitch, request.params.mmad, bias);
}

void execute(const gate::Request& request, const machine::Memories& memories) {
  const gate::MmadParams& p = request.params.mmad;
  if (nothing(p)) return;
  std::byte* c = memories.at(request.operand[0]);
  const CubeOperand a = operand_a(request, memories.at(request.operand[1]));
  const CubeOperand b = operand_b(request, memories.at(request.operand[2]));
  const std::byte* bias = p.bias_source != 0 ? memories.at(request.operand[3]) : nullptr;
  if (request.operand[0].type == DataType::kFloat) {
    execute_float(request, c, a, b, bias);
  } else {
    execute_integer(request, c, a, b, bias);
  }
}

}  // namespace

void add_mmad(machine::OpTable& table) {
  set_op(table, gate::Op::kMmad, pipe, prepare, check, footprint, execute);
}

}  // namespace ascsan::isa
