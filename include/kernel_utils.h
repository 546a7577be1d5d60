// Forwards: kernels include this name of the device tool kit.
#pragma once

#include "ascendc/utils.h"
