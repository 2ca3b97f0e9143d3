// SPDX-License-Identifier: Apache-2.0
// The likely causes of failures: poles, hidden jumps, stiffness, and what is neither.
#include "sim/diagnose.h"

#include <gtest/gtest.h>

#include "solve/problems_for_tests.h"

namespace orrery::sim {
namespace {

using solve::Rhs;

struct Patient {
  solve::Failure failure;
  Diagnosis diagnosis;
};

Patient run(const char* solver, const Rhs& rhs, std::vector<double> x0, double t_end,
            const solve::StepLimits& limits = {}) {
  solve::Problem problem;
  problem.n = static_cast<int>(x0.size());
  problem.rhs = rhs;
  problem.tolerance = {1e-6, 1e-6, {}};
  problem.limits = limits;
  problem.t_end_hint = t_end;
  const solve::SolverInfo& info = *solve::find_solver(solver);
  const auto integrator = solve::make_integrator(info, problem);
  EXPECT_EQ(integrator->start(0, x0.data(), false), solve::Status::ok);
  EXPECT_FALSE(solve::run_to(*integrator, t_end));
  return {integrator->failure(), diagnose(integrator->failure(), *integrator, problem, info)};
}

std::string all(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += note + "\n";
  return text;
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(Diagnose, GrowthWithoutBound) {
  const Rhs pole{[](double, const double* x, double* dx, void*) { return dx[0] = x[0] * x[0], 0; }};
  for (const char* solver : {"dopri", "radau", "cvode-bdf-newton"}) {
    const Patient patient = run(solver, pole, {1}, 2);
    EXPECT_TRUE(contains(patient.diagnosis.help, "grows without bound")) << solver << ": " << patient.diagnosis.help;
    EXPECT_TRUE(contains(all(patient.diagnosis.notes), "doubles within")) << solver;
  }
}

TEST(Diagnose, HiddenJump) {
  const Rhs jump{[](double t, const double*, double* dx, void*) { return dx[0] = 1, dx[1] = t < 0.5 ? 0 : 1e6, 0; }};
  const Patient patient = run("dopri", jump, {0, 0}, 1, {.minimum = 1e-3});
  EXPECT_EQ(patient.failure.state, 1);
  EXPECT_TRUE(contains(patient.diagnosis.help, "jump")) << patient.diagnosis.help;
  EXPECT_TRUE(contains(all(patient.diagnosis.notes), "from 0 to 1e+06")) << all(patient.diagnosis.notes);
}

TEST(Diagnose, StiffnessOfAnExplicitRun) {
  const Rhs stiff{[](double t, const double* x, double* dx, void*) { return dx[0] = -1e6 * (x[0] - std::cos(t)), 0; }};
  const Patient patient = run("dopri", stiff, {0}, 1, {.minimum = 1e-4});
  EXPECT_TRUE(contains(patient.diagnosis.help, "stiff")) << patient.diagnosis.help;
  EXPECT_TRUE(contains(all(patient.diagnosis.notes), "time constant of 1.0e-06")) << all(patient.diagnosis.notes);
}

TEST(Diagnose, DerivativeWithoutValue) {
  const Rhs root{[](double, const double* x, double* dx, void*) { return dx[0] = -std::sqrt(x[0] - 1e-3) - 1, 0; }};
  const Patient patient = run("dopri", root, {1}, 2);
  EXPECT_EQ(patient.failure.code, solve::FailureCode::nan_derivative);
  EXPECT_TRUE(contains(patient.diagnosis.help, "root"));
  EXPECT_TRUE(contains(all(patient.diagnosis.notes), "there it is 0.001"));
}

// Every code has a remedy.
TEST(Diagnose, EveryFailureHasAnAnswer) {
  const solve::TestProblem test = solve::decay();
  const auto integrator = solve::make("dopri", test);
  EXPECT_EQ(integrator->start(0, test.x0.data(), false), solve::Status::ok);
  solve::Problem problem;
  problem.n = 1;
  problem.rhs = test.rhs;
  using enum solve::FailureCode;  // but for two, whose own messages say all there is
  for (const solve::FailureCode code : {step_underflow, nan_derivative, derivative_failed, newton_convergence,
                                        jacobian_failed, tolerance_too_small, bad_solver_setting, projection_failed}) {
    const solve::Failure failure{code, "", 0, 0};
    EXPECT_FALSE(diagnose(failure, *integrator, problem, *solve::find_solver("dopri")).help.empty()) << name_of(code);
    for (const solve::SolverInfo& solver : solve::solvers()) {  // … which is not what has just failed
      const std::string help = diagnose(failure, *integrator, problem, solver).help;
      EXPECT_FALSE(contains(help, ("try " + solver.name + ",").c_str())) << solver.name << ": " << help;
      EXPECT_FALSE(solver.implicit && contains(help, "needs a stiff solver")) << solver.name << ": " << help;
    }
  }
}

}  // namespace
}  // namespace orrery::sim
