// The modelled chip during a launch: cores, their pipes, flags and memories, and the loop that lets one actor at a time
// take a step. It knows what happens, not what it means: order, races and faults are found by sinks from the events.
// Semantics: spec/execution-model.md 2-6 and 8. Left out: timing; blocks beyond the physical cores run beside the
// others.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "event/sink.h"
#include "machine/core.h"
#include "machine/global_memory.h"
#include "machine/scheduler.h"

namespace ascsan::machine {

struct MachineOptions {
  const Chip* chip = nullptr;
  bool auto_sync = true;   ///< profile auto: a scalar access on an AIV waits for queued conflicting instructions
  uint64_t max_steps = 0;  ///< steps of one launch before it is given up as endless, 0 = no limit
  uint64_t stack_bytes = 1 << 20;
  bool float_saturate = false;  ///< initial CTRL[48] mode (spec/fp.md 2)
  uint32_t queue_depth = 32;    ///< entries a pipe's queue holds before the scalar unit has to wait (spec 3.3 point 2)
  bool mte_in_order = false;    ///< transfers of one pipe finish in the order of their start
};

struct LaunchPlan {
  std::string kernel;
  KernelType type = KernelType::kMixAic12;
  uint32_t block_dim = 0;
  uint32_t number = 0;  ///< launch of the program, from 1
  uint64_t tiling_key = 0;
  void (*entry)(void*) = nullptr;  ///< runs the kernel once, on the fiber of a core
  void* closure = nullptr;
  void* system_workspace = nullptr;
};

struct LaunchOutcome {
  enum class End : uint8_t { kDone, kStalled, kStepLimit, kTrapped, kRefused };
  End end = End::kDone;
  std::string text;  ///< kStalled: who waits for whom; kRefused, kTrapped: why
  KernelType type{};
  uint64_t instructions = 0, steps = 0;
};

/// What an experiment may do to a launch besides choosing its order: stop a core, insert a barrier, take the effect of
/// a store away. src/run/what_if.h decides, the machine obeys (interpose.cpp).
class Interposer {
 public:
  struct Before {
    bool stop = false;        ///< the core ends here, as if its program had returned
    bool barrier = false;     ///< PIPE_ALL first
    bool drop = false;        ///< the call has no effect; for calls that return nothing
    uint32_t rendezvous = 0;  ///< not 0: first waits until every other core has come to this number or ended
  };
  virtual ~Interposer() = default;
  /// On the fiber of the core, before it does anything but a query.
  virtual Before before(const Core& core, const gate::Request& request) = 0;
  /// True: the instruction or scalar store passes without effect.
  virtual bool mutes(const Core& core, gate::Pipe pipe, uint32_t index, const Footprint& footprint) = 0;
};

class Machine : public MachineView {
 public:
  Machine(const OpTable& table, GlobalMemory& memory, event::SiteTable& sites, const MachineOptions& options);
  ~Machine() override;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Runs a launch to its end under the scheduler. `sink` may be null (unchecked emulation).
  LaunchOutcome launch(const LaunchPlan& plan, Scheduler& scheduler, event::Sink* sink);
  /// One operation of the running core; the gate calls this. 0 outside a launch.
  uint64_t perform(gate::Request& request);
  /// The machine whose launch runs now on this thread, or null.
  static Machine* current();
  /// The core whose scalar program runs now, or null. For crash reports and stack capture.
  const Core* running_core() const { return running_; }
  /// Counts anything the kernel does through the gate; stands still in an endless scalar loop.
  uint64_t progress() const { return progress_; }
  const std::string& kernel() const { return plan_.kernel; }
  bool stack_overflow(const void* address) const { return stacks_.in_guard(address); }

  /// Called at issue of an instruction or scalar access when set: (core, pipe, index). For call stacks of named
  /// accesses.
  using IssueHook = void (*)(void* context, const Core& core, gate::Pipe pipe, uint32_t index);
  void set_issue_hook(IssueHook hook, void* context) { hook_ = hook, hook_context_ = context; }

  /// Null = none. Stays for the launches that follow.
  void set_interposer(Interposer* interposer) { interposer_ = interposer; }
  /// What fresh on-chip memory holds, 16 bits repeated.
  void set_local_fill(uint16_t word) { local_fill_ = word; }
  /// Steps of a launch before it is given up, for a launch that an experiment may have made endless; 0 = no limit.
  void set_max_steps(uint64_t steps) { options_.max_steps = steps; }
  uint64_t max_steps() const { return options_.max_steps; }
  /// The counter behind GetSystemCycle: set back before a launch is repeated, so that it runs alike.
  void set_progress(uint64_t progress) { progress_ = progress; }
  const Core& core(event::CoreId id) const { return *cores_[id]; }

