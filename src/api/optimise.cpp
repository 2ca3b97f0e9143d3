// SPDX-License-Identifier: Apache-2.0
// From a specification to the best point.
#include "api/optimise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "api/objective.h"
#include "api/optimise_unknowns.h"
#include "api/point_store.h"
#include "api/prepare.h"
#include "fmi/surroundings.h"
#include "io/output_file.h"
#include "math/least_squares.h"
#include "math/minimise.h"

namespace orrery::api {
namespace {

using Numbers = std::vector<double>;
using math::Index;
using math::RealMatrix;

struct Stopped {};  // somebody has asked for it

// A search, told of every evaluation.
class Study {
 public:
  Study(const OptimiseRequest& request, const OptimiseSpec& spec, Objective& objective, Unknowns unknowns,
        PointStore& store, OptimiseResult& result, Diagnostics& diagnostics)
      : request_(request),
        spec_(spec),
        objective_(objective),
        unknowns_(std::move(unknowns)),
        store_(store),
        result_(result),
        diagnostics_(diagnostics) {}

  void search() {
    choose_method();
    try {
      // Whatever is wrong with every run is said before the search.
      const Objective::Values first = values(unknowns_.start);
      if (first.failed) {
        for (const Diagnostic& d : objective_.last_diagnostics().all()) diagnostics_.add(d);
        diagnostics_.error("optimisation-failed", {spec_.file, 0, 0, {}, {}}, "the run with the start values fails",
                           "begin with other values");
        return;
      }
      result_.started = true;
      if (result_.exact_gradients) check_gradient(first);
      objective_.is_fit() ? fit() : minimise();
    } catch (const Stopped&) {
      result_.interrupted = true;
    }
    if (best_.empty()) return;
    result_.values = best_;
    const Objective::Values at = known_values(best_);
    result_.cost = as_written(objective_.cost(at.numbers));
    result_.violation = violation(at);
    for (const Objective::Constraint& constraint : objective_.constraints()) {
      const double off = at.numbers[constraint.number];
      result_.constraints.emplace_back(constraint.text, constraint.equal ? std::abs(off) : off);
    }
  }

 private:
  double as_written(double cost) const { return spec_.maximise ? -cost : cost; }

  void choose_method() {
    result_.method = spec_.method;
    if (result_.method.empty()) result_.method = objective_.is_fit() ? "lm" : "sqp";
    const bool gradients = result_.method == "lm" || result_.method == "sqp";
    if (!gradients) {
      result_.gradient_note = "the method uses none";
    } else if (request_.differences) {
      result_.gradient_note = "differences were asked for";
    } else {
      result_.exact_gradients = objective_.prepare_derivatives(result_.gradient_note);
    }
  }

  double violation(const Objective::Values& values) const {
    double worst = 0;
    for (const Objective::Constraint& constraint : objective_.constraints()) {
      const double off = values.numbers[constraint.number];
      worst = std::max(worst, constraint.equal ? std::abs(off) : off);
    }
    return worst;
  }

  void look_up() const {
    const std::atomic<bool>* interrupt = request_.run.interrupt;
    if (interrupt != nullptr && interrupt->load()) throw Stopped{};
  }

  Objective::Values known_values(const Numbers& x) {
    if (const Numbers* known = store_.find('v', x)) return {*known, false};
    return objective_.values(x);
  }

  // A run that fails is worse than all others so far, by a step the search can see.
  Objective::Values values(const Numbers& x) {
    look_up();
    Objective::Values found;
    if (const Numbers* known = store_.find('v', x)) {
      found.numbers = *known;
    } else {
      found = objective_.values(x);
      look_up();
      if (!found.failed) store_.put('v', x, found.numbers);
    }
    if (found.failed) {
      ++failures_;
      found.numbers.assign(objective_.count(), std::numeric_limits<double>::quiet_NaN());
      result_.costs.push_back(std::numeric_limits<double>::quiet_NaN());
    } else {
      note(x, found);
    }
    return found;
  }

  void note(const Numbers& x, const Objective::Values& found) {
    const double cost = objective_.cost(found.numbers), off = violation(found);
    worst_ = std::max(worst_, std::abs(cost));
    result_.costs.push_back(as_written(cost));
    constexpr double small = 1e-6;
    const bool better = best_.empty() || (off <= small && best_violation_ <= small   ? cost < best_cost_
                                          : off <= small || best_violation_ <= small ? off <= small
                                                                                     : off < best_violation_);
    result_.simulations = objective_.simulations();
    if (better) {
      best_ = x;
      best_cost_ = cost;
      best_violation_ = off;
      result_.history.push_back({static_cast<long>(result_.costs.size()), as_written(cost), off, x});
    }
    if (request_.progress) request_.progress({result_.simulations, as_written(best_cost_)});
  }

