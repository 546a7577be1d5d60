// All vector instructions. Each topic has its own header; kernels get them through kernel_operator.h.
#pragma once

#include "ascendc/vec_binary.h"
#include "ascendc/vec_cast.h"
#include "ascendc/vec_compare.h"
#include "ascendc/vec_gather.h"
#include "ascendc/vec_index.h"
#include "ascendc/vec_mask.h"
#include "ascendc/vec_move.h"
#include "ascendc/vec_reduce.h"
#include "ascendc/vec_reduce_composite.h"
#include "ascendc/vec_scalar.h"
#include "ascendc/vec_select.h"
#include "ascendc/vec_sort.h"
#include "ascendc/vec_sort_full.h"
#include "ascendc/vec_transpose.h"
#include "ascendc/vec_unary.h"
#include "ascendc/vec_unsupported.h"
