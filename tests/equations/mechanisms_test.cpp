// SPDX-License-Identifier: Apache-2.0
// Mechanisms from their residuals: positions, forces and constraints as one would write them down (index 3).
#include "equation_model.h"
#include "solve/published_values.h"

namespace orrery::equations {
namespace {

using program::apply;
using program::Expr;
using program::Op;

Expr square(Expr a) { return a * a; }
Expr root(Expr a) { return apply(Op::sqrt, a); }

// A unit pendulum from the horizontal.
void make_pendulum(EquationModel& m) {
  const Expr x = m.variable("x", 1), y = m.variable("y", 0), force = m.variable("force");
  m.zero(m.second("x") + force * x);
  m.zero(m.second("y") + force * y + 9.81);
  m.zero(square(x) + square(y) - 1.0);
  m.show("x", x);
  m.show("y", y);
  m.show("length", square(x) + square(y) - 1.0);
  m.show("rate", x * m.der("x") + y * m.der("y"));
}

TEST(Mechanisms, ThePendulumKeepsAllItsStatesAndBothConstraints) {
  EquationModel m;
  make_pendulum(m);
  ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
  EXPECT_EQ(m.program.states.size(), 4u);
  EXPECT_EQ(m.program.invariants.size(), 2u);
  EXPECT_TRUE(m.program.loops.empty());  // the force is a quotient
}

// Values at t = 10 from an independent computation with tolerances of 1e-13; of solvers of all kinds.
TEST(Mechanisms, ThePendulumSwingsAsItShould) {
  EquationModel m;
  make_pendulum(m);
  ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
  for (const char* solver : {"dopri", "radau", "cvode-bdf-newton", "ida", "auto"}) {
    const auto run = m.run(solver, 10, 1e-9);
    ASSERT_EQ(run.end, sim::End::reached_stop) << solver << run.messages;
    const bool multistep = std::string(solver) == "ida" || std::string(solver) == "cvode-bdf-newton";
    EXPECT_NEAR(run.last("x"), 0.2750874626, multistep ? 2e-6 : 5e-8) << solver;
    EXPECT_NEAR(run.last("y"), -0.9614192051, multistep ? 2e-6 : 5e-8) << solver;
  }
}

// Figure 10.7 of the book, from the constraint alone, at every point that is shown.
TEST(Mechanisms, ThePendulumDoesNotDriftInAThousandSeconds) {
  EquationModel m;
  make_pendulum(m);
  ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
  for (const char* solver : {"dopri", "radau", "cvode-bdf-newton", "ida"}) {
    const auto run = m.run(solver, 1000, 1e-4);
    ASSERT_EQ(run.end, sim::End::reached_stop) << solver << run.messages;
    EXPECT_LT(run.largest("length"), 1e-4) << solver;
    EXPECT_LT(run.largest("rate"), 1e-4 * 4.5) << solver;  // relative to the largest speed
  }
}

// The car axis of the Test Set for IVP Solvers, as it is stated there: index 3.
void make_car_axis(EquationModel& m) {
  constexpr double length = 1, rest = 0.5, mass = 10, epsilon = 0.01, height = 0.1, omega = 10;
  constexpr double k = mass * epsilon * epsilon / 2;
  const Expr xl = m.variable("xl", 0), yl = m.variable("yl", 0.5), xr = m.variable("xr", 1), yr = m.variable("yr", 0.5);
  const Expr a = m.variable("a"), b = m.variable("b");
  const Expr yb = height * apply(Op::sin, omega * m.time());
  const Expr xb = root(length * length - square(yb));
  const Expr left = root(square(xl) + square(yl)), right = root(square(xr - xb) + square(yr - yb));
  m.zero(k * m.second("xl", -0.5) - ((rest - left) * xl / left + a * xb + 2.0 * b * (xl - xr)));
  m.zero(k * m.second("yl", 0) - ((rest - left) * yl / left + a * yb + 2.0 * b * (yl - yr) - k));
  m.zero(k * m.second("xr", -0.5) - ((rest - right) * (xr - xb) / right - 2.0 * b * (xl - xr)));
  m.zero(k * m.second("yr", 0) - ((rest - right) * (yr - yb) / right - 2.0 * b * (yl - yr) - k));
  m.zero(xl * xb + yl * yb);
  m.zero(square(xl - xr) + square(yl - yr) - length * length);
  for (const char* name : {"xl", "yl", "xr", "yr"}) m.show(name, m.at(m.id(name)));
  m.show("axis", xl * xb + yl * yb);
  m.show("distance", square(xl - xr) + square(yl - yr) - length * length);
}

TEST(Mechanisms, TheCarAxisEndsWhereItIsPublished) {
  EquationModel m;
  make_car_axis(m);
  ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
  EXPECT_EQ(m.program.invariants.size(), 4u);
  const auto published = solve::published::car_axis().values;
  for (const char* solver : {"radau", "dopri"}) {
    const auto run = m.run(solver, 3, 1e-9);
    ASSERT_EQ(run.end, sim::End::reached_stop) << solver << run.messages;
    const char* names[] = {"xl", "yl", "xr", "yr"};
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(run.last(names[k]), published[k], 1e-6) << solver << " " << names[k];
  }
}

TEST(Mechanisms, TheCarAxisDoesNotDriftInAThousandSeconds) {
  EquationModel m;
  make_car_axis(m);
  ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
  const auto run = m.run("dopri", 1000, 1e-4);
  ASSERT_EQ(run.end, sim::End::reached_stop) << run.messages;
  EXPECT_LT(run.largest("axis"), 1e-4);
  EXPECT_LT(run.largest("distance"), 1e-4);
}

// A four-bar linkage: two points with masses, three rods, two pivots, gravity.
struct FourBar {
  static constexpr double a = 1, b = 2, c = 1.5, d = 2.2, m1 = 1, m2 = 2, g = 9.81;

