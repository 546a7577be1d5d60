// The name real kernels include for the high-level Matmul.
#pragma once

#include "ascendc/matmul.h"
