// The high-level Matmul as a program over the basic APIs, driven from the AIC that owns the object: panels of K come to
// L1 (MTE2), tiles of baseK to L0A / L0B (MTE1), Mmad accumulates in L0C (M), Fixpipe stores (FIX), double-buffered
// with flags between each two pipes. Every call leaves its flags balanced: the last step of a call waits for what it
// set, so that objects may share the memories and nothing is left at the end of the kernel. Values: spec/fp.md 5 and 6.
// Left out: batch forms, operands in UB or L1, 4-bit types; calling them is reported.
#pragma once

#include "ascendc/launch.h"
#include "ascendc/matmul_moves.h"

namespace AscendC {
namespace matmul_detail {

/// Flag numbers of this object; TPipe keeps 0..2 of M_MTE1 for itself and hands out the low ones first.
constexpr int32_t kFirstFlag = 4, kBiasFlag = 6;

/// What the user has set.
struct Job {
  Types types;
  Matrix a, b;
  Operand bias, table;
  bool with_bias = false, with_table = false, relu = false, channel_split = false;
  bool c_is_nz = false, along_n = false;
  uint64_t scale = 0;
  uint32_t org_m = 0, org_n = 0, org_ka = 0, org_kb = 0, org_kc = 0;
  uint32_t single_m = 0, single_n = 0, single_k = 0;
};

class Engine {
 public:
  Job job;

  void init(const TCubeTiling& tiling, bool bias_possible, const Site& site) {
    plan_ = make_plan(tiling, job.types, bias_possible);
    job.org_m = positive(tiling.M, 0), job.org_n = positive(tiling.N, 0);
    job.org_ka = positive(tiling.Ka, 0), job.org_kb = positive(tiling.Kb, 0), job.org_kc = 0;
    job.single_m = positive(tiling.singleCoreM, 0), job.single_n = positive(tiling.singleCoreN, 0);
    job.single_k = positive(tiling.singleCoreK, 0);
    job.along_n = tiling.iterateOrder == 1;
    ready_ = plan_.fault == nullptr;
    if (!ready_) detail::unsupported(plan_.fault, site);
    restart();
  }

  /// The next Iterate begins with the first tile.
  void restart() { next_ = 0, have_tile_ = false; }

  /// Computes the next tile of baseM x baseN into L0C; false when there is none. `into`: L0C of the user, or null.
  bool iterate(bool accumulate, const Operand* into, const Site& site) {
    if (!ready_ || !blocks_fit(site) || next_ >= tiles()) {
      restart();
      return false;
    }
    tile_ = tile_at(next_++);
    l0c_ =
        into != nullptr ? *into : on_chip(Space::kL0c, plan_.l0c(0), kL0cBytes - plan_.l0c(0), job.types.accumulator());
    compute(accumulate, -1, site);
    release_inputs(site);
    have_tile_ = into == nullptr;
    return true;
  }

  /// Stores the tile of the last iterate.
  void store_tile(const Operand& gm, uint8_t atomic, bool sequential, const Site& site) {
    if (!have_tile_) return;
    store(gm, atomic, sequential, 0, site);
    wait_flag(HardEvent::FIX_M, kFirstFlag, site);
    finish_table(site);
  }

  /// All tiles of singleM x singleN.
  void iterate_all(const Operand& gm, uint8_t atomic, bool sequential, const Site& site) {
    if (!ready_ || !blocks_fit(site)) return;
    restart();
    const uint32_t count = tiles();
    const uint64_t tile_bytes = uint64_t{plan_.base_m} * plan_.base_n * ascsan::gate::bytes_of(job.types.output);
    bool busy[2] = {false, false};
    for (uint32_t i = 0; i < count; ++i) {
      const auto slot = static_cast<int32_t>(i % plan_.l0c_slots);
      tile_ = tile_at(i);
      l0c_ = on_chip(Space::kL0c, plan_.l0c(static_cast<uint32_t>(slot)), kL0cBytes / plan_.l0c_slots,
                     job.types.accumulator());
      compute(false, busy[slot] ? slot : -1, site);
      store(sequential ? shifted(gm, i * tile_bytes) : gm, atomic, sequential, slot, site);
      busy[slot] = true;
    }
    release_inputs(site);
    for (int32_t slot = 0; slot < 2; ++slot)
      if (busy[slot]) wait_flag(HardEvent::FIX_M, kFirstFlag + slot, site);
    finish_table(site);
  }

