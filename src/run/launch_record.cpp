#include "run/launch_record.h"

#include <algorithm>

namespace ascsan::run {

void LaunchRecord::watch(schedule::Point a, schedule::Point b, const ByteRun* common) {
  sides_ = {};
  sides_[0].point = a;
  sides_[1].point = b;
  watching_ = true;
  common_ = common != nullptr ? *common : ByteRun{};
}

uint64_t LaunchRecord::site_hash(event::SiteId site) {
  if (site >= site_hashes_.size()) site_hashes_.resize(site + 1, 0);
  if (site_hashes_[site] == 0) {
    base::Hash hash;
    const gate::Site& place = sites_.at(site);
    hash.text(place.file);
    hash.text(place.function);
    hash.word(place.line);
    site_hashes_[site] = hash.value();
  }
  return site_hashes_[site];
}

void LaunchRecord::digest_event(const event::Event& event) {
  hash_.word(static_cast<uint64_t>(event.kind) | static_cast<uint64_t>(event.pipe) << 8 |
             static_cast<uint64_t>(event.other) << 16 | uint64_t{event.mode} << 24 |
             static_cast<uint64_t>(event.op) << 32 | uint64_t{event.core} << 48);
  hash_.word(uint64_t{event.index} | uint64_t{static_cast<uint16_t>(event.id)} << 32 |
             static_cast<uint64_t>(event.atomic_type) << 48);
  hash_.word(uint64_t{event.ordinal} | uint64_t{event.program_index} << 32);
  hash_.word(site_hash(event.site));
  for (uint32_t a = 0; a < event.access_count; ++a) {
    const event::Access& access = event.accesses[a];
    hash_.word(static_cast<uint64_t>(access.space) | static_cast<uint64_t>(access.role) << 8 |
               uint64_t{access.span_count} << 16);
    for (uint32_t s = 0; s < access.span_count; ++s) {
      const event::Span& span = event.spans[access.first_span + s];
      uint64_t base = 0;
      if (access.space == gate::Space::kGm) {
        const machine::Tensor* tensor = memory_.find(span.begin);
        base = tensor != nullptr ? tensor->begin : span.begin;
        hash_.word(tensor != nullptr ? tensor->number : 0);
      }
      hash_.word(span.begin - base);
      hash_.word(span.end - base);
    }
  }
}

void LaunchRecord::note_access(const event::Event& event, const event::Access& access) {
  if (access.space != gate::Space::kGm || access.span_count == 0) return;
  const event::Span& first = event.spans[access.first_span];
  const machine::Tensor* tensor = memory_.find(first.begin);
  if (tensor == nullptr || tensor->framework) return;
  TensorUse& use = uses_[tensor->number];
  const bool reads = access.role == event::Role::kRead || access.role == event::Role::kUpdate;
  use.read_first = use.read_first || (reads && use.writes.empty());
  uint64_t bytes = 0;
  for (uint32_t s = 0; s < access.span_count; ++s) {
    const event::Span& span = event.spans[access.first_span + s];
    bytes += span.end - span.begin;
    if (event::writes(access.role))
      use.writes.push_back(
          {span.begin - tensor->begin, span.end - tensor->begin, event.site, event.core, event.pipe, event.index});
  }
  (event::writes(access.role) ? use.written_by_type : use.read_by_type)[access.type] += bytes;
  use.read = use.read || reads;
  flow_[{machine::GlobalMemory::describe(*tensor), sites_.at(event.site).function, machine_.kind(event.core),
         event.pipe, event::writes(access.role)}] += bytes;
  if (!keep_reads_ || !reads) return;
  Read& read = reads_[{event.core, event.pipe, event.index, access.operand}];
  read.turn = turn_;
  read.tensor = tensor->number;
  read.site = event.site;
  read.begin = first.begin - tensor->begin;
  read.end = event.spans[access.first_span + access.span_count - 1].end - tensor->begin;
  base::Hash hash;
  for (uint32_t s = 0; s < access.span_count; ++s) {
    const event::Span& span = event.spans[access.first_span + s];
    hash.bytes(reinterpret_cast<const void*>(span.begin), span.end - span.begin);
  }
  read.hash = hash.value();
}

std::vector<std::byte> LaunchRecord::copy(gate::Space space, event::CoreId core, uint64_t begin, uint64_t end) const {
  const std::byte* base =
      space == gate::Space::kGm ? nullptr : machine_.core(core).memories.base[static_cast<size_t>(space)];
  if (space != gate::Space::kGm && base == nullptr) return {};
  const auto* from = reinterpret_cast<const std::byte*>(reinterpret_cast<uintptr_t>(base) + begin);
  return std::vector<std::byte>(from, from + (end - begin));
}

std::vector<std::byte> Side::bytes_in(const ByteRun& run) const {
  for (const Touch& touch : touches)
    if (touch.space == run.space && touch.begin <= run.begin && touch.end >= run.end &&
        touch.bytes.size() == touch.end - touch.begin)
      return std::vector<std::byte>(touch.bytes.begin() + static_cast<ptrdiff_t>(run.begin - touch.begin),
                                    touch.bytes.begin() + static_cast<ptrdiff_t>(run.end - touch.begin));
  return {};
}

void LaunchRecord::note_side(const event::Event& event, Side& side) {
  side.seen = true;
  side.turn = turn_;
  for (uint32_t a = 0; a < event.access_count; ++a) {
    const event::Access& access = event.accesses[a];
    for (uint32_t s = 0; s < access.span_count; ++s) {
      const event::Span& span = event.spans[access.first_span + s];
      side.touches.push_back({access.space, event::writes(access.role), span.begin, span.end, access.type, {}});
      if (common_.space == gate::Space::kNone)
        side.touches.back().bytes = copy(access.space, event.core, span.begin, span.end);
    }
  }
  if (common_.space != gate::Space::kNone) side.bytes = copy(common_.space, event.core, common_.begin, common_.end);
}

gate::DataType LaunchRecord::type_of(uint32_t tensor) const {
  gate::DataType best = gate::DataType::kUint8;
  const auto use = uses_.find(tensor);
  if (use == uses_.end()) return best;
  uint64_t most = 0;
  for (const auto* by_type : {&use->second.written_by_type, &use->second.read_by_type}) {
    for (const auto& [type, bytes] : *by_type)
      if (bytes > most && gate::bytes_of(type) != 0) most = bytes, best = type;
    if (most > 0) break;
  }
  return best;
}

ByteRun LaunchRecord::common_run() const {
  ByteRun best;
  const bool same_core = sides_[0].point.actor.core == sides_[1].point.actor.core;
  for (const Side::Touch& a : sides_[0].touches)
    for (const Side::Touch& b : sides_[1].touches) {
      if (a.space != b.space || (!a.writes && !b.writes) || (!same_core && a.space != gate::Space::kGm)) continue;
      const uint64_t begin = std::max(a.begin, b.begin), end = std::min(a.end, b.end);
      if (begin >= end || (best.space != gate::Space::kNone && best.begin <= begin)) continue;
      const gate::DataType type = a.type != gate::DataType::kNone ? a.type : b.type;
      best = {a.space, sides_[0].point.actor.core, begin, end, type};
    }
  return best;
}

void LaunchRecord::on_event(const event::Event& event) {
  ++turn_;
  switch (event.kind) {
    case event::Kind::kTensorDefine:  // in the order of host addresses
    case event::Kind::kLaunchBegin:
    case event::Kind::kBufferDefine:
      return;
    default:
      break;
  }
  digest_event(event);
  if (event.kind != event::Kind::kInstruction && event.kind != event::Kind::kScalarAccess) return;
  for (uint32_t a = 0; a < event.access_count; ++a) note_access(event, event.accesses[a]);
  if (!watching_) return;
  for (Side& side : sides_)
    if (!side.seen && side.point.index == event.index && side.point.actor == machine::Actor{event.core, event.pipe})
      note_side(event, side);
}

}  // namespace ascsan::run
