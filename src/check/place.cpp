#include "check/place.h"

namespace ascsan::check {

report::AccessInfo access_info(const Place& place, const event::SiteTable& sites, const event::CoreCounts& cores) {
  const gate::Site& site = sites.at(place.site);
  report::AccessInfo info;
  info.role = place.role;
  info.core = cores.name(place.core);
  info.pipe = event::pipe_name(place.pipe);
  info.operation = event::api_name(place.op);
  info.file = site.file;
  info.function = site.function;
  info.line = site.line;
  info.stack.push_back({site.function, site.file, site.line});
  info.core_id = place.core;
  info.pipe_id = static_cast<uint32_t>(place.pipe);
  info.index = place.index;
  return info;
}

}  // namespace ascsan::check
