// SPDX-License-Identifier: Apache-2.0
// Algebraic loops, constraints and implicit equations through whole models, against closed forms.
#include <fmt/format.h>

#include "hybrid_runs.h"
#include "inside.h"

namespace orrery::tests::loops_test {
namespace {

// y = -2 x + 3 u, x = -y / 3 + 7 u, so x = 18 u and y = -33 u.
TEST(AlgebraicLoops, ALinearOneIsSolvedByTheCompiler) {
  const std::string text = R"(
    stop 2
    u: Time
    x: MathExpression expression='-u1/3+7*u2' inputs=2
    y: MathExpression expression='-2*u1+3*u2' inputs=2
    i: Integral
    out: Scope inputs=3
    u:1 -> x:2 y:2
    x:1 -> y:1 i:1 out:1
    y:1 -> x:1 out:2
    i:1 -> out:3)";
  const auto run = simulate(text);
  EXPECT_NEAR(last(run, "/out.1"), 36, 1e-13);
  EXPECT_NEAR(last(run, "/out.2"), -66, 1e-13);
  EXPECT_NEAR(last(run, "/out.3"), 36, 1e-10);
  Diagnostics diagnostics;
  const auto program = program_of(diagram(text), {}, diagnostics);
  ASSERT_TRUE(program);
  ASSERT_FALSE(program->loops.empty());
  for (const program::Loop& loop : program->loops) EXPECT_FALSE(loop.solution.empty());
}

// x + y = 3 t, x - 2 y = t with coefficients that change: one solution of a matrix at run time.
TEST(AlgebraicLoops, LinearOnesWithVaryingCoefficients) {
  const auto run = simulate(R"(
    stop 3
    t: Time
    x: MathExpression expression='u2-(1+u2)*u1' inputs=2
    y: MathExpression expression='1-u2*u1' inputs=2
    out: Scope inputs=2
    t:1 -> x:2 y:2
    y:1 -> x:1 out:2
    x:1 -> y:1 out:1)");
  // x = t - (1 + t) y, y = 1 - t x at t = 3: x = 3 - 4 y, y = 1 - 3 x gives 11 x = 1.
  EXPECT_NEAR(last(run, "/out.1"), 1.0 / 11, 1e-14);
  EXPECT_NEAR(last(run, "/out.2"), 8.0 / 11, 1e-14);
}

// x = cos(x + u): no formula; at u = 0 the Dottie number.
TEST(AlgebraicLoops, ANonlinearOneIsSolvedToTheLastDigits) {
  const auto run = simulate(R"(
    stop 1
    u: Constant value=0
    c: MathExpression expression='cos(u1+u2)' inputs=2
    i: Integral
    out: Scope inputs=2
    u:1 -> c:2
    c:1 -> c:1 i:1 out:1
    i:1 -> out:2)");
  EXPECT_NEAR(last(run, "/out.1"), 0.73908513321516064, 1e-15);
  EXPECT_NEAR(last(run, "/out.2"), 0.73908513321516064, 1e-12);
}

// Two functions of each other: tahini = exp(-taratoor), taratoor = tahini^2 + u.
TEST(AlgebraicLoops, TwoBlocksThatNeedEachOther) {
  const auto run = simulate(R"(
    stop 1
    u: Time
    tahini: MathExpression expression='exp(-u1)'
    taratoor: MathExpression expression='u1^2+u2' inputs=2
    out: Scope inputs=2
    u:1 -> taratoor:2
    tahini:1 -> taratoor:1 out:1
    taratoor:1 -> tahini:1 out:2)");
  const double a = last(run, "/out.1"), b = last(run, "/out.2");
  EXPECT_NEAR(a, std::exp(-b), 1e-12);
  EXPECT_NEAR(b, a * a + 1, 1e-12);
}

// Each output depends on one input: whole blocks form a loop, elements do not.
TEST(AlgebraicLoops, AnArtificialOneIsNoLoop) {
  Diagnostics diagnostics;
  const auto program = program_of(diagram(R"(
    t: Time
    m: Mux inputs=2
    g: MatrixGain K=[2,0;0,3]
    d: Demux sizes=[1,1]
    out: Scope
    t:1 -> m:1
    m:1 -> g:1
    g:1 -> d:1
    d:1 -> m:2
    d:2 -> out:1)"),
                                  {}, diagnostics);
  ASSERT_TRUE(program) << to_text(diagnostics);
  EXPECT_TRUE(program->loops.empty());
}

// A loop that only events evaluate: w = 0.5 w + n is solved at each tick.
TEST(AlgebraicLoops, DiscreteOnesAreSolvedAtTheirEvents) {
  const auto run = simulate(R"(
    stop 3.5
    clk: SampleClock period=1
    n: Counter
    w: MathExpression expression='sqrt(u1+u2)' inputs=2
    out: Scope
    n:1 -> w:2
    w:1 -> w:1 out:1
    clk:1 => n:1)");
  // w = sqrt(w + n), w = (1 + sqrt(1 + 4 n)) / 2, at the last tick with what the counter shows then.
  const double w = last(run, "/out.1");
  const double n = w * w - w;
  EXPECT_NEAR(n, std::round(n), 1e-12);
  EXPECT_GT(n, 1);
}

// A limiter inside a loop is a mode: u - x is cut to [-1, 1], x = 4 cut(u - x).
TEST(AlgebraicLoops, ModesInsideALoopAreLocated) {
  const auto run = simulate(R"(
    stop 10
    u: Time
    d: Sum signs='+-'
    s: Saturation lower=-1 upper=1
    k: Gain k=4
    i: Integral
    out: Scope inputs=2
    u:1 -> d:1
    d:1 -> s:1
    s:1 -> k:1
    k:1 -> d:2 i:1 out:1
    i:1 -> out:2)");
  // x = 0.8 u until u = 5, then 4.
  EXPECT_NEAR(last(run, "/out.1"), 4, 1e-12);
  EXPECT_NEAR(last(run, "/out.2"), 0.4 * 25 + 4 * 5, 1e-6);
  EXPECT_EQ(run.report.mode_changes, 1);
}

// Conditions of several blocks in one loop, each of which leads back to the others: y = x - min(|y|, 1) / 2, only shown
// and integrated.
TEST(AlgebraicLoops, CornersOfSeveralBlocksInOneLoop) {
  for (const char* reader : {"", "i: Integral\ny:1 -> i:1\n"}) {
    const auto run = simulate(fmt::format(R"(
      stop 5
      one: Constant value=1
      x: Integral x0=-2
      y: Sum signs='+-'
      size: Abs
      cut: Saturation lower=-1 upper=1
      half: Gain k=0.5
      out: Scope inputs=2
      one:1 -> x:1
      x:1 -> y:1 out:1
      y:1 -> size:1 out:2
      size:1 -> cut:1
      cut:1 -> half:1
      half:1 -> y:2
      {})",
                                          reader));
    const auto& rows = run.recording;
    ASSERT_GT(rows.rows(), 50u);
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      const double x = rows.value(r, 0);
      const double y = x <= -0.5 || x >= 1.5 ? x - 0.5 : x < 0 ? 2 * x : x / 1.5;
      ASSERT_NEAR(rows.value(r, 1), y, 1e-9) << x;
    }
  }
}

