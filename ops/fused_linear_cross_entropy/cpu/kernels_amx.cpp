// Kernel table for CPUs with matrix tiles for bfloat16 (AMX); everything but the product is AVX-512.
// The instruction treats subnormal inputs as zero, flushes subnormal results and rounds to nearest even.
#include <immintrin.h>

#include "dispatch.h"
#include "tile_kernels.h"

namespace flce::cpu {
namespace {

struct NativeTiles {
  // Tiles 0 to 3 are results, 4 and 5 of the left, 6 and 7 of the right operand: 16 rows of 64 bytes each. The state is
  // given back at the end, so that switching threads does not carry 8 KiB along.
  class Session {
   public:
    Session() {
      struct alignas(64) {
        uint8_t palette = 1, start_row = 0, reserved[14] = {};
        uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
        uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
      } const config;
      static_assert(sizeof config == 64);
      fence();
      _tile_loadconfig(&config);
    }
    ~Session() { _tile_release(); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
  };

  // gcc does not know that loading a tile reads memory: what was written before must be written.
  static FLCE_INLINE void fence() { asm volatile("" ::: "memory"); }

  static FLCE_INLINE void block(const uint16_t* a, const uint16_t* b, int64_t steps, const float* add, int64_t ld_add,
                                float* c, int64_t ldc) {
    constexpr int64_t kRow = kTileDepth * 2, kPairRow = kBlock * 4;  // bytes
    fence();
    if (add) {
      _tile_loadd(0, add, ld_add * 4);
      _tile_loadd(1, add + kTile, ld_add * 4);
      _tile_loadd(2, add + kTile * ld_add, ld_add * 4);
      _tile_loadd(3, add + kTile * ld_add + kTile, ld_add * 4);
    } else {
      _tile_zero(0);
      _tile_zero(1);
      _tile_zero(2);
      _tile_zero(3);
    }
    for (; steps > 0; --steps, a += kBlock * kTileDepth, b += kBlock * kTileDepth) {
      _tile_loadd(4, a, kRow);
      _tile_loadd(6, b, kPairRow);
      _tile_loadd(7, b + 2 * kTile, kPairRow);
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      _tile_loadd(5, a + kTile * kTileDepth, kRow);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, c, ldc * 4);
    _tile_stored(1, c + kTile, ldc * 4);
    _tile_stored(2, c + kTile * ldc, ldc * 4);
    _tile_stored(3, c + kTile * ldc + kTile, ldc * 4);
  }
};

}  // namespace

const KernelTable<float>& amx_table() {
  static const KernelTable<float> table = tile_table<NativeTiles>("amx");
  return table;
}

}  // namespace flce::cpu
