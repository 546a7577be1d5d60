#include "check/init.h"

#include <algorithm>
#include <cctype>

namespace ascsan::check {
namespace {
using event::Kind;
using gate::Space;

/// A block of this many fill bytes is taken for memory that nobody has written.
constexpr uint64_t kPoisonRun = 32;

InitPlace place_of(const event::Event& event) {
  return {event.site, event.core, event.pipe, event.op, event.index, event.program_index};
}

/// Memory that is never an output: the host has no use for what is in it.
bool is_workspace(const std::string& name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower == "ws" || lower.find("workspace") != std::string::npos;
}
}  // namespace

void InitChecker::on_event(const event::Event& event) {
  switch (event.kind) {
    case Kind::kLaunchBegin:
      return begin_launch(event);
    case Kind::kLaunchEnd:
      return end_launch(event.mode == 0);
    case Kind::kTensorDefine:
      return define_tensor(event);
    case Kind::kTensorRelease: {
      objects_.on_event(event);
      tensors_.erase(event.spans[0].begin);
      last_ = nullptr;
      return;
    }
    case Kind::kBufferDefine:
      return objects_.on_event(event);
    case Kind::kScalarAccess:
      return scalar(event);
    case Kind::kInstruction:
      // Not carried out: what it would have written is missing, which is the fault that was reported, not a new one.
      if (event.access_count == 0 && core(event.core).skipped != event.program_index)
        core(event.core).stop(event.program_index);
      return;
    case Kind::kUnchecked:
      return core(event.core).stop(event.program_index);
    default:
      return;
  }
}

void InitChecker::begin_launch(const event::Event& event) {
  in_launch_ = true;
  cores_.clear();
  tensors_.clear();  // each launch defines them again
  last_ = nullptr;
  findings_.begin_launch(event.text != nullptr ? event.text : "",
                         {static_cast<uint32_t>(event.value[0]), static_cast<uint32_t>(event.value[1])});
}

void InitChecker::end_launch(bool complete) {
  if (!in_launch_) return;
  in_launch_ = false;
  if (complete)
    for (auto& [begin, tensor] : tensors_)
      if (!tensor.scratch) report_outputs(tensor);
  for (size_t id = 0; id < cores_.size(); ++id)
    if (cores_[id].broken_at != ~0u) findings_.cancel_after(static_cast<event::CoreId>(id), cores_[id].broken_at);
  findings_.end_launch();
  objects_.end_launch();
  cores_.clear();
  tensors_.clear();
  last_ = nullptr;
}

void InitChecker::define_tensor(const event::Event& event) {
  objects_.on_event(event);
  Tensor tensor;
  tensor.begin = event.spans[0].begin;
  tensor.end = event.spans[0].end;
  tensor.name = event.text != nullptr ? event.text : "";
  tensor.scratch = event.value[0] == 1 || is_workspace(tensor.name);
  if (poison_ >= 0 && event.value[0] != 1) poison(tensor);
  last_ = nullptr;
  tensors_[tensor.begin] = std::move(tensor);
}

void InitChecker::poison(Tensor& tensor) const {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(tensor.begin);
  const uint64_t size = tensor.end - tensor.begin;
  for (uint64_t at = 0; at < size;) {
    if (bytes[at] != poison_) {
      ++at;
      continue;
    }
    uint64_t stop = at;
    while (stop < size && bytes[stop] == poison_) ++stop;
    if (stop - at >= std::min(kPoisonRun, size)) tensor.map.undefine(at, stop);
    at = stop;
  }
}

InitChecker::Tensor* InitChecker::tensor_at(uint64_t address) {
  if (last_ != nullptr && address >= last_->begin && address < last_->end) return last_;
  auto after = tensors_.upper_bound(address);
  if (after == tensors_.begin()) return nullptr;
  Tensor& tensor = std::prev(after)->second;
  if (address >= tensor.end) return nullptr;
  return last_ = &tensor;
}

InitChecker::Core& InitChecker::core(event::CoreId id) {
  if (id >= cores_.size()) cores_.resize(id + size_t{1});
  return cores_[id];
}

UndefinedMap* InitChecker::find(event::CoreId id, Space space, uint64_t address, uint64_t& base) {
  base = 0;
  if (space == Space::kGm) {
    Tensor* const tensor = tensor_at(address);
    if (tensor == nullptr) return nullptr;
    base = tensor->begin;
    return &tensor->map;
  }
  if (static_cast<int>(space) >= gate::kSpaceCount) return nullptr;
  auto& map = core(id).maps[static_cast<size_t>(space)];
  if (!map) map = std::make_unique<UndefinedMap>(true);
  return map.get();
}

bool InitChecker::reads_undefined(const event::Event& event, const event::Access& access) {
  for (uint32_t i = 0; i < access.span_count; ++i) {
    const event::Span& span = event.spans[access.first_span + i];
    uint64_t base = 0;
    UndefinedMap* const map = find(event.core, access.space, span.begin, base);
    if (map == nullptr) continue;
    // What an aligned load takes from behind the end of a tensor is arbitrary.
    if (access.space == Space::kGm && span.end > last_->end) map->undefine(last_->end - base, span.end - base);
    if (map->any(span.begin - base, span.end - base)) return true;
  }
  return false;
}

uint32_t InitChecker::origin_of(const event::Event& event, const event::Access& access) {
  for (uint32_t i = 0; i < access.span_count; ++i) {
    const event::Span& span = event.spans[access.first_span + i];
    uint64_t base = 0;
    const UndefinedMap* const map = find(event.core, access.space, span.begin, base);
    if (map == nullptr || !map->any(span.begin - base, span.end - base)) continue;
    scratch_.resize(span.end - span.begin);
    map->read(span.begin - base, span.end - base, scratch_.data());
    const auto undefined = [](uint8_t bits) { return bits != 0; };
    const auto first = std::find_if(scratch_.begin(), scratch_.end(), undefined);
    const auto last = std::find_if_not(first, scratch_.end(), undefined);
    Origin origin;
    origin.begin = span.begin + static_cast<uint64_t>(first - scratch_.begin());
    origin.end = span.begin + static_cast<uint64_t>(last - scratch_.begin());
    const UndefinedMap::Tag tag = map->tag_at(origin.begin - base);
    if (tag != 0) return findings_.stored(tag).origin;
    origin.space = access.space;
    origin.type = access.type;
    const uint32_t object = objects_.find(access.space, event.core, origin.begin, access.tensor_begin);
    Core& reader = core(event.core);
    auto& newest = reader.newest_reader[static_cast<size_t>(access.space)];
    newest = std::max(newest, event.program_index);
    return findings_.add_origin(place_of(event), access.operand, origin, objects_.at(object));
  }
  return 0;
}

void InitChecker::define_writes(const event::Event& event) {
  for (uint32_t a = 0; a < event.access_count; ++a) {
    const event::Access& access = event.accesses[a];
    if (!event::writes(access.role)) continue;
    for (uint32_t i = 0; i < access.span_count; ++i) {
      const event::Span& span = event.spans[access.first_span + i];
      uint64_t base = 0;
      UndefinedMap* const map = find(event.core, access.space, span.begin, base);
      if (map != nullptr) map->define(span.begin - base, span.end - base);
    }
  }
}

/// Origins whose bytes are written now although the writer stands first in the program were read too early.
void InitChecker::cancel(const event::Event& event) {
  for (uint32_t a = 0; a < event.access_count; ++a) {
    const event::Access& access = event.accesses[a];
    // An atomic store adds to what is there: it defines nothing.
    if (!event::writes(access.role) || access.role == event::Role::kAtomic || access.space == Space::kNone) continue;
    const bool global = access.space == Space::kGm;
    if (global ? !findings_.any_origin_in_gm()
               : event.program_index >= core(event.core).newest_reader[static_cast<size_t>(access.space)])
      continue;
    for (uint32_t i = 0; i < access.span_count; ++i) {
      const event::Span& span = event.spans[access.first_span + i];
      findings_.cancel(access.space, event.core, span.begin, span.end, event.program_index);
    }
  }
}

void InitChecker::scalar(const event::Event& event) {
  if (event.access_count == 0) return;
  const event::Access& access = event.accesses[0];
  if (event::writes(access.role)) {
    cancel(event);
    define_writes(event);
    return;
  }
  if (!reads_undefined(event, access)) return;
  findings_.add_use(Rule::kASC3103, origin_of(event, access), place_of(event));
  define_reads(event, access);
}

/// What has been reported once is not reported again further on.
void InitChecker::define_reads(const event::Event& event, const event::Access& access) {
  for (uint32_t i = 0; i < access.span_count; ++i) {
    const event::Span& span = event.spans[access.first_span + i];
    uint64_t base = 0;
    if (UndefinedMap* const map = find(event.core, access.space, span.begin, base); map != nullptr)
      map->define(span.begin - base, span.end - base);
  }
}

void InitChecker::before_execution(const event::Event& event, event::Execution& execution) {
  cancel(event);
  bool undefined = false;
  for (uint32_t a = 0; a < event.access_count; ++a) {
    const event::Access& access = event.accesses[a];
    if (!event::reads(access.role)) continue;
    if (access.space == Space::kGm && access.span_count != 0)
      if (Tensor* const tensor = tensor_at(event.spans[access.first_span].begin); tensor != nullptr)
        tensor->read = tensor->read || access.role == event::Role::kRead;
    undefined = undefined || reads_undefined(event, access);
  }
  const Core& mine = core(event.core);
  const bool with_mask = mine.any_mask && reads_compare_mask(execution.request());
  if (undefined || with_mask) return trace(event, execution, with_mask);
  define_writes(event);
  if (mine.any_mask && writes_compare_mask(event.op)) core(event.core).any_mask = false;
}

bool InitChecker::has_arbitrary_addresses(const event::Event& event, event::Execution& execution) {
  for (uint32_t a = 0; a < event.access_count; ++a) {
    const event::Access& access = event.accesses[a];
    if (!is_address(execution.request(), access) || !reads_undefined(event, access)) continue;
    findings_.add_use(Rule::kASC3103, origin_of(event, access), place_of(event));
    // Said once: neither the addresses nor what they would have led to is reported again.
    define_reads(event, access);
    define_writes(event);
    core(event.core).skipped = event.program_index;
    return true;
  }
  return false;
}

void InitChecker::add_inputs(const event::Event& event) {
  for (uint32_t a = 0; a < event.access_count; ++a) {
    const event::Access& access = event.accesses[a];
    if (!event::reads(access.role)) continue;
    for (uint32_t i = 0; i < access.span_count; ++i) {
      const event::Span& span = event.spans[access.first_span + i];
      uint64_t base = 0;
      const UndefinedMap* const map = find(event.core, access.space, span.begin, base);
      if (map == nullptr || !map->any(span.begin - base, span.end - base)) continue;
      scratch_.resize(span.end - span.begin);
      map->read(span.begin - base, span.end - base, scratch_.data());
      probe_.add_input(access.space, span.begin, scratch_.data(), scratch_.size());
    }
  }
}

void InitChecker::trace(const event::Event& event, event::Execution& execution, bool with_mask) {
  uint32_t origin = 0;
  for (uint32_t a = 0; a < event.access_count; ++a) {
    const event::Access& access = event.accesses[a];
    if (!event::reads(access.role) || !reads_undefined(event, access)) continue;
    if (origin == 0) origin = origin_of(event, access);
  }
  Core& mine = core(event.core);
  if (origin == 0) origin = mine.mask_origin;
  probe_.begin(event, execution);
  add_inputs(event);
  if (with_mask) probe_.add_registers(mine.mask_bits.data(), mine.mask_bits.size());
  const bool atomic = event.mode != 0 && flow_of(event.op) == Flow::kExact;
  probe_.run(atomic ? Flow::kLanes : flow_of(event.op));
  define_writes(event);
  if (probe_.mixed()) {
    findings_.add_use(Rule::kASC3102, origin, place_of(event));
    return;
  }
  store_outputs(event, origin);
  if (!writes_compare_mask(event.op)) return;
  mine.any_mask = probe_.any_register();
  mine.mask_bits = probe_.register_bits();
  mine.mask_origin = origin;
}

void InitChecker::store_outputs(const event::Event& event, uint32_t origin) {
  if (!probe_.any_output()) return;
  for (const Probe::Output& output : probe_.outputs()) {
    const uint8_t* const bits = probe_.bits(output);
    const uint64_t count = output.end - output.begin;
    uint64_t base = 0;
    UndefinedMap* const map = find(event.core, output.space, output.begin, base);
    if (map == nullptr) continue;
    Stored stored{origin, {}, output.type, false};
    if (output.space == Space::kGm)
      stored = {origin, place_of(event), output.type, output.role == event::Role::kAtomic};
    const auto undefined = [](uint8_t value) { return value != 0; };
    for (const uint8_t* at = bits;;) {
      const uint8_t* const first = std::find_if(at, bits + count, undefined);
      if (first == bits + count) break;
      const uint8_t* const last = std::find_if_not(first, bits + count, undefined);
      const uint64_t from = output.begin + static_cast<uint64_t>(first - bits);
      map->write(from - base, from - base + static_cast<uint64_t>(last - first), first, findings_.add_stored(stored));
      at = last;
    }
  }
}

/// What the kernel has left undefined in global memory, by who stored it.
void InitChecker::report_outputs(Tensor& tensor) {
  std::map<uint32_t, InitFindings::Output> outputs;
  tensor.map.each_undefined([&](uint64_t begin, uint64_t end, UndefinedMap::Tag tag) {
    if (tag == 0) return;  // born undefined and never stored to: whether the host wants it is not known
    InitFindings::Output& output = outputs[tag];
    if (output.undefined == 0) output.begin = begin;
    output.end = end;
    output.undefined += end - begin;
    output.longest = std::max(output.longest, end - begin);
  });
  for (auto& [stored, output] : outputs) {
    output.tensor = tensor.name;
    output.also_read = tensor.read;
    findings_.add_output(stored, output);
  }
}

std::vector<report::Finding> InitChecker::take_findings() {
  end_launch(false);
  return findings_.take();
}

size_t InitChecker::bytes() const {
  size_t total = 0;
  for (const auto& [begin, tensor] : tensors_) total += tensor.map.bytes();
  for (const Core& core : cores_)
    for (const auto& map : core.maps)
      if (map) total += map->bytes();
  return total;
}

}  // namespace ascsan::check
