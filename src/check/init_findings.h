// Where undefined values came from and where they became visible, and the findings made of the two. One cause, one
// report: equal rule, first reader, visible place and tensor are one finding on whichever cores and launches.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "check/fingerprint.h"
#include "check/objects.h"
#include "check/rules.h"
#include "event/names.h"

namespace ascsan::check {

/// An instruction or scalar access, as reports name it.
struct InitPlace {
  event::SiteId site = 0;
  event::CoreId core = 0;
  gate::Pipe pipe = gate::Pipe::kS;
  gate::Op op = gate::Op::kNop;
  uint32_t index = 0, program = 0;
};

/// Bytes that were undefined when `reader` read them, the first to do so.
struct Origin {
  InitPlace reader;
  gate::Space space = gate::Space::kNone;
  gate::DataType type = gate::DataType::kNone;
  uint64_t begin = 0, end = 0;
  Object object;
  bool cancelled = false;  ///< written by an instruction that stands before the reader: a race, not this
};

/// Undefined bytes in global memory: where from, and who stored them.
struct Stored {
  uint32_t origin = 0;
  InitPlace place;
  gate::DataType type = gate::DataType::kNone;
  bool atomic = false;
};

class InitFindings {
 public:
  explicit InitFindings(const event::SiteTable& sites) : sites_(sites) {}

  void begin_launch(const std::string& kernel, event::CoreCounts cores);
  /// Findings of the launch whose origins still stand join the others.
  void end_launch();

  /// The origin for bytes first read here; one per core, place, operand and address. Numbers begin at 1.
  uint32_t add_origin(const InitPlace& reader, uint8_t operand, const Origin& origin, const Object& object);
  uint32_t add_stored(const Stored& stored);
  const Stored& stored(uint32_t number) const { return stored_[number]; }
  /// Drops the origins in these bytes whose reader stands behind `program`; in GM also those of other cores.
  void cancel(gate::Space space, event::CoreId core, uint64_t begin, uint64_t end, uint32_t program);
  /// Drops the origins of a core that read later than `program`.
  void cancel_after(event::CoreId core, uint32_t program);
  bool any_origin_in_gm() const { return any_origin_in_gm_; }

  /// What a tensor holds of undefined bytes from one store: their hull, number and longest run.
  struct Output {
    std::string tensor;
    uint64_t begin = 0, end = 0, undefined = 0, longest = 0;
    bool also_read = false;  ///< the launch loads from the tensor as well
  };
  /// ASC3101.
  void add_output(uint32_t stored, const Output& output);
  /// ASC3102, ASC3103.
  void add_use(Rule rule, uint32_t origin, const InitPlace& place);

  std::vector<report::Finding> take();

 private:
  struct Pending {
    Rule rule{};
    uint32_t origin = 0;
    InitPlace place;
    Output output;
    Stored stored;
    uint64_t merged = 1;
  };
  using Key = std::tuple<std::string, std::string, std::string, uint32_t, std::string, uint32_t,
                         std::string>;  ///< kernel, rule, both places, tensor
  report::AccessInfo access(const InitPlace& place, const char* role) const;
  report::Finding finding(const Pending& pending) const;
  void tell_output(const Pending& pending, report::Finding& finding) const;
  void tell_use(const Pending& pending, report::Finding& finding) const;
  std::string describe(const Origin& origin) const;

  const event::SiteTable& sites_;
  Fingerprinter fingerprints_;
  std::string kernel_;
  event::CoreCounts cores_;
  uint32_t launches_ended_ = 0;
  std::vector<Origin> origins_{1};
  std::map<std::tuple<event::CoreId, event::SiteId, uint8_t, uint64_t>, uint32_t> origin_numbers_;
  bool any_origin_in_gm_ = false;
  std::vector<Stored> stored_{1};
  std::map<std::tuple<uint32_t, event::SiteId, event::CoreId>, uint32_t> stored_numbers_;
  std::map<std::tuple<Rule, uint32_t, event::SiteId, event::CoreId>, Pending> pending_;  ///< origin, visible place
  std::vector<Pending> outputs_;
  std::map<Key, report::Finding> found_;
};

}  // namespace ascsan::check
