// Streams of API calls with arbitrary arguments on three cores (MIX 1:2), every instruction and most frame operations,
// checked by all checkers. Whatever a kernel passes, the launch ends, and what cannot be carried out is a finding: no
// crash, no hang. Left out: operations whose argument is a pointer that only a header can make (texts of Trap, Print,
// Unsupported and expected races; SetSysWorkspace).
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "check/suite.h"
#include "isa/op_table.h"
#include "machine/machine.h"
#include "schedule/make.h"

namespace {
using namespace ascsan;
using gate::DataType;
using gate::Op;

constexpr uint32_t kCores = 3, kBuffers = 3, kMaxRequests = 48;
constexpr int kTypes = static_cast<int>(DataType::kBool) + 1;

/// Bytes of one core's part of the input; zero after its end.
class Reader {
 public:
  Reader(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  uint8_t byte() { return at_ < size_ ? data_[at_++] : 0; }
  template <typename T>
  T number() {
    T value{};
    take(&value, sizeof value);
    return value;
  }
  void take(void* to, size_t bytes) {
    const size_t there = std::min(bytes, size_ - std::min(size_, at_));
    if (there > 0) std::memcpy(to, data_ + at_, there);
    at_ += bytes;
  }

 private:
  const uint8_t* data_;
  size_t size_, at_ = 0;
};

bool left_out(Op op) {
  return op == Op::kTrap || op == Op::kPrint || op == Op::kUnsupported || op == Op::kSetWorkspace ||
         op == Op::kGetInfo || op == Op::kDumpTensor || op == Op::kAnnotateExpect;
}

DataType any_type(Reader& in) {
  return static_cast<DataType>(in.byte() % kTypes);
}

/// Which operations read their parameters as VectorParams.
bool is_vector(Op op) {
  static const std::array<bool, gate::kOpCount> table = [] {
    std::array<bool, gate::kOpCount> filled{};
#define ASCSAN_OP(name, ...) filled[static_cast<size_t>(Op::k##name)] = true;
#include "ascendc/ops_vector.def"
#undef ASCSAN_OP
    return filled;
  }();
  return table[static_cast<size_t>(op)];
}

bool is_flag(Op op) {
  return op == Op::kSetFlag || op == Op::kWaitFlag || op == Op::kPipeBarrier || op == Op::kCrossCoreSetFlag ||
         op == Op::kEventAlloc || op == Op::kEventFetch || op == Op::kEventRelease;
}

/// How many tensors the header of an operation passes (ops_*.def); `more` adds the one that may be left out.
int operands_of(Op op, bool more) {
  const auto within = [op](Op first, Op last) { return op >= first && op <= last; };
  if (within(Op::kAdd, Op::kFusedMulAddRelu)) return 3;
  switch (op) {
    case Op::kDuplicate:
    case Op::kGetCmpMask:
    case Op::kSetCmpMask:
    case Op::kSelectStage:
    case Op::kReduceSumCount:
    case Op::kReduceSumFinish:
    case Op::kReduceMaxFinish:
    case Op::kReduceMinFinish:
    case Op::kFillCube:
      return 1;
    case Op::kCompare:
    case Op::kGather:
    case Op::kGatherb:
    case Op::kTransposeNchw:
    case Op::kSort32:
      return 3;
    case Op::kGatherMask:
      return more ? 3 : 2;
    case Op::kMmad:
      return more ? 4 : 3;
    case Op::kSelect:
      return 4;
    case Op::kMrgSort:
      return 5;
    default:
      return 2;
  }
}

void any_operand(Reader& in, gate::Operand& operand, const std::array<uint8_t*, kBuffers>& buffers) {
  const uint8_t shape = in.byte();
  operand.space = static_cast<gate::Space>(shape % (gate::kSpaceCount + 1));
  operand.type = any_type(in);
  if (shape & 0x80) {  // as it may come from a wrong computation
    operand.address = in.number<uint64_t>();
    operand.bytes = in.number<uint64_t>();
    return;
  }
  operand.address = uint64_t{in.number<uint16_t>()} * (shape & 0x40 ? 1 : 32);
  operand.bytes = in.number<uint16_t>();
  if (operand.space == gate::Space::kGm)
    operand.address = reinterpret_cast<uint64_t>(buffers[shape % kBuffers]) + operand.address % 8192;
}

gate::Request any_request(Reader& in, const std::array<uint8_t*, kBuffers>& buffers) {
  gate::Request request;
  request.op = static_cast<Op>(in.number<uint16_t>() % gate::kOpCount);
  if (left_out(request.op)) request.op = Op::kDataCopy;
  request.operand_count = static_cast<uint8_t>(operands_of(request.op, (in.byte() & 1) != 0));
  for (int i = 0; i < request.operand_count; ++i) any_operand(in, request.operand[i], buffers);
  request.mask_form = static_cast<gate::MaskForm>(in.byte() % 5);
  request.mask_low = in.number<uint64_t>();
  request.mask_high = in.number<uint64_t>();
  in.take(request.params.raw, std::min<size_t>(in.byte(), sizeof request.params.raw));
  // Types are template arguments: a header cannot pass one that does not exist.
  if (is_vector(request.op))
    request.params.vector.scalar_type =
        static_cast<DataType>(static_cast<uint8_t>(request.params.vector.scalar_type) % kTypes);
  if (is_flag(request.op)) {  // pipes are template arguments too
    request.params.frame.src_pipe %= gate::kPipeCount + (request.op == Op::kPipeBarrier ? 1 : 0);
    request.params.frame.dst_pipe %= gate::kPipeCount;
  }
  if (request.op == Op::kSetAtomic) request.params.frame.value[0] %= kTypes;
  request.site = {"stream.cpp", "stream", static_cast<uint32_t>(request.op) + 1};
  return request;
}

struct World {
  machine::GlobalMemory memory;
  std::array<uint8_t*, kBuffers> buffers{};
  World() {
    for (uint8_t*& buffer : buffers) buffer = static_cast<uint8_t*>(memory.allocate(4096, 0));
  }
  ~World() {
    for (uint8_t* buffer : buffers) memory.release(buffer);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  World world;
  event::SiteTable sites;
  machine::MachineOptions options;
  options.chip = machine::find_chip("910B1");
  options.max_steps = 20000;
  options.auto_sync = (data[0] & 1) != 0;
  machine::Machine machine(isa::op_table(), world.memory, sites, options);
  check::Suite suite(sites);
  check::SuiteOptions checks;
  checks.strict_profile = !options.auto_sync;
  suite.configure(checks);
  const size_t part = (size - 1) / kCores;
  uint32_t started = 0;
  std::function<void()> kernel = [&] {
    Reader in(data + 1 + part * (started++ % kCores), part);
    for (uint32_t i = 0; i < kMaxRequests && !in.empty(); ++i) {
      gate::Request request = any_request(in, world.buffers);
      ascsan_gate(&request);
    }
  };
  machine::LaunchPlan plan;
  plan.kernel = "stream";
  plan.type = machine::KernelType::kMixAic12;
  plan.block_dim = 1;
  plan.number = 1;
  plan.closure = &kernel;
  plan.entry = [](void* closure) { (*static_cast<std::function<void()>*>(closure))(); };
  static const char* const kSchedules[] = {"in_order", "deferred", "random", "pct"};
  const auto scheduler = schedule::make_scheduler(kSchedules[data[0] >> 1 & 3], data[0], 3, nullptr);
  machine.launch(plan, *scheduler, &suite);
  std::vector<report::Finding> findings;
  std::vector<report::Unchecked> unchecked;
  suite.take(findings, unchecked);
  return 0;
}