  static void make(EquationModel& m, double angle) {
    double x2 = 0, y2 = 0;
    const double x1 = a * std::cos(angle), y1 = a * std::sin(angle);
    second_point(x1, y1, x2, y2);
    const Expr px = m.variable("x1", x1), py = m.variable("y1", y1), qx = m.variable("x2", x2),
               qy = m.variable("y2", y2);
    const Expr p = m.variable("p"), q = m.variable("q"), r = m.variable("r");
    m.zero(m1 * m.second("x1") - (p * px + q * (px - qx)));
    m.zero(m1 * m.second("y1") - (p * py + q * (py - qy)) + m1 * g);
    m.zero(m2 * m.second("x2") - (r * (qx - d) - q * (px - qx)));
    m.zero(m2 * m.second("y2") - (r * qy - q * (py - qy)) + m2 * g);
    m.zero(square(px) + square(py) - a * a);
    m.zero(square(px - qx) + square(py - qy) - b * b);
    m.zero(square(qx - d) + square(qy) - c * c);
    m.show("x1", px);
    m.show("y1", py);
    m.show("rod 1", square(px) + square(py) - a * a);
    m.show("rod 2", square(px - qx) + square(py - qy) - b * b);
    m.show("rod 3", square(qx - d) + square(qy) - c * c);
  }

  // Where two circles meet, above the line between their centres.
  static void second_point(double x1, double y1, double& x2, double& y2) {
    const double dx = d - x1, dy = -y1, gap = std::hypot(dx, dy);
    const double along = (b * b - c * c + gap * gap) / (2 * gap), up = std::sqrt(b * b - along * along);
    x2 = x1 + (along * dx - up * dy) / gap;
    y2 = y1 + (along * dy + up * dx) / gap;
  }

  // One coordinate, the angle of the first bar: J(angle) angle'' + J' angle'^2 / 2 + V' = 0, by Runge and Kutta.
  static double inertia(double angle) {
    double x2 = 0, y2 = 0;
    const double x1 = a * std::cos(angle), y1 = a * std::sin(angle), u1 = -y1, v1 = x1;
    second_point(x1, y1, x2, y2);
    // (P2 - P1) (P2' - P1') = 0 and (P2 - D) P2' = 0
    const double ex = x2 - x1, ey = y2 - y1, fx = x2 - d, fy = y2;
    const double right = ex * u1 + ey * v1, det = ex * fy - ey * fx;
    const double u2 = right * fy / det, v2 = -right * fx / det;
    return m1 * (u1 * u1 + v1 * v1) + m2 * (u2 * u2 + v2 * v2);
  }
  static double height(double angle) {
    double x2 = 0, y2 = 0;
    const double x1 = a * std::cos(angle), y1 = a * std::sin(angle);
    second_point(x1, y1, x2, y2);
    return g * (m1 * y1 + m2 * y2);
  }
  static double slope(double (*f)(double), double angle) {
    constexpr double h = 1e-3;  // fourth order
    return (8 * (f(angle + h) - f(angle - h)) - (f(angle + 2 * h) - f(angle - 2 * h))) / (12 * h);
  }
  static double acceleration(double angle, double speed) {
    return -(slope(inertia, angle) * speed * speed / 2 + slope(height, angle)) / inertia(angle);
  }
  static double angle_at(double angle, double stop) {
    double w = 0;
    const int steps = 40000;
    const double h = stop / steps;
    for (int k = 0; k < steps; ++k) {
      const double k1 = w, l1 = acceleration(angle, w);
      const double k2 = w + h / 2 * l1, l2 = acceleration(angle + h / 2 * k1, w + h / 2 * l1);
      const double k3 = w + h / 2 * l2, l3 = acceleration(angle + h / 2 * k2, w + h / 2 * l2);
      const double k4 = w + h * l3, l4 = acceleration(angle + h * k3, w + h * l3);
      angle += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return angle;
  }
};

TEST(Mechanisms, AFourBarLinkageAgreesWithItsAngle) {
  constexpr double start = 1.2, stop = 4;
  EquationModel m;
  FourBar::make(m, start);
  ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
  EXPECT_EQ(m.program.states.size(), 8u);
  EXPECT_EQ(m.program.invariants.size(), 6u);
  const double angle = FourBar::angle_at(start, stop);
  for (const char* solver : {"dopri", "radau"}) {
    const auto run = m.run(solver, stop, 1e-9);
    ASSERT_EQ(run.end, sim::End::reached_stop) << run.messages;
    EXPECT_NEAR(run.last("x1"), FourBar::a * std::cos(angle), 1e-6) << solver;
    EXPECT_NEAR(run.last("y1"), FourBar::a * std::sin(angle), 1e-6) << solver;
  }
}

TEST(Mechanisms, AFourBarLinkageDoesNotDriftInAThousandSeconds) {
  EquationModel m;
  FourBar::make(m, 1.2);
  ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
  const auto run = m.run("dopri", 1000, 1e-5);
  ASSERT_EQ(run.end, sim::End::reached_stop) << run.messages;
  for (const char* rod : {"rod 1", "rod 2", "rod 3"}) EXPECT_LT(run.largest(rod), 1e-5) << rod;
}

}  // namespace
}  // namespace orrery::equations
