// SPDX-License-Identifier: Apache-2.0
// The examples: canonical files that run without warnings, and what their descriptions say holds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/folders_for_tests.h"
#include "run_model.h"

namespace orrery::tests::examples_test {
namespace {

std::vector<std::string> example_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/examples")) {
    if (entry.path().extension() == ".orr") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

api::RunRequest example(const std::string& name) {
  api::RunRequest request;
  request.file = fmt::format("{}/examples/{}", source_folder(), name);
  request.tier = api::TierChoice::first;
  request.events = true;
  return request;
}

api::RunResult run_example(const api::RunRequest& request) {
  api::RunResult result = api::run(request);
  EXPECT_FALSE(result.failed()) << to_text(result.diagnostics);
  EXPECT_TRUE(result.diagnostics.all().empty()) << to_text(result.diagnostics);
  return result;
}

// All values of the column whose name ends so.
std::vector<double> column(const sim::Recording& recording, const std::string& ending) {
  std::vector<double> values;
  for (std::size_t k = 0; k < recording.columns.size(); ++k) {
    const std::string& name = recording.columns[k].name;
    if (!name.ends_with(ending) && !name.ends_with(ending + ".1")) continue;  // a Display has no name but its input's
    for (std::size_t row = 0; row < recording.rows(); ++row) values.push_back(recording.value(row, k));
    return values;
  }
  ADD_FAILURE() << "no column " << ending;
  return {0};
}

std::vector<double> event_times(const api::RunResult& result, const std::string& block, sim::Cause cause) {
  std::vector<double> times;
  for (const sim::LedgerEntry& entry : result.ledger.entries) {
    if (entry.cause == cause && result.program().origins[entry.origin].path == block) times.push_back(entry.time);
  }
  return times;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (double value : values) most = std::max(most, std::fabs(value));
  return most;
}

TEST(Examples, AreCanonicalFiles) {
  EXPECT_GE(example_files().size(), 8u);
  for (const std::string& file : example_files()) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    Diagnostics diagnostics;
    const auto model = model::load(file, diagnostics);
    ASSERT_TRUE(model) << to_text(diagnostics);
    EXPECT_EQ(model::write(*model), text.str()) << file << " is not as `orrery fmt` writes it";
    EXPECT_FALSE(model->about.empty()) << file;
  }
}

TEST(Examples, RunWithoutWarningsOnBothTiers) {
  for (const std::string& file : example_files()) {
    SCOPED_TRACE(file);
    Diagnostics diagnostics;
    const auto model = model::load(file, diagnostics);
    ASSERT_TRUE(model) << to_text(diagnostics);
    RunSetup setup;
    const ModelRun first = run_model(*model, setup);
    ASSERT_TRUE(first.compiled);
    EXPECT_TRUE(first.diagnostics.all().empty()) << to_text(first.diagnostics);
    EXPECT_EQ(first.report.state, api::RunState::reached_stop);
    setup.native = api::NativeCode::second;
    const ModelRun second = run_model(*model, setup);
    EXPECT_EQ(first_difference(first.recording, second.recording), "");
    EXPECT_EQ(first_difference(first.events, second.events), "");
  }
}

// Impact n happens at sqrt(2 h / g) (1 + 2 (e + e^2 + … + e^(n-1))).
TEST(Examples, BouncingBallHitsTheGroundWhenItShould) {
  api::RunRequest request = example("bouncing_ball.orr");
  request.settings.rtol.text = "1e-10";
  request.settings.atol.text = "1e-12";
  const api::RunResult result = run_example(request);
  const std::vector<double> impacts = event_times(result, "/Ground", sim::Cause::crossing);
  ASSERT_GE(impacts.size(), 20u);
  double sum = 1;
  for (int n = 0; n < 20; ++n) {
    EXPECT_NEAR(impacts[static_cast<std::size_t>(n)], std::sqrt(2 * 10 / 9.81) * sum, 1e-9) << "impact " << n + 1;
    sum += 2 * std::pow(0.9, n + 1);
  }
}

TEST(Examples, EventDelayFiresAtOddTimesExactly) {
  const api::RunResult result = run_example(example("event_delay.orr"));
  std::vector<double> times = event_times(result, "/First", sim::Cause::programmed);
  for (double t : event_times(result, "/Delay", sim::Cause::programmed)) times.push_back(t);
  EXPECT_EQ(times, (std::vector<double>{1, 3, 5, 7, 9}));
}

TEST(Examples, PendulumStandsWithAShortDelayAndFallsWithALongOne) {
  for (const auto& [delay, stands] : {std::pair{"0", true}, std::pair{"0.01", true}, std::pair{"0.02", false}}) {
    api::RunRequest request = example("pendulum_delay.orr");
    request.overrides = {{"delay", delay}};
    const api::RunResult result = run_example(request);
    const std::vector<double> angle = column(result.recording, "angle");
    const std::vector<double> end(angle.end() - static_cast<std::ptrdiff_t>(angle.size() / 10), angle.end());
    if (stands) {
      EXPECT_LT(largest(end), 0.05) << "delay " << delay;
      EXPECT_LT(largest(angle), 0.3) << "delay " << delay;
    } else {
      EXPECT_GT(largest(end), 1.5) << "delay " << delay;
    }
  }
}

TEST(Examples, ThermostatKeepsItsBand) {
  const api::RunResult result = run_example(example("thermostat.orr"));
  // The device is switched at the limits exactly; what goes beyond them is the disturbance that is stronger than it.
  EXPECT_LT(largest(column(result.recording, "temperature")), 12);
  EXPECT_GT(largest(column(result.recording, "temperature")), 9.9);
  const std::vector<double> on = event_times(result, "/CoolerOn", sim::Cause::crossing);
  const std::vector<double> off = event_times(result, "/HeaterOn", sim::Cause::crossing);
  EXPECT_GE(on.size(), 3u);
  EXPECT_GE(off.size(), 3u);
  for (double flow : column(result.recording, "heat flow")) EXPECT_TRUE(flow == 6 || flow == -6) << flow;
}

// Trajectories enter the ellipsoid around (0, 0, 38) and stay (Lorenz 1963); both wings are visited.
TEST(Examples, LorenzStaysOnItsAttractor) {
  const api::RunResult result = run_example(example("lorenz.orr"));
  const std::vector<double> x = column(result.recording, "x"), y = column(result.recording, "y"),
                            z = column(result.recording, "z");
  EXPECT_LT(largest(x), 22);
  EXPECT_LT(largest(y), 30);
  EXPECT_LT(largest(z), 50);
  EXPECT_LT(*std::min_element(x.begin(), x.end()), -10);
  EXPECT_GT(*std::max_element(x.begin(), x.end()), 10);
  EXPECT_GT(*std::min_element(z.begin(), z.end()), 0);
}

TEST(Examples, SampledControllerHoldsTheSpeed) {
  const api::RunResult result = run_example(example("sampled_controller.orr"));
  EXPECT_NEAR(column(result.recording, "speed").back(), 1, 1e-3);  // against the load that came at t = 5
  for (double t : event_times(result, "/Clock", sim::Cause::clock)) EXPECT_EQ(t, std::round(10 * t) / 10);
}

TEST(Examples, MultirateReachesItsTargetWithFourFastTicksToASlowOne) {
  const api::RunResult result = run_example(example("multirate.orr"));
  EXPECT_NEAR(column(result.recording, "position").back(), 1, 0.05);
  long clock_events = 0;
  for (const sim::LedgerEntry& entry : result.ledger.entries) clock_events += entry.cause == sim::Cause::clock;
  EXPECT_EQ(clock_events, 81) << "common ticks are one event";
}

// The mean length over a long run, and its standard error from the means of parts of the run that are long enough to
// be independent.
TEST(Examples, QueueHasTheLengthOfTheory) {
  api::RunRequest request = example("queue.orr");
  request.overrides = {{"T", "100000"}};
  const api::RunResult result = run_example(request);
  const std::vector<double> length = column(result.recording, "length");
  const std::vector<double>& time = result.recording.time;
  constexpr std::size_t parts = 50;
  std::vector<double> mean(parts, 0.0);
  const double span = 100000.0 / parts;
  for (std::size_t row = 0; row + 1 < length.size(); ++row) {
    for (double t = time[row]; t < time[row + 1];) {  // an interval may reach into the next part
      const auto part = std::min(static_cast<std::size_t>(t / span), parts - 1);
      const double end =
          part + 1 < parts ? std::min(time[row + 1], static_cast<double>(part + 1) * span) : time[row + 1];
      mean[part] += length[row] * (end - t) / span;
      t = end;
    }
  }
  double average = 0, variance = 0;
  for (double m : mean) average += m / parts;
  for (double m : mean) variance += (m - average) * (m - average) / (parts - 1);
  const double error = std::sqrt(variance / parts);
  const double rho = 0.6;
  EXPECT_NEAR(average, rho / (1 - rho), 3 * error);
  EXPECT_LT(error, 0.05);
  EXPECT_NEAR(column(result.recording, "MeanLength").back(), average, 1e-6);  // the model's own integral
  EXPECT_EQ(*std::min_element(length.begin(), length.end()), 0);

  request.tier = api::TierChoice::second;
  const api::RunResult second = run_example(request);
  EXPECT_EQ(second.report.tier, native::Tier::second);
  EXPECT_EQ(first_difference(result.recording, second.recording), "");
}

}  // namespace
}  // namespace orrery::tests::examples_test
