// Scalar types of the device: half, bfloat16_t, int4b_t.
#pragma once

#include "ascendc/float16.h"