  // Rows: objective and constraints, or residuals.
  RealMatrix slopes(const Numbers& x) {
    look_up();
    RealMatrix result(static_cast<Index>(objective_.count()), static_cast<Index>(x.size()));
    if (const Numbers* known = store_.find('d', x)) {
      result.data = *known;
      return result;
    }
    std::optional<RealMatrix> found;
    if (result_.exact_gradients) found = objective_.derivatives(x);
    result = found ? *found : differences(x);
    look_up();
    store_.put('d', x, result.data);
    result_.simulations = objective_.simulations();
    return result;
  }

  RealMatrix differences(const Numbers& x) {
    RealMatrix result(static_cast<Index>(objective_.count()), static_cast<Index>(x.size()));
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double h = difference_step * std::max(std::abs(x[k]), 1e-2);
      Numbers above = x, below = x;
      above[k] = std::min(x[k] + h, unknowns_.high[k]);
      below[k] = std::max(x[k] - h, unknowns_.low[k]);
      const double width = above[k] - below[k];
      if (!(width > 0)) continue;
      look_up();
      const Objective::Values right = objective_.values(above), left = objective_.values(below);
      for (std::size_t r = 0; r < objective_.count() && !right.failed && !left.failed; ++r)
        result(static_cast<Index>(r), static_cast<Index>(k)) = (right.numbers[r] - left.numbers[r]) / width;
    }
    return result;
  }

  // Exact derivatives hold the time of rows; where what is kept depends on when an event is, that is not all. Two runs
  // in a direction that moves everything say whether they can be used.
  void check_gradient(const Objective::Values& first) {
    const Numbers& x = unknowns_.start;
    const auto exact = objective_.derivatives(x);
    if (!exact) {
      result_.exact_gradients = false;
      result_.gradient_note = "the run with derivatives fails";
      return;
    }
    Numbers above = x, below = x, direction(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      direction[k] = difference_step * std::max(std::abs(x[k]), 1e-2) * (k % 2 == 0 ? 1 : -0.7);
      above[k] += direction[k];
      below[k] -= direction[k];
    }
    const Objective::Values right = objective_.values(above), left = objective_.values(below);
    if (right.failed || left.failed) return;
    for (std::size_t r = 0; r < objective_.count(); ++r) {
      double promised = 0, size = 0;
      for (std::size_t k = 0; k < x.size(); ++k) {
        const double part = (*exact)(static_cast<Index>(r), static_cast<Index>(k)) * direction[k];
        promised += part;
        size += std::abs(part);
      }
      const double seen = (right.numbers[r] - left.numbers[r]) / 2;
      const double noise = 1e-9 * std::max(1.0, std::abs(first.numbers[r]));
      if (std::abs(seen - promised) <= 1e-2 * std::max(size, std::abs(seen)) + noise) continue;
      result_.exact_gradients = false;
      result_.gradient_note =
          "what is kept depends on when events are, so exact derivatives at fixed times are not those of it";
      return;
    }
    store_.put('d', x, exact->data);
  }

  math::MinimiseOptions search_options() const {
    math::MinimiseOptions options;
    options.method = *math::find_minimise_method(result_.method);
    options.step_tolerance = spec_.tolerance;
    options.value_tolerance = 1e-2 * spec_.tolerance;
    options.evaluations = spec_.evaluations;
    options.population = spec_.population;
    options.seed = spec_.seed;
    return options;
  }

  // The rows of constraints of one kind.
  std::vector<std::size_t> constraint_rows(bool equal) const {
    std::vector<std::size_t> rows;
    for (const Objective::Constraint& constraint : objective_.constraints())
      if (constraint.equal == equal) rows.push_back(constraint.number);
    return rows;
  }

  void minimise() {
    math::MinimiseProblem problem{unknowns_.low, unknowns_.high, [this](const Numbers& x) {
                                    const Objective::Values found = values(x);
                                    return found.failed ? 10 * worst_ + 1 : objective_.cost(found.numbers);
                                  }};
    const auto choose = [this](const std::vector<std::size_t>& rows) {
      return [this, rows](const Numbers& x) {
        const Objective::Values found = values_again(x);
        Numbers result;
        for (const std::size_t r : rows) result.push_back(found.failed ? 1 : found.numbers[r]);
        return result;
      };
    };
    const auto choose_slopes = [this](const std::vector<std::size_t>& rows) {
      return [this, rows](const Numbers& x) {
        const RealMatrix all = slopes(x);
        RealMatrix result(static_cast<Index>(rows.size()), all.cols);
        for (std::size_t r = 0; r < rows.size(); ++r)
          for (Index c = 0; c < all.cols; ++c) result(static_cast<Index>(r), c) = all(static_cast<Index>(rows[r]), c);
        return result;
      };
    };
    const auto unequal = constraint_rows(false), equal = constraint_rows(true);
    if (!unequal.empty()) problem.inequalities = choose(unequal), problem.inequality_jacobian = choose_slopes(unequal);
    if (!equal.empty()) problem.equalities = choose(equal), problem.equality_jacobian = choose_slopes(equal);
    problem.gradient = [this](const Numbers& x) { return gradient(x); };
    const math::MinimiseOptions options = search_options();
    const math::Minimum found = math::minimise(problem, unknowns_.start, options);
    result_.converged = found.end == math::MinimiseEnd::converged;
    // A second search from where the first has ended repairs a model of the valley that had gone wrong.
    if (options.method == math::MinimiseMethod::sqp && result_.converged)
      result_.converged = math::minimise(problem, best_, options).end == math::MinimiseEnd::converged;
  }