// y = u - 2 min(max(y, -1), 1) after jumps of u: from one limit, the formula of the other leads back, and neither
// holds.
TEST(AlgebraicLoops, ALimiterThatIsFedBackFollowsJumps) {
  const double values[] = {3.5, 0.5, -4, 1, 5, -0.25, -6, 6};
  const auto run = simulate(R"(
    stop 7.5
    none: Constant value=0
    n: Counter
    next: MatrixExpression expression='[3.5;0.5;-4;1;5;-0.25;-6;6](round(u1)+1)'
    u: Integral x0=3.5 reset='activation'
    clock: SampleClock period=1 offset=1
    y: Sum signs='+-'
    cut: Saturation lower=-1 upper=1
    twice: Gain k=2
    sum: Integral
    out: Scope inputs=3
    none:1 -> u:1
    clock:1 => n:1 u:1
    n:1 -> next:1
    next:1 -> u:2
    u:1 -> y:1 out:1
    y:1 -> cut:1 sum:1 out:2
    cut:1 -> twice:1
    twice:1 -> y:2
    sum:1 -> out:3)");
  const auto& rows = run.recording;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const double u = rows.value(r, 0);
    ASSERT_NEAR(rows.value(r, 1), std::abs(u) <= 3 ? u / 3 : u - std::copysign(2, u), 1e-12) << u;
  }
  EXPECT_NE(std::ranges::find(values, rows.value(rows.rows() - 1, 0)), std::end(values));
}

