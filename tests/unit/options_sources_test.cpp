// The option table and its four sources: what is accepted, which source wins, what an error says, and that no input
// breaks the parser (design/ux.md 3.1).
#include "run/options.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace ascsan::run {
namespace {

std::vector<std::string> words_of(const std::string& allowed) {
  std::vector<std::string> words;
  std::istringstream stream(allowed);
  for (std::string word; std::getline(stream, word, '|');) words.push_back(word);
  return words;
}

/// A fresh folder as current folder for one test.
class OptionSources : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = std::filesystem::current_path();
    std::string path = (std::filesystem::temp_directory_path() / "options-XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = path;
    std::filesystem::current_path(folder_);
    unsetenv("ASCSAN_OPTIONS");
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }
  static void write_config(const std::string& text) { std::ofstream("ascsan.toml") << text; }
  std::filesystem::path before_, folder_;
};

TEST_F(OptionSources, EveryAllowedWordIsTakenAndPrintedBack) {
  for (size_t i = 0; i < kOptionCount; ++i) {
    const OptionInfo& info = option_table()[i];
    if (info.repeats) continue;
    std::vector<std::string> values = words_of(info.allowed);
    if (const std::string allowed = info.allowed; allowed.find("..") != std::string::npos)
      values = {allowed.substr(0, allowed.find("..")), allowed.substr(allowed.find("..") + 2)};
    for (const std::string& value : values) {
      Options options;
      EXPECT_EQ(set_option(options, info.name, value, Origin::kProgram), "") << info.name;
      EXPECT_EQ(value_of(options, static_cast<OptionId>(i)), value) << info.name;
      EXPECT_EQ(options.origin[i], Origin::kProgram);
    }
  }
}

TEST_F(OptionSources, DefaultsAreThoseOfTheDesign) {
  const Options options;
  EXPECT_EQ(options.schedule, Schedule::kDeferred);
  EXPECT_EQ(options.profile, Profile::kAuto);
  EXPECT_EQ(options.chip, Chip::k910B1);
  EXPECT_EQ(options.fail_on, FailOn::kError);
  EXPECT_EQ(options.max_reports, 20u);
  EXPECT_EQ(options.error_exitcode, 1u);
  EXPECT_TRUE(options.check);
  EXPECT_TRUE(options.out.empty());
  for (const report::OptionValue& row : describe(options)) EXPECT_EQ(row.origin, "default") << row.name;
}

TEST_F(OptionSources, StrongerSourcesWin) {
  write_config("seed = 2\nmax_reports = 3\nschedule = \"random\"\nprofile = \"strict\"\n");
  setenv("ASCSAN_OPTIONS", "seed=4:max-reports=5:schedule=pct", 1);
  Options options;
  ASSERT_EQ(load_options(options), "");
  size_t first = 0;
  ASSERT_EQ(parse_command_line(options, {"--seed=6", "--max-reports", "7", "prog", "--seed=99"}, first), "");
  EXPECT_EQ(first, 3u);
  ASSERT_EQ(set_option(options, "seed", "8", Origin::kProgram), "");
  ASSERT_EQ(set_option(options, "seed", "9", Origin::kEnvironment), "");  // weaker: changes nothing
  EXPECT_EQ(options.seed, 8u);
  EXPECT_EQ(options.max_reports, 7u);
  EXPECT_EQ(options.schedule, Schedule::kPct);
  EXPECT_EQ(options.profile, Profile::kStrict);
  EXPECT_STREQ(name_of(options.origin_of(OptionId::seed)), "program");
  EXPECT_STREQ(name_of(options.origin_of(OptionId::max_reports)), "command line");
  EXPECT_STREQ(name_of(options.origin_of(OptionId::schedule)), "environment");
  EXPECT_STREQ(name_of(options.origin_of(OptionId::profile)), "ascsan.toml");
  EXPECT_STREQ(name_of(options.origin_of(OptionId::chip)), "default");
}

TEST_F(OptionSources, ListOptionAddsUpInOneSourceAndIsReplacedByAStrongerOne) {
  write_config("out = [\"json=a\", \"text=b\"]\n");
  Options options;
  ASSERT_EQ(load_options(options), "");
  EXPECT_EQ(value_of(options, OptionId::out), "json=a,text=b");
  ASSERT_EQ(parse_environment(options, "out=json=c:out='text=d:e'"), "");
  EXPECT_EQ(value_of(options, OptionId::out), "json=c,text=d:e");
}

