// Speed of the emulation: checked against unchecked, and against the plain host computation of the same result.
// Bars are those of the acceptance list; `./dev bench emu` runs it.
#include <oneapi/dnnl/dnnl.h>

#include <cmath>
#include <cstring>
#include <random>

#include "ascsan/run.h"
#include "kernel_operator.h"
#include "ratio.h"
#include "smoke_launches.h"
#include "tikicpulib.h"

using namespace AscendC;
using ascsan::bench::Table;

namespace {
constexpr uint32_t kElems = 1024;  // 4 KiB of float
constexpr uint32_t kTurns = 4000;

/// The same maths as one host loop each, not inlined so that it is repeated as often as the instruction.
__attribute__((noinline)) void host_add(float* c, const float* a, const float* b, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
__attribute__((noinline)) void host_muls(float* c, const float* a, const float*, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) c[i] = a[i] * 1.25f;
}
__attribute__((noinline)) void host_exp(float* c, const float* a, const float*, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) c[i] = std::exp(a[i]);
}

using HostLoop = void (*)(float*, const float*, const float*, uint32_t);
enum class What { kAdd, kMuls, kExp };

void vector_kernel(What what, uint32_t turns) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> ba, bb, bc;
  pipe.InitBuffer(ba, kElems * 4);
  pipe.InitBuffer(bb, kElems * 4);
  pipe.InitBuffer(bc, kElems * 4);
  LocalTensor<float> a = ba.Get<float>(), b = bb.Get<float>(), c = bc.Get<float>();
  Duplicate(a, 0.5f, kElems);
  Duplicate(b, 1.5f, kElems);
  for (uint32_t i = 0; i < turns; ++i) {
    if (what == What::kAdd) Add(c, a, b, kElems);
    if (what == What::kMuls) Muls(c, a, 1.25f, kElems);
    if (what == What::kExp) Exp(c, a, kElems);
  }
}

void bench_vector(Table& table, const char* name, What what, HostLoop host) {
  std::vector<float> a(kElems, 0.5f), b(kElems, 1.5f), c(kElems);
  SetKernelMode(KernelMode::AIV_MODE);
  table.ratio(
      std::string("vector ") + name + " 4 KiB, checked, / host loop", 8, 9,
      [&] { ICPU_RUN_KF(vector_kernel, 1, what, kTurns); },
      [&] {
        for (uint32_t i = 0; i < kTurns; ++i) {
          host(c.data(), a.data(), b.data(), kElems);
          asm volatile("" : : "r"(c.data()) : "memory");
        }
      });
}

void mmad_kernel(uint32_t m, uint32_t k, uint32_t n, uint32_t turns) {
  LocalTensor<half> a(TPosition::A2, 0, m * k), b(TPosition::B2, 0, k * n);
  LocalTensor<float> c(TPosition::CO1, 0, m * n);
  InitConstValue(a, InitConstValueParams<half>{1, static_cast<uint16_t>(m * k * 2 / 512), 0, half(0.5f)});
  InitConstValue(b, InitConstValueParams<half>{1, static_cast<uint16_t>(n * k * 2 / 512), 0, half(0.25f)});
  SetFlag<HardEvent::MTE1_M>(3);
  WaitFlag<HardEvent::MTE1_M>(3);
  MmadParams params;
  params.m = static_cast<uint16_t>(m);
  params.n = static_cast<uint16_t>(n);
  params.k = static_cast<uint16_t>(k);
  params.cmatrixInitVal = true;
  for (uint32_t i = 0; i < turns; ++i) {
    Mmad(c, a, b, params);
    PipeBarrier<PIPE_M>();
  }
}

void bench_mmad(Table& table, uint32_t m, uint32_t k, uint32_t n) {
  constexpr uint32_t kMmadTurns = 200;
  std::vector<float> a(m * k, 0.5f), b(k * n, 0.25f), c(m * n);
  SetKernelMode(KernelMode::AIC_MODE);
  char name[96];
  std::snprintf(name, sizeof name, "Mmad %ux%ux%u fp16, checked, / oneDNN sgemm", m, k, n);
  table.ratio(
      name, 3, 9, [&] { ICPU_RUN_KF(mmad_kernel, 1, m, k, n, kMmadTurns); },
      [&] {
        for (uint32_t i = 0; i < kMmadTurns; ++i)
          dnnl_sgemm('N', 'N', m, n, k, 1.0f, a.data(), k, b.data(), n, 0.0f, c.data(), n);
      });
}

void empty_kernel() {}
}  // namespace

int main() {
  Table table;
  ascsan::set_option("check", "on");
  ascsan::set_option("schedule", "in_order");

  SetKernelMode(KernelMode::MIX_MODE);
  table.absolute(
      "empty launch of 24 AIC + 48 AIV, checked", 20, 21, [] { ICPU_RUN_KF(empty_kernel, 24); }, "ms", 1e3);
  bench_vector(table, "Add", What::kAdd, host_add);
  bench_vector(table, "Muls", What::kMuls, host_muls);
  bench_vector(table, "Exp", What::kExp, host_exp);
  bench_mmad(table, 128, 64, 256);
  bench_mmad(table, 128, 128, 256);

  ascsan::bench::smoke_set(table);
  ascsan::bench::large_case(table);
  return table.summary();
}
