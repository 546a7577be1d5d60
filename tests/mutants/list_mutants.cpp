// usage: list_mutants FILE...: the mutants of kernels as JSON on stdout, for mutants.py: an object for each file, with
// its path and its mutants in their order.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "compile/mutate/mutant.h"

int main(int argc, char** argv) {
  nlohmann::json files = nlohmann::json::array();
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i]);
    std::stringstream text;
    text << file.rdbuf();
    if (!file || text.str().empty()) {
      std::fprintf(stderr, "list_mutants: %s cannot be read; usage: list_mutants FILE...\n", argv[i]);
      return 2;
    }
    const std::string name = std::filesystem::path(argv[i]).filename().string();
    nlohmann::json list = nlohmann::json::array();
    for (const ascsan::compile::Mutant& mutant : ascsan::compile::mutate(name, text.str()))
      list.push_back({{"number", mutant.number},
                      {"group", mutant.group},
                      {"operator", mutant.op},
                      {"what", mutant.what},
                      {"lines", mutant.lines},
                      {"link", mutant.link},
                      {"text", mutant.text},
                      {"diff", mutant.diff}});
    files.push_back({{"file", argv[i]}, {"mutants", list}});
  }
  std::printf("%s\n", files.dump().c_str());
  return 0;
}