TEST_F(OptionSources, CheckersAreAListOfNames) {
  Options options;
  EXPECT_EQ(value_of(options, OptionId::checkers), "all");
  ASSERT_EQ(parse_environment(options, "checkers=cache,race,race"), "");
  EXPECT_EQ(value_of(options, OptionId::checkers), "race,cache");
  EXPECT_TRUE(options.checkers.has(check::CheckerId::kRace));
  EXPECT_FALSE(options.checkers.has(check::CheckerId::kInit));
  ASSERT_EQ(set_option(options, "checkers", "race,all", Origin::kProgram), "");
  EXPECT_EQ(value_of(options, OptionId::checkers), "all");
  EXPECT_EQ(
      set_option(options, "checkers", "race,inti", Origin::kProgram),
      "option checkers: \"inti\" is not one of all, race, bounds, init, flags, cross_core, hang, legality, cache; "
      "did you mean init?");
  EXPECT_NE(set_option(options, "checkers", "", Origin::kProgram), "");
  EXPECT_NE(set_option(options, "checkers", "race,", Origin::kProgram), "");
  EXPECT_EQ(value_of(options, OptionId::checkers), "all") << "a wrong value changes nothing";
}

TEST_F(OptionSources, EveryRuleBelongsToItsChecker) {
  using check::CheckerId;
  EXPECT_EQ(check::checker_of("ASC1102"), CheckerId::kRace);
  EXPECT_EQ(check::checker_of("ASC2101"), CheckerId::kBounds);
  EXPECT_EQ(check::checker_of("ASC2205"), CheckerId::kLegality);
  EXPECT_EQ(check::checker_of("ASC2301"), CheckerId::kBounds);
  EXPECT_EQ(check::checker_of("ASC3101"), CheckerId::kInit);
  EXPECT_EQ(check::checker_of("ASC4201"), CheckerId::kFlags);
  EXPECT_EQ(check::checker_of("ASC4301"), CheckerId::kCrossCore);
  EXPECT_EQ(check::checker_of("ASC5001"), CheckerId::kHang);
  EXPECT_EQ(check::checker_of("ASC6101"), CheckerId::kCache);
}

TEST_F(OptionSources, SwitchesOnTheCommandLine) {
  Options options;
  size_t first = 0;
  ASSERT_EQ(parse_command_line(options, {"--mte-in-order", "--check", "off", "--show_options", "prog"}, first), "");
  EXPECT_EQ(first, 4u);
  EXPECT_TRUE(options.mte_in_order);
  EXPECT_FALSE(options.check);
  EXPECT_TRUE(options.show_options);
  first = 0;
  ASSERT_EQ(parse_command_line(options, {"--mte-in-order=off", "--", "--prog"}, first), "");
  EXPECT_EQ(first, 2u);
  EXPECT_FALSE(options.mte_in_order);
}

struct Wrong {
  const char* environment;
  const char* says;
};

