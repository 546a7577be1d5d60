// Forwards: kernels include this name of the device tool kit.
#pragma once

#include "ascendc/host_api/tiling/template_argument.h"
