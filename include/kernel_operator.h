// The header every Ascend C kernel includes: all of the device API.
#pragma once

#include "ascendc/cross_core.h"
#include "ascendc/debug.h"
#include "ascendc/kernel_macros.h"
#include "ascendc/pipe.h"
#include "ascendc/queue.h"
#include "ascendc/scalar.h"
#include "ascendc/sync.h"
#include "ascendc/sys_var.h"
#include "ascendc/tensor.h"
#include "ascendc/utils.h"

#if __has_include("ascendc/data_copy.h")
#include "ascendc/data_copy.h"
#endif
#if __has_include("ascendc/vector.h")
#include "ascendc/vector.h"
#endif
#if __has_include("ascendc/atomics.h")
#include "ascendc/atomics.h"
#endif
#if __has_include("ascendc/cube.h")
#include "ascendc/cube.h"
#endif
