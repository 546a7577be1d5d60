// Which limits of spec/execution-model.md 7 are enforced for data movement and the cube, one row each: the values at
// both ends are silent, the first ones beyond are reported under the rule of the row. Vector instructions have their
// own (vector_limits_test). Limits that the fields of the API cannot express (16-bit gaps) have no row.
#include <gtest/gtest.h>

#include <functional>

#include "isa/cube_table.h"

namespace ascsan {
namespace {
using gate::DataType;
using gate::Op;
using gate::Space;

gate::Operand operand(Space space, DataType type, uint64_t address = 0, uint64_t bytes = 1 << 16) {
  gate::Operand result;
  result.space = space;
  result.type = type;
  result.address = space == Space::kGm ? 0x100000 + address : address;
  result.bytes = bytes;
  return result;
}
gate::Request request(Op op, std::vector<gate::Operand> operands) {
  gate::Request result;
  result.op = op;
  for (const gate::Operand& one : operands) result.operand[result.operand_count++] = one;
  return result;
}

gate::Request copy(Space dst, Space src, DataType type) {
  gate::Request result = request(Op::kDataCopy, {operand(dst, type), operand(src, type)});
  result.params.copy = gate::CopyParams{};
  result.params.copy.block_count = 2;
  result.params.copy.block_len = 1;
  return result;
}
gate::Request pad(DataType type, bool store) {
  gate::Request result = request(Op::kDataCopyPad, {operand(store ? Space::kGm : Space::kUb, type),
                                                    operand(store ? Space::kUb : Space::kGm, type)});
  result.params.pad = gate::PadParams{};
  result.params.pad.block_count = 2;
  result.params.pad.block_bytes = 24;
  return result;
}
gate::Request nd2nz() {
  gate::Request result =
      request(Op::kNd2Nz, {operand(Space::kL1, DataType::kHalf), operand(Space::kGm, DataType::kHalf)});
  result.params.nd_nz = gate::NdNzParams{};
  gate::NdNzParams& p = result.params.nd_nz;
  p.nd_num = 1, p.n = 16, p.d = 16, p.src_d = 16, p.dst_c0_stride = 16, p.dst_n_stride = 1, p.dst_matrix_stride = 16;
  return result;
}
gate::Request load2d(Space dst = Space::kL0a) {
  gate::Request result = request(Op::kLoadData, {operand(dst, DataType::kHalf), operand(Space::kL1, DataType::kHalf)});
  result.params.load = gate::LoadParams{};
  result.params.load.repeat = 1;
  result.params.load.src_stride = 1;
  return result;
}
gate::Request mmad() {
  gate::Request result =
      request(Op::kMmad, {operand(Space::kL0c, DataType::kFloat), operand(Space::kL0a, DataType::kHalf),
                          operand(Space::kL0b, DataType::kHalf)});
  result.params.mmad = gate::MmadParams{};
  result.params.mmad.m = result.params.mmad.n = result.params.mmad.k = 16;
  result.params.mmad.init = 1;
  return result;
}
gate::Request fixpipe(uint8_t layout) {
  gate::Request result =
      request(Op::kFixpipe, {operand(Space::kGm, DataType::kFloat), operand(Space::kL0c, DataType::kFloat)});
  result.params.fixpipe = gate::FixpipeParams{};
  gate::FixpipeParams& p = result.params.fixpipe;
  p.n = 16, p.m = 16, p.src_stride = 65535, p.dst_stride = 65535, p.layout = layout, p.nd_num = 1;
  return result;
}

struct Row {
  const char* what;
  const char* rule;
  std::function<gate::Request()> base;
  std::function<void(gate::Request&, uint64_t)> set;
  std::vector<uint64_t> legal, illegal;
};

const std::vector<Row>& rows() {
  const auto address = [](int index) {
    return [index](gate::Request& r, uint64_t v) { r.operand[index].address = v; };
  };
  const auto space = [](int index) {
    return [index](gate::Request& r, uint64_t v) {
      r.operand[index] = operand(static_cast<Space>(v), r.operand[index].type);
    };
  };
  const auto at = [](Space s) { return static_cast<uint64_t>(s); };
  static const std::vector<Row> table = {
      {"DataCopy blockCount",
       "repeat",
       [] { return copy(Space::kUb, Space::kGm, DataType::kFloat); },
       [](gate::Request& r, uint64_t v) { r.params.copy.block_count = static_cast<uint32_t>(v); },
       {0, 1, 4095},
       {4096, 65535}},
      {"DataCopy count form",
       "length",
       [] { return copy(Space::kUb, Space::kGm, DataType::kFloat); },
       [](gate::Request& r, uint64_t v) { r.params.copy.count_form = 1, r.params.copy.count_bytes = v; },
       {32, 64, 320},
       {4, 36, 63}},
      {"DataCopy UB address",
       "alignment",
       [] { return copy(Space::kUb, Space::kGm, DataType::kFloat); },
       address(0),
       {0, 32, 4064},
       {4, 8, 16, 31}},
      {"DataCopy L1 address",
       "alignment",
       [] { return copy(Space::kL1, Space::kGm, DataType::kHalf); },
       address(0),
       {0, 32},
       {2, 16}},
      {"DataCopy GM address",
       "alignment",
       [] { return copy(Space::kUb, Space::kGm, DataType::kFloat); },
       address(1),
       {0x1000, 0x1004},
       {0x1001, 0x1002}},
      {"DataCopy BT address",
       "alignment",
       [] { return copy(Space::kBt, Space::kL1, DataType::kFloat); },
       address(0),
       {0, 64},
       {32, 8}},
      {"DataCopy FB address",
       "alignment",
       [] {
         gate::Request r = copy(Space::kFb, Space::kL1, DataType::kUint64);
         r.params.copy.block_count = 1;
         return r;
       },
       address(0),
       {0, 128},
       {32, 64}},
      {"DataCopy path from GM",
       "path",
       [] { return copy(Space::kUb, Space::kGm, DataType::kFloat); },
       space(0),
       {at(Space::kUb), at(Space::kL1)},
       {at(Space::kL0c), at(Space::kBt), at(Space::kFb), at(Space::kGm)}},
      {"DataCopy path from UB",
       "path",
       [] { return copy(Space::kGm, Space::kUb, DataType::kFloat); },
       space(0),
       {at(Space::kGm), at(Space::kUb)},
       {at(Space::kL0a), at(Space::kL0c), at(Space::kBt)}},
      {"DataCopy path from L1",
       "path",
       [] { return copy(Space::kGm, Space::kL1, DataType::kFloat); },
       space(0),
       {at(Space::kGm), at(Space::kBt)},
       {at(Space::kUb), at(Space::kL0c)}},
      {"DataCopyPad blockCount",
       "repeat",
       [] { return pad(DataType::kFloat, false); },
       [](gate::Request& r, uint64_t v) { r.params.pad.block_count = static_cast<uint32_t>(v); },
       {0, 1, 4095},
       {4096}},
      {"DataCopyPad blockLen",
       "length",
       [] { return pad(DataType::kInt8, true); },
       [](gate::Request& r, uint64_t v) { r.params.pad.block_bytes = static_cast<uint32_t>(v); },
       {0, 1, 31, 2097151},
       {2097152}},
      {"DataCopyPad blockLen of elements",
       "length",
       [] { return pad(DataType::kFloat, false); },
       [](gate::Request& r, uint64_t v) { r.params.pad.block_bytes = static_cast<uint32_t>(v); },
       {4, 12},
       {2, 6, 7}},
      {"DataCopyPad leftPadding",
       "length",
       [] { return pad(DataType::kFloat, false); },
       [](gate::Request& r, uint64_t v) { r.params.pad.left = static_cast<uint32_t>(v); },
       {0, 8},
       {9, 255}},
      {"DataCopyPad rightPadding",
       "length",
       [] { return pad(DataType::kHalf, false); },
       [](gate::Request& r, uint64_t v) { r.params.pad.right = static_cast<uint32_t>(v); },
       {0, 16},
       {17}},
      {"DataCopyPad 64-bit value",
       "type",
       [] { return pad(DataType::kInt64, false); },
       [](gate::Request& r, uint64_t v) { r.params.pad.is_pad = 1, r.params.pad.pad_value = v; },
       {0},
       {1}},
      {"DataCopyPad UB address", "alignment", [] { return pad(DataType::kFloat, true); }, address(1), {0, 32}, {4, 24}},
      {"Nd2Nz ndNum",
       "repeat",
       nd2nz,
       [](gate::Request& r, uint64_t v) {
         r.params.nd_nz.nd_num = static_cast<uint32_t>(v), r.params.nd_nz.dst_matrix_stride = 256;
       },
       {0, 1},
       {4096}},
      {"Nd2Nz nValue",
       "length",
       nd2nz,
       [](gate::Request& r, uint64_t v) {
         r.params.nd_nz.n = static_cast<uint32_t>(v), r.params.nd_nz.dst_c0_stride = 16384;
       },
       {0, 16384},
       {16385}},
      {"Nd2Nz dValue",
       "length",
       nd2nz,
       [](gate::Request& r, uint64_t v) { r.params.nd_nz.d = static_cast<uint32_t>(v), r.params.nd_nz.src_d = 65535; },
       {0, 65535},
       {65536}},
      {"Nd2Nz srcDValue",
       "stride",
       nd2nz,
       [](gate::Request& r, uint64_t v) { r.params.nd_nz.src_d = v; },
       {16, 65535},
       {0, 65536}},
      {"Nd2Nz dstNzC0Stride",
       "stride",
       nd2nz,
       [](gate::Request& r, uint64_t v) { r.params.nd_nz.dst_c0_stride = static_cast<uint32_t>(v); },
       {16, 16384},
       {0, 16385}},
      {"Nd2Nz dstNzNStride",
       "stride",
       nd2nz,
       [](gate::Request& r, uint64_t v) {
         r.params.nd_nz.n = 1, r.params.nd_nz.dst_n_stride = static_cast<uint32_t>(v);
       },
       {1, 16384},
       {0, 16385}},
      {"Nd2Nz dstNzC0Stride below the rows",
       "overlap",
       nd2nz,
       [](gate::Request& r, uint64_t v) {
         r.params.nd_nz.d = 32, r.params.nd_nz.src_d = 32, r.params.nd_nz.dst_c0_stride = static_cast<uint32_t>(v);
       },
       {16},
       {8, 15}},
      {"LoadData repeatTimes",
       "repeat",
       [] { return load2d(); },
       [](gate::Request& r, uint64_t v) { r.params.load.repeat = static_cast<uint32_t>(v); },
       {0, 1, 255},
       {256}},
      {"LoadData L0A address", "alignment", [] { return load2d(); }, address(0), {0, 512}, {32, 256}},
      {"LoadData L0B address", "alignment", [] { return load2d(Space::kL0b); }, address(0), {0, 1024}, {64}},
      {"LoadData L1 address", "alignment", [] { return load2d(); }, address(1), {0, 32}, {16}},
      {"Mmad m",
       "length",
       mmad,
       [](gate::Request& r, uint64_t v) { r.params.mmad.m = static_cast<uint32_t>(v); },
       {0, 1, 4095},
       {4096}},
      {"Mmad n",
       "length",
       mmad,
       [](gate::Request& r, uint64_t v) { r.params.mmad.n = static_cast<uint32_t>(v); },
       {0, 4095},
       {4096}},
      {"Mmad k",
       "length",
       mmad,
       [](gate::Request& r, uint64_t v) { r.params.mmad.k = static_cast<uint32_t>(v); },
       {0, 4095},
       {4096}},
      {"Mmad C address", "alignment", mmad, address(0), {0, 1024}, {64, 512}},
      {"Mmad A address", "alignment", mmad, address(1), {0, 512}, {32}},
      {"Mmad unitFlag",
       "type",
       mmad,
       [](gate::Request& r, uint64_t v) { r.params.mmad.unit_flag = static_cast<uint8_t>(v); },
       {0, 2, 3},
       {1, 4}},
      {"Mmad path", "path", mmad, space(0), {at(Space::kL0c)}, {at(Space::kUb), at(Space::kGm)}},
      {"Fixpipe nSize, row major",
       "length",
       [] { return fixpipe(1); },
       [](gate::Request& r, uint64_t v) { r.params.fixpipe.n = static_cast<uint32_t>(v); },
       {0, 1, 4095},
       {4096}},
      {"Fixpipe nSize, NZ",
       "length",
       [] { return fixpipe(0); },
       [](gate::Request& r, uint64_t v) { r.params.fixpipe.n = static_cast<uint32_t>(v); },
       {16, 4080},
       {8, 17}},
      {"Fixpipe mSize, row major",
       "length",
       [] { return fixpipe(1); },
       [](gate::Request& r, uint64_t v) { r.params.fixpipe.m = static_cast<uint32_t>(v); },
       {1, 8192},
       {8193}},
      {"Fixpipe dstStride",
       "stride",
       [] { return fixpipe(0); },
       [](gate::Request& r, uint64_t v) { r.params.fixpipe.dst_stride = static_cast<uint32_t>(v); },
       {65535},
       {0}},
      {"Fixpipe L0C address", "alignment", [] { return fixpipe(1); }, address(1), {0, 64}, {32, 16}},
      {"Fixpipe unitFlag",
       "type",
       [] { return fixpipe(1); },
       [](gate::Request& r, uint64_t v) { r.params.fixpipe.unit_flag = static_cast<uint8_t>(v); },
       {0, 2, 3},
       {1, 5}},
  };
  return table;
}

machine::Violations checked(gate::Request request) {
  static const machine::OpTable table = [] {
    machine::OpTable filled{};
    isa::add_copy_ops(filled);
    isa::add_cube_ops(filled);
    return filled;
  }();
  const machine::OpInfo& info = table[static_cast<size_t>(request.op)];
  gate::Registers registers;
  if (info.prepare != nullptr) info.prepare(request, registers);
  machine::Violations violations;
  info.check(request, violations);
  return violations;
}

TEST(LimitsTable, EveryRow) {
  for (const Row& row : rows()) {
    for (const uint64_t value : row.legal) {
      gate::Request request = row.base();
      row.set(request, value);
      const machine::Violations found = checked(request);
      EXPECT_TRUE(found.empty()) << row.what << " = " << value << ": " << found[0].rule << ": " << found[0].text;
    }
    for (const uint64_t value : row.illegal) {
      gate::Request request = row.base();
      row.set(request, value);
      bool told = false;
      for (const machine::Violation& violation : checked(request)) told = told || violation.rule == row.rule;
      EXPECT_TRUE(told) << row.what << " = " << value << " is not reported as " << row.rule;
    }
  }
}

}  // namespace
}  // namespace ascsan
