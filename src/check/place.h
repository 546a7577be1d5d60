// One side of a finding as the machine knows it, and as reports name it. Every checker names its sides through here.
#pragma once

#include "event/names.h"
#include "event/sink.h"
#include "report/model.h"

namespace ascsan::check {

struct Place {
  const char* role = "";  ///< "writer", "first set", "wait", ...
  event::SiteId site = 0;
  event::CoreId core = 0;
  gate::Pipe pipe = gate::Pipe::kS;
  gate::Op op = gate::Op::kNop;
  uint32_t index = 0;
};
inline Place place_of(const char* role, const event::Event& event, gate::Op op) {
  return {role, event.site, event.core, event.pipe, op, event.index};
}

/// The stack holds the place itself; a second run may fetch the rest (report/stacks.h). Bytes are the caller's.
report::AccessInfo access_info(const Place& place, const event::SiteTable& sites, const event::CoreCounts& cores);

}  // namespace ascsan::check