  // MachineView
  int core_count() const override { return static_cast<int>(cores_.size()); }
  gate::CoreKind kind(event::CoreId core) const override { return cores_[core]->kind; }
  const ReadySet& ready() const override { return ready_; }
  uint32_t window(Actor pipe) const override;
  bool has_work(Actor actor) const override;
  Actor blocker(Actor actor) const override;
  int slot_of(Actor actor, uint32_t index) const override;
  bool completed(Actor actor, uint32_t index) const override;

 private:
  /// A barrier that lives in GM words (soft_sync.cpp): where, and how often each side used it.
  struct GroupBarrier {
    gate::Op kind{};
    uint64_t address = 0;  ///< first word
    uint64_t slot = 0;     ///< IBSet/IBWait: which mailbox
    int id = 0;
    uint32_t sets = 0, waits = 0, turn = 0;
    event::CoreId last_setter = 0, last_waiter = 0;
    std::vector<uint32_t> calls;  ///< rounds per core
  };
  // machine.cpp: launch and loop
  void build_cores();
  void run_loop(Scheduler& scheduler);
  void step(const Step& step);
  void resume(Core& core);
  static void core_main(void* core);
  void refresh(Core& core, gate::Pipe pipe);
  void refresh_scalar(Core& core);
  bool wait_satisfied(const Core& core) const;
  void block(Core& core, const Wait& wait);  ///< returns when satisfied
  void yield(Core& core);                    ///< lets the scheduler choose, where the schedule asks for it
  void run_ready_pipes();                    ///< schedules that complete at issue
  [[noreturn]] void abandon(LaunchOutcome::End end, std::string text);
  uint64_t kernel_type(Core& core, uint8_t type);
  uint64_t info(const Core& core, uint8_t what) const;
  event::Event make_event(event::Kind kind, const Core& core, gate::Pipe pipe, event::SiteId site) const;
  void emit(const event::Event& event) {
    if (sink_ != nullptr) sink_->on_event(event);
  }
  // issue.cpp: instructions and their execution
  uint64_t issue(Core& core, gate::Request& request, const OpInfo& info);
  void execute(Core& core, gate::Pipe pipe, uint32_t slot);
  void execute_instruction(Core& core, gate::Pipe pipe, Entry& entry);
  void ensure_storage(Core& core, gate::Space space);
  event::Event instruction_event(const Core& core, gate::Pipe pipe, const Entry& entry) const;
  // bounds.cpp: what an access must not leave
  bool check_bounds(Core& core, const char* api, const Footprint& footprint, const gate::Site& site);
  bool check_reach(Core& core, const char* api, const event::Access& access, event::Span reach, const gate::Site& site);
  void check_framework(Core& core, const char* api, const Footprint& footprint, const gate::Request& request);
  void check_extent(Core& core, const char* api, const event::Access& access, event::Span reach,
                    const gate::Site& site);
  void report_violation(const Core& core, const gate::Site& site, const char* rule, const std::string& text,
                        bool error);
  void report_unchecked(const Core& core, const gate::Site& site, const std::string& what, const char* why);
  // sync.cpp: flags, barriers, cross-core
  void set_flag(Core& core, const FlagKey& key, const gate::Site& site);
  void wait_flag(Core& core, const FlagKey& key, const gate::Site& site);
  bool check_flag(Core& core, const FlagKey& key, const char* api, const gate::Site& site);
  void fire_flag(Core& core, const FlagKey& key, const Entry& at);
  void pass_flag(Core& core, const FlagKey& key, const Entry& at);
  void pipe_barrier(Core& core, gate::Pipe pipe, const gate::Site& site);
  void full_barrier(Core& core, const gate::Site& site, gate::Op op, uint64_t flavour, uint8_t memory = 0);
  void cross_set(Core& core, gate::Pipe pipe, uint8_t mode, int id, const gate::Site& site);
  void cross_wait(Core& core, int id, const gate::Site& site);
  void fire_cross(Core& core, gate::Pipe pipe, const Entry& at);
  void cross_group(const Core& core, uint8_t mode, std::vector<event::CoreId>& members,
                   std::vector<event::CoreId>& targets) const;
  /// Cores that wait for others must all fit on the chip.
  void check_waves(const Core& core, const char* api, const gate::Site& site);
  void sync_all(Core& core, bool aiv_only, const gate::Site& site);
  void set_oldest(const Core& core, event::Event& event) const;  ///< earliest issue point still queued
  void scalar_join(Core& core, event::Event& event);
  Entry* push(Core& core, gate::Pipe pipe, Entry::Kind kind, const gate::Site& site);
  // soft_sync.cpp: barriers that live in GM words
  uint64_t soft_sync(Core& core, gate::Request& request);
  GroupBarrier& group(gate::Op kind, uint64_t address, uint64_t slot);
  void group_event(Core& core, event::Kind kind, const GroupBarrier& barrier, uint32_t ordinal,
                   const std::vector<event::CoreId>& members, const gate::Site& site);
  // interpose.cpp: experiments
  bool interpose(Core& core, const gate::Request& request);  ///< false: the call is dropped
  void rendezvous(Core& core, uint32_t number, const gate::Site& site);
  void refresh_groups();  ///< scalar programs that wait for what other cores have done
  // unit_flag.cpp
  static uint8_t unit_flag_of(const gate::Request& request);
  bool unit_ready(const Core& core, gate::Pipe pipe, const Entry& entry) const;
  void pass_unit_flags(Core& core, gate::Pipe pipe, const Entry& entry);
  void turn_unit_flags(Core& core, gate::Pipe pipe, const Entry& entry);
  void annotate(Core& core, const gate::Request& request);  ///< annotate.cpp
  // scalar.cpp: scalar unit
  uint64_t scalar_access(Core& core, gate::Request& request);
  uint64_t registers(Core& core, gate::Request& request);
  void wait_for_conflicts(Core& core, const gate::Operand& operand, uint64_t bytes, bool store, const gate::Site& site);
  uint64_t cached_load(Core& core, uint64_t address, uint32_t bytes);
  void cached_store(Core& core, uint64_t address, uint32_t bytes, uint64_t value);
  void clean_line(Core& core, uint64_t line, bool drop, const gate::Site& site);
  void clean_all_lines(Core& core, const gate::Site& site);
  void cache_event(Core& core, uint64_t line, uint8_t mode, const gate::Site& site);
  void dump_tensor(Core& core, const gate::Request& request);
  // queue_ops.cpp: TPipe, TQue, TBuf
  uint64_t queue_op(Core& core, gate::Request& request);
  uint64_t pipe_op(Core& core, gate::Request& request);
  uint64_t event_op(Core& core, gate::Request& request);
  uint64_t init_queue(Core& core, gate::Request& request);
  Queue* find_queue(Core& core, const gate::Request& request);
  void fill_operand(const Core& core, gate::Operand& operand, int buffer) const;
  void alloc_tensor(Core& core, int queue, gate::Request& request);
  uint64_t enque_tensor(Core& core, int queue, gate::Request& request);
  void deque_tensor(Core& core, int queue, gate::Request& request);
  void free_tensor(Core& core, int queue, gate::Request& request);
  void release_pending(Core& core, size_t first_buffer, int queue, const gate::Site& site);
  void queue_event(Core& core, gate::Op op, int queue, int buffer, const gate::Site& site);
  /// AllocEventID and SetFlag of a queue's pair; the id is -1 where the pair has no flags.
  int raise(Core& core, const EventPair& pair, const gate::Site& site);
  /// WaitFlag and ReleaseEventID; without effect for id -1.
  void await(Core& core, const EventPair& pair, int& id, const gate::Site& site);
  // stall.cpp
  /// The WaitFlag at the head of a pipe that keeps the core from going on: one without a SetFlag, or the first of a
  /// ring. Or null.
  const Entry* stuck_flag(const Core& core) const;
  void report_stall();
  std::string describe_stall() const;
  std::string describe_wait(const Core& core) const;

