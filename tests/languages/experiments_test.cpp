// SPDX-License-Identifier: Apache-2.0
// Experiments: several runs, of which some depend on the results of others; arrays; random signals; prolonged runs.
#include <complex>
#include <filesystem>

#include "api/graph_sink.h"
#include "api/script_mistakes.h"
#include "api/session.h"
#include "oml/interpreter.h"
#include "program_run.h"

namespace orrery::tests::experiments_test {
namespace {

// As the command line runs a file.
api::RunResult run_text(const std::string& text, const std::string& name) {
  const std::string file = testing::TempDir() + "/" + std::to_string(::getpid()) + "_" + name;
  std::ofstream(file) << text;
  api::RunRequest request;
  request.file = file;
  api::RunResult result = api::run(request);
  std::filesystem::remove(file);
  EXPECT_TRUE(result.started) << to_text(result.diagnostics);
  return result;
}

double last(const api::RunResult& result, const std::string& name) {
  const sim::Recording& rows = result.recording;
  for (std::size_t c = 0; c < rows.columns.size(); ++c) {
    if (rows.columns[c].name == name) return rows.value(rows.rows() - 1, c);
  }
  ADD_FAILURE() << name;
  return std::nan("");
}

// Heun for x' = -k x with h = 0.01: a factor each step. The second run begins where the first has ended, t included.
TEST(Desire, ASecondRunGoesOnFromTheFirst) {
  const api::RunResult result = run_text(
      "x = 1 | TMAX = 1 | DT = 0.01 | NN = 11\nk = 1\ndrun\nk = 2\ndrun\nDYNAMIC\nd/dt x = -k*x\ns = t\n", "two.des");
  EXPECT_EQ(result.runs, 2);
  const double h = 0.01, one = 1 - h + h * h / 2, two = 1 - 2 * h + 2 * h * h;
  EXPECT_NEAR(last(result, "x"), std::pow(one, 100) * std::pow(two, 100), 1e-12);
  EXPECT_NEAR(last(result, "s"), 2, 1e-12);
  EXPECT_NEAR(result.recording.time.front(), 1, 1e-12);
  EXPECT_EQ(result.report.end, sim::End::stopped);
}

TEST(Desire, ResetBeginsAnew) {
  const api::RunResult result = run_text(
      "x = 1 | TMAX = 1 | DT = 0.01 | NN = 11 | k = 1\ndrun\ndrun\nreset\nk = 0\ndrun\nDYNAMIC\nd/dt x = k\n", "r.des");
  EXPECT_EQ(result.runs, 3);
  EXPECT_NEAR(last(result, "x"), 1, 1e-12);
  EXPECT_NEAR(result.recording.time.front(), 0, 1e-12);
}

// The experiment computes with what a run has left: the speed for a given distance, by regula falsi (linear here).
TEST(Desire, ResultsSteerTheNextRun) {
  const api::RunResult result = run_text(
      "x = 0 | TMAX = 2 | DT = 0.01 | NN = 11\nv = 1\nlabel AGAIN\nx = 0\ndrun\nreset\n"
      "miss = far - 7\nif abs(miss) > 0.001 then v = v*7/far\ngo to AGAIN\nelse proceed\nwrite 'speed', v\n"
      "DYNAMIC\nd/dt x = v\nfar = x\n",
      "aim.des");
  EXPECT_EQ(result.runs, 2);
  EXPECT_NEAR(last(result, "x"), 7, 1e-9);
  EXPECT_NE(to_text(result.diagnostics).find("speed 3.5"), std::string::npos) << to_text(result.diagnostics);
}

// |vs| reaches 1.0015, so the first run makes XCCC negative and the lander runs twice, with scale = 2 at last.
TEST(Desire, TheLanderScalesItself) {
  const api::RunResult result = run_text(example_text("lander.des"), "lander.des");
  EXPECT_EQ(result.runs, 2);
  EXPECT_NEAR(result.recording.time.back(), 211.8, 1e-9);
  EXPECT_NEAR(last(result, "h"), -0.131931254, 1e-6);
}

// z' = A z turns a vector: Heun's own factor for it, as a complex number.
TEST(Desire, VectorsAndMatrices) {
  const api::RunResult result = run_text(
      "n = 2\nARRAY A[n,n], w[n] | STATE z[n]\ndata 0, -1, 1, 0\nread A\nz[1] = 1\n"
      "TMAX = 1 | DT = 0.001 | NN = 11\ndrun\nDYNAMIC\nVector w = 2*(A*z)\nVectr d/dt z = A*z\ns = w[2]\n",
      "turn.des");
  // A is read column by column: A = [0 1; -1 0], so z1' = z2, z2' = -z1.
  const std::complex<double> factor(1 - 0.001 * 0.001 / 2, -0.001);
  const std::complex<double> z = std::pow(factor, 1000);
  EXPECT_NEAR(last(result, "z(1)"), z.real(), 1e-12);
  EXPECT_NEAR(last(result, "z(2)"), z.imag(), 1e-12);
  EXPECT_NEAR(last(result, "s"), -2 * z.real(), 1e-12);
}

TEST(Desire, SizesMustFit) {
  const ProgramRun run = run_program(
      "ARRAY A[2,3], b[2] | STATE z[2]\nTMAX = 1 | DT = 0.1 | NN = 11\ndrun\nDYNAMIC\nVectr d/dt z = A*b\n", "a.des");
  EXPECT_FALSE(run.good);
  EXPECT_NE(to_text(run.diagnostics).find("arrays of 2 by 3 and 2 by 1 elements"), std::string::npos)
      << to_text(run.diagnostics);
}

// CALL RERUN with a constant that TERMINAL has changed: K = 1, 2, 4, 8.
TEST(Csmp, TerminalAsksForAnotherRun) {
  const api::RunResult result = run_text(
      "PARAM K = 1.0\nDYNAMIC\n X = INTGRL(0., K)\nTERMINAL\n IF (X.GT.7.5) GO TO 10\n K = 2.0*K\n CALL RERUN\n"
      "10 CONTINUE\nTIMER FINTIM = 1.0, OUTDEL = 0.5\nEND\nSTOP\n",
      "rerun.csmp");
  EXPECT_EQ(result.runs, 4) << to_text(result.diagnostics);
  EXPECT_NEAR(last(result, "x"), 8, 1e-9);
}

// CONTINUE: the run goes on with another rate from FINTIM on.
TEST(Csmp, ContinueProlongsTheRun) {
  const api::RunResult result = run_text(
      "PARAM K = 1.0\nDYNAMIC\n X = INTGRL(0., K)\nTIMER FINTIM = 2.0, OUTDEL = 0.5\nEND\nCONTINUE\nPARAM K = 3.0\n"
      "TIMER FINTIM = 4.0\nEND\nSTOP\n",
      "goes_on.csmp");
  EXPECT_EQ(result.runs, 1);
  EXPECT_NEAR(result.recording.time.back(), 4, 1e-12);
  EXPECT_NEAR(last(result, "x"), 2 + 3 * 2, 1e-9);
}

TEST(Csmp, PointsOfAFunctionMayStandInParentheses) {
  const ProgramRun run = run_program(
      "FUNCTION F = (0.,0.), (1.,2.), (2.,0.)\nDYNAMIC\n Y = AFGEN(F, TIME)\n X = INTGRL(0., Y)\n"
      "TIMER FINTIM = 2.0, OUTDEL = 0.5\nEND\nSTOP\n",
      "f.csmp");
  ASSERT_TRUE(run.good) << to_text(run.diagnostics);
  EXPECT_NEAR(run.at(0.5, "y"), 1, 1e-12);
  EXPECT_NEAR(run.at(1.5, "y"), 1, 1e-12);
  EXPECT_NEAR(run.last("x"), 2, 1e-8);
}

// 20 000 numbers each: mean and deviation within four of their own deviations; another seed gives others.
TEST(Csmp, RandomSignals) {
  const std::string text =
      "DYNAMIC\n G = GAUSS(1, 2.0, 3.0)\n U = RNDGEN(2)\n H = GAUSS(5, 2.0, 3.0)\n M = INTGRL(0., G)\n V = INTGRL(0., "
      "(G-2.)**2)\n"
      " A = INTGRL(0., U)\n B = INTGRL(0., (U-0.5)**2)\n C = INTGRL(0., (G-2.)*(H-2.))\nMETHOD RECT\n"
      "TIMER FINTIM = 200.0, OUTDEL = 10.0, DELT = 0.01\nEND\nSTOP\n";
  const ProgramRun run = run_program(text, "noise.csmp", {.rtol = 0});
  ASSERT_TRUE(run.good) << to_text(run.diagnostics);
  const double n = 20000;
  EXPECT_NEAR(run.last("m") / 200, 2, 4 * 3 / std::sqrt(n));
  EXPECT_NEAR(run.last("v") / 200, 9, 4 * 9 * std::sqrt(2 / n));
  EXPECT_NEAR(run.last("a") / 200, 0.5, 4 * std::sqrt(1 / 12.0 / n));
  EXPECT_NEAR(run.last("b") / 200, 1 / 12.0, 4 * std::sqrt(1 / 180.0 / n));
  EXPECT_NEAR(run.last("c") / 200, 0, 4 * 9 / std::sqrt(n));
  const ProgramRun again = run_program(text, "noise.csmp", {.rtol = 0});
  EXPECT_EQ(again.last("m"), run.last("m"));
}

TEST(Darep, FurtherDataAreFurtherRuns) {
  const api::RunResult result = run_text(
      " $D1\n  X. = -RATE*X\nEND\nX = 1.0, RATE = 1.0, TMAX = 1.0, NPOINT = 11\nEND\n*FIRST\nGRAPH X\nEND\n"
      "RATE = 2.0\nEND\nGRAPH X\nEND\nX = 5.0\nEND\nGRAPH X\nEND\n",
      "groups.drp");
  EXPECT_EQ(result.runs, 3) << to_text(result.diagnostics);
  EXPECT_NEAR(last(result, "x"), 5 * std::exp(-2), 1e-5);
}

// Arithmetic IF: negative, zero, positive.
TEST(Darep, BranchesBySign) {
  const ProgramRun run = run_program(
      " $D1\n  X. = 1.0\n  PROCED Y = X\n  IF (X - 0.5) 10, 20, 30\n10 Y = 1.0\n  GO TO 40\n20 Y = 2.0\n  GO TO 40\n"
      "30 Y = 3.0\n40 CONTINUE\n  ENDPRO\nEND\nX = 0.0, TMAX = 1.0, NPOINT = 5\nEND\nEND\n",
      "sign.drp");
  ASSERT_TRUE(run.good) << to_text(run.diagnostics);
  EXPECT_EQ(run.at(0.25, "y"), 1);
  EXPECT_EQ(run.at(0.75, "y"), 3);
}

// Whole numbers from I to N where the original's rules are asked for.
TEST(Darep, StrictNamesAreWholeNumbers) {
  const std::string text = " $D1\n  X. = 1.0\n  N = 2.7\n  Y = N\nEND\nX = 0.0, TMAX = 1.0, NPOINT = 5\nEND\nEND\n";
  EXPECT_NEAR(run_program(text, "a.drp").last("y"), 2.7, 1e-12);
  EXPECT_NEAR(run_program("! strict\n" + text, "a.drp").last("y"), 2, 1e-12);
}

// The same numbers as the ACSL programs have: forward differences of the lander, the map after k applications.
TEST(Homework, DifferencesInOtherLanguages) {
  const ProgramRun euler = run_example("lander_euler.csmp", {.rtol = 0});
  EXPECT_NEAR(euler.at(43.2, "h"), 9816.90477, 1e-4);
  EXPECT_NEAR(euler.at(150, "v"), -46.6363033, 1e-6);
  EXPECT_NEAR(euler.results.time.back(), 183.9, 1e-9);
  EXPECT_NEAR(euler.last("h"), -1.20344683, 1e-6);
  const ProgramRun map = run_example("difference_equations.des", {.rtol = 0});
  EXPECT_NEAR(map.at(1, "x1"), 2.32324, 1e-12);
  EXPECT_NEAR(map.at(100, "x1"), 3.699649300, 1e-9);
  EXPECT_NEAR(map.at(100, "x2"), 1.613862768, 1e-9);
}

// x = exp(-x t), by Newton's method and by a loop.
TEST(Homework, AlgebraicLoopInAcsl) {
  const ProgramRun run = run_program(example_text("algebraic_loop.csl"), "algebraic_loop.csl");
  ASSERT_TRUE(run.good) << to_text(run.diagnostics);
  for (const char* name : {"tahini", "tarato"}) {
    EXPECT_NEAR(run.at(0.5, name), 0.703467422, 6e-10);
    EXPECT_NEAR(run.at(1, name), 0.567143290, 6e-10);
  }
}

// All mistakes of a script at once, each with its line and a caret.
TEST(ScriptMistakes, AreToldAsThoseOfOtherLanguages) {
  const std::string text = "x = 1;\ny = (2 + ;\nif x == ]1\n w = 3;\nend\nz = 4 +* 5;\n";
  oml::Interpreter interpreter;
  const oml::RunResult result = interpreter.run_text(text, "a.oml");
  EXPECT_EQ(result.error_text.find("Syntax error at line number 2 in file a.oml near character position"), 0U);
  const Diagnostics found = api::script_mistakes(result, text, "a.oml");
  ASSERT_EQ(found.all().size(), 3U) << to_text(found);
  EXPECT_EQ(found.all()[1].place.line, 3);
  EXPECT_EQ(found.all()[2].place.line, 6);
  EXPECT_NE(to_text(found.all()[0]).find("     2 | y = (2 + ;\n       |          ^\n"), std::string::npos)
      << to_text(found.all()[0]);
}

TEST(ProgramGraphs, AreWhatTheProgramAsksFor) {
  const std::string file = source_folder() + "/examples/cssl/lander.drp";
  const auto graphs = api::graphs_of_program(file);
  ASSERT_EQ(graphs.size(), 2U);
  EXPECT_EQ(graphs[0].y, std::vector<std::string>{"h"});
  api::GraphSink sink(graphs);
  api::RunRequest request;
  request.file = file;
  request.sinks = {&sink};
  ASSERT_FALSE(api::run(request).failed());
  const io::Chart chart = sink.chart();
  ASSERT_EQ(chart.panels.size(), 2U);
  EXPECT_EQ(chart.panels[0].x_label, "t");
  ASSERT_EQ(chart.panels[1].curves.size(), 1U);
  EXPECT_EQ(chart.panels[1].curves[0].name, "v");
  EXPECT_GE(chart.panels[1].curves[0].count, 278U);
}

}  // namespace
}  // namespace orrery::tests::experiments_test
