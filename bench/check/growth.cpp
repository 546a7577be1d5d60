// Jobs: `copy`, cores stream GM through UB, so nearly all memory is GM and its shadow; `loop`, one core works on the
// same tile again and again, so nothing may grow with the number of turns.
#include "growth.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "ascsan/run.h"
#include "kernel_operator.h"
#include "tikicpulib.h"

namespace {
constexpr uint32_t kTile = 4096;  // floats

__aicore__ inline void turn(AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 2>& queue,
                            AscendC::GlobalTensor<float>& x, AscendC::GlobalTensor<float>& y, uint64_t from,
                            uint64_t to) {
  AscendC::LocalTensor<float> tile = queue.AllocTensor<float>();
  AscendC::DataCopy(tile, x[from], kTile);
  queue.EnQue(tile);
  tile = queue.DeQue<float>();
  AscendC::DataCopy(y[to], tile, kTile);
  queue.FreeTensor(tile);
}

/// Each core copies its share of `tiles` tiles.
__global__ __aicore__ void copy_all(GM_ADDR x, GM_ADDR y, uint64_t tiles) {
  AscendC::TPipe pipe;
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 2> queue;
  pipe.InitBuffer(queue, 2, kTile * 4);
  AscendC::GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float*)x, tiles * kTile);
  yGm.SetGlobalBuffer((__gm__ float*)y, tiles * kTile);
  for (uint64_t tile = AscendC::GetBlockIdx(); tile < tiles; tile += AscendC::GetBlockNum())
    turn(queue, xGm, yGm, tile * kTile, tile * kTile);
}

/// The same tile, `turns` times; the store of a turn may still be under way when the next turn stores: PIPE_MTE3
/// orders.
__global__ __aicore__ void loop_tile(GM_ADDR x, GM_ADDR y, uint64_t turns) {
  AscendC::TPipe pipe;
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 2> queue;
  pipe.InitBuffer(queue, 2, kTile * 4);
  AscendC::GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float*)x, kTile);
  yGm.SetGlobalBuffer((__gm__ float*)y, kTile);
  for (uint64_t i = 0; i < turns; ++i) {
    turn(queue, xGm, yGm, 0, 0);
    AscendC::PipeBarrier<PIPE_MTE3>();
  }
}
}  // namespace

namespace ascsan::bench {
namespace {

struct Used {
  double seconds = 0, bytes = 0;  ///< of the launch alone; peak of the process
};

/// Runs the job in a fresh process and reads the seconds it prints.
Used run_fresh(const std::string& program, const std::string& name, uint64_t size, bool check) {
  int ends[2];
  if (pipe(ends) != 0) give_up("no pipe to a job");
  const pid_t child = fork();
  if (child < 0) give_up("no process for a job");
  if (child == 0) {
    dup2(ends[1], 1);
    close(ends[0]);
    close(ends[1]);
    const std::string text = std::to_string(size);
    execl(program.c_str(), "bench_check", "--job", name.c_str(), text.c_str(), check ? "on" : "off", nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string output;
  char part[256];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) output.append(part, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    give_up("job " + name + " failed");
  return {std::strtod(output.c_str(), nullptr), static_cast<double>(usage.ru_maxrss) * 1024};
}

Used median_of(const std::string& program, const std::string& name, uint64_t size, bool check, int rounds) {
  std::vector<double> seconds, bytes;
  for (int i = 0; i < rounds; ++i) {
    const Used used = run_fresh(program, name, size, check);
    seconds.push_back(used.seconds);
    bytes.push_back(used.bytes);
  }
  return {median(seconds), median(bytes)};
}

std::string mib(double top, double bottom) {
  char text[80];
  std::snprintf(text, sizeof text, "%.1f MiB against %.1f MiB", top / (1 << 20), bottom / (1 << 20));
  return text;
}

}  // namespace

int run_job(const std::string& name, const std::string& size_text, const std::string& check) {
  const uint64_t size = std::strtoull(size_text.c_str(), nullptr, 10);
  const bool copies = name == "copy";
  if ((!copies && name != "loop") || size == 0 || !set_option("check", check)) return 2;
  set_option("progress", "none");
  const uint64_t bytes = (copies ? size : 1) * kTile * sizeof(float);
  uint8_t* x = static_cast<uint8_t*>(AscendC::GmAlloc(bytes));
  uint8_t* y = static_cast<uint8_t*>(AscendC::GmAlloc(bytes));
  std::memset(x, 1, bytes);
  std::memset(y, 0, bytes);
  AscendC::SetKernelMode(AscendC::KernelMode::AIV_MODE);
  const double seconds = seconds_of([&] {
    if (copies)
      ICPU_RUN_KF(copy_all, 8, x, y, size);
    else
      ICPU_RUN_KF(loop_tile, 1, x, y, size);
  });
  std::printf("%.9f\n", seconds);
  return 0;  // findings end in another status
}

void measure_growth(Table& table, const std::string& program) {
  constexpr uint64_t kTiles = 8192;  // 128 MiB read, 128 MiB written
  const Used with = median_of(program, "copy", kTiles, true, 3), without = median_of(program, "copy", kTiles, false, 3);
  const double touched = 2.0 * kTiles * kTile * sizeof(float);
  table.add({"shadow bytes per byte of global memory", mib(with.bytes, without.bytes),
             (with.bytes - without.bytes) / touched, 1, "B"});
  // Short runs lie between the long ones, and their mean is taken: a machine that is slow for a while slows both.
  constexpr uint64_t kTurns = 2000;
  constexpr int kRounds = 3, kShort = 10;
  std::vector<double> longs, peaks;
  double shorts = 0, peak = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kShort; ++i) {
      const Used used = run_fresh(program, "loop", kTurns, true);
      shorts += used.seconds / (kRounds * kShort);
      peak = std::max(peak, used.bytes);
    }
    const Used used = run_fresh(program, "loop", 100 * kTurns, true);
    longs.push_back(used.seconds);
    peaks.push_back(used.bytes);
  }
  const Used once{shorts, peak}, hundred{median(longs), median(peaks)};
  char text[80];
  std::snprintf(text, sizeof text, "%.1f ms against %.1f ms", hundred.seconds * 1e3, once.seconds * 1e3);
  table.add({"time of a loop 100 times longer", text, hundred.seconds / once.seconds, 105, "x"});
  table.add(
      {"memory of a loop 100 times longer", mib(hundred.bytes, once.bytes), hundred.bytes / once.bytes, 1.1, "x"});
}

}  // namespace ascsan::bench
