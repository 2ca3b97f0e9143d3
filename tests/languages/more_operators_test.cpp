// SPDX-License-Identifier: Apache-2.0
// Operators with closed forms, macros, tables, random numbers; runs that follow each other; layout.
#include <filesystem>
#include <numbers>

#include "api/model_texts.h"
#include "api/session.h"
#include "program_run.h"

namespace orrery::tests::more_operators_test {
namespace {

std::string in_derivative(const std::string& equations, const std::string& controls = "cinterval cint = 0.25",
                          const std::string& stop = "5.0") {
  return "PROGRAM\nDYNAMIC\n" + controls + "\nDERIVATIVE\n" + equations + "\nEND\ntermt(t .ge. " + stop +
         ")\nEND\nEND\n";
}

ProgramRun good_run(const std::string& text, const std::string& file, const ProgramSetup& setup = {}) {
  ProgramRun run = run_program(text, file, setup);
  EXPECT_TRUE(run.good) << to_text(run.diagnostics);
  return run;
}

// It falls with -2 from 1, rests at the stop from t = 1, and is lifted with 1 from t = 2 on.
TEST(AcslOperators, DoubleIntegralWithStops) {
  for (const char* form : {"x, v = dblint(a, 1.0, 0.0, 0.0, 10.0)", "dblint(x, v = a, 1.0, 0.0, 0.0, 10.0)"}) {
    const ProgramRun run = good_run(in_derivative(std::string("a = rsw(t .lt. 2.0, -2.0, 1.0)\n") + form), "d.csl");
    EXPECT_NEAR(run.at(0.5, "x"), 0.75, 1e-9);
    EXPECT_NEAR(run.at(0.5, "v"), -1, 1e-9);
    for (const double t : {1.25, 1.75}) {
      EXPECT_NEAR(run.at(t, "x"), 0, 1e-9) << t;
      EXPECT_NEAR(run.at(t, "v"), 0, 1e-12) << t;
    }
    for (const double t : {3.0, 5.0}) {
      EXPECT_NEAR(run.at(t, "x"), (t - 2) * (t - 2) / 2, 1e-8) << t;
      EXPECT_NEAR(run.at(t, "v"), t - 2, 1e-8) << t;
    }
  }
}

// x1 + x2 = 3 + t and x1 x2 = 2 (1 + t): x = (1 + t, 2).
TEST(AcslOperators, ImplicitVectors) {
  const ProgramRun run = good_run(in_derivative("dimension x(2), r(2), g(2)\nconstant g = 0.8, 2.5\n"
                                                "x = impvc(r, g)\n"
                                                "PROCEDURAL (r = x)\nr(1) = x(1) + x(2) - 3.0 - t\n"
                                                "r(2) = x(1)*x(2) - 2.0*(1.0 + t)\nEND",
                                                "cinterval cint = 0.1", "0.8"),
                                  "v.csl");
  for (const double t : {0.0, 0.5, 0.8}) {
    EXPECT_NEAR(run.at(t, "x(1)"), 1 + t, 1e-7) << t;
    EXPECT_NEAR(run.at(t, "x(2)"), 2, 1e-7) << t;
  }
}

TEST(AcslOperators, VectorsTablesHoldsAndRates) {
  const ProgramRun run =
      good_run(in_derivative("dimension x(2), x0(2), xd(2)\nconstant x0 = 1.0, 2.0\n"
                             "PROCEDURAL (xd = x)\nxd(1) = -x(1)\nxd(2) = -2.0*x(2)\nEND\nx = intvc(xd, x0)\n"
                             "TABLE f, 2, 2, 3 / 0., 1., 0., 1., 2., 0., 1., 10., 11., 20., 21. /\nz = f(0.25, t/2.0)\n"
                             "h = zhold(t .lt. 2.0, 3.0*t)\n"
                             "d = derivt(7.0, t*t)"),
               "v.csl");
  for (const double t : {1.0, 3.0}) {
    EXPECT_NEAR(run.at(t, "x(1)"), std::exp(-t), 1e-9);
    EXPECT_NEAR(run.at(t, "x(2)"), 2 * std::exp(-2 * t), 1e-9);
    EXPECT_NEAR(run.at(t, "z"), 0.25 + 10 * t / 2, 1e-12);  // linear in both
  }
  EXPECT_NEAR(run.at(5, "z"), 20.25, 1e-12);  // held outside
  EXPECT_NEAR(run.at(1, "h"), 3, 1e-12);
  EXPECT_NEAR(run.at(4, "h"), 6, 1e-9);
  EXPECT_EQ(run.at(0, "d"), 7);
  EXPECT_NEAR(run.at(4, "d"), 8, 0.5);  // the difference over one step, which is at most 0.25 long
}

TEST(AcslMacros, DirectivesAndBothUses) {
  const ProgramRun run = good_run(
      "MACRO lag(y, x, tau)\nMACRO REDEFINE rate\nMACRO STANDVAL tau = 2.0\nrate = (x - y)/tau\n"
      "y = integ(rate, 0.0)\nMACRO END\n" +
          in_derivative("lag(a, 1.0, 0.5)\nlag(b, 1.0)\nc = lag(1.0, 0.5)"),
      "m.csl");
  EXPECT_NEAR(run.at(1, "a"), 1 - std::exp(-2.0), 1e-9);
  EXPECT_NEAR(run.at(1, "b"), 1 - std::exp(-0.5), 1e-9);
  EXPECT_NEAR(run.at(1, "c"), 1 - std::exp(-2.0), 1e-9);
}

// Means and deviations of 4000 numbers; three standard errors are allowed twice.
TEST(AcslRandom, HasItsMeansAndDeviations) {
  const ProgramRun run = good_run(
      "PROGRAM\nINITIAL\ncall gausi(77)\ng = 0. $ u = 0. $ o = 0.\ncinterval cint = 0.01\nEND\nDYNAMIC\nDISCRETE d\n"
      "interval ts = 0.01\ng = gauss(5., 2.)\nu = unif(-1., 3.)\no = ou(0.1, 1., 2.)\nEND\ntermt(t .ge. "
      "40.)\nEND\nEND\n",
      "r.csl");
  const auto moments = [](std::vector<double> x) {
    x.erase(x.begin(), x.begin() + 2);
    double mean = 0, square = 0;
    for (const double v : x) mean += v / static_cast<double>(x.size());
    for (const double v : x) square += (v - mean) * (v - mean) / static_cast<double>(x.size());
    return std::pair(mean, std::sqrt(square));
  };
  const auto [g, gs] = moments(run.column("g"));
  EXPECT_NEAR(g, 5, 6 * 2 / std::sqrt(4000.0));
  EXPECT_NEAR(gs, 2, 6 * 2 / std::sqrt(8000.0));
  const auto [u, us] = moments(run.column("u"));
  EXPECT_NEAR(u, 1, 6 * 1.155 / std::sqrt(4000.0));
  EXPECT_NEAR(us, 4 / std::sqrt(12.0), 0.1);
  const auto [o, os] = moments(run.column("o"));
  EXPECT_NEAR(o, 1, 1);  // its numbers hang together over 10 steps: 20 times fewer count
  EXPECT_NEAR(os, 2, 0.6);
  std::vector<double> x = run.column("o");
  double with_next = 0, alone = 0;
  for (std::size_t k = 100; k + 1 < x.size(); ++k) {
    with_next += (x[k] - o) * (x[k + 1] - o);
    alone += (x[k] - o) * (x[k] - o);
  }
  EXPECT_NEAR(with_next / alone, std::exp(-0.1), 0.03);
}

TEST(Acsl, CannonBallApex) {
  struct Case {
    double angle, time, x, y;
  };
  std::string text = example_text("cannon_ball.csl");
  const std::size_t at = text.find("schedule ground");
  ASSERT_NE(at, std::string::npos);
  text.insert(at, "schedule apex .xn. vy\n      ");
  const std::size_t section = text.find("DISCRETE ground");
  text.insert(section, "DISCRETE apex\n      ta = t $ xa = x $ ya = y\n    END\n    ");
  for (const Case& c : {Case{10, 4.248673, 3313.5550, 316.3593}, Case{45, 13.972637, 6455.3935, 3824.2760},
                        Case{65, 17.363412, 4650.6217, 5905.5099}}) {
    ProgramSetup setup;
    setup.set = {{"ang", std::to_string(c.angle)}};
    const ProgramRun run = good_run(text, "apex.csl", setup);
    EXPECT_NEAR(run.last("ta"), c.time, 6e-7) << c.angle;
    EXPECT_NEAR(run.last("xa"), c.x, 6e-5) << c.angle;
    EXPECT_NEAR(run.last("ya"), c.y, 6e-5) << c.angle;
  }
}

TEST(Csmp, FurtherOperators) {
  const ProgramRun run = good_run(
      "DYNAMIC\n S = 2.0*SIN(TIME)\n H = HSTRSS(0.0, -0.5, 0.5, S)\n"
      " M = MODINT(1.0, 2.0 - TIME, TIME - 3.0, 1.0)\n"
      " Y1, Y2 = OUTSW(TIME - 2.0, 5.0)\n F = RST(TIME - 4.0, 1.5 - TIME, -1.0)\n"
      " P = PULSE(0.5, TIME - 1.0)\n"
      "TIMER FINTIM = 5.0, OUTDEL = 0.25\nEND\nSTOP\n",
      "a.csmp");
  EXPECT_NEAR(run.at(4, "h"), 2 * std::sin(4.0) + 0.5, 1e-8);  // as BCKLSH with half the gap 0.5
  EXPECT_NEAR(run.at(2, "h"), 1.5, 1e-9);                      // where the sine has turned back
  EXPECT_NEAR(run.at(1, "m"), 2, 1e-9);                        // integrates to t = 2, holds, is reset at t = 3
  EXPECT_NEAR(run.at(2.5, "m"), 3, 1e-9);
  EXPECT_NEAR(run.at(4, "m"), 1, 1e-9);
  EXPECT_EQ(run.at(1, "y1"), 5);
  EXPECT_EQ(run.at(1, "y2"), 0);
  EXPECT_EQ(run.at(3, "y2"), 5);
  EXPECT_EQ(run.at(1, "f"), 1);
  EXPECT_EQ(run.at(3, "f"), 1);
  EXPECT_EQ(run.at(4.5, "f"), 0);
  EXPECT_EQ(run.at(0.75, "p"), 0);
  EXPECT_EQ(run.at(1.25, "p"), 1);
  EXPECT_EQ(run.at(1.75, "p"), 0);
}

// x' = 1 - f - x with a relay f between 0.3 and 0.5 that turns its own input back.
TEST(Csmp, ARelaySwitchesOnce) {
  double at = std::log(2.0), x = 0.5;
  bool on = true;
  while (true) {
    const double next = at + std::log(on ? 5.0 / 3 : 7.0 / 5);
    if (next > 5) break;
    at = next;
    on = !on;
  }
  x = on ? 0.5 * std::exp(at - 5) : 1 - 0.7 * std::exp(at - 5);
  const std::string text =
      "DYNAMIC\n F = RST(0.3 - X, X - 0.5, -1.0)\n X = INTGRL(0.0, 1.0 - F - X)\n"
      "TIMER FINTIM = 5.0, OUTDEL = 0.25, DELT = 0.0005\n";
  EXPECT_NEAR(good_run(text + "END\nSTOP\n", "a.csmp").at(5, "x"), x, 1e-8);
  for (const char* method : {"RKSFX", "RECT", "ADAMS"}) {
    const ProgramRun fixed = good_run(text + "METHOD " + method + "\nEND\nSTOP\n", "a.csmp", {.rtol = 0});
    EXPECT_NEAR(fixed.at(5, "x"), x, 0.01) << method;
  }
}

TEST(Csmp, Macros) {
  const ProgramRun run = good_run(
      "MACRO Y = LAG(X, TAU)\n RATE = (X - Y)/TAU\n Y = INTGRL(0.0, RATE)\nENDMAC\n"
      "DYNAMIC\n A = LAG(1.0, 0.25 + 0.25)\n B = LAG(A + 1.0, 2.0)\nTIMER FINTIM = 2.0, OUTDEL = 0.5\nEND\nSTOP\n",
      "a.csmp");
  EXPECT_NEAR(run.at(1, "a"), 1 - std::exp(-2.0), 1e-9);
  // b' = (2 - exp(-2t) - b)/2
  EXPECT_NEAR(run.at(1, "b"), 2 - 2.333333333333333 * std::exp(-0.5) + std::exp(-2.0) / 3, 1e-8);
}

api::RunResult run_file(const std::string& text, const std::string& name) {
  const std::string folder = testing::TempDir() + "/runs_" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/" + name) << text;
  api::RunRequest request;
  request.file = folder + "/" + name;
  return api::run(request);
}

TEST(Csmp, SeveralRuns) {
  const api::RunResult result = run_file(
      "PARAM K = (1.0, 2.0, 3.0)\nINCON X0 = 1.0\nDYNAMIC\n X = INTGRL(X0, K)\nTIMER FINTIM = 1.0, OUTDEL = 0.5\n"
      "END\nINCON X0 = 10.0\nEND\nSTOP\n",
      "runs.csmp");
  ASSERT_TRUE(result.started) << to_text(result.diagnostics);
  EXPECT_EQ(result.runs, 4);  // three values of K, and then another X0 with the last one
  ASSERT_FALSE(result.recording.values.empty());
  EXPECT_NEAR(result.recording.values.back(), 13, 1e-6);
}

TEST(Desire, RunsThatBeginAnew) {
  const api::RunResult result =
      run_file("x = 1 | TMAX = 1 | DT = 0.1 | NN = 11\nfor k = 1 to 3\ndrunr\nnext\nDYNAMIC\nd/dt x = k\n", "runs.des");
  ASSERT_TRUE(result.started) << to_text(result.diagnostics);
  EXPECT_EQ(result.runs, 3);
  EXPECT_NEAR(result.recording.values.back(), 4, 1e-9);
}

TEST(Desire, SwitchesOnAtKnownInstants) {
  const ProgramRun run = good_run(
      "x = 0 | y = 0 | z = 0 | a = 0.5 | TMAX = 1 | DT = 0.1 | NN = 11\ndrun\nDYNAMIC\nd/dt x = swtch(t - 0.5)\n"
      "d/dt y = t*swtch(t - a)\nd/dt z = swtch(t - 0)\n",
      "a.des", {.rtol = 0});
  EXPECT_NEAR(run.at(0.5, "x"), 0, 1e-12);
  EXPECT_NEAR(run.at(1, "x"), 0.5, 1e-12);
  EXPECT_NEAR(run.at(1, "y"), 0.375, 1e-12);
  EXPECT_NEAR(run.at(1, "z"), 1, 1e-12);
}

TEST(Desire, SamplesEveryFewPoints) {
  const ProgramRun run =
      good_run("x = 0 | s = 0 | TMAX = 1 | DT = 0.1 | NN = 11\ndrun\nDYNAMIC\nd/dt x = 1\nSAMPLE 4\ns = x\n", "a.des",
               {.rtol = 0});
  EXPECT_NEAR(run.at(0.3, "s"), 0, 1e-12);
  EXPECT_NEAR(run.at(0.4, "s"), 0.4, 1e-12);
  EXPECT_NEAR(run.at(0.7, "s"), 0.4, 1e-12);
  EXPECT_NEAR(run.at(0.8, "s"), 0.8, 1e-12);
}

TEST(EmptyPrograms, AreErrorsWithARemedy) {
  for (const char* file : {"a.csl", "a.csmp"}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(api::Model::read("", file, diagnostics));
    ASSERT_FALSE(diagnostics.all().empty()) << file;
    EXPECT_FALSE(diagnostics.all()[0].help.empty()) << file;
  }
}

// The layout changes, the program does not: rows are the same to the last bit, and a second time nothing changes.
TEST(Layout, KeepsTheMeaningOfAllExamples) {
  int programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/examples/cssl")) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".orr") || name.ends_with(".cmd") || name.ends_with(".svg") || name.ends_with(".md")) continue;
    const std::string text = example_text(name);
    Diagnostics diagnostics;
    std::string shaken;  // other blanks at the beginnings of lines, where columns mean nothing
    if (name.ends_with(".csl")) {
      std::stringstream lines(text);
      int k = 0;
      for (std::string line; std::getline(lines, line);)
        shaken +=
            std::string(static_cast<std::size_t>(++k * 7 % 5), ' ') + line.substr(line.find_first_not_of(' ')) + "  \n";
    } else {
      shaken = text;
    }
    const auto laid_out = api::formatted(shaken, name, diagnostics);
    ASSERT_TRUE(laid_out) << name << to_text(diagnostics);
    EXPECT_EQ(*api::formatted(*laid_out, name, diagnostics), *laid_out) << name;
    EXPECT_EQ(*laid_out, *api::formatted(text, name, diagnostics)) << name;
    const ProgramRun before = run_program(text, name, {.rtol = 0}), after = run_program(*laid_out, name, {.rtol = 0});
    EXPECT_EQ(before.results.values, after.results.values) << name;
    ++programs;
  }
  EXPECT_GE(programs, 14);
}

}  // namespace
}  // namespace orrery::tests::more_operators_test
