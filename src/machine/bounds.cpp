// What an access must not leave: its memory or allocation ("bounds"), the tensor it was given ("extent"), and into what
// it runs when it does: a write into a buffer that somebody else uses is a stomp, a load from global memory rounded up
// to a block is a warning. Rules: spec/bug-classes.md 4 (UB and GM out of bounds), execution-model.md 7. Left out:
// writes through raw pointers, which only the red zones around allocations show.
#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "machine/machine.h"

namespace ascsan::machine {
namespace {
constexpr uint64_t kBlockBytes = 32;

const char* verb(event::Role role) {
  return role == event::Role::kRead ? "reads" : "writes";
}

/// "bytes 96..127 (elements 24..31)" counted from `base`; a type of whole bytes adds the elements.
std::string range(uint64_t begin, uint64_t end, gate::DataType type) {
  std::string text = "bytes " + std::to_string(begin) + ".." + std::to_string(end - 1);
  const uint64_t size = gate::bytes_of(type);
  if (size > 1) text += " (elements " + std::to_string(begin / size) + ".." + std::to_string((end - 1) / size) + ")";
  return text;
}

std::string buffer_name(const Buffer& buffer) {
  return std::string("the buffer at bytes ") + std::to_string(buffer.address) + ".." +
         std::to_string(buffer.address + buffer.bytes - 1) + " of " + space_name(buffer.space);
}

/// A DataCopy moves whole blocks; the rest of the last one is usually dropped.
bool rounded_load(const char* api, const event::Access& access, uint64_t outside, bool before) {
  return access.space == gate::Space::kGm && access.role == event::Role::kRead && !before && outside < kBlockBytes &&
         std::string_view(api) == "DataCopy";
}
}  // namespace

bool Machine::check_bounds(Core& core, const char* api, const Footprint& footprint, const gate::Site& site) {
  bool executable = true;
  for (const event::Access& access : footprint.accesses()) {
    event::Span reach{~0ull, 0};
    for (uint32_t i = 0; i < access.span_count; ++i) {
      const event::Span& span = footprint.spans()[access.first_span + i];
      reach.begin = std::min(reach.begin, span.begin);
      // A run that passes the end of the address space comes from a wrong address.
      reach.end = std::max(reach.end, span.end < span.begin ? ~uint64_t{0} : span.end);
    }
    if (access.span_count != 0) executable = check_reach(core, api, access, reach, site) && executable;
  }
  return executable;
}

bool Machine::check_reach(Core& core, const char* api, const event::Access& access, event::Span reach,
                          const gate::Site& site) {
  const bool global = access.space == gate::Space::kGm;
  const Tensor* const tensor = global ? memory_.find(access.tensor_begin) : nullptr;
  const uint64_t low = global ? (tensor != nullptr ? tensor->begin : 1) : 0;
  const uint64_t high =
      global ? (tensor != nullptr ? tensor->end : 0) : options_.chip->bytes[static_cast<size_t>(access.space)];
  if (reach.begin >= low && reach.end <= high) {
    check_extent(core, api, access, reach, site);
    return true;
  }
  const bool before = reach.begin < low;
  std::string text = std::string(api) + " " + verb(access.role) + " ";
  const char* rule = "bounds";
  if (!global) {
    text += range(reach.begin, reach.end, gate::DataType::kNone) + " of " + space_name(access.space) + ", which has " +
            std::to_string(high) + " bytes";
  } else if (tensor != nullptr) {
    const uint64_t outside = before ? low - reach.begin : reach.end - high;
    text += base::count(outside, "byte") + (before ? " before the start of " : " past the end of ") +
            GlobalMemory::describe(*tensor) + " (" + base::count(high - low, "byte") + ")";
    if (rounded_load(api, access, outside, before)) {
      rule = "rounded-load";
      text += "; a whole block of 32 bytes is loaded, DataCopyPad loads the exact length";
    } else if (const Tensor* const other = memory_.find(before ? reach.begin : reach.end - 1); other != nullptr) {
      text += "; there lies " + GlobalMemory::describe(*other);
    }
  } else {
    const Tensor* const near = memory_.near(access.tensor_begin, uint64_t{1} << 30);
    text += "global memory outside every allocation" +
            (near != nullptr ? "; the nearest is " + GlobalMemory::describe(*near) : std::string());
  }
  report_violation(core, site, rule, text, std::string_view(rule) == "bounds");
  // Executed only where the host survives it: inside the allocation and its red zones.
  return tensor != nullptr && tensor->owned && reach.begin + GlobalMemory::kRedZoneBytes >= low &&
         reach.end <= high + GlobalMemory::kRedZoneBytes;
}

/// Inside its memory; is it inside the tensor as well?
void Machine::check_extent(Core& core, const char* api, const event::Access& access, event::Span reach,
                           const gate::Site& site) {
  const uint64_t start = access.tensor_begin, end = start + access.tensor_bytes;
  if (access.tensor_bytes == 0 || (reach.begin >= start && reach.end <= end)) return;
  const bool before = reach.begin < start;
  const uint64_t outside = before ? start - reach.begin : reach.end - end;
  const bool global = access.space == gate::Space::kGm;
  const Tensor* const tensor = global ? memory_.find(start) : nullptr;
  std::string text =
      std::string(api) + " " + verb(access.role) + " " + base::count(outside, "byte") +
      (before ? " before the start" : " past the end") + " of the tensor it was given (" +
      base::count(access.tensor_bytes, "byte") +
      (tensor != nullptr ? " of " + GlobalMemory::describe(*tensor) : std::string(" in ") + space_name(access.space)) +
      ")";
  if (!before) text += ": " + range(end - start, reach.end - start, access.type) + " from its start";
  const char* rule = "extent";
  if (rounded_load(api, access, outside, before)) {
    rule = "rounded-load";
  } else if (!global && access.buffer != 0 && access.buffer <= core.buffers.buffers.size()) {
    const Buffer& own = core.buffers.buffers[access.buffer - 1];
    const int other = core.buffers.find(access.space, before ? reach.begin : reach.end - 1);
    if (other >= 0 && static_cast<uint32_t>(other) != access.buffer - 1) {
      text += "; from " + buffer_name(own) + " it runs into " +
              buffer_name(core.buffers.buffers[static_cast<size_t>(other)]);
      if (access.role != event::Role::kRead) rule = "stomp";
    }
  }
  report_violation(core, site, rule, text, access.role != event::Role::kRead);
}

/// Memory that belongs to the framework (rule E-8): the system workspace, and the block at the top of UB in which
/// Select keeps its mask (execution-model.md 1.2). A kernel may use that block until it calls Select; then its data are
/// gone.
void Machine::check_framework(Core& core, const char* api, const Footprint& footprint, const gate::Request& request) {
  constexpr event::Span kScratch{184 * 1024, 184 * 1024 + kBlockBytes};
  bool framework = false;
  for (int i = 0; i < request.operand_count; ++i) framework = framework || request.operand[i].reserved != 0;
  for (const event::Access& access : footprint.accesses()) {
    if (access.space != gate::Space::kUb && access.space != gate::Space::kGm) continue;
    const event::Span* const spans = footprint.spans().data() + access.first_span;
    const bool writes = access.role != event::Role::kRead;
    if (access.space == gate::Space::kGm) {
      const Tensor* const tensor = writes && access.span_count != 0 ? memory_.find(spans[0].begin) : nullptr;
      if (tensor == nullptr || !tensor->framework || framework) continue;
      report_violation(core, request.site, "stomp",
                       std::string(api) + " writes " +
                           range(spans[0].begin - tensor->begin, spans[0].end - tensor->begin, access.type) + " of " +
                           GlobalMemory::describe(*tensor) +
                           ", which belongs to the framework; GetUserWorkspace gives the part behind it",
                       true);
      continue;
    }
    const bool touches = std::any_of(spans, spans + access.span_count, [&](const event::Span& span) {
      return span.begin < kScratch.end && kScratch.begin < span.end;
    });
    if (!touches) continue;
    ScratchUse& scratch = core.scratch;
    if (framework) {
      if (writes && scratch.used) scratch.lost = true, scratch.lost_at = request.site;
    } else if (writes) {
      scratch = {true, false, request.site, {}};
    } else if (scratch.lost) {
      report_violation(core, request.site, "stomp",
                       std::string(api) + " reads bytes " + std::to_string(kScratch.begin) + ".." +
                           std::to_string(kScratch.end - 1) + " of UB, written at " + place(scratch.written) +
                           "; Select at " + place(scratch.lost_at) +
                           " has put its mask there: the top 8 KiB of UB belong to the framework",
                       true);
      scratch.lost = false;
    }
  }
}

}  // namespace ascsan::machine
