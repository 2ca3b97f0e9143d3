// SPDX-License-Identifier: Apache-2.0
// Commands that write: scripts of models, sweeps, logs, settings of git. None is led elsewhere.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "hostile_model.h"

namespace orrery::tests::commands_test {
namespace {

class Commands : public HostileModel {};

// The user runs it with all rights, so no text of the model may become a statement of it.
TEST_F(Commands, ScriptsOfModelsMakeThemAndNothingElse) {
  const std::string evil = write("evil.orr", R"json({"orrery": 2, "name": "x\nprintf('bad\\n');%\r printf('bad')",
 "about": "a\nb'); printf('bad'); %", "simulation": {"stop": "1'); printf('bad'); ('"}, "context": ["k = 1; % ')", "'''"],
 "blocks": [{"name": "C'); printf('bad'); ('", "type": "Constant", "parameters": {"C": "1'); printf('bad'); ('"}},
  {"name": "S\\", "type": "Scope"}, {"name": "N", "type": "Gain", "about": "x\"\"\"\nprint('bad')\n"}], "links": []})json");
  const Outcome script = orrery({"show", "script", evil});
  ASSERT_EQ(script.code, 0) << script.err;
  fs::create_directories(file("again"));
  write("again/script.oml", script.out);
  const std::string command =
      "cd '" + file("again") + "' && '" + orrery_binary() + "' oml script.oml > '" + file("said.txt") + "' 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << read(file("said.txt"));
  EXPECT_FALSE(contains(read(file("said.txt")), "bad")) << read(file("said.txt"));
  EXPECT_EQ(orrery({"diff", evil, file("again/evil.orr"), "--layout"}).code, 0);
  // Each text of the Python script stands on its line, in quotes.
  for (std::istringstream lines(orrery({"show", "script", evil, "--python"}).out); !lines.eof();) {
    std::string line;
    std::getline(lines, line);
    EXPECT_FALSE(line.starts_with("print")) << line;
  }
}

// In a folder that everybody can write, as /tmp.
TEST_F(Commands, NothingOfOthersIsWrittenThroughOrBelieved) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root makes files of others";
  const std::string shared = file("shared"), victim = write("victim.txt", "precious");
  fs::create_directories(shared);
  ASSERT_EQ(::chmod(shared.c_str(), 01777), 0);
  const auto plant = [&](const std::string& name) {
    fs::create_symlink(victim, shared + "/" + name);
    EXPECT_EQ(::lchown((shared + "/" + name).c_str(), 12345, 12345), 0);
    return shared + "/" + name;
  };
  const std::string fmu = test_fmu_folder() + "/quirk_talkative_2.fmu";
  EXPECT_EQ(orrery({"run", fmu, "--kind", "cs", "--quiet", "--log", plant("log")}).code, 1);
  EXPECT_EQ(orrery({"run", fmu, "--kind", "cs", "--quiet", "--record", plant("calls")}).code, 1);
  EXPECT_EQ(orrery({"run", example("bouncing_ball"), "--quiet", "--out", plant("out.csv")}).code, 1);
  EXPECT_EQ(orrery({"picture", example("bouncing_ball"), "-o", plant("p.svg")}).code, 1);
  EXPECT_EQ(orrery({"edit", example("bouncing_ball"), "--do", "title x", "-o", plant("e.orr")}).code, 1);
  EXPECT_EQ(read(victim), "precious");
  // What an earlier sweep seems to have left.
  std::ofstream(shared + "/sweep.csv.runs") << "forged";
  ASSERT_EQ(::chown((shared + "/sweep.csv.runs").c_str(), 12345, 12345), 0);
  const Outcome sweep =
      orrery({"sweep", example("bouncing_ball"), "--quiet", "--vary", "g=9:10", "--out", shared + "/sweep.csv"});
  EXPECT_EQ(sweep.code, 1);
  EXPECT_TRUE(contains(sweep.err, "belongs to another user")) << sweep.err;
}

// A clone may hold a link for .gitattributes.
TEST_F(Commands, GitSetupWritesNoLink) {
  if (std::system("git --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no git";
  ASSERT_EQ(std::system(("git -C '" + folder_ + "' init -q").c_str()), 0);
  const std::string victim = write("outside/victim.txt", "precious\n");
  fs::create_symlink(victim, file(".gitattributes"));
  EXPECT_EQ(orrery({"git-setup", folder_}).code, 1);
  EXPECT_EQ(read(victim), "precious\n");
}

}  // namespace
}  // namespace orrery::tests::commands_test