// y = t + d(y), with d the deadzone from -1 to 1, and y = 1 - t - |y| in a state or shown alone: where the gain around
// the loop is 1 nothing determines y, and the run ends at t = 1 with an error that names the loop.
TEST(AlgebraicLoops, WithoutASolutionFromSomeTimeOnAreNamed) {
  for (const char* bend : {"d: Deadzone lower=-1 upper=1", "d: MathExpression expression='(u1-1)*(u1>1)'",
                           "d: MathExpression expression='max(u1-1,0)'"}) {
    for (const char* reader : {"out: Scope\ns:1 -> out:1", "i: Integral\ns:1 -> i:1"}) {
      for (const std::string& solver : variable_step_solvers()) {
        const auto run = run_model(diagram(fmt::format("stop 3\nsolver {}\nt: Time\ns: Sum\n{}\n{}\n"
                                                       "t:1 -> s:1\ns:1 -> d:1\nd:1 -> s:2",
                                                       solver, bend, reader)),
                                   {});
        EXPECT_TRUE(has_code(run, "loop-not-solved") || has_code(run, "modes-do-not-settle"))
            << bend << " " << reader << " " << solver << to_text(run.diagnostics);
        EXPECT_NEAR(run.report.time, 1, 1e-6) << bend << " " << reader << " " << solver;
        EXPECT_NE(to_text(run.diagnostics).find("/s"), std::string::npos);
      }
    }
  }
}

TEST(AlgebraicLoops, LoopBreakerChoosesAmongSolutions) {
  const std::string text = R"(
    stop 1
    q: MathExpression expression='0.5*(u1^2+0.5)'
    b: LoopBreaker guess=GUESS
    out: Scope
    b:1 -> q:1 out:1
    q:1 -> b:1)";
  const auto with_guess = [&](const std::string& guess) {
    std::string chosen = text;
    return last(simulate(chosen.replace(chosen.find("GUESS"), 5, guess)), "/out.1");
  };
  EXPECT_NEAR(with_guess("0"), 1 - std::sqrt(0.5), 1e-14);
  EXPECT_NEAR(with_guess("3"), 1 + std::sqrt(0.5), 1e-14);
}

