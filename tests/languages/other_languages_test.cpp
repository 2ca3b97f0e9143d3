// SPDX-License-Identifier: Apache-2.0
// DARE-P, DESIRE and CSMP: the lunar landing and algebraic loops, against numbers that were computed independently.
#include "program_run.h"

namespace orrery::tests::other_languages_test {
namespace {

struct Point {
  double t, h, v, m;
};

TEST(Darep, LunarLanding) {
  const ProgramRun run = run_example("lander.drp");
  const double interval = 230.0 / 300;
  for (const Point& p :
       {Point{1, 57878.2322, -1977.23063, 1030.63847}, Point{50, 11152.0646, -385.542386, 652.381583},
        Point{57, 9878.01388, -111.214810, 603.198202}, Point{100, 6520.64469, -92.2613032, 591.253851},
        Point{200, 1285.90917, -43.0287641, 563.476291}, Point{275, 3.21487796, -2.73488954, 542.945051},
        Point{277, -2.89529708, -5.23490692, 542.945051}}) {
    EXPECT_NEAR(run.at(p.t * interval, "h"), p.h, 1e-4) << p.t;
    EXPECT_NEAR(run.at(p.t * interval, "v"), p.v, 6e-6) << p.t;
    EXPECT_NEAR(run.at(p.t * interval, "xm"), p.m, 6e-6) << p.t;
  }
  EXPECT_EQ(run.results.rows(), 278U);
}

TEST(Darep, AProcedureSolvesALoop) {
  const ProgramRun run = run_example("algebraic_loop.drp");
  EXPECT_NEAR(run.last("tahini"), 0.739085133215161, 1e-10);
  EXPECT_NEAR(run.last("taratr"), 0.739085133215161, 1e-10);
  EXPECT_EQ(run.last("dishes"), 1);  // it begins where the last point has ended
}

TEST(Darep, WithoutItTheLoopIsReported) {
  const ProgramRun run = run_program(
      " $D1\n   TAHINI = COS(TARATR)\n   TARATR = TAHINI\nEND\nTMAX = 1.0, NPOINT = 11\nEND\nGRAPH TAHINI\nEND\n",
      "a.drp");
  ASSERT_EQ(run.diagnostics.all().size(), 1U);
  EXPECT_EQ(run.diagnostics.all()[0].message, "algebraic loop detected involving variables tahini and taratr");
}

TEST(Darep, MistakesAreTold) {
  const std::pair<const char*, const char*> cases[] = {
      {" $D1\n  X. = -X\nEND\nTMAX = 1.0\nEND\nEND\n", "the state x has no initial value"},
      {" $D1\n  X. = -X\nEND\nX = 1.0\nEND\nEND\n", "TMAX, the length of the run, is not given"},
      {" $D1\n  X. = -X\nEND\nX = 1.0, TMAX = 1.0\n", "2 END in column 1 are missing"},
      {" $D2\n  X. = -X\nEND\nX = 1.0, TMAX = 1.0\nEND\nEND\n", "no block is called $d2"},
      {" $D1\n  X. = -X\n TERMINATE X\n TERMINATE -X\nEND\nX = 1.0, TMAX = 1.0\nEND\nEND\n",
       "there is one TERMINATE already"},
      {" $D1\n  X. = -X\n  X = 3.0\nEND\nX = 1.0, TMAX = 1.0\nEND\nEND\n", "x is defined twice"},
      {" $D1\n  PROCED Y = X\n  Y = 1.0\nEND\nX = 1.0, TMAX = 1.0\nEND\nEND\n", "this PROCED has no ENDPRO"},
  };
  for (const auto& [text, message] : cases) {
    Diagnostics diagnostics;
    EXPECT_FALSE(api::Model::read(text, "a.drp", diagnostics)) << text;
    ASSERT_FALSE(diagnostics.all().empty()) << text;
    EXPECT_EQ(diagnostics.all()[0].message, message);
  }
}

TEST(Desire, LunarLandingWithSwitchesAtStepEnds) {
  ProgramSetup setup;
  setup.rtol = 0;
  const ProgramRun run = run_example("lander.des", setup);
  for (const Point& p :
       {Point{10, 41107.0758, -1650.17737, 937.6685}, Point{40, 10585.2875, -294.145531, 635.6},
        Point{43.2, 9933.65757, -111.492311, 603.37936}, Point{100, 4532.11153, -78.0732326, 582.799811},
        Point{150, 1433.20608, -45.3312834, 564.684011}, Point{210, 4.98553099, -1.37563856, 542.945051}}) {
    EXPECT_DIGITS(run.at(p.t, "h"), p.h, 9);
    EXPECT_DIGITS(run.at(p.t, "v"), p.v, 9);
    EXPECT_NEAR(run.at(p.t, "m"), p.m, 6e-7);
  }
  EXPECT_DIGITS(run.results.time.back(), 211.8, 10);
  EXPECT_DIGITS(run.last("h"), -0.131931254, 9);
  EXPECT_DIGITS(run.last("v"), -4.3104335, 8);
}

TEST(Desire, LunarLandingLiterally) {
  ProgramSetup setup;
  setup.rtol = 0;
  const ProgramRun run = run_program("-- literal\n" + example_text("lander.des"), "literal.des", setup);
  ASSERT_TRUE(run.good) << to_text(run.diagnostics);
  EXPECT_DIGITS(run.at(43.2, "h"), 9933.65757, 9);
  EXPECT_DIGITS(run.at(43.2, "v"), -114.396122, 9);
  EXPECT_DIGITS(run.at(43.2, "m"), 603.864692, 9);
  EXPECT_DIGITS(run.at(100, "h"), 4364.1331, 8);
  EXPECT_DIGITS(run.at(150, "v"), -48.4655346, 9);
  EXPECT_DIGITS(run.results.time.back(), 179.2, 10);
  EXPECT_DIGITS(run.last("h"), -5.28591285, 9);
  EXPECT_DIGITS(run.last("v"), -27.8274883, 9);
  EXPECT_DIGITS(run.last("m"), 554.589716, 9);
}

TEST(Desire, DoesNotSortUnlessAsked) {
  const std::string model = "x = 1 | TMAX = 1 | DT = 0.01 | NN = 11\ndrun\nDYNAMIC\nd/dt x = rate\nrate = -x\n";
  Diagnostics diagnostics;
  EXPECT_FALSE(api::Model::read(model, "a.des", diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(diagnostics.all()[0].message, "rate is read before it is assigned");
  const ProgramRun sorted = run_program("-- sort\n" + model, "a.des", {.rtol = 0});
  ASSERT_TRUE(sorted.good) << to_text(sorted.diagnostics);
  EXPECT_NEAR(sorted.last("x"), std::pow(1 - 0.01 + 0.01 * 0.01 / 2, 100), 1e-14);  // Heun
}

TEST(Desire, TheStepFitsTheInterval) {
  Diagnostics diagnostics;
  EXPECT_FALSE(
      api::Model::read("x = 1 | TMAX = 1 | DT = 0.2 | NN = 11\ndrun\nDYNAMIC\nd/dt x = -x\n", "a.des", diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(diagnostics.all()[0].code, "bad-step");
}

TEST(Csmp, LunarLandingEndsWhereItTouches) {
  const ProgramRun run = run_example("lander.csmp");
  EXPECT_NEAR(run.at(100, "h"), 4532.11383, 1e-4);
  EXPECT_NEAR(run.at(150, "v"), -45.3318305, 1e-6);
  EXPECT_NEAR(run.results.time.back(), 211.755405, 6e-7);
  EXPECT_NEAR(run.last("h"), 0, 1e-9);
  EXPECT_NEAR(run.last("v"), -4.23827533, 1e-6);
}

std::string with_impl(const std::string& error) {
  return "PARAM U = 1.0, ERR = " + error +
         "\nDYNAMIC\n X = IMPL(0.0, ERR, XNEW)\n Y = -2.0*X + 3.0*U\n XNEW = -Y/3.0 + 7.0*U\n"
         "TIMER FINTIM = 1.0, OUTDEL = 0.5\nEND\nSTOP\nENDJOB\n";
}

TEST(Csmp, ImplIteratesAsOftenAsItsErrorAsks) {
  const ProgramRun coarse = run_program(with_impl("1.0E-3"), "a.csmp");
  ASSERT_TRUE(coarse.good) << to_text(coarse.diagnostics);
  EXPECT_DIGITS(coarse.last("x"), 17.998396114, 11);
  EXPECT_DIGITS(coarse.last("y"), -32.996792228, 11);
  const ProgramRun fine = run_program(with_impl("1.0E-6"), "a.csmp");
  EXPECT_DIGITS(fine.last("x"), 17.999998372, 11);
  EXPECT_DIGITS(fine.last("y"), -32.999996744, 11);
  const ProgramRun cosine = run_program(
      "DYNAMIC\n X = IMPL(0.5, 1.0E-6, F)\n F = COS(X)\nTIMER FINTIM = 1.0, OUTDEL = 0.5\nEND\nSTOP\n", "a.csmp");
  ASSERT_TRUE(cosine.good) << to_text(cosine.diagnostics);
  EXPECT_DIGITS(cosine.last("x"), 0.739084823, 9);
}

TEST(Csmp, ImplGoesOnFromTheLastSolution) {
  const ProgramRun run = run_program(
      "INITIAL\n LAST = 1.0\nDYNAMIC\n X = IMPL(LAST, 1.0E-13, XNEW)\n XNEW = EXP(-X*TIME)\nNOSORT\n LAST = X\n"
      "TIMER FINTIM = 1.0, OUTDEL = 0.1\nEND\nSTOP\n",
      "a.csmp");
  ASSERT_TRUE(run.good) << to_text(run.diagnostics);
  EXPECT_DIGITS(run.at(0, "x"), 1.0, 12);
  EXPECT_DIGITS(run.at(0.5, "x"), 0.703467422, 9);
  EXPECT_DIGITS(run.at(1, "x"), 0.567143290, 9);
}

TEST(Csmp, WithoutImplTheLoopIsReported) {
  const ProgramRun run = run_program(
      "PARAM U = 1.0\nDYNAMIC\n Y = -2.0*X + 3.0*U\n X = -Y/3.0 + 7.0*U\nTIMER FINTIM = 1.0\nEND\nSTOP\n", "a.csmp");
  ASSERT_EQ(run.diagnostics.all().size(), 1U) << to_text(run.diagnostics);
  EXPECT_EQ(run.diagnostics.all()[0].message, "algebraic loop detected involving variables y and x");
}

TEST(Csmp, RectangularIntegration) {
  const ProgramRun run = run_program(
      "INCON X0 = 1.0\nDYNAMIC\n X = INTGRL(X0, 1.1*X)\nMETHOD RECT\nTIMER FINTIM = 10.0, DELT = 1.0, OUTDEL = "
      "1.0\nEND\nSTOP\n",
      "a.csmp", {.rtol = 0});
  ASSERT_TRUE(run.good) << to_text(run.diagnostics);
  EXPECT_NEAR(run.last("x"), 1667.98810, 1e-5);
}

TEST(Csmp, OperatorsInItsOwnOrder) {
  const ProgramRun run = run_program(
      "FUNCTION F = 0.0,0.0, 1.0,2.0, 3.0,3.0, 6.0,0.0\nDYNAMIC\n Y1 = REALPL(0.0, 0.5, STEP(0.0))\n"
      " Y2 = CMPXPL(0.0, 0.0, 0.2, 1.0, STEP(0.0))\n A = AFGEN(F, TIME)\n L = LIMIT(-1.0, 2.0, TIME - 3.0)\n"
      " I = INSW(TIME - 5.0, 1.0, 2.0)\n B = AND(TIME - 2.0, 6.0 - TIME)\n D = DELAY(100, 1.0, SIN(TIME))\n"
      "TIMER FINTIM = 10.0, OUTDEL = 0.5\nEND\nSTOP\n",
      "a.csmp");
  ASSERT_TRUE(run.good) << to_text(run.diagnostics);
  EXPECT_NEAR(run.at(1, "y1"), 1 - std::exp(-2.0), 1e-9);
  EXPECT_DIGITS(run.at(3, "y2"), 1.5151321168, 10);  // damping 0.2 at frequency 1: as CMPXPL(1, 0.4)
  EXPECT_NEAR(run.at(4.5, "a"), 1.5, 1e-12);
  EXPECT_EQ(run.at(1, "l"), -1);
  EXPECT_EQ(run.at(4.5, "i"), 1);
  EXPECT_EQ(run.at(5, "i"), 2);
  EXPECT_EQ(run.at(4, "b"), 1);
  EXPECT_EQ(run.at(7, "b"), 0);
  EXPECT_NEAR(run.at(4, "d"), std::sin(3.0), 1e-9);
}

// One solver, the same motion: ACSL, DARE-P and CSMP while the lander flies.
TEST(Lander, IsTheSameInEveryLanguage) {
  ProgramSetup setup;
  setup.settings = {{"solver", "dopri"}, {"hmax", "0.05"}};
  const ProgramRun acsl = run_example("lander_step.csl", setup);
  const ProgramRun csmp = run_example("lander.csmp", setup);
  for (const double t : {10.0, 43.2, 100.0, 200.0, 210.0}) {
    EXPECT_NEAR(acsl.at(t, "h"), csmp.at(t, "h"), 1e-7 * std::fabs(acsl.at(t, "h"))) << t;
    EXPECT_NEAR(acsl.at(t, "v"), csmp.at(t, "v"), 1e-9 * std::fabs(acsl.at(t, "v"))) << t;
  }
}

}  // namespace
}  // namespace orrery::tests::other_languages_test