  const OpTable& table_;
  GlobalMemory& memory_;
  event::SiteTable& sites_;
  MachineOptions options_;
  StackPool stacks_;
  EntryPool entries_;
  std::vector<std::unique_ptr<Core>> cores_;
  std::vector<std::vector<std::unique_ptr<std::byte[]>>> storage_pool_;  // per space, for reuse
  std::vector<std::unique_ptr<GroupBarrier>> groups_;
  ReadySet ready_;
  uint32_t ready_pipes_ = 0;
  bool eager_ = false;
  uint32_t eager_left_ =
      0;  // operations until the running core lets the others go on, schedules that complete at issue
  Core* running_ = nullptr;
  event::Sink* sink_ = nullptr;
  LaunchPlan plan_;
  KernelType type_{};
  LaunchOutcome outcome_;
  bool abandoned_ = false, restart_ = false;
  uint64_t progress_ = 0;
  bool tries_out_ = false;  // the sink wants to see instructions before they are carried out
  bool touched_ = false;    // something besides queries happened: too late to change the kernel type
  Interposer* interposer_ = nullptr;
  Scheduler* scheduler_ = nullptr;
  uint16_t local_fill_ = 0x7FC1;
  IssueHook hook_ = nullptr;
  void* hook_context_ = nullptr;
  std::vector<event::CoreId> member_scratch_, target_scratch_;
};

/// "file:line" for messages.
std::string place(const gate::Site& site);

}  // namespace ascsan::machine