// z^3 - 3 z + 1 = 0 from z = -0.9, where the residual falls with z: followed, it leads to the next root, 0.347;
// Newton's first move goes beyond it. From z = 1 its matrix is singular, and only a moved guess helps.
TEST(AlgebraicLoops, TheWayTheFirstSolutionIsSearchedCanBeChosen) {
  const auto with = [](const std::string& method, const std::string& guess) {
    RunSetup setup;
    return run_model(diagram("algebraic " + method + R"(
    stop 1
    z: Constraint guess=)" + guess +
                             R"(
    f: MathExpression expression='u1^3-3*u1+1'
    out: Scope
    z:1 -> f:1 out:1
    f:1 -> z:1)"),
                     setup);
  };
  const double near = 2 * std::sin(M_PI / 18), far = 2 * std::cos(2 * M_PI / 9);
  EXPECT_NEAR(last(with("homotopy", "-0.9"), "/out.1"), near, 1e-14);
  EXPECT_NEAR(last(with("newton", "-0.9"), "/out.1"), far, 1e-14);
  EXPECT_NEAR(last(with("auto", "-0.9"), "/out.1"), far, 1e-14);
  EXPECT_NEAR(last(with("IDACALC", "1.2"), "/out.1"), far, 1e-14);
  EXPECT_NEAR(last(with("IDACALC", "0.1"), "/out.1"), near, 1e-14);
  EXPECT_TRUE(has_code(with("newton", "1"), "loop-not-solved"));
  const double moved = last(with("auto", "1"), "/out.1");
  EXPECT_NEAR(moved * moved * moved - 3 * moved + 1, 0, 1e-14);
}

// Below zero u = -1 + ... the law of one side leads to the other side, and back: y = u - 2 (y >= 0).
TEST(AlgebraicLoops, ModesThatContradictTheirOwnEquationsAreNamed) {
  RunSetup setup;
  const auto run = run_model(diagram(R"(
    stop 3
    u: Time
    y: MathExpression expression='If_exp(u2>=1,u1-1,u1)' inputs=2
    z: MathExpression expression='u1+0.001*tanh(u1)'
    i: Integral
    u:1 -> y:1
    y:1 -> z:1 i:1
    z:1 -> y:2)"),
                             setup);
  ASSERT_TRUE(has_code(run, "modes-do-not-settle")) << to_text(run.diagnostics);
  const std::string text = to_text(run.diagnostics);
  EXPECT_NE(text.find("/y"), std::string::npos) << text;
  EXPECT_NE(text.find("keeps switching"), std::string::npos) << text;
}

// dx/dt = -z with z^3 + z = x: an algebraic unknown in the right-hand side.
constexpr const char* cubic = R"(
    stop 1
    rtol 1e-9
    x: Integral x0=2
    z: Constraint guess=1
    f: MathExpression expression='u1^3+u1-u2' inputs=2
    n: Gain k=-1
    out: Scope inputs=2
    x:1 -> f:2 out:1
    z:1 -> f:1 n:1 out:2
    f:1 -> z:1
    n:1 -> x:1)";

// With x = z^3 + z the equation is (3 z^2 + 1) dz/dt = -z: 1.5 z^2 + ln z falls by t from its value at z(0) = 1.
TEST(Constraints, EverySolverAgreesWithTheClosedForm) {
  for (const char* solver : {"dopri", "cash-karp", "cvode-bdf-newton", "cvode-adams-functional", "lsoda", "radau",
                             "sdirk", "ida", "daskr"}) {
    const auto run = simulate(std::string("solver ") + solver + cubic);
    const double z = last(run, "/out.2");
    EXPECT_NEAR(1.5 * z * z + std::log(z), 0.5, 2e-7) << solver;
    EXPECT_NEAR(last(run, "/out.1"), z * z * z + z, 1e-8) << solver;
  }
}

// The equation is computed under a condition only: before and after, the unknown keeps its value.
TEST(Constraints, KeepTheirValueWhileTheirEquationIsNotActive) {
  for (const char* solver : {"dopri", "ida", "radau"}) {
    const auto run = simulate(std::string("solver ") + solver + R"(
    stop 4
    rtol 1e-9
    t: Time
    c: MathExpression expression='(u1-1)*(3-u1)'
    if: IfThenElse @always
    z: Constraint guess=0.25
    f: MathExpression expression='u1^3+u1-1.1*u2' inputs=2
    i: Integral
    out: Scope inputs=2
    t:1 -> f:2 c:1
    c:1 -> if:1
    if:1 => f:1
    z:1 -> f:1 i:1 out:1
    i:1 -> out:2
    f:1 -> z:1)");
    const double z = last(run, "/out.1");
    EXPECT_NEAR(z * z * z + z, 3.3, 1e-8) << solver;
    // 0.25 until t = 1, z at t = 3 after it; between both t = (z^3 + z) / 1.1, so z dt = d(3/4 z^4 + 1/2 z^2) / 1.1.
    const auto area = [](double y) { return (0.75 * y * y * y * y + 0.5 * y * y) / 1.1; };
    double first = 1;
    for (int k = 0; k < 50; ++k) first -= (first * first * first + first - 1.1) / (3 * first * first + 1);
    EXPECT_NEAR(last(run, "/out.2"), 0.25 + area(z) - area(first) + z, 1e-6) << solver;
  }
}

