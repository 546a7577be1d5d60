// A file that holds the input, for parsers that take a path.
#pragma once

#include <unistd.h>

#include <fstream>
#include <string>

namespace fuzz {

/// Overwritten by the next call; one file per process.
inline std::string file_with(const std::string& text, const std::string& ending) {
  const std::string path = "/tmp/ascsan-fuzz-" + std::to_string(getpid()) + "." + ending;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  return path;
}

}  // namespace fuzz