  const Plan& plan() const { return plan_; }
  bool ready() const { return ready_; }

 private:
  struct Tile {
    uint32_t m0, m, n0, n;
  };

  /// Blocks of an NZ operand must begin with a column of 32 bytes.
  bool blocks_fit(const Site& site) const {
    const uint32_t c0 = job.types.c0();
    const bool a = !job.a.nz || !job.a.transposed || plan_.base_m % c0 == 0 || job.single_m <= plan_.base_m;
    const bool b = !job.b.nz || job.b.transposed || plan_.base_n % c0 == 0 || job.single_n <= plan_.base_n;
    if (!a) detail::unsupported("Matmul: baseM must be a multiple of 32 bytes for a transposed A in NZ", site);
    if (!b) detail::unsupported("Matmul: baseN must be a multiple of 32 bytes for a B in NZ", site);
    return a && b;
  }

  uint32_t tiles() const { return ceil_div(job.single_m, plan_.base_m) * ceil_div(job.single_n, plan_.base_n); }

  Tile tile_at(uint32_t index) const {
    const uint32_t in_m = ceil_div(job.single_m, plan_.base_m), in_n = ceil_div(job.single_n, plan_.base_n);
    const uint32_t mi = job.along_n ? index / in_n : index % in_m, ni = job.along_n ? index % in_n : index / in_m;
    const uint32_t m0 = mi * plan_.base_m, n0 = ni * plan_.base_n;
    return {m0, std::min(plan_.base_m, job.single_m - m0), n0, std::min(plan_.base_n, job.single_n - n0)};
  }

  // Extents as the matrix unit sees them: Mmad with m = 1 would read A as a plain vector, int8 transposes whole 32
  // x 32.
  uint32_t cube_m() const { return std::max(tile_.m, 2u); }
  uint32_t cube_n() const { return job.types.integer() && !job.b.transposed ? ceil_to(tile_.n, 32) : tile_.n; }

  Panel panel(const Matrix& matrix, bool is_a, uint32_t slot, uint32_t k) const {
    const uint32_t grain = job.types.grain(), outer = is_a ? tile_.m : tile_.n;
    const bool k_rows = is_a == matrix.transposed;  // memory rows run along K
    const uint32_t rows = k_rows ? k : outer, columns = ceil_to(k_rows ? outer : k, std::max(16u, job.types.c0()));
    const uint32_t padded = ceil_to(rows, k_rows ? grain : 16);
    const uint32_t address = slot * plan_.l1_slot + (is_a ? plan_.l1_a : plan_.l1_b);
    return {on_chip(Space::kL1, address, padded * columns * job.types.input_bytes(), job.types.input), rows, padded,
            columns};
  }

  void load_panel(const Matrix& matrix, bool is_a, const Panel& to, uint32_t k0, uint32_t k, const Site& site) const {
    const bool k_rows = is_a == matrix.transposed;
    const uint32_t outer0 = is_a ? tile_.m0 : tile_.n0, outer = is_a ? tile_.m : tile_.n;
    const uint32_t org_outer = is_a ? job.org_m : job.org_n, org_k = is_a ? job.org_ka : job.org_kb;
    Block block{k_rows ? k0 : outer0, k_rows ? k : outer, k_rows ? outer0 : k0, k_rows ? outer : k};
    const bool twice = is_a && !k_rows && tile_.m == 1;
    if (!matrix.nz) {
      load_panel_nd(to, matrix.tensor, block, k_rows ? org_outer : org_k, twice, site);
    } else {
      if (twice) block.rows = 2;  // the row behind exists: NZ pads rows to 16
      load_panel_nz(to, matrix.tensor, block, ceil_to(k_rows ? org_k : org_outer, 16), site);
    }
  }

