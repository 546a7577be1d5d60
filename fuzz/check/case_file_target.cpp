// Case files of the batch runner: cases or an error, never a crash.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fused_linear_cross_entropy/batch/case_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const flce::batch::CaseFile file =
      flce::batch::parse_case_file(std::string(reinterpret_cast<const char*>(data), size), "fuzz.toml");
  if (!file.error.empty() && !file.cases.empty()) std::abort();
  return 0;
}
