// Undefined values (design: bug class "uninitialised read"). On-chip memories are undefined when a kernel begins; under
// gm_fill=poison also what nobody has written in GM. Undefined bits travel with moves and arithmetic (probe.h) in
// silence, and are reported where they become visible: stored to global memory and still there at the end of the launch
// (ASC3101), brought together with defined values by a reduction or product (ASC3102), used as an address or read by
// the scalar unit (ASC3103).
// A read that only came too early is a race and none of this: an origin is dropped when an instruction that stands
// before the reader in the program (GM: any instruction) writes the bytes later.
// Left out: what the host does between launches (every launch begins with defined GM), result registers other than the
// compare mask, memory that a queue hands out again (the old values are still there on the device as well).
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "check/checker.h"
#include "check/init_findings.h"
#include "check/objects.h"
#include "check/probe.h"
#include "check/undefined_map.h"

namespace ascsan::check {

class InitChecker : public Checker {
 public:
  explicit InitChecker(const event::SiteTable& sites) : findings_(sites) {}
  /// Bytes of GM that hold `poison` in runs of 32 and more when a launch begins are undefined; -1 = none.
  void set_poison(int poison) { poison_ = poison; }
  void on_event(const event::Event& event) override;
  bool wants_execution() const override { return true; }
  void before_execution(const event::Event& event, event::Execution& execution) override;
  bool has_arbitrary_addresses(const event::Event& event, event::Execution& execution) override;
  const char* name() const override { return "init"; }
  std::vector<report::Finding> take_findings() override;
  /// Host memory of the maps.
  size_t bytes() const;

 private:
  struct Tensor {
    uint64_t begin = 0, end = 0;
    std::string name;
    bool scratch = false;  ///< framework memory or a workspace: never an output
    bool read = false;     ///< the launch has loaded from it
    UndefinedMap map;
  };
  struct Core {
    std::array<std::unique_ptr<UndefinedMap>, gate::kSpaceCount> maps;
    std::array<uint32_t, gate::kSpaceCount> newest_reader{};  ///< largest program index of an origin's reader
    std::vector<uint8_t> mask_bits;                           ///< undefined bits of the result registers
    bool any_mask = false;
    uint32_t mask_origin = 0;
    uint32_t skipped = 0;      ///< program index of the newest instruction with arbitrary addresses
    uint32_t broken_at = ~0u;  ///< program index of the first instruction that was not carried out
    void stop(uint32_t program) { broken_at = std::min(broken_at, program); }
  };

  void begin_launch(const event::Event& event);
  void end_launch(bool complete);
  void define_tensor(const event::Event& event);
  void poison(Tensor& tensor) const;
  Tensor* tensor_at(uint64_t address);
  /// Map of the bytes at `address` and the address within it; null where nothing can be undefined.
  UndefinedMap* find(event::CoreId core, gate::Space space, uint64_t address, uint64_t& base);
  Core& core(event::CoreId id);

  void scalar(const event::Event& event);
  void cancel(const event::Event& event);
  void define_writes(const event::Event& event);
  bool reads_undefined(const event::Event& event, const event::Access& access);
  /// Origin of the undefined bytes that the access reads first.
  uint32_t origin_of(const event::Event& event, const event::Access& access);
  void trace(const event::Event& event, event::Execution& execution, bool with_mask);
  void add_inputs(const event::Event& event);
  void define_reads(const event::Event& event, const event::Access& access);
  void store_outputs(const event::Event& event, uint32_t origin);
  void report_outputs(Tensor& tensor);

  int poison_ = -1;
  bool in_launch_ = false;
  std::map<uint64_t, Tensor> tensors_;  ///< by begin
  Tensor* last_ = nullptr;
  std::vector<Core> cores_;
  Objects objects_;
  InitFindings findings_;
  Probe probe_;
  std::vector<uint8_t> scratch_;
};

}  // namespace ascsan::check