// The same where the block that is active only at times is one term of several: z^3 + z = 1.1 t from t = 1 to t = 3.
TEST(Constraints, KeepTheirValueWhileATermOfTheirEquationIsNotActive) {
  for (const char* solver : {"dopri", "ida", "radau"}) {
    const auto run = simulate(std::string("solver ") + solver + R"(
    stop 4
    rtol 1e-9
    t: Time
    c: MathExpression expression='(u1-1)*(3-u1)'
    if: IfThenElse @always
    z: Constraint guess=0.25
    f: MathExpression expression='u1^3+u1'
    g: MathExpression expression='u1-1.1*u2' inputs=2 @always
    out: Scope
    t:1 -> c:1 g:2
    c:1 -> if:1
    if:1 => f:1
    z:1 -> f:1 out:1
    f:1 -> g:1
    g:1 -> z:1)");
    EXPECT_EQ(run.recording.value(0, 0), 0.25) << solver;
    const double z = last(run, "/out.1");
    EXPECT_NEAR(z * z * z + z, 3.3, 1e-8) << solver;
  }
}

TEST(Constraints, CoupledOnesAreSolvedTogether) {
  const auto run = simulate(R"(
    stop 1
    t: Time
    a: Constraint guess=1
    b: Constraint guess=1
    ea: MathExpression expression='u1*u2-2-u3' inputs=3
    eb: MathExpression expression='u1-u2-1' inputs=2
    out: Scope inputs=2
    t:1 -> ea:3
    a:1 -> ea:1 eb:1 out:1
    b:1 -> ea:2 eb:2 out:2
    ea:1 -> a:1
    eb:1 -> b:1)");
  // a b = 3, a = b + 1 at t = 1.
  EXPECT_NEAR(last(run, "/out.2"), (std::sqrt(13.0) - 1) / 2, 1e-13);
  EXPECT_NEAR(last(run, "/out.1"), (std::sqrt(13.0) + 1) / 2, 1e-13);
}

// 0 = x'^3 + x' - x: an implicit differential equation; with p = x' the solution is t = 1.5 p^2 + ln p + c.
TEST(ImplicitEquations, TheDerivativeIsFoundFromTheResidual) {
  for (const char* solver : {"dopri", "ida", "radau", "cvode-bdf-newton"}) {
    const auto run = simulate(std::string("solver ") + solver + R"(
    stop 1
    rtol 1e-9
    d: ImplicitDerivative x0=2 xd0=1
    f: MathExpression expression='u2^3+u2-u1' inputs=2
    out: Scope inputs=2
    d:1 -> f:1 out:1
    d:2 -> f:2 out:2
    f:1 -> d:1)");
    const double p = last(run, "/out.2");
    EXPECT_NEAR(1.5 * p * p + std::log(p) - 1.5, 1, 1e-7) << solver;
  }
}

