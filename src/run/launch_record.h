// What one run of a launch did, as far as experiments compare it: a digest of its events, who wrote and read which GM
// tensor, and the bytes that two chosen instructions met in. A sink; nothing in it hangs on addresses of the host, so
// equal runs in different processes give equal records. Left out: order and checks (src/order, src/check).
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "base/hash.h"
#include "event/sink.h"
#include "machine/machine.h"
#include "schedule/directed.h"

namespace ascsan::run {

/// A run of bytes of one memory; GM: host addresses, on chip: offsets in the memory of `core`.
struct ByteRun {
  gate::Space space = gate::Space::kNone;
  event::CoreId core = 0;
  uint64_t begin = 0, end = 0;
  gate::DataType type = gate::DataType::kNone;
};

/// One side of a pair under observation.
struct Side {
  schedule::Point point;
  bool seen = false;
  uint64_t turn = 0;  ///< number of its event
  struct Touch {
    gate::Space space;
    bool writes;
    uint64_t begin, end;
    gate::DataType type;
    std::vector<std::byte> bytes;  ///< right after this side; kept while the common run is unknown
  };
  std::vector<Touch> touches;
  std::vector<std::byte> bytes;  ///< of the common run, right after this side
  /// The same from the touches, for the run that found the common run.
  std::vector<std::byte> bytes_in(const ByteRun& run) const;
};

/// Which function, kind of core and pipe touches a tensor.
struct FlowKey {
  std::string tensor, function;
  gate::CoreKind kind{};
  gate::Pipe pipe{};
  bool writes = false;
  friend auto operator<=>(const FlowKey&, const FlowKey&) = default;
};

class LaunchRecord : public event::Sink {
 public:
  LaunchRecord(const machine::Machine& machine, const machine::GlobalMemory& memory, const event::SiteTable& sites)
      : machine_(machine), memory_(memory), sites_(sites) {}

  /// Observes two instructions. `common` is known from an earlier run, or found by this one (common_run()).
  void watch(schedule::Point a, schedule::Point b, const ByteRun* common);
  /// Also keeps what every GM read saw: reads().
  void keep_reads() { keep_reads_ = true; }
  void on_event(const event::Event& event) override;

  uint64_t digest() const { return hash_.value(); }
  const std::array<Side, 2>& sides() const { return sides_; }
  /// The lowest bytes both sides touch and at least one of them writes; space kNone when there are none.
  ByteRun common_run() const;

  struct Write {
    uint64_t begin, end;  ///< offsets in the tensor
    event::SiteId site;
    event::CoreId core;
    gate::Pipe pipe;
    uint32_t index;
  };
  struct TensorUse {
    std::map<gate::DataType, uint64_t> written_by_type;  ///< bytes
    std::vector<Write> writes;
    std::map<gate::DataType, uint64_t> read_by_type;
    bool read = false;
    bool read_first = false;  ///< before the launch has written any of it: it may hold input of the host
  };
  /// By number of the tensor.
  const std::map<uint32_t, TensorUse>& uses() const { return uses_; }
  /// The type most of the tensor was written with, else read with; uint8 when nothing says.
  gate::DataType type_of(uint32_t tensor) const;
  const std::map<FlowKey, uint64_t>& flow() const { return flow_; }

  struct ReadKey {
    event::CoreId core;
    gate::Pipe pipe;
    uint32_t index;
    uint8_t operand;
    friend auto operator<=>(const ReadKey&, const ReadKey&) = default;
  };
  struct Read {
    uint64_t turn = 0, hash = 0;
    uint32_t tensor = 0;
    uint64_t begin = 0, end = 0;
    event::SiteId site = 0;
  };
  const std::map<ReadKey, Read>& reads() const { return reads_; }

 private:
  void digest_event(const event::Event& event);
  void note_access(const event::Event& event, const event::Access& access);
  void note_side(const event::Event& event, Side& side);
  std::vector<std::byte> copy(gate::Space space, event::CoreId core, uint64_t begin, uint64_t end) const;
  uint64_t site_hash(event::SiteId site);

  const machine::Machine& machine_;
  const machine::GlobalMemory& memory_;
  const event::SiteTable& sites_;
  base::Hash hash_;
  std::vector<uint64_t> site_hashes_;
  std::array<Side, 2> sides_;
  bool watching_ = false, keep_reads_ = false;
  ByteRun common_;
  uint64_t turn_ = 0;
  std::map<uint32_t, TensorUse> uses_;
  std::map<FlowKey, uint64_t> flow_;
  std::map<ReadKey, Read> reads_;
};

}  // namespace ascsan::run
