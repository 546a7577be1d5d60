// Names for the stages of a kernel, where the functions its top-level method calls are not the stages one thinks in:
// `ascsan diagnose` and the options what_if, stop_after and dump work stage by stage. Costs nothing outside
// experiments. Without this header on the include path (device builds) define ASCSAN_STAGE(name) as nothing.
#pragma once

#include "ascsan/launch_api.h"

/// From here on the running core is in stage `name`, a string literal.
#define ASCSAN_STAGE(name) ::ascsan_stage(name)