// Marked algebraic, the second element is found itself: x1' = -x2, x2 = x1^2, so 1/x1 = 1 + t.
TEST(ImplicitEquations, AlgebraicElementsHaveNoDerivative) {
  const auto run = simulate(R"(
    stop 1
    rtol 1e-9
    d: ImplicitDerivative x0=[1;1] xproperties=[1;-1]
    f: MatrixExpression expression='[u2(1)+u1(2);u1(2)-u1(1)^2]' inputs=2
    out: Scope
    d:1 -> f:1 out:1
    d:2 -> f:2
    f:1 -> d:1)");
  EXPECT_NEAR(last(run, "/out.1[1]"), 0.5, 1e-8);
  EXPECT_NEAR(last(run, "/out.1[2]"), 0.25, 1e-8);
}

// While its equations are not active a state stands still and an algebraic element keeps its value: x1' = -x2, x2 = x1
// from t = 1 to t = 3.
TEST(ImplicitEquations, StandStillWhileTheyAreNotActive) {
  for (const char* solver : {"dopri", "ida", "radau"}) {
    const auto run = simulate(std::string("solver ") + solver + R"(
    stop 4
    rtol 1e-9
    t: Time
    c: MathExpression expression='(u1-1)*(3-u1)'
    if: IfThenElse @always
    d: ImplicitDerivative x0=[1;0.5] xproperties=[1;-1]
    f: MatrixExpression expression='[u2(1)+u1(2);u1(2)-u1(1)]' inputs=2
    out: Scope
    t:1 -> c:1
    c:1 -> if:1
    if:1 => f:1
    d:1 -> f:1 out:1
    d:2 -> f:2
    f:1 -> d:1)");
    EXPECT_EQ(run.recording.value(0, 1), 0.5) << solver;
    EXPECT_NEAR(last(run, "/out.1[1]"), std::exp(-2), 1e-7) << solver;
    EXPECT_NEAR(last(run, "/out.1[2]"), std::exp(-2), 1e-7) << solver;
  }
}

// Right after the start 1 - x1 is negative and (x2 - 1/2)^2 cannot equal it: steps of any size lead nowhere.
TEST(ImplicitEquations, AreGivenUpWhereNoStepHelps) {
  for (const char* solver : {"dopri", "ida", "radau", "cvode-bdf-newton"}) {
    RunSetup setup;
    const auto run = run_model(diagram(std::string("solver ") + solver + R"(
    stop 2
    d: ImplicitDerivative x0=[1;0.5] xproperties=[1;-1]
    f: MatrixExpression expression='[u2(1)-u1(2);u1(1)-1+(u1(2)-0.5)^2]' inputs=2
    out: Scope
    d:1 -> f:1 out:1
    d:2 -> f:2
    f:1 -> d:1)"),
                               setup);
    EXPECT_TRUE(run.diagnostics.has_errors()) << solver;
    EXPECT_LT(run.report.time, 1e-6) << solver;
    EXPECT_NE(to_text(run.diagnostics).find("/d"), std::string::npos) << to_text(run.diagnostics);
  }
}

// The same pendulum from its length alone: the force is the output of a Constraint block (index 3).
TEST(Constraints, ALengthIsDifferentiatedUntilItGivesTheForce) {
  const std::string model = R"(
    stop 10
    rtol 1e-9
    p: Integral x0=[1;0;0;0]
    f: MatrixExpression expression='[u1(3);u1(4);-u2*u1(1);-u2*u1(2)-9.81]' inputs=2
    length: MatrixExpression expression='u1(1)^2+u1(2)^2-1'
    force: Constraint
    out: Scope
    p:1 -> f:1 length:1 out:1
    force:1 -> f:2
    f:1 -> p:1
    length:1 -> force:1)";
  for (const char* solver : {"dopri", "radau", "ida"}) {
    const ModelRun run = simulate("solver " + std::string(solver) + model);
    ASSERT_FALSE(run.diagnostics.has_errors()) << solver << to_text(run.diagnostics);
    const std::size_t last = run.recording.rows() - 1;
    const double tolerance = std::string(solver) == "ida" ? 2e-6 : 5e-8;
    EXPECT_NEAR(run.recording.value(last, 0), 0.2750874626, tolerance) << solver;
    EXPECT_NEAR(run.recording.value(last, 1), -0.9614192051, tolerance) << solver;
  }
}

