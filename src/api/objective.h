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
    std::vector<double> numbers;  // objective and constraints; of a fit residuals and constraints of each experiment
    bool failed = false;
  };
  struct Constraint {
    std::size_t number = 0;  // its place
    std::string text;        // as it was written
    bool equal = false;      // to be zero, else not above it
  };

  // Nothing, and diagnostics, where the model cannot be compiled or a text makes no sense.
  static std::unique_ptr<Objective> create(const OptimiseSpec& spec, const model::Model& model, const RunRequest& run,
                                           const std::vector<VariedVariable>& variables, Diagnostics& diagnostics);

  bool is_fit() const { return !spec_.fits.empty(); }
  std::size_t count() const { return count_; }  // of numbers
  const std::vector<Constraint>& constraints() const { return constraints_; }
  const std::vector<std::size_t>& residuals() const { return residuals_; }  // of a fit: their places
  double cost(const std::vector<double>& numbers) const;                    // to be least; of a fit the sum of squares
  Values values(const std::vector<double>& x);
  // Compiles the model with its sensitivities; false, with the reason, where it has none.
  [[nodiscard]] bool prepare_derivatives(std::string& reason);
  // A row for each number; nothing where a run fails.
  std::optional<math::RealMatrix> derivatives(const std::vector<double>& x);
  // Intervals from the Jacobian, along constraints that hold with equality; curves of what was measured and computed.
  void describe_fit(const std::vector<double>& x, const std::vector<double>& numbers, const math::RealMatrix& slopes,
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
    std::vector<double> times;      // of measurements, ascending, without repetition
    std::vector<double> row_times;  // these, and more for constraints to look at; empty: every accepted point
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
  void give_script(KeptTexts& kept) const;  // of the specification, with what it may do
  // A number for each text of the specification, with the line it stands in.
  bool read_kept(const std::vector<std::pair<std::string, int>>& texts, Diagnostics& diagnostics);
  void set_variables(const std::vector<double>& x);  // for the texts that name them
  void add_constraints(std::size_t first, const std::string& behind);
  bool find_kept(const RepeatedRuns& compiled, Diagnostics& diagnostics);
  std::optional<std::vector<double>> kept_of(const Experiment& experiment, const sim::Recording& recording);
  std::optional<std::vector<double>> residuals_of(const Experiment& experiment, const sim::Recording& recording,
                                                  bool& complete);
  std::optional<std::vector<double>> numbers_of(const Experiment& experiment, const sim::Recording& recording,
                                                bool& complete);

  const OptimiseSpec& spec_;
  const model::Model& model_;
  RunRequest run_;
  std::vector<VariedVariable> variables_;
  std::vector<std::string> elements_;
  std::vector<bool> named_;  // by element: texts name its variable
  KeptTexts kept_;
  analyse::Sweep::Finish finish_;
  std::vector<Experiment> experiments_;  // a run without measurements is one, too
  std::size_t count_ = 0;
  std::vector<Constraint> constraints_;
  std::vector<std::size_t> residuals_;
  long simulations_ = 0;
  Diagnostics last_;
};

}  // namespace orrery::api
