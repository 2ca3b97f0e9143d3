// SPDX-License-Identifier: Apache-2.0
// `check --units`: what remarks say, what follows, what disagrees; for programs and diagrams.
#include <filesystem>

#include "api/model_texts.h"
#include "program_run.h"

namespace orrery::tests::units_check_test {
namespace {

struct Checked {
  std::optional<std::string> text;
  Diagnostics diagnostics;

  bool has(const std::string& line) const { return text && text->find(line) != std::string::npos; }
  const Diagnostic& first() const { return diagnostics.all().at(0); }
  bool tells(const std::string& note) const {
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      for (const std::string& line : diagnostic.notes) {
        if (line.find(note) != std::string::npos) return true;
      }
    }
    return false;
  }
};

Checked check_file(const std::string& file) {
  Checked checked;
  api::RunRequest request;
  request.file = file;
  checked.text = api::units_text(request, checked.diagnostics);
  return checked;
}

Checked check(const std::string& text, const std::string& name = "a.csl") {
  const std::string folder = testing::TempDir() + "/units_" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/" + name;
  std::ofstream(file) << text;
  return check_file(file);
}

// The assignment of homework H2.6: everything agrees and the rest follows.
TEST(UnitsOfPrograms, LunarLanding) {
  const Checked checked = check_file(source_folder() + "/examples/cssl/lander_units.csl");
  ASSERT_TRUE(checked.text) << to_text(checked.diagnostics);
  EXPECT_TRUE(checked.diagnostics.all().empty()) << to_text(checked.diagnostics);
  for (const char* line : {"\na       m s^-2", "\ng       m s^-2", "\nmdot    kg s^-1", "\nthrust  kg m s^-2 (N)",
                           "\nc1      m^-1 s", "\nh       m ", "\nm       kg", "\ntmx     s", "\ncint    s"})
    EXPECT_TRUE(checked.has(line)) << line << "\n" << *checked.text;
}

TEST(UnitsOfPrograms, ARateNeedsAnInverseTime) {
  const Checked wrong = check("x = integ(-x, x0)\nconstant x0 = 1.0 ! [m]\ntermt(t .ge. 1.)\n");
  EXPECT_FALSE(wrong.text);
  ASSERT_FALSE(wrong.diagnostics.all().empty());
  EXPECT_EQ(wrong.first().code, "unit-mismatch");
  EXPECT_TRUE(wrong.tells("x0 is m: declared in line 2")) << to_text(wrong.diagnostics);
  const Checked number = check("x = integ(-1.0 \"[1/s]\"*x, x0)\nconstant x0 = 1.0 ! [m]\ntermt(t .ge. 1.)\n");
  EXPECT_TRUE(number.text) << to_text(number.diagnostics);
  const Checked constant = check("x = integ(-k*x, x0)\nconstant x0 = 1.0 ! [m]\nconstant k = 1.0\ntermt(t .ge. 1.)\n");
  EXPECT_TRUE(constant.has("\nk     s^-1")) << to_text(constant.diagnostics) << constant.text.value_or("");
  // Even where nobody says what x is.
  EXPECT_EQ(check("x = integ(-x, 1.0)\ntermt(t .ge. 1.)\n").first().code, "unit-mismatch");
}

TEST(UnitsOfPrograms, FactorsAreReported) {
  const Checked sizes =
      check("constant a = 1.0 ! [km]\nconstant b = 2.0 ! [m]\nc = a + b\nx = integ(0.*t, 1.)\ntermt(t .ge. 1.)\n");
  ASSERT_FALSE(sizes.diagnostics.all().empty());
  EXPECT_EQ(sizes.first().code, "unit-size");
  EXPECT_EQ(sizes.first().severity, Severity::warning);
  EXPECT_NE(sizes.first().help.find("0.001"), std::string::npos) << sizes.first().help;
  const Checked angle = check("constant a = 30.0 ! [deg]\ny = sin(a)\ntermt(t .ge. 1.)\n");
  ASSERT_FALSE(angle.diagnostics.all().empty());
  EXPECT_EQ(angle.first().code, "unit-size");
  const Checked converted =
      check("constant a = 30.0 ! [deg]\nconstant k = 0.0174532925 ! [rad/deg]\ny = sin(k*a)\ntermt(t .ge. 1.)\n");
  EXPECT_TRUE(converted.diagnostics.all().empty()) << to_text(converted.diagnostics);
}

TEST(UnitsOfPrograms, BothSidesAndThePathAreShown) {
  const Checked checked = check(
      "constant m = 2.0 ! [kg]\nconstant f = 3.0 ! [N]\na = f/m\nv = integ(a, 0.)\ne = m*v**2/2.\np = e + f\n"
      "termt(t .ge. 1.)\n");
  ASSERT_EQ(checked.diagnostics.error_count(), 1) << to_text(checked.diagnostics);
  EXPECT_EQ(checked.first().message, "the terms of this sum have the units kg m^2 s^-2 (J) and kg m s^-2 (N)");
  EXPECT_EQ(checked.first().place.line, 6);
  for (const char* step : {"e is kg m^2 s^-2 (J): follows from line 5", "v is m s^-1: follows from line 4",
                           "a is m s^-2: follows from line 3", "f is kg m s^-2 (N): declared in line 2"})
    EXPECT_TRUE(checked.tells(step)) << step << "\n" << to_text(checked.diagnostics);
}

TEST(UnitsOfPrograms, MistakesInRemarks) {
  EXPECT_EQ(check("constant m = 2.0 ! [stone]\nx = integ(m, 0.)\n").first().code, "bad-unit");
  EXPECT_EQ(check("constant m = 2.0, n = 3.0 ! [kg]\nx = integ(m*n, 0.)\n").first().code, "ambiguous-unit");
  EXPECT_EQ(check("constant m = 2.0 ! [kg]\nx = integ(m, 0.) ! m [lb]\n").first().code, "unit-mismatch");
  // Prose is left alone.
  EXPECT_TRUE(check("! see [3] and the table [of contents]\nx = integ(t, 0.)\n").text);
}

TEST(UnitsOfPrograms, OtherLanguages) {
  const Checked darep =
      check(" $D1\n   X. = V\n   V. = -W2*X\nEND\nX = 1.0 ! [M]\nV = 0.0, W2 = 4.0\nTMAX = 1.0\nEND\nEND\n", "a.drp");
  EXPECT_TRUE(darep.has("\nw2      s^-2")) << to_text(darep.diagnostics) << darep.text.value_or("");
  const Checked desire =
      check("x = 1 -- [m]\nk = 2\nTMAX = 1 | DT = 0.01 | NN = 11\ndrun\nDYNAMIC\nd/dt x = -k*x\n", "a.des");
  EXPECT_TRUE(desire.has("\nk       s^-1")) << to_text(desire.diagnostics) << desire.text.value_or("");
  const Checked csmp = check(
      "* X0 [M], K [1/S]\nPARAM X0 = 1.0, K = 2.0\nDYNAMIC\n X = INTGRL(X0, -K*X*X)\nTIMER FINTIM = 1.0\nEND\nSTOP\n",
      "a.csmp");
  ASSERT_FALSE(csmp.diagnostics.all().empty());
  EXPECT_EQ(csmp.first().code, "unit-mismatch");
}

std::string moved_mass(const std::string& unit_of_position) {
  return R"({"orrery": 2, "name": "u", "simulation": {"stop": "2"}, "context": ["m = 5; % [kg]"],
"blocks": [
{"name": "F", "type": "Constant", "parameters": {"value": "3 % [N]"}},
{"name": "M", "type": "Gain", "parameters": {"k": "1/m"}, "about": "one over the mass: k [1/kg]"},
{"name": "V", "type": "Integral"},
{"name": "X", "type": "Integral", "about": "position [)" +
         unit_of_position + R"(]"},
{"name": "Scope", "type": "Scope"}],
"links": [{"from": "F:1", "to": ["M:1"]}, {"from": "M:1", "to": ["V:1"]}, {"from": "V:1", "to": ["X:1"]}, {"from": "X:1", "to": ["Scope:1"]}]})";
}

