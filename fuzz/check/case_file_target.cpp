// Case files of the batch runner: cases or an error, never a crash.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fused_linear_cross_entropy/batch/case_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const flce::batch::CaseFile file = flce::batch::parse_case_file(text, "fuzz.toml");
  // Equal text, equal answer; an error names the file.
  const flce::batch::CaseFile again = flce::batch::parse_case_file(text, "fuzz.toml");
  if (file.error != again.error || file.cases.size() != again.cases.size()) std::abort();
  if (!file.error.empty() && file.error.find("fuzz.toml") == std::string::npos) std::abort();
  return 0;
}