  /// Product of the tile over all of K into l0c_. `free_slot`: number of the FIX_M flag that frees it, -1 = is free.
  void compute(bool accumulate, int32_t free_slot, const Site& site) {
    if (free_slot >= 0) wait_flag(HardEvent::FIX_M, kFirstFlag + free_slot, site);
    uint32_t panel_slot = 0;
    bool first = !accumulate;
    for (uint32_t k0 = 0; k0 < job.single_k; k0 += plan_.panel_k, panel_slot ^= 1) {
      const uint32_t k = std::min(plan_.panel_k, job.single_k - k0);
      const int32_t flag = kFirstFlag + static_cast<int32_t>(panel_slot);
      if (panel_busy_[panel_slot]) wait_flag(HardEvent::MTE1_MTE2, flag, site);
      const Panel a = panel(job.a, true, panel_slot, k), b = panel(job.b, false, panel_slot, k);
      load_panel(job.a, true, a, k0, k, site);
      load_panel(job.b, false, b, k0, k, site);
      const bool bias = first && job.with_bias;
      const Operand staged = on_chip(Space::kL1, panel_slot * plan_.l1_slot + plan_.l1_bias,
                                     ceil_to(plan_.base_n * 4, 64), job.types.bias);
      if (bias) load_bias(staged, job.bias, tile_.n0, tile_.n, site);
      set_flag(HardEvent::MTE2_MTE1, flag, site);
      wait_flag(HardEvent::MTE2_MTE1, flag, site);
      for (uint32_t at = 0; at < k; at += plan_.base_k) {
        multiply(a, b, at, std::min(plan_.base_k, k - at), first, bias && at == 0 ? &staged : nullptr, site);
        first = false;
      }
      set_flag(HardEvent::MTE1_MTE2, flag, site);
      panel_busy_[panel_slot] = true;
    }
  }

  /// One Mmad of at most base_k.
  void multiply(const Panel& a, const Panel& b, uint32_t at, uint32_t k, bool first, const Operand* bias,
                const Site& site) {
    const uint32_t slot = l0_slot_;
    l0_slot_ = (l0_slot_ + 1) % plan_.l0_slots();
    const int32_t flag = kFirstFlag + static_cast<int32_t>(slot);
    if (l0_busy_[slot]) wait_flag(HardEvent::M_MTE1, flag, site);
    const Operand bias_table = on_chip(Space::kBt, 0, kBtBytes, job.types.accumulator());
    if (bias != nullptr) {
      if (bias_busy_) wait_flag(HardEvent::M_MTE1, kBiasFlag, site);
      load_bias_table(bias_table, *bias, tile_.n, site);
    }
    const Operand l0a = on_chip(Space::kL0a, plan_.l0a(slot), kL0Bytes - plan_.l0a(slot), job.types.input);
    const Operand l0b = on_chip(Space::kL0b, plan_.l0b(slot), kL0Bytes - plan_.l0b(slot), job.types.input);
    load_l0a(l0a, a, job.types, job.a.transposed, cube_m(), at, k, site);
    load_l0b(l0b, b, job.types, job.b.transposed, cube_n(), at, k, site);
    set_flag(HardEvent::MTE1_M, flag, site);
    wait_flag(HardEvent::MTE1_M, flag, site);
    MmadParams params;
    params.m = static_cast<uint16_t>(cube_m()), params.n = static_cast<uint16_t>(cube_n()),
    params.k = static_cast<uint16_t>(k);
    params.cmatrixInitVal = first;
    // A transposed 3D load of 32-bit data pads K to 16, all other loads to one block.
    params.kDirectionAlign = job.types.input == DataType::kFloat && job.a.transposed;
    // Small tiles are not ordered by the pipe itself (rule E-3).
    if (!first && (params.m / 16) * (params.n / 16) < 10) detail::barrier_call(PIPE_M, site);
    detail::mmad(l0c_, l0a, l0b, bias != nullptr ? &bias_table : nullptr, params, site);
    set_flag(HardEvent::M_MTE1, flag, site);
    l0_busy_[slot] = true;
    if (bias != nullptr) {
      set_flag(HardEvent::M_MTE1, kBiasFlag, site);
      bias_busy_ = true;
    }
  }

  /// Waits for every reverse flag of the loads.
  void release_inputs(const Site& site) {
    for (int32_t slot = 0; slot < 2; ++slot) {
      if (panel_busy_[slot]) wait_flag(HardEvent::MTE1_MTE2, kFirstFlag + slot, site);
      if (l0_busy_[slot]) wait_flag(HardEvent::M_MTE1, kFirstFlag + slot, site);
      panel_busy_[slot] = l0_busy_[slot] = false;
    }
    if (bias_busy_) wait_flag(HardEvent::M_MTE1, kBiasFlag, site);
    bias_busy_ = false;
    l0_slot_ = 0;
  }

