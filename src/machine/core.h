// State of one core of a launch: its scalar program, pipes, flags, memories and registers.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "machine/buffers.h"
#include "machine/chip.h"
#include "machine/fiber.h"
#include "machine/flags.h"
#include "machine/pipe_queue.h"
#include "machine/scalar_cache.h"
#include "machine/unit_flag.h"

namespace ascsan::machine {

/// What the scalar program of a core waits for. `ready` is recomputed by the machine from the reason.
struct Wait {
  enum class Reason : uint8_t { kNone, kFlag, kAllPipes, kPipeUpTo, kQueueSpace, kCross, kGroup };
  Reason reason = Reason::kNone;
  FlagKey flag;                                    ///< kFlag: destination is S
  int id = 0;                                      ///< kCross: flag id; kQueueSpace: pipe
  std::array<uint32_t, gate::kPipeCount> up_to{};  ///< kPipeUpTo: instructions 1..n of the pipe must be complete
  /// kGroup: true when the barrier lets the core pass; `peer` says whose arrival is missing.
  bool (*passes)(void* context, event::CoreId* peer) = nullptr;
  void* context = nullptr;
  gate::Op op = gate::Op::kNop;
  event::SiteId site = 0;
};

/// The first block of the reserved top of UB, which Select uses (bounds.cpp).
struct ScratchUse {
  bool used = false;  ///< the kernel keeps data there
  bool lost = false;  ///< and they have been overwritten
  gate::Site written, lost_at;
};

struct Core {
  event::CoreId id = 0;
  gate::CoreKind kind = gate::CoreKind::kAiv;
  uint32_t number = 0;     ///< among the cores of its kind: "AIV 3"
  uint32_t block = 0;      ///< block of the launch = AI Core
  uint32_t sub_block = 0;  ///< AIV within its AI Core
  std::unique_ptr<Fiber> fiber;
  bool started = false, done = false;
  bool stopped = false;         ///< ended by an experiment
  uint32_t rendezvous = 0;      ///< newest one this core has come to
  uint32_t pending_access = 0;  ///< scalar access it stands before (Scheduler::stops_before)
  Wait wait;
  /// Of the soft barrier it waits at. Not on its stack: that is dropped as it is when the launch is given up.
  std::vector<event::CoreId> group_members;
  std::array<PipeQueue, gate::kPipeCount> pipes;
  FlagTable flags;
  UnitFlags unit_flags;
  std::array<uint32_t, 16> counters{};                                    ///< cross-core counters, not wrapped
  std::array<uint32_t, 16> waits_passed{};                                ///< per id, ordinals of CrossWait
  std::array<std::array<uint32_t, gate::kPipeCount>, 16> queued_cross{};  ///< per id and pipe: sets issued, not fired
  std::array<std::array<uint32_t, 16>, 3> cross_sets{};                   ///< fired sets per (mode, id)
  uint32_t scalar_index = 0, scalar_version = 0;
  uint32_t program_index = 0;  ///< requests so far: program order over all pipes
  gate::Registers registers;
  ResultRegisters results;
  void* workspace = nullptr;  ///< SetSysWorkspace of this core, null = the launch's
  uint64_t control = 0;       ///< CTRL as SetCtrlSpr left it
  Memories memories;
  std::array<std::unique_ptr<std::byte[]>, gate::kSpaceCount> storage;
  ScalarCache cache;
  BufferTable buffers;
  ScratchUse scratch;
  gate::Site last_site;  ///< newest call, for crashes
  gate::Op last_op = gate::Op::kNop;

  /// "AIV 3".
  std::string name() const { return (kind == gate::CoreKind::kAic ? "AIC " : "AIV ") + std::to_string(number); }
};

}  // namespace ascsan::machine
