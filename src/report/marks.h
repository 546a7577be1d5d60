// Where the sides of a finding stand in the timeline of its launch. Shared by the HTML and the trace report.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "report/model.h"

namespace ascsan::report {

/// The timeline of the finding's launch; null when there is none.
const Timeline* timeline_of(const RunResult& run, const Finding& finding);

/// The slice of an access: by its position in the pipe, else (calls and waits) the last one at its place on its core.
std::optional<uint32_t> slice_of(const Timeline& timeline, const AccessInfo& access);

/// Slices at the last common point on the cores of the accesses, the newest on each core that begins before the access.
std::vector<uint32_t> common_slices(const Timeline& timeline, const Finding& finding);

}  // namespace ascsan::report
