// The gate: the one door between the API headers and the core library. A header fills a plain Request and calls
// ascsan_gate(); everything else (which pipe, what is touched, what is computed, what is legal) is decided behind it.
// This file is also the shared vocabulary of the core, so it must stay plain C++17 data without behaviour.
// Rules: design/architecture.md decision 2. Left out: nothing may be added here that needs a checker or the machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ascsan::gate {

/// Memories of spec/execution-model.md 1.2. Operands in kGm carry host addresses, all others byte offsets.
enum class Space : uint8_t { kGm, kUb, kL1, kL0a, kL0b, kL0c, kBt, kFb, kNone };
inline constexpr int kSpaceCount = 8;

/// Pipes in the order of the clock components (spec/hb-rules.md 8). kAll is a barrier selector, not a pipe.
enum class Pipe : uint8_t { kS, kV, kM, kMte1, kMte2, kMte3, kFix, kAll };
inline constexpr int kPipeCount = 7;

enum class CoreKind : uint8_t { kAic, kAiv };

enum class DataType : uint8_t {
  kNone,
  kInt4,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kHalf,
  kBfloat16,
  kInt32,
  kUint32,
  kFloat,
  kInt64,
  kUint64,
  kBool
};

/// Size of one element in bits (kInt4 is 4; kNone is 0).
constexpr uint32_t bits_of(DataType type) {
  switch (type) {
    case DataType::kNone:
      return 0;
    case DataType::kInt4:
      return 4;
    case DataType::kInt8:
    case DataType::kUint8:
    case DataType::kBool:
      return 8;
    case DataType::kInt16:
    case DataType::kUint16:
    case DataType::kHalf:
    case DataType::kBfloat16:
      return 16;
    case DataType::kInt32:
    case DataType::kUint32:
    case DataType::kFloat:
      return 32;
    case DataType::kInt64:
    case DataType::kUint64:
      return 64;
  }
  return 0;
}
constexpr uint32_t bytes_of(DataType type) {
  return bits_of(type) / 8;
}

/// Where the user's call stands. The strings live as long as the program (they come from __builtin_FILE and friends).
struct Site {
  const char* file = "";
  const char* function = "";
  uint32_t line = 0;

  /// The caller's place. A call of this function as a default argument is evaluated where the argument is missing, in
  /// templates too (the builtins themselves are not, with gcc).
  static constexpr Site here(const char* file = __builtin_FILE(), const char* function = __builtin_FUNCTION(),
                             uint32_t line = static_cast<uint32_t>(__builtin_LINE())) {
    return Site{file, function, line};
  }
};

/// One tensor argument: a typed window of one memory.
struct Operand {
  uint64_t address = 0;  ///< kGm: host address. On chip: byte offset in that memory of the issuing core.
  uint64_t bytes = 0;    ///< from `address` to the end of the tensor, 0 = unknown (GlobalTensor without a size)
  Space space = Space::kNone;
  DataType type = DataType::kNone;
  uint16_t reserved = 0;
  uint32_t buffer = 0;  ///< handle of the TQue / TBuf buffer it belongs to, 0 = none
};
inline constexpr int kMaxOperands = 6;

/// Every operation behind the gate. The enumerator of row X(Name, ...) is kName.
enum class Op : uint16_t {
#define ASCSAN_OP(name, ...) k##name,
#include "ascendc/ops_copy.def"
#include "ascendc/ops_cube.def"
#include "ascendc/ops_frame.def"
#include "ascendc/ops_vector.def"
#undef ASCSAN_OP
  kCount
};
inline constexpr int kOpCount = static_cast<int>(Op::kCount);