TEST_F(OptionSources, ErrorsNameTheValueTheAllowedOnesAndTheNearest) {
  const Wrong wrongs[] = {
      {"schedul=random", "unknown option \"schedul\", did you mean schedule?"},
      {"zzzzzz=1", "unknown option \"zzzzzz\"; ascsan run --show-options lists all"},
      {"schedule=randm",
       "option schedule: \"randm\" is not one of in_order, deferred, random, pct, directed; did you mean random?"},
      {"profile=", "option profile: \"\" is not one of auto, strict"},
      {"seed=-1", "option seed: \"-1\" is not a whole number; allowed: 0 to 18446744073709551615"},
      {"seed=1x", "option seed: \"1x\" is not a whole number"},
      {"seed=18446744073709551616", "option seed: 18446744073709551616 is out of range"},
      {"depth=0", "option depth: 0 is out of range; allowed: 1 to 64"},
      {"error_exitcode=256", "option error_exitcode: 256 is out of range; allowed: 0 to 255"},
      {"check=maybe", "option check: \"maybe\" is not one of on, off"},
      {"out=json", "option out: no file given in \"json\"; write out=json=FILE"},
      {"out=jsn=f",
       "option out: \"jsn=f\" is not one of text=FILE, json=FILE, sarif=FILE, junit=FILE, html=FILE, trace=FILE, "
       "github=FILE; "
       "did you mean json?"},
      {"seed", "\"seed\" has no value"},
      {"seed='1", "a quote in \"seed='1\" is not closed"},
  };
  for (const Wrong& wrong : wrongs) {
    Options options;
    const std::string error = parse_environment(options, wrong.environment);
    EXPECT_NE(error.find(wrong.says), std::string::npos) << wrong.environment << "\n  says: " << error;
    EXPECT_EQ(error.rfind("ASCSAN_OPTIONS: ", 0), 0u) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST_F(OptionSources, CommandLineErrors) {
  const std::pair<std::vector<std::string>, const char*> wrongs[] = {
      {{"--seed"}, "option seed needs a value; allowed: 0..18446744073709551615"},
      {{"-s", "1"}, "unknown option \"-s\"; options are written --name=value"},
      {{"--sed=1", "prog"}, "unknown option \"sed\", did you mean seed?"},
      {{"--=1"}, "unknown option \"\""},
  };
  for (const auto& [args, says] : wrongs) {
    Options options;
    size_t first = 0;
    const std::string error = parse_command_line(options, args, first);
    EXPECT_NE(error.find(says), std::string::npos) << args[0] << "\n  says: " << error;
  }
}

TEST_F(OptionSources, ConfigErrorsNameTheLine) {
  const Wrong wrongs[] = {
      {"seed = 1\n\nsedd = 2\n", "ascsan.toml:3: unknown option \"sedd\", did you mean seed?"},
      {"seed = \n", "ascsan.toml:1: "},
      {"seed = 1.5\n", "ascsan.toml:1: option seed: expected a string, a number or true/false"},
      {"[seed]\nx = 1\n", "ascsan.toml:1: option seed: expected a string"},
      {"other = 1.5\n", "unknown option \"other\""},
      {"schedule = [\"random\"]\n", "option schedule: expected a string"},
      {"depth = -3\n", "ascsan.toml:1: option depth: \"-3\" is not a whole number"},
  };
  for (const Wrong& wrong : wrongs) {
    write_config(wrong.environment);
    Options options;
    const std::string error = load_options(options);
    EXPECT_NE(error.find(wrong.says), std::string::npos) << wrong.environment << "\n  says: " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

// What a parent passes to its child arrives unchanged, whatever the file names.
TEST_F(OptionSources, EnvironmentRoundTrip) {
  const unsigned seed = 77;
  std::mt19937_64 random(seed);
  for (int round = 0; round < 500; ++round) {
    Options sent;
    for (size_t i = 0; i < kOptionCount; ++i) {
      const OptionInfo& info = option_table()[i];
      if (random() % 3 == 0) continue;
      std::string value;
      const std::string allowed = info.allowed;
      if (info.repeats) {
        value = "json=";
        for (size_t n = 1 + random() % 12; n > 0; --n) value += static_cast<char>(1 + random() % 255);
      } else if (allowed.find("..") != std::string::npos) {
        value = std::to_string(1 + random() % 60);
      } else {
        const std::vector<std::string> words = words_of(allowed);
        value = words[random() % words.size()];
      }
      ASSERT_EQ(set_option(sent, info.name, value, Origin::kCommandLine), "") << info.name << " " << value;
    }
    Options received;
    ASSERT_EQ(parse_environment(received, to_environment(sent)), "") << to_environment(sent) << " seed " << seed;
    for (size_t i = 0; i < kOptionCount; ++i)
      ASSERT_EQ(value_of(received, static_cast<OptionId>(i)), value_of(sent, static_cast<OptionId>(i)))
          << option_table()[i].name << " seed " << seed << " round " << round;
    ASSERT_EQ(received.out, sent.out);
  }
}

TEST_F(OptionSources, NoInputBreaksTheParsers) {
  const unsigned seed = 4711;
  std::mt19937 random(seed);
  const std::string pieces[] = {"seed",
                                "=",
                                ":",
                                "'",
                                "\"",
                                "\\",
                                "schedule",
                                "random",
                                "out",
                                "json=",
                                "--",
                                "[",
                                "]",
                                "\n",
                                "#",
                                "18446744073709551616",
                                "-",
                                "\x80",
                                "\x1b",
                                "on",
                                "check",
                                "{",
                                "}",
                                ",",
                                std::string(1, '\0'),
                                "1e9",
                                " ",
                                "max-reports"};
  int good = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    for (size_t n = random() % 12; n > 0; --n)
      text += random() % 8 == 0 ? std::string(1, static_cast<char>(random())) : pieces[random() % std::size(pieces)];
    Options options;
    const std::string environment_error = parse_environment(options, text);
    EXPECT_EQ(environment_error.find('\n'), std::string::npos) << "seed " << seed << " round " << round;
    good += environment_error.empty() ? 1 : 0;
    size_t first = 0;
    const std::string line_error = parse_command_line(options, {"--" + text, text}, first);
    EXPECT_EQ(line_error.find('\n'), std::string::npos) << "seed " << seed << " round " << round;
    if (round % 4 != 0) continue;
    write_config(text);
    EXPECT_EQ(read_config(options, "ascsan.toml").find('\n'), std::string::npos)
        << "seed " << seed << " round " << round;
  }
  EXPECT_GT(good, 0);
}

TEST_F(OptionSources, ConfigThatCannotBeReadIsAnError) {
  std::filesystem::create_directory("ascsan.toml");
  Options options;
  EXPECT_NE(load_options(options), "");
}

TEST_F(OptionSources, HelpAndListNameEveryOption) {
  const std::string help = help_of_options(), list = show_options(Options());
  for (const OptionInfo& info : option_table()) {
    std::string dashed = info.name;
    for (char& c : dashed)
      if (c == '_') c = '-';
    EXPECT_NE(help.find("--" + dashed + "="), std::string::npos) << info.name;
    EXPECT_NE(help.find(info.help), std::string::npos) << info.name;
    EXPECT_NE(list.find(std::string(info.name) + " "), std::string::npos) << info.name;
  }
}

}  // namespace
}  // namespace ascsan::run
