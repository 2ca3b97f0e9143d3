// SPDX-License-Identifier: Apache-2.0
// Fits under constraints, objectives that name variables, and specifications that make no sense.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>

#include "api/optimise.h"
#include "base/kept_file.h"
#include "command_line.h"

namespace orrery::tests::constrained_fit {
namespace {

class ConstrainedFit : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    write("decay.orr",
          R"model({"orrery": 2, "name": "decay", "context": ["k = 1;", "a = 2;", "n = 2;", "v = [1 2];"],
      "simulation": {"stop": "2", "rtol": "1e-11", "atol": "1e-12"},
      "blocks": [{"name": "Rate", "type": "Gain", "parameters": {"k": "-k"}},
                 {"name": "D", "type": "Constant", "parameters": {"value": "ones(n,1)"}},
                 {"name": "V", "type": "Constant", "parameters": {"value": "v"}},
                 {"name": "x", "type": "Integral", "parameters": {"x0": "a"}}],
      "links": [{"from": "Rate:1", "to": ["x:1"]}, {"from": "x:1", "to": ["Rate:1"]}]})model");
    std::ofstream table(file("data.csv"));
    table << "time,x\n";
    table.precision(17);
    for (int k = 0; k <= 20; ++k) {
      times_.push_back(0.1 * k);
      measured_.push_back(2 * std::exp(-times_.back()) + 0.05 * std::sin(7.0 * k));
      table << times_.back() << ',' << measured_.back() << '\n';
    }
  }
  api::OptimiseResult run(const std::string& spec) {
    api::OptimiseRequest request;
    request.spec = write("spec.opt", spec);
    request.kept = file("points");
    request.fresh = true;
    diagnostics_ = {};
    return api::optimise(request, diagnostics_);
  }
  double squares(double k, double a) const {
    double sum = 0;
    for (std::size_t i = 0; i < times_.size(); ++i) sum += std::pow(a * std::exp(-k * times_[i]) - measured_[i], 2);
    return sum;
  }
  // Where a function of one number is least, by intervals that shrink.
  static double least(const std::function<double(double)>& f, double from, double to) {
    const double golden = (std::sqrt(5.0) - 1) / 2;
    while (to - from > 1e-12) {
      const double left = to - golden * (to - from), right = from + golden * (to - from);
      (f(left) < f(right) ? to : from) = f(left) < f(right) ? right : left;
    }
    return (from + to) / 2;
  }
  std::string said(const std::string& spec) {
    (void)run(spec);
    return to_text(diagnostics_);
  }

  std::vector<double> times_, measured_;
  Diagnostics diagnostics_;
  const std::string begin_ =
      "model decay.orr\nvariable k = 0.5 from 0 to 5\nvariable a = 1 from 0.1 to 9\n"
      "experiment data.csv\nfit /x to x\ntolerance 1e-10\n";
};

// a exp(-2 k) >= 0.5 holds with equality: what is left is one number.
TEST_F(ConstrainedFit, KeepsAnInequalityOverSignals) {
  const double k = least([&](double at) { return squares(at, 0.5 * std::exp(2 * at)); }, 0, 3);
  ASSERT_LT(2 * std::exp(-2.0), 0.5) << "the free fit is beyond the constraint";
  for (const std::string method : {"lm", "sqp", "cobyla"}) {
    const auto result = run(begin_ + "subject to final(/x) >= 0.5\nmethod " + method + "\n");
    ASSERT_TRUE(result.started) << to_text(diagnostics_);
    EXPECT_TRUE(result.converged) << method;
    // What is kept to 1e-6 counts as kept, and the cheapest of such points is shown: others than lm come by some.
    const double close = method == "lm" ? 1e-5 : 1e-3;
    EXPECT_NEAR(result.values[0], k, close) << method;
    EXPECT_NEAR(result.values[1], 0.5 * std::exp(2 * k), close) << method;
    EXPECT_LT(result.violation, 1e-6) << method;
    EXPECT_NEAR(result.cost, squares(k, 0.5 * std::exp(2 * k)), 1e-5) << method;
  }
}

