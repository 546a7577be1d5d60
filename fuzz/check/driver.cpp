// Runs a fuzz target without libFuzzer, for compilers that have none and for the short run in ctest: every file of a
// corpus, then mutations of them for some seconds or a number of runs, from a seed that is printed. Memory and time per
// input are bounded by the target itself; an input that takes longer than kSlow seconds is a failure, like a crash.
//
//   fuzz_NAME CORPUS_DIR [--seconds N | --runs N] [--seed N]
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {
using Input = std::vector<uint8_t>;
constexpr double kSlow = 5;
constexpr size_t kLargest = 4096;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<Input> read_corpus(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Input> corpus;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

class Mutator {
 public:
  Mutator(const std::vector<Input>& corpus, uint64_t seed) : corpus_(corpus), random_(seed) {}
  Input next() {
    Input input = pick();
    for (uint64_t i = 1 + below(6); i > 0; --i) change(input);
    if (input.size() > kLargest) input.resize(kLargest);
    return input;
  }

 private:
  uint64_t below(uint64_t limit) { return random_() % limit; }
  const Input& pick() { return corpus_[below(corpus_.size())]; }
  void change(Input& input) {
    const size_t at = input.empty() ? 0 : below(input.size());
    const auto place = input.begin() + static_cast<ptrdiff_t>(at);
    switch (below(7)) {
      case 0:
        if (!input.empty()) input[at] ^= static_cast<uint8_t>(1u << below(8));
        return;
      case 1:
        if (!input.empty()) input[at] = static_cast<uint8_t>(below(256));
        return;
      case 2:
        input.insert(place, static_cast<uint8_t>(below(256)));
        return;
      case 3:
        input.erase(place, input.begin() + static_cast<ptrdiff_t>(std::min(input.size(), at + 1 + below(8))));
        return;
      case 4: {  // a piece of another input
        const Input& other = pick();
        if (other.empty()) return;
        const size_t from = below(other.size()), length = std::min<size_t>(other.size() - from, 1 + below(32));
        const Input piece(other.begin() + static_cast<ptrdiff_t>(from),
                          other.begin() + static_cast<ptrdiff_t>(from + length));
        input.insert(place, piece.begin(), piece.end());
        return;
      }
      case 5: {  // a number where a limit may be
        static constexpr uint64_t kNumbers[] = {0,    1, 255, 256, 65535, 0x7FFFFFFF, 0xFFFFFFFF, 0x8000000000000000,
                                                ~0ull};
        const uint64_t number = kNumbers[below(std::size(kNumbers))];
        const size_t bytes = size_t{1} << below(4);
        if (input.size() >= at + bytes) std::memcpy(input.data() + at, &number, bytes);
        return;
      }
      default:
        input.resize(below(input.size() + 1));
    }
  }
  const std::vector<Input>& corpus_;
  std::mt19937_64 random_;
};

const Input* g_current = nullptr;

/// The input that ended the program is written to the working directory, as libFuzzer does.
void keep_input() {
  if (g_current == nullptr) return;
  const int file = open("crash-input", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  static constexpr char kKept[] = "fuzz: the input is in crash-input\n",
                        kNot[] = "fuzz: crash-input could not be written\n";
  const bool kept =
      file >= 0 && write(file, g_current->data(), g_current->size()) == static_cast<ssize_t>(g_current->size());
  if (write(2, kept ? kKept : kNot, kept ? sizeof kKept - 1 : sizeof kNot - 1) < 0) _exit(1);
}

/// Signals of a crash, and of the alarm that ends a hang.
void on_signal(int signal) {
  keep_input();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

bool run_one(const Input& input) {
  g_current = &input;
  alarm(4 * static_cast<unsigned>(kSlow));
  const double start = now();
  LLVMFuzzerTestOneInput(input.data(), input.size());
  if (now() - start > kSlow) {
    std::fprintf(stderr, "fuzz: an input of %zu bytes took %.1f s\n", input.size(), now() - start);
    keep_input();
    return false;
  }
  alarm(0);
  g_current = nullptr;
  return true;
}
}  // namespace

int main(int argc, char** argv) {
  double seconds = 0;
  uint64_t seed = 1, wanted = 0;
  for (int i = 2; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seconds") == 0) seconds = std::strtod(argv[i + 1], nullptr);
    if (std::strcmp(argv[i], "--runs") == 0) wanted = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--seed") == 0) seed = std::strtoull(argv[i + 1], nullptr, 10);
  }
  if (argc < 2 || argc % 2 != 0) {
    std::fprintf(stderr, "usage: %s CORPUS_DIR [--seconds N | --runs N] [--seed N]\n", argv[0]);
    return 2;
  }
  const std::vector<Input> corpus = read_corpus(argv[1]);
  if (corpus.empty()) {
    std::fprintf(stderr, "fuzz: no files in %s\n", argv[1]);
    return 2;
  }
  std::atexit(keep_input);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) std::signal(signal, on_signal);
  for (const Input& input : corpus)
    if (!run_one(input)) return 1;
  Mutator mutator(corpus, seed);
  uint64_t runs = 0;
  for (const double end = now() + seconds; runs < wanted || now() < end; ++runs)
    if (!run_one(mutator.next())) return 1;
  std::printf("fuzz: %zu files of the corpus and %llu mutations, seed %llu\n", corpus.size(),
              static_cast<unsigned long long>(runs), static_cast<unsigned long long>(seed));
  return 0;
}
