// Device qualifiers. On the host they mean nothing; kernels keep them unchanged.
#pragma once

#include <cstdint>

#ifndef __aicore__
#define __aicore__
#endif
#ifndef __global__
#define __global__
#endif
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __sync_alias__
#define __vector__
#define __cube__
#define __mix__(...)
#define __schedmode__(...)
#ifndef __inout_pipe__
#define __inout_pipe__(...)
#endif
#define __BLOCK_LOCAL__ thread_local

// A macro on the device as well: kernels write `GM_ADDR x` and `__gm__ uint8_t*` interchangeably.
#define GM_ADDR uint8_t*