  Numbers gradient(const Numbers& x) {
    const RealMatrix all = slopes(x);
    Numbers row(x.size(), 0.0);
    const Objective::Values found = objective_.is_fit() ? values_again(x) : Objective::Values{{}, true};
    for (std::size_t k = 0; k < x.size(); ++k) {
      const auto c = static_cast<Index>(k);
      if (!objective_.is_fit()) row[k] = all(0, c);
      if (found.failed) continue;
      for (const std::size_t r : objective_.residuals()) row[k] += 2 * found.numbers[r] * all(static_cast<Index>(r), c);
    }
    return row;
  }

  // Of a point whose values were asked for a moment ago.
  Objective::Values values_again(const Numbers& x) {
    if (const Numbers* known = store_.find('v', x)) return {*known, false};
    return values(x);
  }

  void fit() {
    if (result_.method == "lm") {
      math::LeastSquaresOptions options;
      options.method = math::LeastSquaresMethod::marquardt;
      options.low = unknowns_.low;
      options.high = unknowns_.high;
      options.step_tolerance = spec_.tolerance;
      options.function_tolerance = 1e-2 * spec_.tolerance;
      options.calls = spec_.evaluations;
      const auto jacobian = [this](const Numbers& x) { return slopes(x); };
      if (objective_.constraints().empty()) {
        options.jacobian = jacobian;
        const auto residual = [this](const Numbers& x) { return values(x).numbers; };
        result_.converged = math::least_squares(residual, unknowns_.start, options).converged();
      } else {
        // Multipliers are as good as the points that they are found at.
        options.step_tolerance *= 1e-2;
        const math::ConstrainedSquares problem{[this](const Numbers& x) { return values_again(x).numbers; }, jacobian,
                                               objective_.residuals(), constraint_rows(false), constraint_rows(true)};
        result_.converged = math::constrained_least_squares(problem, unknowns_.start, options).converged();
      }
    } else {
      minimise();
    }
    objective_.describe_fit(best_, known_values(best_).numbers, slopes(best_), result_);
  }

  static constexpr double difference_step = 6e-6;

  const OptimiseRequest& request_;
  const OptimiseSpec& spec_;
  Objective& objective_;
  Unknowns unknowns_;
  PointStore& store_;
  OptimiseResult& result_;
  Diagnostics& diagnostics_;
  Numbers best_;
  double best_cost_ = 0, best_violation_ = 0, worst_ = 0;
  long failures_ = 0;
};

std::string search_identity(const OptimiseSpec& spec, const model::Model& model, Diagnostics& diagnostics) {
  std::string text = spec.text + "\v" + model::write(model);
  for (const auto& experiment : spec.experiments)
    text += "\v" + io::read_file(file_of(spec, experiment.file), diagnostics).value_or("");
  return text;
}

}  // namespace

OptimiseResult optimise(const OptimiseRequest& request, Diagnostics& diagnostics) {
  const fmi::Surroundings surroundings;
  OptimiseResult result;
  const auto spec = read_optimise_spec(request.spec, request.run.allow, diagnostics);
  if (!spec) return result;
  RunRequest run = request.run;
  run.file = file_of(*spec, spec->model);
  run.overrides.insert(run.overrides.end(), spec->sets.begin(), spec->sets.end());
  auto model = open_model(run.file, diagnostics);
  if (!model) return result;
  for (const auto& [name, text] : spec->settings) (void)change_setting(*model, name, text);
  apply_request(run, *model, diagnostics);
  const std::string identity = search_identity(*spec, *model, diagnostics);
  auto unknowns = unknowns_of(*spec, *model, run, diagnostics);
  if (!unknowns || diagnostics.has_errors()) return result;
  result.low = unknowns->low;
  result.high = unknowns->high;
  for (const VariedVariable& variable : unknowns->variables)
    for (std::size_t k = 0; k < variable.values.size(); ++k)
      result.names.push_back(element_name(variable.name, k, variable.values.size()));
  const auto objective = Objective::create(*spec, *model, run, unknowns->variables, diagnostics);
  if (!objective) return result;
  PointStore store;
  const std::string kept = request.kept.empty() ? request.spec + ".points" : request.kept;
  if (!store.open(kept, identity, request.fresh, diagnostics)) return result;
  result.earlier = static_cast<long>(store.earlier());
  Study(request, *spec, *objective, std::move(*unknowns), store, result, diagnostics).search();
  result.simulations = objective->simulations();
  if (store.error() != 0)
    diagnostics.warning("output-unwritable", {kept, 0, 0, {}, {}},
                        fmt::format("not all points could be kept: {}", std::strerror(store.error())),
                        "a search that goes on from here computes them again; make room, or name another file");
  if (result.started && !result.interrupted && !diagnostics.has_errors()) store.remove();
  return result;
}

}  // namespace orrery::api