// A unit pendulum in Cartesian coordinates (10.6): index 1 after two differentiations, so its length drifts.
constexpr const char* pendulum = R"(
    rtol 1e-4
    p: Integral x0=[1;0;0;0]
    f: MatrixExpression expression='[u1(3);u1(4);u1(1)*(9.81*u1(2)-u1(3)^2-u1(4)^2);u1(2)*(9.81*u1(2)-u1(3)^2-u1(4)^2)-9.81]'
    length: MatrixExpression expression='[u1(1)^2+u1(2)^2-1;u1(1)*u1(3)+u1(2)*u1(4)]'
    out: Scope
    p:1 -> f:1 length:1
    f:1 -> p:1
    length:1 -> out:1)";

double largest(const ModelRun& run) {
  double worst = 0;
  for (double value : run.recording.values) worst = std::max(worst, std::fabs(value));
  return worst;
}

// Figure 10.7: length and its rate stay below the tolerance for 1000 s, at every point that is shown. Explicit Euler
// gains energy at this step until nothing is left of the pendulum, so it has less time.
TEST(Invariants, HoldWithProjection) {
  const std::string keep = "\n    keep: Invariant\n    length:1 -> keep:1";
  const auto drift = [&](const std::string& solver, const std::string& stop) {
    return largest(simulate("step 0.01\nsolver " + solver + "\nstop " + stop + pendulum + keep));
  };
  for (const char* solver : {"radau", "sdirk", "cpode", "dopri", "cash-karp", "rk4", "rk5", "trapezoidal-explicit",
                             "euler-implicit", "trapezoidal-implicit"}) {
    EXPECT_LT(drift(solver, "1000"), 1e-4) << solver;
  }
  EXPECT_LT(drift("euler", "5"), 1e-4);
}

// Figure 10.6: without projection the drift grows with time, beyond any tolerance; where it begins to feed itself,
// until the solution is lost.
TEST(Invariants, DriftWithoutProjection) {
  struct Case {
    const char *solver, *early, *late;
  };
  const Case cases[] = {{"radau", "5", "25"}, {"cpode", "100", "1000"}, {"dopri", "100", "1000"}, {"euler", "1", "5"}};
  for (const Case& of : cases) {
    const auto drift = [&](const std::string& stop) {
      return largest(simulate("step 0.01\nsolver " + std::string(of.solver) + "\nstop " + stop + pendulum));
    };
    EXPECT_GT(drift(of.late), 1e-3) << of.solver;
    EXPECT_GT(drift(of.late), 2 * drift(of.early)) << of.solver;
  }
}

// The way back written by the model (kind PROJECTION).
TEST(Invariants, TheModelMayKnowTheWayBack) {
  const auto run = simulate(R"(
    stop 1000
    rtol 1e-5
    solver dopri
    p: ProjectedIntegral x0=[1;0;0;0]
    f: MatrixExpression expression='[u1(3);u1(4);u1(1)*(9.81*u1(2)-u1(3)^2-u1(4)^2);u1(2)*(9.81*u1(2)-u1(3)^2-u1(4)^2)-9.81]'
    r: MatrixExpression expression='u1(1:2)/sqrt(u1(1)^2+u1(2)^2)'
    back: MatrixExpression expression='[u2;u1(3)*u2(2)^2-u1(4)*u2(1)*u2(2);u1(4)*u2(1)^2-u1(3)*u2(1)*u2(2)]' inputs=2
    length: MatrixExpression expression='u1(1)^2+u1(2)^2-1'
    out: Scope
    p:1 -> f:1 r:1 back:1 length:1
    r:1 -> back:2
    f:1 -> p:1
    back:1 -> p:2
    length:1 -> out:1)");
  EXPECT_LT(std::fabs(last(run, "/out.1")), 1e-5);
}

}  // namespace
}  // namespace orrery::tests::loops_test
