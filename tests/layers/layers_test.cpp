// The tree obeys tools/layers.txt, and the check itself finds what it should (HACKING.md, layering).
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "layers/layer_check.h"

namespace ascsan::layers {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLines = 500;

std::string read(const fs::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(Layers, TheTreeObeysTheTable) {
  const fs::path top = ASCSAN_TOP;
  const Table table = parse_table(read(top / "tools" / "layers.txt"));
  size_t files = 0;
  const std::vector<std::string> problems =
      check_tree(table, top, {"include", "src", "ops", "tests", "bench", "fuzz", "tools", "python"}, kMaxLines, files);
  for (const std::string& problem : problems) ADD_FAILURE() << problem;
  EXPECT_GT(files, 50u);  // the folders were found
}

class MadeUpTree : public ::testing::Test {
 protected:
  void SetUp() override {
    top_ = fs::temp_directory_path() / ("layers-" + std::to_string(getpid()));
    for (const char* file : {"inc/api.h", "src/low/a.h", "src/high/b.h", "src/high/table.def"}) {
      fs::create_directories((top_ / file).parent_path());
      std::ofstream(top_ / file) << "// empty\n";
    }
    table_ =
        parse_table("roots .: src inc\nlayer src/low:\nlayer src/high: src/low inc/api.h  # comment\nlayer inc: inc\n");
    ASSERT_TRUE(table_.errors.empty());
  }
  void TearDown() override { fs::remove_all(top_); }
  std::vector<std::string> check(const std::string& path, const std::string& text) {
    return check_file(table_, top_, path, text, 10);
  }
  fs::path top_;
  Table table_;
};

TEST_F(MadeUpTree, AllowedEdgesPass) {
  EXPECT_TRUE(check("src/high/x.cpp", "#include \"low/a.h\"\n#include \"b.h\"\n#include <vector>\n#include \"api.h\"\n")
                  .empty());
  EXPECT_TRUE(check("src/low/x.cpp", "// #include \"high/b.h\"\n#include \"unknown.h\"\n").empty());
}

TEST_F(MadeUpTree, ForbiddenEdgesAreFound) {
  const std::vector<std::string> expected = {"src/low/x.cpp:2: layer src/low may not include src/high/b.h"};
  EXPECT_EQ(check("src/low/x.cpp", "\n#include \"high/b.h\"\n"), expected);
  EXPECT_EQ(check("src/low/x.cpp", "\n  #  include <high/b.h>\n"), expected);
  EXPECT_EQ(check("src/low/x.cpp", "\n#include \"../high/b.h\"\n"), expected);
  EXPECT_EQ(check("src/low/x.cpp", "#include \"high/table.def\"\n").size(), 1u);
  EXPECT_EQ(check("inc/y.h", "#include \"low/a.h\"\n").size(), 1u);
}

TEST_F(MadeUpTree, UnknownFoldersAndLongFilesAreFound) {
  EXPECT_EQ(check("src/other/x.cpp", "#include \"low/a.h\"\n"),
            std::vector<std::string>{"src/other/x.cpp:1: no layer is named for this folder"});
  EXPECT_TRUE(check("src/low/x.cpp", std::string(10, '\n')).empty());
  EXPECT_EQ(check("src/low/x.cpp", std::string(11, '\n')).size(), 1u);
  EXPECT_EQ(parse_table("layers src: x\nlayer src x\n").errors.size(), 2u);
}

}  // namespace
}  // namespace ascsan::layers