TEST(UnitsOfDiagrams, FollowThroughBlocks) {
  const Checked good = check(moved_mass("m"), "a.orr");
  ASSERT_TRUE(good.text) << to_text(good.diagnostics);
  EXPECT_TRUE(good.diagnostics.all().empty()) << to_text(good.diagnostics);
  EXPECT_TRUE(good.has("\n/V    m s^-1")) << *good.text;
  EXPECT_TRUE(good.has("\n/M    m s^-2")) << *good.text;
  const Checked wrong = check(moved_mass("s"), "a.orr");
  EXPECT_FALSE(wrong.text);
  ASSERT_FALSE(wrong.diagnostics.all().empty());
  EXPECT_EQ(wrong.first().code, "unit-mismatch");
  EXPECT_TRUE(wrong.tells("/X is s: declared at /X")) << to_text(wrong.diagnostics);
  const Checked far = check(moved_mass("km"), "a.orr");
  ASSERT_FALSE(far.diagnostics.all().empty());
  EXPECT_EQ(far.first().code, "unit-size");
}

TEST(UnitsOfDiagrams, LinksBetweenPorts) {
  const std::string model = R"({"orrery": 2, "name": "p", "blocks": [
{"name": "A", "type": "Constant", "parameters": {"value": "3"}, "about": "[km]"},
{"name": "B", "type": "Gain", "parameters": {"k": "2"}, "about": "in1 [m], out1 [N]"},
{"name": "Scope", "type": "Scope"}],
"links": [{"from": "A:1", "to": ["B:1"]}, {"from": "B:1", "to": ["Scope:1"]}]})";
  const Checked checked = check(model, "a.orr");
  ASSERT_EQ(checked.diagnostics.all().size(), 1U) << to_text(checked.diagnostics);
  EXPECT_EQ(checked.first().code, "unit-size");
  EXPECT_EQ(checked.first().place.port, "input 1");
  EXPECT_NE(checked.first().help.find("1000"), std::string::npos);
}

}  // namespace
}  // namespace orrery::tests::units_check_test
