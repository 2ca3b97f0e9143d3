// SPDX-License-Identifier: Apache-2.0
// DERIVATIVE sections of ACSL with algorithms and steps of their own, against the difference equations that they are.
#include <array>

#include "program_run.h"

namespace orrery::tests::own_steps_test {
namespace {

std::string two_sections(const std::string& first, const std::string& second, const std::string& more = "") {
  return "PROGRAM\nINITIAL\nconstant x0 = 1.0, y0 = 1.0\ncinterval cint = 0.1\nEND\nDYNAMIC\nDERIVATIVE one\n" + first +
         "\nEND\nDERIVATIVE two\n" + second + "\nEND\n" + more + "termt(t .ge. 0.99999)\nEND\nEND\n";
}

ProgramRun good_run(const std::string& text) {
  ProgramRun run = run_program(text, "a.csl");
  EXPECT_TRUE(run.good) << to_text(run.diagnostics);
  return run;
}

TEST(OwnSteps, MethodsAreThoseOfTheSections) {
  const ProgramRun run = good_run(two_sections("algorithm ialg1 = 3 $ nsteps nstp1 = 1\nx = integ(-x, x0)",
                                               "algorithm ialg2 = 5 $ nsteps nstp2 = 2\ny = integ(-y, y0)"));
  EXPECT_NEAR(run.last("x"), std::pow(0.9, 10), 1e-14);  // Euler, 0.1
  const double h = 0.05, factor = 1 - h + h * h / 2 - h * h * h / 6 + h * h * h * h / 24;
  EXPECT_NEAR(run.last("y"), std::pow(factor, 20), 1e-13);  // Runge-Kutta, 0.05: the shorter steps are the solver's
  EXPECT_NEAR(run.at(0.5, "x"), std::pow(0.9, 5), 1e-14);
}

// Each step takes what others are at its beginning, which is exact here but for the tolerance of the solver.
TEST(OwnSteps, OthersAreHeldDuringAStep) {
  const ProgramRun run = good_run(two_sections("algorithm ialg1 = 3 $ nsteps nstp1 = 4\nxd = y - x\nx = integ(xd, 0.0)",
                                               "algorithm ialg2 = 9\ny = integ(-y, y0)"));
  double x = 0;
  const double h = 0.025;
  for (int k = 0; k < 40; ++k) {
    if (k % 4 == 0) {
      EXPECT_NEAR(run.at(k * h, "x"), x, 1e-10) << k;
    }
    x += h * (std::exp(-k * h) - x);
  }
  EXPECT_NEAR(run.last("x"), x, 1e-10);
}

// Both ways: y feels the steps of x, which is constant between them.
TEST(OwnSteps, TheSolverSeesSteps) {
  const ProgramRun run = good_run(two_sections("algorithm ialg1 = 3 $ nsteps nstp1 = 1\nx = integ(y, 0.0)",
                                               "algorithm ialg2 = 9\ny = integ(x - y, 1.0)"));
  double x = 0, y = 1;
  const double h = 0.1;
  for (int k = 0; k < 10; ++k) {
    const double next = x + h * y;
    y = x + (y - x) * std::exp(-h);
    x = next;
  }
  EXPECT_NEAR(run.last("x"), x, 1e-9);
  EXPECT_NEAR(run.last("y"), y, 1e-9);
}

// x' = t**3 + x: stages see their own times and values.
TEST(OwnSteps, StagesOfRungeKuttaAndHeun) {
  for (const int algorithm : {4, 5}) {
    const ProgramRun run = good_run(two_sections(
        "algorithm ialg1 = " + std::to_string(algorithm) + " $ nsteps nstp1 = 1\nr = t**3\nx = integ(r + x, 1.0)",
        "algorithm ialg2 = 9\ny = integ(-y, y0)"));
    double x = 1;
    const double h = 0.1;
    const auto rate = [](double t, double at) { return t * t * t + at; };
    for (int k = 0; k < 10; ++k) {
      const double t = k * h, k1 = rate(t, x);
      if (algorithm == 4) {
        x += h / 2 * (k1 + rate(t + h, x + h * k1));
        continue;
      }
      const double k2 = rate(t + h / 2, x + h / 2 * k1), k3 = rate(t + h / 2, x + h / 2 * k2);
      x += h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(t + h, x + h * k3));
    }
    EXPECT_NEAR(run.last("x"), x, 1e-13) << algorithm;
  }
}

// An event in the middle of a step shifts what the step leads to.
TEST(OwnSteps, EventsSetTheirStates) {
  const ProgramRun run = good_run(
      "PROGRAM\nINITIAL\ncinterval cint = 0.1\nschedule kick .at. 0.25\nEND\nDYNAMIC\n"
      "DERIVATIVE one\nalgorithm i1 = 3 $ nsteps n1 = 1\nx = integ(1.0, 0.0)\nEND\n"
      "DERIVATIVE two\nalgorithm i2 = 9\ny = integ(x, 0.0)\nEND\n"
      "DISCRETE kick\nx = x + 10.0\nEND\ntermt(t .ge. 0.99999)\nEND\nEND\n");
  EXPECT_NEAR(run.at(0.2, "x"), 0.2, 1e-14);
  EXPECT_NEAR(run.at(0.3, "x"), 10.3, 1e-13);
  EXPECT_NEAR(run.last("x"), 11, 1e-13);
}

// MAXTERVAL of a section that is shorter than its part of the interval.
TEST(OwnSteps, LargestStepOfASection) {
  const ProgramRun run =
      good_run(two_sections("algorithm ialg1 = 3 $ nsteps nstp1 = 1 $ maxterval maxt1 = 0.02\nx = integ(-x, x0)",
                            "algorithm ialg2 = 9\ny = integ(-y, y0)"));
  EXPECT_NEAR(run.last("x"), std::pow(0.98, 50), 1e-12);
}

TEST(OwnSteps, MistakesAreTold) {
  const std::array<std::pair<const char*, const char*>, 2> cases = {
      {{"nsteps nstp = 4\nalgorithm ialg1 = 3\nx = integ(-x, x0)", "nstp has another value already"},
       {"algorithm ialg1 = 3\nx = integ(-x, x0)\nz = delay(x, 0.0, 0.5, 100)",
        "delay cannot stand here: its DERIVATIVE section has fixed steps of its own"}}};
  for (const auto& [first, message] : cases) {
    const ProgramRun run =
        run_program(two_sections(first, "algorithm ialg2 = 9 $ nsteps nstp = 2\ny = integ(-y, y0)"), "a.csl");
    EXPECT_FALSE(run.good);
    EXPECT_NE(to_text(run.diagnostics).find(message), std::string::npos) << to_text(run.diagnostics);
  }
}

TEST(OwnSteps, TwoVariableStepsAreOneSystemWithAWarning) {
  const ProgramRun run = run_program(
      two_sections("algorithm ialg1 = 2\nx = integ(-x, x0)", "algorithm ialg2 = 9\ny = integ(-y, y0)"), "a.csl");
  EXPECT_TRUE(run.good) << to_text(run.diagnostics);
  EXPECT_NE(to_text(run.diagnostics).find("warning[other-method]"), std::string::npos) << to_text(run.diagnostics);
  EXPECT_NEAR(run.last("y"), std::exp(-1), 1e-8);
}

}  // namespace
}  // namespace orrery::tests::own_steps_test
