// The header every Ascend C kernel includes: all of the device API.
#pragma once

#include "ascendc/atomics.h"
#include "ascendc/cross_core.h"
#include "ascendc/cube.h"
#include "ascendc/data_copy.h"
#include "ascendc/debug.h"
#include "ascendc/intrinsics.h"
#include "ascendc/kernel_macros.h"
#include "ascendc/list_tensor.h"
#include "ascendc/pipe.h"
#include "ascendc/queue.h"
#include "ascendc/scalar.h"
#include "ascendc/sync.h"
#include "ascendc/sys_var.h"
#include "ascendc/tensor.h"
#include "ascendc/utils.h"
#include "ascendc/vector.h"
