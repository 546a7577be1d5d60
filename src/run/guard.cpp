// The crash guard: what happens when kernel code dies or never comes back. Signals are taken on a stack of their own,
// the place is found from the interrupted instruction, the findings so far are delivered, and the process ends: never a
// dead terminal, never a lost finding. An endless scalar loop is one that makes no API call for hang_seconds of CPU
// time.
#include <cxxabi.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/text.h"
#include "explain/call_stack.h"
#include "report/verdict.h"
#include "run/session.h"

namespace ascsan::run {
namespace {
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr size_t kAlternateStackBytes = 512 * 1024;
constexpr long kTickMicroseconds = 250000;
constexpr uint64_t kTicksPerSecond = 1000000 / kTickMicroseconds;

struct sigaction g_before[sizeof kSignals / sizeof kSignals[0]];
struct sigaction g_before_timer;
uint64_t g_tick_limit = 0, g_ticks = 0, g_last_progress = 0;
bool g_handling = false;

/// "file:line (function)" of the innermost user frame, or of the last API call.
std::string place_of(uint64_t instruction, const machine::Core& core) {
  std::vector<uint64_t> addresses = {instruction};
  for (const report::Frame& frame : explain::symbolize(addresses, true))
    if (!frame.file.empty() && !report::is_framework(frame))
      return base::place(frame.file, frame.line) + " (" + frame.function + ")";
  if (core.last_site.line == 0) return "an unknown place before its first API call";
  return "a place after " + base::place(core.last_site.file, core.last_site.line) + " (" + core.last_site.function +
         ")";
}

uint64_t instruction_of(void* context) {
#if defined(__x86_64__)
  return static_cast<uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<ucontext_t*>(context)->uc_mcontext.pc;
#else
  (void)context;
  return 0;
#endif
}

const char* describe(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "invalid memory access (SIGSEGV)";
    case SIGBUS:
      return "invalid memory access (SIGBUS)";
    case SIGFPE:
      return "arithmetic fault such as a division by zero (SIGFPE)";
    case SIGILL:
      return "illegal instruction (SIGILL)";
    default:
      return "abort (SIGABRT)";
  }
}

void on_crash(int signal, siginfo_t* info, void* context) {
  Session* session = Session::existing();
  machine::Machine* machine = session != nullptr ? session->machine() : nullptr;
  const machine::Core* core = machine != nullptr ? machine->running_core() : nullptr;
  if (g_handling || core == nullptr) {
    // Not kernel code, or the guard itself failed: let the process die as it would have.
    ::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  g_handling = true;
  const bool overflow = signal == SIGSEGV && machine->stack_overflow(info->si_addr);
  std::string text =
      core->name() + " of " + machine->kernel() + ": " + (overflow ? "stack overflow" : describe(signal));
  if (signal == SIGSEGV && !overflow && reinterpret_cast<uint64_t>(info->si_addr) < 4096)
    text += " through a null pointer";
  text += " at " + place_of(instruction_of(context), *core);
  session->note_crash(text);
  session->finish(128 + signal);
  _exit(128 + signal);
}

void on_tick(int, siginfo_t*, void* context) {
  Session* session = Session::existing();
  machine::Machine* machine = session != nullptr ? session->machine() : nullptr;
  const machine::Core* core = machine != nullptr ? machine->running_core() : nullptr;
  if (core == nullptr || g_handling) return;
  if (machine->progress() != g_last_progress) {
    g_last_progress = machine->progress();
    g_ticks = 0;
    return;
  }
  if (++g_ticks < g_tick_limit) return;
  g_handling = true;
  session->note_unchecked(machine->kernel(), core->name() + " runs without end: no API call for " +
                                                 std::to_string(g_tick_limit / kTicksPerSecond) +
                                                 " s of CPU time (option hang_seconds) at " +
                                                 place_of(instruction_of(context), *core));
  // With a parent the gap itself says why the program ended; an exit status would read as its own failure.
  _exit(session->finish(session->has_parent() ? 0 : report::kExitIncomplete));
}
}  // namespace

void arm_guard(uint64_t hang_seconds) {
  static std::byte* const stack = static_cast<std::byte*>(std::malloc(kAlternateStackBytes));
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = kAlternateStackBytes;
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  action.sa_sigaction = on_crash;
  for (size_t i = 0; i < sizeof kSignals / sizeof kSignals[0]; ++i) sigaction(kSignals[i], &action, &g_before[i]);
  action.sa_sigaction = on_tick;
  action.sa_flags |= SA_RESTART;
  sigaction(SIGVTALRM, &action, &g_before_timer);
  g_tick_limit = hang_seconds * kTicksPerSecond;
  g_ticks = 0;
  const itimerval timer{{0, kTickMicroseconds}, {0, kTickMicroseconds}};
  setitimer(ITIMER_VIRTUAL, &timer, nullptr);
}

void disarm_guard() {
  const itimerval off{};
  setitimer(ITIMER_VIRTUAL, &off, nullptr);
  for (size_t i = 0; i < sizeof kSignals / sizeof kSignals[0]; ++i) sigaction(kSignals[i], &g_before[i], nullptr);
  sigaction(SIGVTALRM, &g_before_timer, nullptr);
}

}  // namespace ascsan::run
