// SPDX-License-Identifier: Apache-2.0
// The models of examples/numerics: every suitable solver reaches the published values at the end point.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <set>
#include <sstream>

#include "api/session.h"
#include "base/folders_for_tests.h"
#include "solve/integrator.h"
#include "solve/published_values.h"

namespace orrery::tests::numerics_test {
namespace {

enum class Kind { stiff, non_stiff, implicit };

struct NumericCase {
  std::string model;
  solve::published::EndPoint end;
  double amplified = 1;  // errors, by the problem: close encounters, chaos
  Kind kind = Kind::stiff;
};

// As GoogleTest names it in its lists.
void PrintTo(const NumericCase& what, std::ostream* out) { *out << what.model; }

std::vector<NumericCase> cases() {
  namespace published = solve::published;
  return {{"van_der_pol", published::van_der_pol()},
          {"hires", published::hires()},
          {"robertson_ode", published::robertson()},
          {"oregonator", published::oregonator()},
          {"pollution", published::pollution()},
          {"ring_modulator", published::ring_modulator(), 20},
          {"pleiades", published::pleiades(), 40, Kind::non_stiff},
          {"arenstorf", published::arenstorf(), 2000, Kind::non_stiff},
          {"brusselator", published::brusselator(), 1, Kind::non_stiff},
          {"lorenz", published::lorenz(), 1e5, Kind::non_stiff},
          {"robertson_dae", published::robertson(), 10, Kind::implicit},
          {"transistor_amplifier", published::transistor_amplifier(), 30, Kind::implicit},
          {"pendulum_dae", published::pendulum(), 10, Kind::implicit},
          {"car_axis", published::car_axis(), 10, Kind::implicit}};
}

std::string file_of(const std::string& name) { return source_folder() + "/examples/numerics/" + name + ".orr"; }

std::string text_of(const std::string& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

struct NumericOutcome {
  double error = 1;  // the largest, relative
  api::RunResult result;
};

NumericOutcome run(const NumericCase& what, const std::string& solver, double tolerance) {
  api::RunRequest request;
  request.file = file_of(what.model);
  request.tier = api::TierChoice::first;
  request.settings.solver.text = solver;
  request.settings.rtol.text = fmt::format("{}", tolerance);
  request.settings.atol.text = fmt::format("{}", tolerance * what.end.scale);
  NumericOutcome outcome{1, api::run(request)};
  EXPECT_FALSE(outcome.result.failed()) << to_text(outcome.result.diagnostics);
  const sim::Recording& recording = outcome.result.recording;
  if (recording.rows() == 0 || recording.columns.size() != what.end.values.size()) {
    ADD_FAILURE() << "not one column for each state";
    return outcome;
  }
  std::vector<double> x;
  for (std::size_t k = 0; k < recording.columns.size(); ++k) {
    EXPECT_EQ(recording.columns[k].name, fmt::format("y{}", k + 1));
    x.push_back(recording.value(recording.rows() - 1, k));
  }
  outcome.error = solve::published::error_at_end(what.end, x.data());
  return outcome;
}

// Loose where there are many steps to take, tight where errors grow.
double tolerance_of(const NumericCase& what) {
  if (what.model == "ring_modulator") return 1e-5;
  if (what.kind == Kind::implicit) return 1e-6;
  return what.model == "lorenz" ? 1e-10 : 1e-7;
}

class Numerics : public testing::TestWithParam<NumericCase> {};
INSTANTIATE_TEST_SUITE_P(Models, Numerics, testing::ValuesIn(cases()),
                         [](const auto& what) { return what.param.model; });

// One-step methods keep the tolerance to a small factor, multistep methods add up local errors.
TEST_P(Numerics, SolversReachThePublishedValues) {
  struct Expectation {
    const char* solver;
    double factor;
    std::vector<Kind> kinds;
  };
  const Expectation expectations[] = {
      {"RADAU-IIA", 10, {Kind::stiff, Kind::non_stiff, Kind::implicit}},
      {"SDIRK", 30, {Kind::stiff, Kind::non_stiff, Kind::implicit}},
      {"LSODA", 1000, {Kind::stiff, Kind::non_stiff, Kind::implicit}},
      {"CVODE-BDF-NEWTON", 1000, {Kind::stiff, Kind::non_stiff, Kind::implicit}},
      {"IDA", 1000, {Kind::stiff, Kind::non_stiff, Kind::implicit}},
      {"DASKR", 1000, {Kind::implicit}},
      {"DOPRI", 30, {Kind::non_stiff}},
      {"CASH-KARP", 30, {Kind::non_stiff}},
      {"CVODE-ADAMS-FUNCTIONAL", 1000, {Kind::non_stiff}},
      {"CVODE-ADAMS-NEWTON", 1000, {Kind::non_stiff}},
  };
  for (const Expectation& expected : expectations) {
    if (std::find(expected.kinds.begin(), expected.kinds.end(), GetParam().kind) == expected.kinds.end()) continue;
    const double tolerance = tolerance_of(GetParam());
    const double bound = expected.factor * GetParam().amplified * tolerance;
    EXPECT_LT(run(GetParam(), expected.solver, tolerance).error, bound) << expected.solver;
  }
}

TEST_P(Numerics, AutomaticChoiceReachesThem) {
  const double tolerance = tolerance_of(GetParam());
  const NumericOutcome outcome = run(GetParam(), "auto", tolerance);
  EXPECT_LT(outcome.error, 1000 * GetParam().amplified * tolerance);
  EXPECT_TRUE(outcome.result.diagnostics.all().empty()) << to_text(outcome.result.diagnostics);
  const solve::SolverInfo* solver = solve::find_solver(outcome.result.report.solver);
  ASSERT_NE(solver, nullptr);
  const bool stiff = solver->stiffness == solve::Stiffness::stiff || solver->stiffness == solve::Stiffness::any;
  if (GetParam().kind == Kind::implicit) return;
  EXPECT_EQ(stiff, GetParam().kind == Kind::stiff) << solver->name << ": " << outcome.result.report.solver_reason;
  EXPECT_FALSE(outcome.result.report.solver_reason.empty());
}

NumericCase case_of(const std::string& model) {
  for (NumericCase& what : cases()) {
    if (what.model == model) return what;
  }
  return {};
}

// With absolute tolerances far below the rounding of the equations' terms, unknowns count as the states allow; states
// are asked for 1e-16 here, of sums of numbers near 1.
TEST(NumericsFolder, RobertsonDaeAtTightTolerances) {
  for (const char* solver : {"radau", "ida", "daskr", "cvode-bdf-newton"}) {
    for (const double tolerance : {1e-9, 1e-10}) {
      EXPECT_LT(run(case_of("robertson_dae"), solver, tolerance).error, 100 * tolerance) << solver << " " << tolerance;
    }
  }
}

// Exponentials of node voltages in a hundredth of a volt: at loose tolerances unknowns stray from their equations.
TEST(NumericsFolder, TransistorAmplifierAtLooseTolerances) {
  for (const char* solver : {"radau", "sdirk", "ida", "daskr"}) {
    for (const double tolerance : {1e-2, 1e-3}) {
      EXPECT_LT(run(case_of("transistor_amplifier"), solver, tolerance).error, 100 * tolerance) << solver;
    }
  }
}

// Second differences decay with their own rate, 4 c sin^2(pi / (2 n + 2)).
TEST(NumericsFolder, HeatEquation) {
  for (const char* n : {"n=99", "n=1999"}) {
    api::RunRequest request;
    request.file = file_of("heat");
    request.tier = api::TierChoice::first;
    request.overrides = {{"n", n + 2}};
    const api::RunResult result = api::run(request);
    ASSERT_FALSE(result.failed()) << to_text(result.diagnostics);
    ASSERT_EQ(result.recording.columns.at(0).name, "middle");
    const double points = std::stod(n + 2) + 1, s = std::sin(M_PI / (2 * points));
    EXPECT_NEAR(result.recording.value(result.recording.rows() - 1, 0), std::exp(-0.4 * points * points * s * s), 5e-5);
  }
}

// Two tanks (Activate, 3.3.3): with d the difference of the levels, d' = -2 Ad / At V and d = loss(V) V^2, so that the
// time from V0 to V1 is At / (2 Ad) times the integral of dd / V, which is [d / V] + integral of d / V^2 dV.
struct Tanks {
  static constexpr double pipe = 10, D = 0.05, rho = 1000, mu = 1e-3, At = 0.5, e = 1e-4, Ks = 64, ReL = 2000,
                          ReT = 4000, g = 9.81;
  double pump = 0;

  static double turbulent(double Re) {
    double f = 0.04;
    for (int k = 0; k < 60; ++k) f = std::pow(2 * std::log10(e / 3.7 + 2.51 / (Re * std::sqrt(f))), -2);
    return f;
  }
  static double friction(double V) {
    const double Re = D * V * rho / mu;
    if (Re > ReT) return turbulent(Re);
    if (Re < ReL) return Ks / Re;
    return Ks / ReL + (turbulent(ReT) - Ks / ReL) * (Re - ReL) / (ReT - ReL);
  }
  double area() const { return M_PI * D * D / 4; }
  // d / V^2, without the constant part of the pump's head.
  double loss(double V) const {
    return friction(V) * 2 * pipe / (D * 2 * g) + 1 / (2 * g) + pump * 8e4 * area() * area();
  }
  double difference(double V) const { return loss(V) * V * V - 4 * pump; }
  double speed(double difference_of_levels) const {
    double low = 1e-9, high = 10;
    for (int k = 0; k < 200; ++k) {
      const double middle = (low + high) / 2;
      (difference(middle) < difference_of_levels ? low : high) = middle;
    }
    return low;
  }
  // Simpson's rule in ln V, between the kinks of the law.
  double time(double V0, double V1) const {
    std::vector<double> ends{V1};
    for (double kink : {ReL * mu / (D * rho), ReT * mu / (D * rho)}) {
      if (kink > V1 && kink < V0) ends.push_back(kink);
    }
    ends.push_back(V0);
    double integral = 0;
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
      const double a = std::log(ends[k]) + 1e-13, b = std::log(ends[k + 1]) - 1e-13;
      constexpr int n = 2000;
      for (int j = 0; j <= n; ++j) {
        const double V = std::exp(a + (b - a) * j / n);
        integral += (j == 0 || j == n ? 1 : j % 2 == 1 ? 4 : 2) * loss(V) * V * (b - a) / (3 * n);
      }
    }
    return At / (2 * area()) * (loss(V0) * V0 - loss(V1) * V1 + integral);
  }
};

api::RunResult run_tanks(const std::string& solver, const std::string& pump, const std::string& stop) {
  api::RunRequest request;
  request.file = file_of("two_tanks");
  request.tier = api::TierChoice::first;
  request.settings.solver.text = solver;
  request.settings.stop.text = stop;
  request.overrides = {{"pump", pump}};
  api::RunResult result = api::run(request);
  EXPECT_FALSE(result.failed()) << solver << to_text(result.diagnostics);
  return result;
}

TEST(NumericsFolder, TwoTanksPassAllThreeLaws) {
  const Tanks tanks;
  const double expected = tanks.time(tanks.speed(1), tanks.speed(1e-4));
  for (const char* solver : {"auto", "ida", "daskr", "radau", "sdirk", "cvode-bdf-newton", "dopri"}) {
    const api::RunResult run = run_tanks(solver, "0", "300");
    EXPECT_EQ(run.report.end, sim::End::stopped) << solver;
    EXPECT_NEAR(run.report.time, expected, 2e-5 * expected) << solver;
    EXPECT_GE(run.report.mode_changes, 2) << solver;
    const sim::Recording& recording = run.recording;
    const double h1 = recording.value(recording.rows() - 1, 0), h2 = recording.value(recording.rows() - 1, 1);
    EXPECT_NEAR(h1 + h2, 3, 1e-6) << solver;
    EXPECT_NEAR(h1 - h2, 1e-4, 1e-8) << solver;
  }
}

TEST(NumericsFolder, TwoTanksWithThePumpFlowUphill) {
  const Tanks tanks{1};
  for (const char* solver : {"ida", "radau", "dopri"}) {
    const api::RunResult run = run_tanks(solver, "1", "100");
    const sim::Recording& recording = run.recording;
    const double difference = recording.value(recording.rows() - 1, 0) - recording.value(recording.rows() - 1, 1);
    EXPECT_LT(difference, 0) << solver;
    EXPECT_NEAR(tanks.time(tanks.speed(1), tanks.speed(difference)), 100, 1e-3) << solver;
  }
}

// An absolute tolerance for the states of one block, from the model or the command line: the smaller, the more steps.
TEST(NumericsFolder, TolerancesOfSingleBlocks) {
  const auto steps = [](std::vector<model::StateTolerance> tolerances) {
    api::RunRequest request;
    request.file = file_of("hires");
    request.tier = api::TierChoice::first;
    request.settings.solver.text = "radau";
    request.settings.rtol.text = "1e-4";
    request.settings.atol.text = "1e-4";
    request.settings.tolerances = std::move(tolerances);
    const api::RunResult result = api::run(request);
    EXPECT_FALSE(result.failed()) << to_text(result.diagnostics);
    return result.report.solver_statistics.steps;
  };
  EXPECT_GT(steps({{"/y", "1e-9"}}), steps({}));
  EXPECT_EQ(steps({{"/y", "1e-4"}}), steps({}));
}

TEST(NumericsFolder, FilesAreCanonicalAndTested) {
  std::set<std::string> tested = {"heat", "two_tanks"};
  for (const NumericCase& what : cases()) tested.insert(what.model);
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/examples/numerics")) {
    const std::string file = entry.path().string();
    Diagnostics diagnostics;
    const auto model = model::load(file, diagnostics);
    ASSERT_TRUE(model) << to_text(diagnostics);
    EXPECT_EQ(model::write(*model), text_of(file)) << file << " is not as `orrery fmt` writes it";
    EXPECT_FALSE(model->about.empty()) << file;
    EXPECT_TRUE(tested.contains(entry.path().stem().string())) << file;
  }
}

}  // namespace
}  // namespace orrery::tests::numerics_test
