// The cube: how operands come in (load_data.h), what is computed (mmad.h), how results leave (fixpipe.h).
#pragma once

#include "ascendc/fixpipe.h"
#include "ascendc/load_data.h"
#include "ascendc/mmad.h"
