// SPDX-License-Identifier: Apache-2.0
// Each diagnostic code is provoked by a mistake, says where it is and what to do; no code is without such a test.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/folders_for_tests.h"
#include "diagnostic_cases.h"
#include "notation.h"
#include "run_model.h"

namespace orrery::tests::diagnostics_test {
namespace {

std::vector<DiagnosticCase> all_cases() {
  std::vector<DiagnosticCase> all;
  for (auto cases : {loader_cases, compiler_cases, run_cases, file_cases}) {
    for (DiagnosticCase& c : cases()) all.push_back(std::move(c));
  }
  return all;
}

void expect_located(const std::vector<DiagnosticCase>& cases) {
  for (const DiagnosticCase& c : cases) {
    const Diagnostics diagnostics = c.provoke();
    const auto& all = diagnostics.all();
    const auto fits = [&c](const Diagnostic& d) {
      return d.code == c.code && place_text(d.place).find(c.place) != std::string::npos;
    };
    const auto found = std::find_if(all.begin(), all.end(), fits);
    if (found == all.end()) {
      ADD_FAILURE() << "no " << c.code << " at \"" << c.place << "\", but\n" << to_text(diagnostics);
      continue;
    }
    EXPECT_FALSE(found->message.empty()) << c.code;
    EXPECT_FALSE(c.help && found->help.empty()) << to_text(*found);
  }
}

TEST(Diagnostics, OfTheLoader) { expect_located(loader_cases()); }
TEST(Diagnostics, OfTheCompiler) { expect_located(compiler_cases()); }
TEST(Diagnostics, OfFiles) { expect_located(file_cases()); }

TEST(Diagnostics, OfRuns) {
  expect_located(run_cases());
  for (const DiagnosticCase& c : run_cases()) {
    static const std::set<std::string> before_the_run = {"missing-step",    "unknown-solver", "bad-setting",
                                                         "unused-variable", "bad-delay",      "delay-below-step",
                                                         "unlocated-corner"};
    const Diagnostics diagnostics = c.provoke();
    for (const Diagnostic& d : diagnostics.all()) {
      EXPECT_TRUE(d.code != c.code || before_the_run.contains(d.code) || d.time.has_value()) << to_text(d);
    }
  }
}

// Codes are literals where diagnostics are made, so the source text shows all of them.
std::map<std::string, std::string> codes_in_source() {
  namespace fs = std::filesystem;
  static const std::regex pattern(
      R"re((?:\b(?:error|warning|give_up)\(\s*(?:\w+ \? )?|Fault\{(?:\w+ \? )?|Failure\{|failure_ = \{|\.code = (?:[\w.:= &!]+ \? )?|FailureCode::\w+: return )"([a-z0-9]+(?:-[a-z0-9]+)*)"(?: : "([a-z0-9-]+)")?)re");
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(source_folder() + "/src")) {
    const std::string path = entry.path().string();
    const std::string extension = entry.path().extension().string();
    if ((extension != ".cpp" && extension != ".h") || path.find("_test") != std::string::npos) continue;
    // The language, the import of FMUs and the command line have tests of their own errors.
    const auto within = [&path](const char* folder) { return path.find(folder) != std::string::npos; };
    if (within("/src/oml/") || within("/src/fmi/") || within("/src/foreign/") || within("/src/cli/")) continue;
    if (within("/src/api/fmu_")) continue;
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    const std::string source = text.str();
    for (std::sregex_iterator match(source.begin(), source.end(), pattern), end; match != end; ++match) {
      found.emplace((*match)[1], path);
      if ((*match)[2].matched) found.emplace((*match)[2], path);
    }
  }
  return found;
}

TEST(Diagnostics, LeaveOutNoCode) {
  static const std::map<std::string, std::string> not_provoked = {
      {"internal", "a defect of Orrery itself"},
      {"export-refused", "ExportedFmus.AreRefused tests it"},
      {"fmu-compile", "ExportedFmus.AreRefused tests it"},
      {"fmu-sources-only", "it takes a machine without a C compiler"},
      {"bad-option", "Sweep.MistakesAreNamed tests it"},
      {"too-many-points", "Sweep.MistakesAreNamed tests it"},
      {"sweep-differs", "Sweep.AnotherSweepDoesNotGoOnWithTheRunsOfThisOne tests it"},
      {"sweep-running", "it takes two processes"},
      {"search-running", "ConstrainedFit.TwoSearchesDoNotShareTheirPoints tests it"},
      {"bad-specification", "Optimise.RefusesWhatMakesNoSense tests it"},
      {"constraint-violated", "Optimise.SaysWhatCannotBeKept tests it"},
      {"not-converged", "Optimise.SaysWhenItIsNotSure tests it"},
      {"optimisation-failed", "OptimizationBlock.RefusesCostsThatSayNothing tests it"},
      {"no-equilibrium", "Trim.SaysWhatDoesNotRest tests it"},
      {"out-of-memory", "it takes a machine without memory"},
      {"outside-root", "serve_test provokes it"},
      {"bad-request", "serve_test provokes it"},
      {"no-animation", "Anim2D.HeadlessPicturesNameWhatIsMissing tests it"},
      {"bad-time", "Anim2D.HeadlessPicturesNameWhatIsMissing tests it"},
      {"needs-consent", "security_test provokes it in every way there is"},
      {"trust-ignored", "security_test provokes it; records belong to the user, not to a model"},
      {"trust-too-much", "it takes ten thousand files"},
      {"not-trusted", "security_test provokes it"},
      {"csv-columns", "io_test provokes it; the table is large"},
      {"results-too-large", "Results.HaveALimit tests it, with a limit that no model can set"},
      {"no-foreign-code", "src/sim tests it; the session opens all kinds there are"},
      {"bad-ports", "no block of the library refuses its ports before they are connected"},
      {"derivative-failed", "the derivatives of a Program always return; src/solve tests it"},
      {"jacobian-failed", "exact Jacobians do not fail; a linear solver that does is beyond a model's reach"},
      {"projection-failed", "no block of the library has constraints; src/solve tests it"},
      {"solver-error", "whatever SUNDIALS may report besides the cases that are known"},
      {"newton-convergence", "src/solve tests it"},
      {"singular-start", "src/solve tests it; loops say loop-not-solved"},
      {"tolerance-too-small", "src/solve tests it"},
      {"bad-solver-setting", "src/solve tests it; the settings of models are checked before"},
      {"projection-failed", "src/solve tests it; no block gives constraints yet"},
      {"too-few-equations", "diagrams have as many equations as unknowns; src/equations tests it"},
      {"too-many-equations", "diagrams have as many equations as unknowns; src/equations tests it"},
      {"index-not-reduced", "the blocks have derivatives wherever they are smooth; src/equations tests it"},
      {"modes-do-not-settle", "ConditionsInTables.ContradictionsAreNamed tests it"},
      {"start-not-found", "InitialConditions.MistakesAreNamed tests it, with a setting"},
      {"start-contradiction", "InitialConditions.AnEquationWithoutAFreeStateIsChecked tests it"},
      {"start-moved", "InitialConditions.WhatConstraintsDoNotAllowIsMovedAndTold tests it"},
      {"start-not-free", "no block of the library sets a state in the initial table; FMUs do"},
      {"no-such-block", "Linearisation.RefusesWhatItWouldLose tests it"},
      {"no-such-input", "Linearisation.RefusesWhatItWouldLose tests it"},
      {"no-such-output", "Linearisation.RefusesWhatItWouldLose tests it"},
      {"discrete-part", "Linearisation.RefusesWhatItWouldLose tests it"},
      {"no-lanes", "Sweep.LanesAreRefusedWhereTheyDoNotFit tests it"},
      {"no-mpi", "the part that speaks MPI is there or not; SweepRanks tests what it does"},
      {"no-slurm", "there is a cluster or not; SweepTasks tests what it does"},
      {"sweep-incomplete", "SweepTasks.ThatAreCancelledAreMadeByTheSameCommand tests it"},
      {"target-lacks", "ExportRefusals.NameWhatATargetLacks tests it"},
      {"python-compile", "it takes a C compiler that does not work"},
      {"python-sources-only", "it takes a machine without a C compiler"},
      {"not-exportable", "ExportRefusals.NameEveryBlockAndWhy tests it"},
      {"export-parameter", "ExportRefusals.NameFormulasThatCannotFollowAParameter tests it"},
      {"export-solver", "ExportRefusals.SayWhichSolverStandsIn tests it"},
      {"not-linearisable", "Linearisation.RefusesWhatItWouldLose tests it"},
      {"linearised-at-corner", "Linearisation.SaysWhenThePointIsACorner tests it"},
      {"linearised-outside", "Linearisation.WarnsOfStatesOutside tests it"},
      {"bad-library", "Libraries.VersionsAndKeys tests it"},
      {"locked-library", "Libraries.VersionsAndKeys tests it"},
      {"missing-library", "Libraries.VersionsAndKeys tests it"},
      {"old-library", "Libraries.VersionsAndKeys tests it"},
      {"other-library", "Libraries.VersionsAndKeys tests it"},
      {"argument-count", "AcslMistakes.AreToldWithTheLineAndWhatToDo tests it"},
      {"double-assignment", "AcslMistakes.AreToldWithTheLineAndWhatToDo tests it"},
      {"reserved-name", "AcslMistakes.AreToldWithTheLineAndWhatToDo tests it"},
      {"unknown-function", "AcslMistakes.AreToldWithTheLineAndWhatToDo tests it"},
      {"unknown-label", "AcslMistakes.AreToldWithTheLineAndWhatToDo tests it"},
      {"unknown-name", "AcslMistakes.AreToldWithTheLineAndWhatToDo tests it"},
      {"wrong-section", "AcslMistakes.AreToldWithTheLineAndWhatToDo tests it"},
      {"no-result", "AcslMistakes.FunctionsGiveAValue tests it"},
      {"block-code", "CBlock.MistakesAreToldWithTheirPlace tests it"},
      {"block-error", "BaseWorkspace.AnotherSizeIsAnErrorOfTheRun tests it"},
      {"bad-unit", "UnitsOfPrograms.MistakesInRemarks tests it"},
      {"unit-mismatch", "UnitsOfPrograms.BothSidesAndThePathAreShown tests it"},
      {"unit-size", "UnitsOfPrograms.* test it"},
      {"fmi-bad-option", "CommandLine.KindsOfFmusThatDoNotExist tests it"},
      {"start-not-determined", "free states keep their values where nothing asks for another; src/equations tests it"},
  };
  std::set<std::string> tested;
  for (const DiagnosticCase& c : all_cases()) tested.insert(c.code);
  const auto in_source = codes_in_source();
  EXPECT_GT(in_source.size(), 50u);
  for (const auto& [code, path] : in_source) {
    EXPECT_TRUE(tested.contains(code) || not_provoked.contains(code)) << code << " of " << path << " has no test";
  }
  for (const std::string& code : tested) EXPECT_TRUE(in_source.contains(code)) << code << " is made nowhere";
}

TEST(Diagnostics, ComeSeveralAtOnce) {
  const Diagnostics diagnostics = run_case("A: Gian\nB: Sum signs='+x'\nC: Constant valu=3");
  std::set<std::string> codes;
  for (const Diagnostic& d : diagnostics.all()) codes.insert(d.code);
  EXPECT_EQ(codes, (std::set<std::string>{"unknown-block", "bad-parameter", "unknown-parameter"}))
      << to_text(diagnostics);
}

TEST(Diagnostics, OfAnAlgebraicLoopShowsThePathAndTheReasons) {
  const Diagnostics diagnostics = run_case(
      "A: LogicalOp operator='NOT'\nB: LogicalOp operator='NOT'\nC: LogicalOp\nT: Time\nT:1 -> C:1\nA:1 -> B:1\nB:1 -> "
      "C:2\nC:1 -> A:1");
  ASSERT_EQ(diagnostics.error_count(), 1) << to_text(diagnostics);
  const Diagnostic& d = diagnostics.all()[0];
  EXPECT_EQ(d.code, "algebraic-loop");
  for (const char* step : {"/A -> /B", "/B -> /C", "/C -> /A"}) {
    const std::string twice = d.message + d.message.substr(d.message.find(" -> "));  // wherever the path begins
    EXPECT_NE(twice.find(step), std::string::npos) << d.message;
  }
  ASSERT_EQ(d.notes.size(), 3u) << to_text(d);
  EXPECT_NE(to_text(d).find("/C (LogicalOp): its output depends directly on input 2"), std::string::npos) << to_text(d);
}

// Element 1 of the vector feeds element 2: a loop of links, but not of values.
TEST(Diagnostics, NotOfALoopBetweenDifferentElements) {
  const model::Model model =
      diagram("stop 1\nT: Time\nM: Mux\nD: Demux\nG: Gain k=3\nT:1 -> M:1\nM:1 -> D:1\nD:1 -> G:1\nG:1 -> M:2");
  RunSetup setup;
  setup.watch = {"/D"};
  const ModelRun run = run_model(model, setup);
  ASSERT_TRUE(run.compiled) << to_text(run.diagnostics);
  EXPECT_TRUE(run.diagnostics.all().empty()) << to_text(run.diagnostics);
  EXPECT_EQ(run.recording.value(run.recording.rows() - 1, 1), 3.0);
}

// The outputs of the super block depend on different inputs.
TEST(Diagnostics, NotOfALoopThroughIndependentPorts) {
  Diagnostics diagnostics;
  const auto model = model::parse(R"({"orrery": 1, "simulation": {"stop": "1"}, "blocks": [
      {"name": "T", "type": "Time"},
      {"name": "S", "type": "SuperBlock", "diagram": {"blocks": [
        {"name": "u1", "type": "Input", "parameters": {"port": "1"}},
        {"name": "u2", "type": "Input", "parameters": {"port": "2"}},
        {"name": "A", "type": "Gain", "parameters": {"k": "2"}},
        {"name": "B", "type": "Gain", "parameters": {"k": "5"}},
        {"name": "y1", "type": "Output", "parameters": {"port": "1"}},
        {"name": "y2", "type": "Output", "parameters": {"port": "2"}}],
        "links": [{"from": "u1:1", "to": ["A:1"]}, {"from": "u2:1", "to": ["B:1"]},
                  {"from": "A:1", "to": ["y1:1"]}, {"from": "B:1", "to": ["y2:1"]}]}},
      {"name": "G", "type": "Gain", "parameters": {"k": "1"}}],
      "links": [{"from": "T:1", "to": ["S:1"]}, {"from": "S:1", "to": ["S:2"]}, {"from": "S:2", "to": ["G:1"]}]})",
                                  "ports.orr", diagnostics);
  ASSERT_TRUE(model) << to_text(diagnostics);
  RunSetup setup;
  setup.watch = {"/G"};
  const ModelRun run = run_model(*model, setup);
  ASSERT_TRUE(run.compiled) << to_text(run.diagnostics);
  EXPECT_TRUE(run.diagnostics.all().empty()) << to_text(run.diagnostics);
  EXPECT_EQ(last(run, "/G"), 10.0);
}

}  // namespace
}  // namespace orrery::tests::diagnostics_test
