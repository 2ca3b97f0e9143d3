// SPDX-License-Identifier: Apache-2.0
// Run-time commands of ACSL, and programs as blocks of diagrams.
#include <fmt/format.h>

#include <filesystem>

#include "api/acsl_session.h"
#include "program_run.h"

namespace orrery::tests::session_test {
namespace {

struct Spoken {
  std::string text;
  Diagnostics diagnostics;
  bool good = false;
};

Spoken commands(const std::string& example, const std::string& text) {
  Spoken spoken;
  auto session = api::AcslSession::open(
      source_folder() + "/examples/cssl/" + example, [&](const std::string& said) { spoken.text += said; },
      spoken.diagnostics);
  EXPECT_TRUE(session) << to_text(spoken.diagnostics);
  if (session) spoken.good = session->execute(text, "a.cmd", true, spoken.diagnostics);
  return spoken;
}

// The commands on a program that is written for them.
Spoken commands_on(const std::string& program, const std::string& text) {
  const std::string file = testing::TempDir() + "/program_" + std::to_string(::getpid()) + ".csl";
  std::ofstream(file) << program;
  Spoken spoken;
  auto session = api::AcslSession::open(
      file, [&](const std::string& said) { spoken.text += said; }, spoken.diagnostics);
  EXPECT_TRUE(session) << to_text(spoken.diagnostics);
  if (session) spoken.good = session->execute(text, "a.cmd", true, spoken.diagnostics);
  std::filesystem::remove(file);
  return spoken;
}

constexpr const char* straight =
    "PROGRAM straight\nDYNAMIC\ncinterval cint = 0.25\nDERIVATIVE\nconstant k = 1.0, tmx = 1.0, x0 = 0.0\n"
    "dimension c(3)\nconstant c = 1.0, 2.0, 3.0\nx = integ(k, x0)\ns = c(1) + c(2) + c(3)\n"
    "z = delay(x, 0.0, 0.5, 100)\nEND\ntermt(t .ge. tmx)\nEND\nEND\n";

TEST(AcslCommands, ContinGoesOnFromTheEnd) {
  const Spoken spoken = commands_on(
      straight, "START $ DISPLY x\nSET tmx=2.0, k=3.0\nCONTIN\nDISPLY t, x, z\nSET tmx=3.0, k=0.0\nCONTIN $ DISPLY x");
  EXPECT_TRUE(spoken.good) << to_text(spoken.diagnostics);
  EXPECT_NE(spoken.text.find("run to t = 1, "), std::string::npos) << spoken.text;
  EXPECT_NE(spoken.text.find("x = 4\n"), std::string::npos) << spoken.text;
  EXPECT_NE(spoken.text.find("z = 2.5\n"), std::string::npos) << spoken.text;  // the delay remembers
  EXPECT_NE(spoken.text.find("run to t = 3, "), std::string::npos) << spoken.text;
  const Spoken early = commands_on(straight, "CONTIN");
  EXPECT_FALSE(early.good);
}

TEST(AcslCommands, ActionsHappenInTheRun) {
  const Spoken spoken =
      commands_on(straight,
                  "ACTION 'VAR'=0.5, 'VAL'=5.0, 'LOC'=k\nSTART $ DISPLY x\nACTION 'CLEAR' $ START $ DISPLY x\n"
                  "ACTION 'VAR'=x, 'VAL'=0.75, 'LOC'=k, 'TO'=-1.0\nSTART $ DISPLY x\n");
  EXPECT_TRUE(spoken.good) << to_text(spoken.diagnostics);
  const std::size_t first = spoken.text.find("x = 3\n"), second = spoken.text.find("x = 1\n");
  EXPECT_NE(first, std::string::npos) << spoken.text;
  EXPECT_NE(second, std::string::npos) << spoken.text;
  EXPECT_NE(spoken.text.find("x = 0.5", second), std::string::npos) << spoken.text;
  EXPECT_FALSE(commands_on(straight, "ACTION 'VAR'=0.5, 'VAL'=5.0, 'LOC'=nothing").good);
}

TEST(AcslCommands, ElementsOfArraysAndErrors) {
  const Spoken spoken = commands_on(
      straight, "SET c(2)=10.0 $ START $ DISPLY s\nSET c=1.0, 1.0, 1.0 $ MERROR x=1E-9 $ START $ DISPLY s, c\n");
  EXPECT_TRUE(spoken.good) << to_text(spoken.diagnostics);
  EXPECT_NE(spoken.text.find("s = 14\n"), std::string::npos) << spoken.text;
  EXPECT_NE(spoken.text.find("s = 3\n"), std::string::npos) << spoken.text;
  EXPECT_NE(spoken.text.find("c = 1 1 1\n"), std::string::npos) << spoken.text;
  EXPECT_FALSE(commands_on(straight, "SET c(4)=1.0").good);
  EXPECT_FALSE(commands_on(straight, "SET c=1.0, 2.0, 3.0, 4.0").good);
}

// x'' = u - x - x': at rest x = u, w = 0; with x kept its speed is still zero.
TEST(AcslCommands, FrozenStatesKeepTheirValues) {
  const std::string program =
      "PROGRAM\nDYNAMIC\nDERIVATIVE\nconstant u = 2.0, x0 = 5.0, w0 = 1.0\nx = integ(w, x0)\n"
      "w = integ(u - x - w, w0)\nEND\ntermt(t .ge. 1.0)\nEND\nEND\n";
  const Spoken free = commands_on(program, "ANALYZ 'TRIM' $ DISPLY x0, w0");
  EXPECT_TRUE(free.good) << to_text(free.diagnostics);
  EXPECT_NE(free.text.find("x0 = 2\n"), std::string::npos) << free.text;
  const Spoken kept = commands_on(program, "ANALYZ 'TRIM', 'FREEZE'=x $ DISPLY x0, w0");
  EXPECT_TRUE(kept.good) << to_text(kept.diagnostics);
  EXPECT_NE(kept.text.find("x0 = 5\n"), std::string::npos) << kept.text;
  EXPECT_NE(kept.text.find("w0 = -3\n"), std::string::npos) << kept.text;
}

TEST(AcslCommands, FilesThatRestoreThemselvesEnd) {
  const std::string file = testing::TempDir() + "/self_" + std::to_string(::getpid()) + ".cmd";
  std::ofstream(file) << "RESTOR '" << file << "'\n";
  EXPECT_FALSE(commands_on(straight, "RESTOR '" + file + "'").good);
  std::filesystem::remove(file);
}

TEST(AcslCommands, SetStartAndDisplay) {
  const Spoken spoken = commands("cannon_ball.csl", "SET ang=45.0 $ START\nDISPLY range, ang\n");
  EXPECT_TRUE(spoken.good) << to_text(spoken.diagnostics);
  EXPECT_NE(spoken.text.find("range = 11239.18"), std::string::npos) << spoken.text;
  EXPECT_NE(spoken.text.find("ang = 45"), std::string::npos) << spoken.text;
}

TEST(AcslCommands, ProceduresAreCalledByTheirNames) {
  const Spoken spoken = commands(
      "limit_cycle.csl", "PROCED go\nSTART\nDISPLY x\nEND\ngo\nSET x0=0.0, y0=0.5\ngo $ PRINT x, y $ RANGE y\n");
  EXPECT_TRUE(spoken.good) << to_text(spoken.diagnostics);
  EXPECT_NE(spoken.text.find("x = -0.81673"), std::string::npos) << spoken.text;
  EXPECT_NE(spoken.text.find("x = -0.5440"), std::string::npos) << spoken.text;
}

// x' = w, w' = -x: the eigenvalues are i and -i.
TEST(AcslCommands, EigenvaluesOfTheLinearModel) {
  const Spoken spoken = commands("hysteresis.csl", "ANALYZ 'EIGEN'\n");
  EXPECT_TRUE(spoken.good) << to_text(spoken.diagnostics);
  EXPECT_NE(spoken.text.find("+1i"), std::string::npos) << spoken.text;
  EXPECT_NE(spoken.text.find("-1i"), std::string::npos) << spoken.text;
}

// The states at the end become the initial ones: the cycle goes on, and the angle turns by -10 a second run.
TEST(AcslCommands, ReinitSaveAndRestore) {
  const std::string file = testing::TempDir() + "/saved_" + std::to_string(::getpid()) + ".cmd";
  const Spoken spoken = commands("limit_cycle.csl", "START $ REINIT $ SAVE '" + file + "'\nSTART $ DISPLY x, x0\n");
  EXPECT_TRUE(spoken.good) << to_text(spoken.diagnostics);
  const double angle = std::atan2(-0.577013988, -0.816734264) - 10;
  EXPECT_NE(spoken.text.find(fmt::format("x = {:.3f}", std::cos(angle)).substr(0, 8)), std::string::npos)
      << spoken.text;
  EXPECT_NE(spoken.text.find("x0 = -0.8167"), std::string::npos) << spoken.text;
  const Spoken restored = commands("limit_cycle.csl", "RESTOR '" + file + "'\nDISPLY y0\n");
  EXPECT_TRUE(restored.good) << to_text(restored.diagnostics);
  EXPECT_NE(restored.text.find("y0 = -0.5770"), std::string::npos) << restored.text;
  EXPECT_FALSE(commands("limit_cycle.csl", "REINIT\n").good);
}

// x' = 4 - x, v' = x - 2 v rest at x = 4, v = 2.
TEST(AcslCommands, TrimFindsThePointOfRest) {
  const std::string file = testing::TempDir() + "/rest_" + std::to_string(::getpid()) + ".csl";
  std::ofstream(file)
      << "constant x0 = 1.0, v0 = 1.0\nx = integ(4.0 - x, x0)\nv = integ(x - 2.0*v, v0)\ntermt(t .ge. 1.0)\n";
  Spoken spoken;
  auto session = api::AcslSession::open(
      file, [&](const std::string& said) { spoken.text += said; }, spoken.diagnostics);
  ASSERT_TRUE(session) << to_text(spoken.diagnostics);
  EXPECT_TRUE(session->execute("ANALYZ 'TRIM'\nDISPLY x0, v0\n", "a.cmd", true, spoken.diagnostics))
      << to_text(spoken.diagnostics);
  EXPECT_NE(spoken.text.find("x0 = 4\n"), std::string::npos) << spoken.text;
  EXPECT_NE(spoken.text.find("v0 = 2\n"), std::string::npos) << spoken.text;
}

TEST(AcslCommands, MistakesAreTold) {
  const Spoken unknown = commands("cannon_ball.csl", "SET anh=1.0\n");
  EXPECT_FALSE(unknown.good);
  EXPECT_EQ(unknown.diagnostics.all().back().help, "did you mean \"ang\"?");
  const Spoken early = commands("cannon_ball.csl", "PRINT x\n");
  EXPECT_FALSE(early.good);
  EXPECT_EQ(early.diagnostics.all().back().message, "there is no run yet");
  EXPECT_FALSE(commands("cannon_ball.csl", "STRAT\n").good);
}

// The program's u is what the diagram gives it, and the diagram sees its x: x' = u - x with u = 3.
TEST(CsslBlock, HasInputsAndOutputs) {
  const std::string model = R"({"orrery": 2, "name": "block", "simulation": {"stop": "2", "rtol": "1e-10"},
"blocks": [
{"name": "Level", "type": "Constant", "parameters": {"value": "3"}},
{"name": "Lag", "type": "CsslBlock", "parameters": {"program": "x = integ(u - x, x0)\nconstant x0 = 1.0\n", "inputs": "{'u'}", "outputs": "{'x'}", "values": "[2; 0.1; 10; 1e10; 5]"}},
{"name": "Scope", "type": "Scope"}],
"links": [{"from": "Level:1", "to": ["Lag:1"]}, {"from": "Lag:1", "to": ["Scope:1"]}]})";
  ProgramSetup setup;
  setup.rtol = 0;
  const ProgramRun run = run_program(model, "block.orr", setup);
  ASSERT_TRUE(run.good) << to_text(run.diagnostics);
  ASSERT_EQ(run.results.names.size(), 1U);
  EXPECT_NEAR(run.last(run.results.names[0]), 3 - std::exp(-2.0), 1e-9);
}

}  // namespace
}  // namespace orrery::tests::session_test