  ascsan::gate::FixpipeParams store_params(uint32_t pitch, uint32_t c_rows) const {
    using ascsan::gate::Quant;
    ascsan::gate::FixpipeParams p{};
    const Quant quant = quant_mode(job.types, job.with_table);
    p.n = job.c_is_nz ? ceil_to(tile_.n, job.channel_split ? 8 : 16) : tile_.n;
    p.m = tile_.m;
    p.src_stride = ceil_to(cube_m(), 16);
    p.scalar = job.scale;
    p.nd_num = 1;
    p.quant = static_cast<uint8_t>(quant);
    p.relu = job.relu;
    p.channel_split = job.channel_split;
    p.layout = job.c_is_nz ? 0 : 1;
    p.dst_stride = job.c_is_nz ? c_rows * nz_row_bytes() / 32 : pitch;
    return p;
  }
  /// Bytes of one row of an NZ column block of C: 16 columns, 32 of 8 bits, 8 of a split float.
  uint32_t nz_row_bytes() const {
    const uint32_t size = ascsan::gate::bytes_of(job.types.output);
    return size == 1 || job.channel_split ? 32 : 16 * size;
  }

  /// `gm`: start of C, or of the tile when `sequential` (then C is [m, n] of this tile, tight).
  void store(const Operand& gm, uint8_t atomic, bool sequential, int32_t slot, const Site& site) {
    set_flag(HardEvent::M_FIX, kFirstFlag + slot, site);
    wait_flag(HardEvent::M_FIX, kFirstFlag + slot, site);
    const uint32_t size = ascsan::gate::bytes_of(job.types.output);
    const uint32_t pitch = sequential ? tile_.n : job.org_kc != 0 ? job.org_kc : job.org_n;
    const uint32_t c_rows = ceil_to(sequential ? tile_.m : job.org_m, 16);
    uint64_t offset = 0;
    if (!sequential && job.c_is_nz) {
      offset = (uint64_t{tile_.n0} * size / nz_row_bytes() * c_rows + tile_.m0) * nz_row_bytes();
    } else if (!sequential) {
      offset = (uint64_t{tile_.m0} * pitch + tile_.n0) * size;
    }
    const ascsan::gate::FixpipeParams params = store_params(pitch, c_rows);
    if (ascsan::gate::is_vector_quant(static_cast<ascsan::gate::Quant>(params.quant))) load_table(site);
    if (atomic != 0) detail::set_atomic(static_cast<detail::AtomicMode>(atomic), job.types.output, site);
    detail::fixpipe(ascsan::gate::Op::kFixpipe, shifted(gm, offset), l0c_, params, site);
    if (atomic != 0) detail::set_atomic(detail::AtomicMode::kNone, DataType::kNone, site);
    set_flag(HardEvent::FIX_M, kFirstFlag + slot, site);
  }

  /// Scale words of the tile's columns: GM -> L1 -> FB.
  void load_table(const Site& site) {
    const Operand staged = on_chip(Space::kL1, plan_.l1_table, ceil_to(plan_.base_n * 8, 128), DataType::kUint64);
    const Operand table = on_chip(Space::kFb, 0, 2048, DataType::kUint64);
    if (table_busy_) wait_flag(HardEvent::FIX_MTE2, kFirstFlag, site);
    detail::copy_pad(staged, shifted(job.table, uint64_t{tile_.n0} * 8), {1, tile_.n * 8, 0, 0, 0, 0, 1, 0}, site);
    set_flag(HardEvent::MTE2_FIX, kFirstFlag, site);
    wait_flag(HardEvent::MTE2_FIX, kFirstFlag, site);
    detail::barrier_call(PIPE_FIX, site);  // the store before may still read the table
    detail::copy_blocks(table, staged, DataCopyParams(1, static_cast<uint16_t>(ceil_div(tile_.n * 8, 128)), 0, 0),
                        site);
    set_flag(HardEvent::FIX_MTE2, kFirstFlag, site);
    table_busy_ = true;
    detail::set_quant_address(table, false, site);
    detail::barrier_call(PIPE_FIX, site);
  }
  void finish_table(const Site& site) {
    if (table_busy_) wait_flag(HardEvent::FIX_MTE2, kFirstFlag, site);
    table_busy_ = false;
  }

  Plan plan_;
  Operand l0c_;
  Tile tile_{};
  uint32_t next_ = 0, l0_slot_ = 0;
  bool ready_ = false, have_tile_ = false;
  bool panel_busy_[2] = {false, false}, l0_busy_[2] = {false, false};
  bool bias_busy_ = false, table_busy_ = false;
};

}  // namespace matmul_detail
}  // namespace AscendC