/// What a core may ask with Op::kGetInfo (params.frame.mode); indices follow spec/execution-model.md 2.2.
enum class Info : uint8_t {
  kBlockIdx,      ///< GetBlockIdx()
  kBlockNum,      ///< GetBlockNum(): block_dim of the launch, never doubled
  kSubBlockIdx,   ///< 0, or 0/1 on the AIVs of MIX 1:2
  kSubBlockNum,   ///< AIVs per AI Core: 2 in MIX 1:2 on an AIV, else 1
  kTaskRatio,     ///< GetTaskRation(): 2 on an AIV of MIX 1:2, else 1
  kCoreKind,      ///< CoreKind
  kSystemCycle,   ///< a counter that only grows; deterministic
  kTilingKey,     ///< ICPU_SET_TILING_KEY of the launch
  kSysWorkspace,  ///< address of the system workspace
  kPipeObject     ///< address of the living TPipe object of this core, 0 = none
};

/// How the lanes of a vector instruction are chosen (spec/api-semantics.md 0).
enum class MaskForm : uint8_t {
  kNone,        ///< not a masked instruction
  kCount,       ///< count form: `vector.count` elements; leaves Normal mode and all ones
  kBits,        ///< mask[2] given with the call
  kContinuous,  ///< mask = number of leading lanes, in mask_low
  kRegister     ///< isSetMask = false: the register set earlier
};

#include "ascendc/params_copy.inc"
#include "ascendc/params_cube.inc"

/// Registers captured at issue (spec/execution-model.md 3.3 point 4). Filled by the gate, never by a header.
struct Registers {
  uint64_t mask_low = ~0ull, mask_high = ~0ull;
  bool counter_mode = false;
  uint8_t atomic = 0;  ///< 0 none, 1 add, 2 max, 3 min
  DataType atomic_type = DataType::kNone;
  bool float_saturate = false;  ///< CTRL[48] == 0: half/bf16 results clamp; default is Inf/NaN mode (spec/fp.md 2)
  bool cast_truncate = false;   ///< CTRL[59] == 1: float->int keeps low bits; default saturates
  bool hf32 = false, hf32_away = false;
  bool relu_fixpipe = false;
  bool pad_value_set = false;
  uint64_t pad_value = 0;      ///< SetPadValue, raw bits
  uint64_t deq_scale = 0;      ///< SetDeqScale, raw bits as given
  uint64_t quant_scalar = 0;   ///< SetFixpipePreQuantFlag
  uint64_t quant_address = 0;  ///< SetFixPipeConfig: byte offset in FB
  CubeRegisters cube;          ///< written by Op::kSetCubeRegister
};

#include "ascendc/params_vector.inc"

/// Parameters of synchronisation, queue, register and scalar operations.
struct FrameParams {
  uint8_t src_pipe, dst_pipe;  ///< Pipe of SetFlag/WaitFlag; barriers use src_pipe
  uint8_t mode;                ///< cross-core mode, cache-line mode, kernel type, barrier memory class ...
  uint8_t flag;                ///< isAIVOnly and similar booleans
  int32_t id;                  ///< event id, cross-core id, queue handle
  uint64_t value[4];           ///< values to store, sizes, counts; see ops_frame.def for each operation
};

struct Request {
  Op op{};
  uint8_t operand_count = 0;
  MaskForm mask_form = MaskForm::kNone;
  uint64_t mask_low = 0, mask_high = 0;
  Operand operand[kMaxOperands];  ///< [0] = dst, then sources in the documented order, temporaries last
  Site site;
  Registers registers;
  union Params {
    VectorParams vector;
    CopyParams copy;
    PadParams pad;
    NdNzParams nd_nz;
    LoadParams load;
    Load3dParams load3d;
    FillParams fill;
    CubeRegisterParams cube_register;
    MmadParams mmad;
    FixpipeParams fixpipe;
    FrameParams frame;
    uint8_t raw[256];
    constexpr Params() : raw{} {}
  } params;
};

}  // namespace ascsan::gate

/// The gate. Returns what the operation yields (a loaded value, an address, a handle), 0 where there is nothing.
/// Never throws; a request that cannot be carried out becomes a finding and returns 0.
extern "C" uint64_t ascsan_gate(ascsan::gate::Request* request);

/// Place of the caller, for use as a default argument only: `Site site = ASCSAN_HERE`.
#define ASCSAN_HERE ::ascsan::gate::Site::here()
