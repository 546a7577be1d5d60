#include "isa/violation.h"

#include <algorithm>

namespace ascsan::isa {

const char* name_of(gate::Space space) {
  switch (space) {
    case gate::Space::kGm:
      return "GM";
    case gate::Space::kUb:
      return "UB";
    case gate::Space::kL1:
      return "L1";
    case gate::Space::kL0a:
      return "L0A";
    case gate::Space::kL0b:
      return "L0B";
    case gate::Space::kL0c:
      return "L0C";
    case gate::Space::kBt:
      return "BT (C2)";
    case gate::Space::kFb:
      return "FB (C2PIPE2GM)";
    case gate::Space::kNone:
      return "no memory";
  }
  return "?";
}

const char* name_of(gate::DataType type) {
  switch (type) {
    case gate::DataType::kNone:
      return "unknown";
    case gate::DataType::kInt4:
      return "int4b_t";
    case gate::DataType::kInt8:
      return "int8_t";
    case gate::DataType::kUint8:
      return "uint8_t";
    case gate::DataType::kInt16:
      return "int16_t";
    case gate::DataType::kUint16:
      return "uint16_t";
    case gate::DataType::kHalf:
      return "half";
    case gate::DataType::kBfloat16:
      return "bfloat16_t";
    case gate::DataType::kInt32:
      return "int32_t";
    case gate::DataType::kUint32:
      return "uint32_t";
    case gate::DataType::kFloat:
      return "float";
    case gate::DataType::kInt64:
      return "int64_t";
    case gate::DataType::kUint64:
      return "uint64_t";
    case gate::DataType::kBool:
      return "bool";
  }
  return "?";
}

uint32_t alignment_of(const gate::Operand& operand) {
  switch (operand.space) {
    case gate::Space::kGm:
      return std::max(1u, gate::bytes_of(operand.type));
    case gate::Space::kUb:
    case gate::Space::kL1:
      return 32;
    case gate::Space::kL0a:
    case gate::Space::kL0b:
      return 512;
    case gate::Space::kL0c:
    case gate::Space::kBt:
    case gate::Space::kFb:
      return 64;
    case gate::Space::kNone:
      return 1;
  }
  return 1;
}

void Limits::misaligned(const char* who, const gate::Operand& operand, uint32_t alignment) {
  if (operand.space == gate::Space::kGm) {
    error("alignment", who, " address in GM is not a multiple of ", alignment, " bytes, the size of ",
          name_of(operand.type), " (off by ", operand.address % alignment, "); use DataCopyPad for byte addresses");
    return;
  }
  error("alignment", who, " starts at byte ", operand.address, " of ", name_of(operand.space),
        "; it must start at a multiple of ", alignment, " bytes (off by ", operand.address % alignment, ")");
}

void Limits::no_path(const gate::Operand& dst, const gate::Operand& src, const char* advice) {
  fatal("path", "no move from ", name_of(src.space), " to ", name_of(dst.space), " exists on A2/A3; ", advice);
}

bool Limits::pieces(std::initializer_list<uint64_t> factors) {
  uint64_t product = 1;
  for (const uint64_t factor : factors) {
    if (factor == 0) return true;
    product = factor > kMostPieces ? kMostPieces + 1 : std::min(product * factor, kMostPieces + 1);
  }
  if (product <= kMostPieces) return true;
  fatal("length", "the call moves more than ", kMostPieces,
        " pieces, more than any on-chip memory holds; a negative or overflowed count looks like this");
  return false;
}

void add_runs(machine::Footprint& footprint, const gate::Request& request, int index, event::Role role, uint64_t bytes,
              uint64_t count, uint64_t step) {
  const gate::Operand& operand = request.operand[index];
  footprint.open(operand, index, role);
  if (count == 0 || bytes == 0) return;
  if (step < bytes) {
    footprint.add(operand.address, (count - 1) * step + bytes);
  } else {
    footprint.add_strided(operand.address, bytes, count, static_cast<int64_t>(step));
  }
}

void add_union(machine::Footprint& footprint, std::vector<event::Span>& runs) {
  std::sort(runs.begin(), runs.end(), [](const event::Span& a, const event::Span& b) { return a.begin < b.begin; });
  uint64_t end = 0;
  for (const event::Span& run : runs) {
    const uint64_t begin = std::max(run.begin, end);
    // A run that passes the end of the address space stays, so that the bounds report it.
    if (run.end > begin || run.end < run.begin) footprint.add(begin, run.end - begin);
    end = std::max(end, run.end);
  }
}

}  // namespace ascsan::isa
