#pragma once
#include "kernel_operator.h"

/// y = factor * x, 64 floats; without `wait` the product may be stored before it is there.
void scale(GM_ADDR x, GM_ADDR y, float factor, bool wait);
