// CPU detection and the public switches of include/flce/runtime.h.
#include "dispatch.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "flce/runtime.h"
#include "thread_pool.h"

namespace flce {
namespace cpu {
namespace {

struct Choice {
  const KernelTable<float>* wide;
  const KernelTable<float>* pairs;  // null: no bf16 product
  std::string name;
};

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
bool has_bf16() {
  return has_avx512() && __builtin_cpu_supports("avx512bf16");
}
// Matrix tiles: the CPU has them, the system saves them, and this process may use them (Linux asks for a request, once
// and for all threads, because a signal frame then needs 8 KiB more).
bool has_amx() {
  static const bool allowed = [] {
    constexpr unsigned kBf16 = 1u << 22, kTile = 1u << 24;  // leaf 7, edx
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & kBf16) == 0 || (d & kTile) == 0) return false;
    constexpr long kRequest = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    return syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
  }();
  return allowed && has_avx512();
}

// What is chosen unasked. Intel's dot products of bf16 pairs are slower than fp32 ones on widened operands (221 against
// 383 GFLOP/s, k 2048), AMD's are twice as fast.
const char* fastest() {
  if (has_amx()) return "amx";
  if (has_bf16() && !__builtin_cpu_is("intel")) return "avx512-bf16";
  return has_avx512() ? "avx512" : has_avx2() ? "avx2" : "baseline";
}

Choice choose(const std::string& isa) {
  if (isa == "baseline") return {&baseline_table(), nullptr, isa};
  if (isa == "avx2" && has_avx2()) return {&avx2_table(), nullptr, isa};
  if (isa == "avx512-emulated" && has_avx2()) return {&avx512_emulated_table(), &avx512_bf16_emulated_table(), isa};
  if (isa == "avx512" && has_avx512()) return {&avx512_table(), nullptr, isa};
  if (isa == "avx512-bf16" && has_bf16()) return {&avx512_table(), &avx512_bf16_table(), isa};
  if (isa == "amx-emulated" && has_avx2()) return {&avx512_emulated_table(), &amx_emulated_table(), isa};
  if (isa == "amx" && has_amx()) return {&avx512_table(), &amx_table(), isa};
  if (!isa.empty()) {
    std::string all;
    for (const std::string& one : available_isas()) all += (all.empty() ? "" : ", ") + one;
    throw ArgumentError("isa", "given \"" + isa + "\", this CPU allows: " + all);
  }
  return choose(fastest());
}

Choice& current() {
  static Choice choice = [] {
    const char* wish = std::getenv("FLCE_ISA");
    return choose(wish ? wish : "");
  }();
  return choice;
}

}  // namespace

template <>
const KernelTable<float>& table_for<float>(bool both_bf16) {
  const Choice& c = current();
  return both_bf16 && c.pairs ? *c.pairs : *c.wide;
}
template <>
const KernelTable<double>& table_for<double>(bool) {
  return double_table();
}

}  // namespace cpu

std::vector<std::string> available_isas() {
  std::vector<std::string> all{"baseline"};
  if (cpu::has_avx2()) all.insert(all.end(), {"amx-emulated", "avx512-emulated", "avx2"});
  if (cpu::has_avx512()) all.push_back("avx512");
  if (cpu::has_bf16()) all.push_back("avx512-bf16");
  if (cpu::has_amx()) all.push_back("amx");
  return all;
}
void set_isa(const std::string& isa) {
  cpu::current() = cpu::choose(isa);
}
std::string isa() {
  return cpu::current().name;
}
void set_threads(int threads) {
  cpu::ThreadPool::shared().set_default_threads(threads);
}
int threads() {
  return cpu::ThreadPool::shared().default_threads();
}

}  // namespace flce
