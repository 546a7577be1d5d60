// Life cycle of queue tensors (spec/execution-model.md 4.5): free -> AllocTensor -> EnQue -> DeQue -> FreeTensor ->
// free. Works on the queue steps of the machine, which carries on whatever was done wrong. An instruction belongs to
// the state its buffer had when it was issued (program order), so the verdict does not hang on the schedule. Left out:
// TBuf, which has no states; use of a tensor between EnQue and DeQue, whose missing order the race checker finds.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "check/checker.h"
#include "check/usage_findings.h"

namespace ascsan::check {

class QueueChecker : public Checker {
 public:
  explicit QueueChecker(const event::SiteTable& sites) : findings_(sites) {}
  void on_event(const event::Event& event) override;
  const char* name() const override { return "queues"; }
  std::vector<report::Finding> take_findings() override { return findings_.take(); }

 private:
  enum class State : uint8_t { kFree, kOccupied, kEnqueued, kDequeued };
  struct Step {
    State state = State::kFree;
    event::SiteId site = 0;
    uint32_t program = 0;
    gate::Op op = gate::Op::kNop;
  };
  struct Buffer {
    int queue = 0;
    bool plain = false;
    uint32_t dropped = 0;  ///< program order of the TPipe::Reset or Destroy that ended it
    gate::Space space = gate::Space::kNone;
    uint64_t begin = 0, end = 0;
    event::SiteId defined = 0;
    std::deque<Step> steps;  ///< newest last; instructions still queued may look back
    const Step& now() const { return steps.back(); }
  };
  struct Queue {
    uint32_t depth = 0, enqueued = 0;
    event::SiteId defined = 0;
    std::vector<uint32_t> buffers;
  };
  struct Core {
    std::map<uint32_t, Buffer> buffers;  ///< by handle
    std::map<int, Queue> queues;
  };

  void define(const event::Event& event);
  void step(const event::Event& event);
  void alloc(Core& core, const event::Event& event);
  void enque(Core& core, const event::Event& event);
  void deque(Core& core, const event::Event& event);
  void free(Core& core, const event::Event& event);
  void use(const event::Event& event);
  void leaks(event::CoreId core, uint32_t first_buffer, event::SiteId end);
  void move(Buffer& buffer, State state, const event::Event& event);
  Usage misuse(Rule rule, const event::Event& event, const Buffer* buffer, const char* role) const;
  std::string queue_name(const Core& core, int queue) const;

  UsageFindings findings_;
  std::vector<Core> cores_;
};

}  // namespace ascsan::check