// An equation between variables; along it a = 2 k, and so are their errors.
TEST_F(ConstrainedFit, KeepsAnEquationBetweenVariables) {
  const double k = least([&](double at) { return squares(at, 2.5 * at); }, 0.1, 3);
  const auto result = run(begin_ + "subject to a == 2.5*k\n");
  ASSERT_TRUE(result.started) << to_text(diagnostics_);
  EXPECT_EQ(result.method, "lm");
  EXPECT_NEAR(result.values[0], k, 1e-6);
  EXPECT_NEAR(result.values[1], 2.5 * k, 1e-6);
  EXPECT_NEAR(result.errors[1], 2.5 * result.errors[0], 1e-6 * result.errors[1]);
  // One free number: the variance of the fit over the square of the slope along the line.
  double slope = 0;
  for (const double t : times_) slope += std::pow((2.5 - 2.5 * k * t) * std::exp(-k * t), 2);
  EXPECT_NEAR(result.errors[0], std::sqrt(squares(k, 2.5 * k) / 20 / slope), 1e-6);
}

// What holds by itself changes nothing.
TEST_F(ConstrainedFit, AConstraintThatHoldsByItselfDoesNotMatter) {
  const auto free = run(begin_);
  const auto kept = run(begin_ + "subject to max(/x) <= 100\n");
  ASSERT_TRUE(free.started && kept.started) << to_text(diagnostics_);
  EXPECT_NEAR(kept.values[0], free.values[0], 1e-7);
  EXPECT_NEAR(kept.values[1], free.values[1], 1e-7);
  EXPECT_NEAR(kept.errors[0], free.errors[0], 1e-7);
}

// (2 exp(-2 k) - 1)^2 + 0.1 k^2 by its derivative.
TEST_F(ConstrainedFit, ObjectivesMayNameVariables) {
  const double k = least([](double at) { return std::pow(2 * std::exp(-2 * at) - 1, 2) + 0.1 * at * at; }, 0, 2);
  const auto result =
      run("model decay.orr\nvariable k = 1 from 0 to 5\nminimise (final(/x)-1)^2 + 0.1*k^2\ntolerance 1e-10\n");
  ASSERT_TRUE(result.started) << to_text(diagnostics_);
  EXPECT_TRUE(result.exact_gradients) << result.gradient_note;
  EXPECT_NEAR(result.values[0], k, 1e-6);
  const auto bound = run("model decay.orr\nvariable k = 1 from 0 to 5\nminimise final(/x)\nsubject to k^2 <= 4\n");
  EXPECT_NEAR(bound.values[0], 2, 1e-6);
}

TEST_F(ConstrainedFit, MistakesAreNamedWithTheirLines) {
  const std::string good = "model decay.orr\nvariable k = 1 from 0 to 5\nminimise final(/x)\n";
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_TRUE(contains(text, part)) << text << " lacks " << part;
  };
  has(said("model decay.orr\nvariable k = 1 from 5 to 0\nminimise final(/x)\n"),
      "spec.opt:2: error[bad-specification]: the bounds of k are reversed");
  has(said(good + "subject to 0.1 <= final(/x) <= 1\n"), "spec.opt:4: error[bad-specification]");
  has(said(good + "subject to final(/x) >= 1\nmethod bobyqa\n"), "spec.opt:5: error[bad-specification]: the method");
  has(said(good + "method lm\n"), "spec.opt:4: error[bad-specification]: lm is for fits");
  has(said("model decay.orr\nvariable k = 'q'\nminimise final(/x)\n"), "spec.opt:2: error[bad-specification]");
  has(said("model decay.orr\nvariable k = [1 2]\nminimise final(/x)\n"), "k has 1 elements in the model, not 2");
  has(said("model decay.orr\nvariable k = 1\nminimise final(/x)*q\n"), "spec.opt:3: error[bad-specification]");
  has(said("model decay.orr\nvariable k = 1\nminimise max(/x\n"), "spec.opt:3: error[bad-specification]");
  has(said("model decay.orr\nvariable n = 2 from 1 to 5\nminimise final(/x)\n"), "fixed-parameter");
}

TEST_F(ConstrainedFit, TwoSearchesDoNotShareTheirPoints) {
  Diagnostics ignored;
  bool busy = false;
  const auto other = KeptFile::open(file("points"), busy, ignored);
  ASSERT_TRUE(other);
  EXPECT_TRUE(contains(said(begin_), "search-running"));
}

}  // namespace
}  // namespace orrery::tests::constrained_fit
