// SPDX-License-Identifier: Apache-2.0
// ACSL: the programs of "Basic Principles of Continuous System Modeling" and its homework, against numbers that were
// computed independently (Dormand-Prince and BDF codes at 1e-12) or closed forms.
#include <numbers>

#include "program_run.h"

namespace orrery::tests::acsl_test {
namespace {

struct Point {
  double t, h, v, m;
};

TEST(Acsl, LunarLandingWithSteps) {
  const ProgramRun run = run_example("lander_step.csl");
  EXPECT_DIGITS(run.at(0, "g"), 1.52445577, 9);
  EXPECT_DIGITS(run.at(0, "a"), 33.4827383, 9);
  for (const Point& p :
       {Point{10, 41107.0818, -1650.17744, 937.6685}, Point{20, 26538.7353, -1255.77219, 836.9790},
        Point{30, 16165.8071, -808.962394, 736.2895}, Point{40, 10585.3173, -294.145997, 635.6000},
        Point{50, 9188.44766, -107.687789, 600.915611}, Point{100, 4532.11383, -78.0737786, 582.799811},
        Point{150, 1433.18117, -45.3318305, 564.684011}, Point{200, 57.3560097, -9.08299428, 546.568211}}) {
    EXPECT_NEAR(run.at(p.t, "h"), p.h, 2e-4) << p.t;
    EXPECT_NEAR(run.at(p.t, "v"), p.v, 6e-6) << p.t;
    EXPECT_NEAR(run.at(p.t, "m"), p.m, 1e-6) << p.t;
  }
  EXPECT_DIGITS(run.results.time.back(), 211.8, 10);
  EXPECT_NEAR(run.last("h"), -0.190628, 1e-5);
  EXPECT_NEAR(run.last("v"), -4.310985, 1e-6);
  EXPECT_DIGITS(run.last("m"), 542.945051, 9);
}

TEST(Acsl, LunarLandingWithTimeEvents) {
  const ProgramRun run = run_example("lander.csl");
  EXPECT_NEAR(run.at(43.2, "h"), 9933.69081, 1e-4);
  EXPECT_NEAR(run.at(43.2, "v"), -111.492859, 1e-6);
  EXPECT_NEAR(run.at(43.2, "a"), 0.555822753, 1e-9);  // the event comes before the row
  EXPECT_NEAR(run.at(210, "h"), 4.92782767, 1e-4);
  EXPECT_NEAR(run.at(210, "v"), -1.37619021, 1e-6);
  EXPECT_DIGITS(run.results.time.back(), 211.8, 10);
  EXPECT_NEAR(run.last("h"), -0.190628, 1e-5);
  EXPECT_EQ(run.results.rows(), 1060U);
}

// From the row before touch-down the motion is a parabola but for the change of gravity over half a metre.
TEST(Acsl, TouchDown) {
  const ProgramRun run = run_example("lander.csl");
  const double h = run.at(211.6, "h"), v = run.at(211.6, "v"), g = run.at(211.6, "g");
  const double dt = (v + std::sqrt(v * v + 2 * g * h)) / g;
  EXPECT_NEAR(211.6 + dt, 211.755405, 2e-6);
  EXPECT_NEAR(v - g * dt, -4.23827533, 2e-6);
}

TEST(Acsl, LunarLandingWithStateEvents) {
  const ProgramRun run = run_example("lander_state_events.csl");
  EXPECT_NEAR(run.at(60, "h"), 8137.20527, 2e-3);
  EXPECT_NEAR(run.at(60, "v"), -102.160946, 2e-5);
  EXPECT_NEAR(run.at(100, "h"), 4522.80365, 2e-3);
  EXPECT_NEAR(run.at(150, "h"), 1415.3551, 2e-3);
  EXPECT_NEAR(run.at(200, "h"), 30.654512, 3e-3);
  EXPECT_NEAR(run.at(200, "v"), -9.26449509, 2e-5);
  EXPECT_DIGITS(run.results.time.back(), 203.6, 10);
  const double h = run.at(203.4, "h"), v = run.at(203.4, "v"), g = run.at(203.4, "g");
  const double dt = (v + std::sqrt(v * v + 2 * g * h)) / g;
  EXPECT_NEAR(203.4 + dt, 203.458159, 3e-5);
  EXPECT_NEAR(v - g * dt, -10.5272821, 2e-5);
}

TEST(Acsl, DifferenceEquations) {
  const ProgramRun run = run_example("difference_equations.csl");
  EXPECT_EQ(run.at(0, "x1", true), 2.5);  // what INITIAL has left
  EXPECT_DIGITS(run.at(0, "x1"), 2.41, 12);
  EXPECT_DIGITS(run.at(1, "x1"), 2.32324, 12);
  EXPECT_DIGITS(run.at(1, "x2"), 1.70306, 12);
  EXPECT_DIGITS(run.at(4, "x1"), 2.082555113, 10);
  EXPECT_DIGITS(run.at(9, "x2"), 1.828458458, 10);
  EXPECT_DIGITS(run.at(19, "x1"), 1.282669549, 10);
  EXPECT_DIGITS(run.at(49, "x2"), 5.137664246, 10);
  EXPECT_DIGITS(run.at(69, "x1"), 3.340360047, 10);
  EXPECT_DIGITS(run.at(99, "x1"), 3.841130116, 10);
  EXPECT_DIGITS(run.at(99, "x2"), 1.658343866, 10);
  EXPECT_DIGITS(run.at(100, "x1"), 3.699649300, 10);
  EXPECT_DIGITS(run.at(100, "x2"), 1.613862768, 10);
}

TEST(Acsl, LimitCycle) {
  struct Case {
    double x0, y0, t, x, y;
  };
  for (const Case& c : {Case{0.4, 1.0, 0.5, 0.778840863, 0.643185227}, Case{0.4, 1.0, 1, 0.983284398, 0.189400760},
                        Case{0.4, 1.0, 2, 0.689725573, -0.724105242}, Case{0.4, 1.0, 10, -0.816734264, -0.577013988},
                        Case{0.0, 0.5, 0.5, 0.438037180, 0.801821679}, Case{0.0, 0.5, 10, -0.544021111, -0.839071529},
                        Case{0.0, 0.001, 1, 0.811260631, 0.520904460}, Case{0.0, 0.001, 2, 0.908688779, -0.415868284},
                        Case{1.0, 1.5, 0.5, 0.957135172, 0.501698621}, Case{1.0, 1.5, 2, 0.525845500, -0.850806041}}) {
    ProgramSetup setup;
    setup.set = {{"x0", std::to_string(c.x0)}, {"y0", std::to_string(c.y0)}};
    const ProgramRun run = run_example("limit_cycle.csl", setup);
    EXPECT_NEAR(run.at(c.t, "x"), c.x, 2e-9) << c.x0;
    EXPECT_NEAR(run.at(c.t, "y"), c.y, 2e-9) << c.x0;
  }
}

TEST(Acsl, CannonBall) {
  struct Case {
    double angle, time, range, speed, impact;
  };
  for (const Case& c :
       {Case{10, 8.839887, 6155.7677, 572.53982, -13.48103}, Case{15, 12.701964, 8014.9199, 507.81844, -21.80434},
        Case{20, 16.269988, 9379.4412, 472.83325, -30.26682}, Case{25, 19.579725, 10351.4510, 456.75041, -38.30725},
        Case{30, 22.655647, 10991.4402, 452.70773, -45.58201}, Case{35, 25.513741, 11337.4222, 456.05107, -51.96369},
        Case{40, 28.163194, 11414.3504, 463.60020, -57.47570}, Case{45, 30.607498, 11239.1830, 473.21835, -62.21969},
        Case{50, 32.845221, 10823.8371, 483.50192, -66.32529}, Case{55, 34.870595, 10177.0939, 493.54999, -69.92387},
        Case{60, 36.674024, 9306.0287, 502.79782, -73.13829}, Case{65, 38.242610, 8217.3537, 510.90065, -76.08120}}) {
    ProgramSetup setup;
    setup.set = {{"ang", std::to_string(c.angle)}};
    const ProgramRun run = run_example("cannon_ball.csl", setup);
    EXPECT_NEAR(run.last("tend"), c.time, 6e-7) << c.angle;
    EXPECT_NEAR(run.last("range"), c.range, 6e-5) << c.angle;
    const std::size_t hit = run.results.rows() - 2;  // the record of LOGD
    EXPECT_NEAR(run.column("v")[hit], c.speed, 6e-6) << c.angle;
    EXPECT_NEAR(std::atan2(run.column("vy")[hit], run.column("vx")[hit]) * 180 / std::numbers::pi, c.impact, 6e-6);
  }
}

// Both corners of each jump, at the instants of 2 sin t = 1 and -1.
TEST(Acsl, HysteresisCorners) {
  const ProgramRun run = run_example("hysteresis.csl");
  EXPECT_EQ(run.results.rows(), 209U);
  const double pi = std::numbers::pi;
  const std::vector<double> x = run.column("x"), w = run.column("w"), y = run.column("y");
  std::vector<std::size_t> corners;
  for (std::size_t k = 0; k + 1 < x.size(); ++k) {
    if (run.results.time[k] == run.results.time[k + 1]) corners.push_back(k);
  }
  ASSERT_EQ(corners.size(), 4U);
  const double times[] = {pi / 6, 7 * pi / 6, 13 * pi / 6, 19 * pi / 6};
  for (int k = 0; k < 4; ++k) {
    const std::size_t row = corners[static_cast<std::size_t>(k)];
    const double side = k % 2 == 0 ? 1 : -1;
    EXPECT_NEAR(run.results.time[row], times[k], 1e-9);
    EXPECT_NEAR(x[row], side, 1e-9);
    EXPECT_NEAR(w[row], side * std::sqrt(3.0), 1e-9);
    EXPECT_EQ(y[row], -side);
    EXPECT_EQ(y[row + 1], side);
  }
  EXPECT_NEAR(run.last("x"), -1.088042222, 1e-9);
  EXPECT_NEAR(run.last("w"), -1.678143058, 1e-9);
  EXPECT_EQ(run.last("y"), -1);
}

TEST(Acsl, BouncingBall) {
  const ProgramRun run = run_example("bouncing_ball.csl");
  const std::vector<double> t = run.results.time, v = run.column("v"), cint = run.column("cint"), n = run.column("n");
  double time = std::sqrt(2 * 2.0 / 9.81), speed = 9.81 * time;
  EXPECT_NEAR(cint[0], time / 10, 1e-15);
  int bounce = 0;
  for (std::size_t k = 0; k + 1 < t.size(); ++k) {
    if (t[k] != t[k + 1]) continue;
    EXPECT_NEAR(t[k], time, 1e-9) << bounce;
    EXPECT_NEAR(v[k], -speed, 1e-9) << bounce;
    speed *= 0.7;
    EXPECT_NEAR(v[k + 1], speed, 1e-9) << bounce;
    EXPECT_NEAR(cint[k + 1], 2 * speed / 98.1, 1e-10);
    time += 2 * speed / 9.81;
    ++bounce;
    // Ten communication points of the coming flight, counted from the bounce.
    if (k + 2 < t.size()) {
      EXPECT_NEAR(t[k + 2] - t[k + 1], cint[k + 1], 1e-12);
    }
  }
  EXPECT_EQ(bounce, 10);
  EXPECT_NEAR(t[t.size() - 2], 3.498204980, 1e-9);
}

TEST(Acsl, EulerDifferenceEquations) {
  const ProgramRun run = run_example("lander_euler.csl");
  for (const Point& p :
       {Point{0.1, 59203.7, -1999.65173, 1037.3511}, Point{0.2, 59003.7348, -1996.30009, 1036.34421},
        Point{10, 41088.5531, -1650.36391, 937.6685}, Point{20, 26497.5202, -1256.19099, 836.979},
        Point{30, 16096.6630, -809.678070, 736.2895}, Point{40, 10481.4389, -295.253586, 635.6},
        Point{43.2, 9816.90477, -112.753652, 603.37936}, Point{50, 9062.89170, -108.950477, 600.915611},
        Point{100, 4341.53067, -79.3540682, 582.799811}, Point{150, 1176.37093, -46.6363033, 564.684011},
        Point{183.9, -1.20344683, -22.4874114, 552.401499}}) {
    EXPECT_DIGITS(run.at(p.t, "h"), p.h, 9);
    EXPECT_DIGITS(run.at(p.t, "v"), p.v, 9);
    EXPECT_DIGITS(run.at(p.t, "m"), p.m, 9);
  }
  EXPECT_DIGITS(run.results.time.back(), 183.9, 10);
}

std::string in_derivative(const std::string& equations, const std::string& controls = "cinterval cint = 0.5",
                          const std::string& stop = "10.0") {
  return "PROGRAM\nDYNAMIC\n" + controls + "\nDERIVATIVE\n" + equations + "\nEND\ntermt(t .ge. " + stop +
         ")\nEND\nEND\n";
}

TEST(AcslOperators, ClosedForms) {
  const ProgramRun run =
      run_program(in_derivative("y1 = realpl(0.5, step(0.), 0.)\n"
                                "y2 = ledlag(1.0, 0.5, step(0.))\n"
                                "y3 = cmpxpl(1.0, 0.4, step(0.), 0., 0.)\n"
                                "y4 = limint(2*cos(t), 0., -0.5, 1.0)\n"
                                "y5 = bcklsh(0., 0.5, 2*sin(t))\n"
                                "tb = f(t)\nbe = f(-1.)\nTABLE f, 1, 4 / 0.,1.,3.,6., 0.,2.,3.,0. /\n"
                                "x = implc(x**3 + x - t, 0.)\n"
                                "d = delay(sin(t), 7., 1.0, 100)\n"
                                "q = qntzr(0.5, t)\n"
                                "z = dead(-1., 2., t - 3.)\n"
                                "b = bound(-1., 2., t - 3.)\n"
                                "w = fcnsw(t - 5., 1., 2., 3.)\n"
                                "s = rsw(t .lt. 5., 10., 20.)\n"
                                "r = ramp(4.) + harm(9., 2., 0.5)\n"
                                "c = compar(t, 5.)"),
                  "operators.csl");
  ASSERT_TRUE(run.good) << to_text(run.diagnostics);
  for (const double t : {0.5, 1.0, 2.0}) EXPECT_NEAR(run.at(t, "y1"), 1 - std::exp(-2 * t), 1e-9);
  EXPECT_NEAR(run.at(0, "y2"), 2, 1e-12);
  for (const double t : {0.5, 1.0, 2.0}) EXPECT_NEAR(run.at(t, "y2"), 1 + std::exp(-2 * t), 1e-9);
  EXPECT_DIGITS(run.at(1, "y3"), 0.4050337674, 10);
  EXPECT_DIGITS(run.at(3, "y3"), 1.5151321168, 10);
  EXPECT_DIGITS(run.at(5, "y3"), 1.0055444518, 10);
  EXPECT_DIGITS(run.at(10, "y3"), 1.1360920476, 10);
  EXPECT_NEAR(run.at(1, "y4"), 1, 1e-12);
  EXPECT_NEAR(run.at(2, "y5"), 1.5, 1e-9);  // where the sine has turned back
  EXPECT_DIGITS(run.at(2, "y4"), 0.818594854, 9);
  EXPECT_NEAR(run.at(4, "y4"), -0.5, 1e-12);
  EXPECT_DIGITS(run.at(5, "y4"), -0.417848549, 9);
  EXPECT_NEAR(run.at(2, "y5"), 1.5, 1e-6);
  EXPECT_NEAR(run.at(4, "y5"), -1.013604991, 1e-8);
  EXPECT_NEAR(run.at(2, "tb"), 2.5, 1e-14);
  EXPECT_NEAR(run.at(4.5, "tb"), 1.5, 1e-14);
  EXPECT_EQ(run.at(7, "tb"), 0);
  EXPECT_EQ(run.at(7, "be"), 0);
  EXPECT_NEAR(run.at(2, "x"), 1, 1e-9);
  EXPECT_NEAR(run.at(10, "x"), 2, 1e-9);
  EXPECT_EQ(run.at(0.5, "d"), 7);
  EXPECT_NEAR(run.at(4, "d"), std::sin(3), 1e-9);
  EXPECT_EQ(run.at(2.5, "q"), 2.5);
  EXPECT_EQ(run.at(1, "z"), -1);
  EXPECT_EQ(run.at(3, "z"), 0);
  EXPECT_EQ(run.at(7, "z"), 2);
  EXPECT_EQ(run.at(1, "b"), -1);
  EXPECT_EQ(run.at(7, "b"), 2);
  EXPECT_EQ(run.at(1, "w"), 1);
  EXPECT_EQ(run.at(5, "w"), 2);
  EXPECT_EQ(run.at(6, "w"), 3);
  EXPECT_EQ(run.at(4.5, "s"), 10);
  EXPECT_EQ(run.at(5, "s"), 20);
  EXPECT_NEAR(run.at(10, "r"), 6 + std::sin(2.5), 1e-12);
  EXPECT_EQ(run.at(5, "c"), 1);
}

TEST(AcslOperators, PulseIsOneOnItsIntervals) {
  const ProgramRun run = run_program(in_derivative("p = pulse(0.5, 2.0, 0.3)", "cinterval cint = 0.1", "5."), "p.csl");
  ASSERT_TRUE(run.good) << to_text(run.diagnostics);
  for (const double t : {0.0, 0.4, 0.9, 2.4, 2.9, 4.9}) EXPECT_EQ(run.at(t, "p"), 0) << t;
  for (const double t : {0.5, 0.6, 0.7, 2.5, 2.6, 2.7, 4.6}) EXPECT_EQ(run.at(t, "p"), 1) << t;
}

TEST(AcslOperators, TransferFunctionIsASecondOrderLag) {
  const ProgramRun run = run_program(in_derivative("dimension n(1), d(3)\nconstant n = 1.0, d = 1.0, 0.4, 1.0\n"
                                                   "y = tran(0, 2, n, d, step(0.))"),
                                     "t.csl");
  ASSERT_TRUE(run.good) << to_text(run.diagnostics);
  EXPECT_DIGITS(run.at(3, "y"), 1.5151321168, 10);
  EXPECT_DIGITS(run.at(10, "y"), 1.1360920476, 10);
}

TEST(AcslAlgorithms, FixedSteps) {
  const std::pair<int, double> cases[] = {{3, 0.348678440100}, {4, 0.368540984834}, {5, 0.367879774412}};
  for (const auto& [algorithm, expected] : cases) {
    ProgramSetup setup;
    setup.rtol = 0;
    const ProgramRun run = run_program(
        in_derivative("x = integ(-x, 1.0)",
                      "cinterval cint = 1.0\nnsteps nstp = 10\nalgorithm ialg = " + std::to_string(algorithm), "1.0"),
        "x.csl", setup);
    ASSERT_TRUE(run.good) << to_text(run.diagnostics);
    EXPECT_NEAR(run.at(1, "x"), expected, 6e-13) << algorithm;
  }
}

TEST(AcslAlgorithms, VanDerPol) {
  const ProgramRun run = run_program(
      in_derivative("x = integ(v, 2.0)\nv = integ((1.0 - x**2)*v - x, 0.0)", "cinterval cint = 1.0", "20."), "v.csl");
  const double points[][3] = {{1, 1.508144237, -0.780218075},
                              {5, -0.837077450, 1.307088938},
                              {10, -2.008340783, 0.032907066},
                              {20, 2.008149762, -0.042508875}};
  for (const auto& [t, x, v] : points) {
    EXPECT_NEAR(run.at(t, "x"), x, 2e-9);
    EXPECT_NEAR(run.at(t, "v"), v, 2e-9);
  }
}

TEST(AcslLoops, AreReportedByTheirNames) {
  const ProgramRun run = run_program(in_derivative("u = 1.0\ny = -2*x + 3*u\nx = -y/3 + 7*u"), "loop.csl");
  ASSERT_EQ(run.diagnostics.all().size(), 1U) << to_text(run.diagnostics);
  EXPECT_EQ(run.diagnostics.all()[0].code, "algebraic-loop");
  EXPECT_EQ(run.diagnostics.all()[0].message, "algebraic loop detected involving variables y and x");
}

TEST(AcslLoops, AreSolvedByImplc) {
  const ProgramRun run =
      run_program(in_derivative("u = 1.0 + t\ny = -2*x + 3*u\nx = implc(-y/3 + 7*u - x, 0.0)"), "loop.csl");
  ASSERT_TRUE(run.good) << to_text(run.diagnostics);
  EXPECT_NEAR(run.at(0, "x"), 18, 1e-9);
  EXPECT_NEAR(run.at(10, "x"), 198, 1e-9);
  EXPECT_NEAR(run.at(10, "y"), -363, 1e-8);
}

TEST(AcslLoops, AreIteratedByAProcedural) {
  const ProgramRun run = run_program(
      "PROGRAM loop\nINITIAL\nconstant errmax = 1.0E-10, store = 0.3\nlast = store\ncinterval cint = "
      "0.1\nEND\nDYNAMIC\n"
      "DERIVATIVE\nPROCEDURAL (tahini = last)\n"
      "10: taratoor = cos(last)\ntahini = taratoor\nIF (abs(tahini - last) .le. errmax) GO TO 30\nlast = tahini\nGO TO "
      "10\n"
      "30: CONTINUE\nEND\nEND\ntermt(t .ge. 1.0)\nEND\nEND\n",
      "iteration.csl");
  ASSERT_TRUE(run.good) << to_text(run.diagnostics);
  EXPECT_NEAR(run.last("tahini"), 0.739085133215161, 1e-9);
}

TEST(Acsl, RunsAsItsOwnDiagram) {
  Diagnostics diagnostics;
  const auto program = api::Model::read(example_text("lander.csl"), "lander.csl", diagnostics);
  ASSERT_TRUE(program);
  const ProgramRun as_program = run_example("lander.csl");
  const ProgramRun as_diagram = run_program(program->text(), "lander.orr");
  ASSERT_TRUE(as_diagram.good) << to_text(as_diagram.diagnostics);
  ASSERT_EQ(as_program.results.values.size(), as_diagram.results.values.size());
  EXPECT_EQ(as_program.results.values, as_diagram.results.values);
}

}  // namespace
}  // namespace orrery::tests::acsl_test
