// SPDX-License-Identifier: Apache-2.0
// What runs of a model are worth: an objective with constraints, or the residuals of a fit, with exact derivatives
// where the model has them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/optimise.h"
#include "api/sweep_texts.h"
#include "math/matrix.h"

namespace orrery::api {

class Objective {
 public:
  struct Values {
    std::vector<double> numbers;  // objective and constraints, or residuals
    bool failed = false;
  };

  // Nothing, and diagnostics, where the model cannot be compiled or a text makes no sense.
  static std::unique_ptr<Objective> create(const OptimiseSpec& spec, const model::Model& model, const RunRequest& run,
                                           const std::vector<VariedVariable>& variables, Diagnostics& diagnostics);

  bool is_fit() const { return !spec_.fits.empty(); }
  std::size_t count() const { return count_; }  // of numbers
  Values values(const std::vector<double>& x);
  // Compiles the model with its sensitivities; false, with the reason, where it has none.
  [[nodiscard]] bool prepare_derivatives(std::string& reason);
  // A row for each number; nothing where a run fails.
  std::optional<math::RealMatrix> derivatives(const std::vector<double>& x);
  // Intervals from the Jacobian, curves of what was measured and computed.
  void describe_fit(const std::vector<double>& x, const std::vector<double>& residuals, const math::RealMatrix& slopes,
                    OptimiseResult& result);

  long simulations() const { return simulations_; }
  const Diagnostics& last_diagnostics() const { return last_; }  // of a run that failed

 private:
  // One fit in one experiment.
  struct Measured {
    std::size_t fit = 0;
    std::vector<std::size_t> rows;  // of the experiment's times
    std::vector<double> values;
  };
  struct Experiment {
    std::string name;
    std::vector<double> times;  // ascending, without repetition
    std::vector<sim::InputSeries> inputs;
    std::vector<Measured> measured;
    std::unique_ptr<RepeatedRuns> plain, sensitive;
    std::vector<compile::Override> sets;
  };

  Objective(const OptimiseSpec& spec, const model::Model& model, RunRequest run, std::vector<VariedVariable> variables);
  bool read_experiments(Diagnostics& diagnostics);
  bool add_measurements(Experiment& experiment, const OptimiseSpec::Experiment& from, Diagnostics& diagnostics);
  bool read_objective(Diagnostics& diagnostics);
  std::unique_ptr<RepeatedRuns> compile(const std::vector<compile::Override>& sets, bool derivatives,
                                        Diagnostics& diagnostics) const;
  RepeatedRun run(const RepeatedRuns& model, const Experiment& experiment, const std::vector<double>& x);
  std::optional<std::vector<double>> kept_of(const sim::Recording& recording, const std::vector<double>& values);
  std::optional<std::vector<double>> residuals_of(const Experiment& experiment, const RepeatedRun& run, bool& complete);

  const OptimiseSpec& spec_;
  const model::Model& model_;
  RunRequest run_;
  std::vector<VariedVariable> variables_;
  std::vector<std::string> elements_;
  KeptTexts kept_;
  analyse::Sweep::Finish finish_;
  std::vector<Experiment> experiments_;  // a run without measurements is one, too
  std::size_t count_ = 0;
  long simulations_ = 0;
  Diagnostics last_;
};

}  // namespace orrery::api
