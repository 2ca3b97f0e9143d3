// SPDX-License-Identifier: Apache-2.0
// From a specification to the best point: objectives and constraints here, fits in estimate.cpp.
#include "api/optimise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "api/objective.h"
#include "api/only_computes.h"
#include "api/point_store.h"
#include "api/prepare.h"
#include "fmi/surroundings.h"
#include "io/output_file.h"
#include "math/least_squares.h"
#include "math/minimise.h"
#include "oml/convert.h"
#include "oml/interpreter.h"

namespace orrery::api {
namespace {

using Numbers = std::vector<double>;
using math::Index;
using math::RealMatrix;

struct Stopped {};  // somebody has asked for it

// The texts of numbers in a specification.
class SpecNumbers {
 public:
  SpecNumbers(const OptimiseSpec& spec, const ScriptLimits& limits, Diagnostics& diagnostics)
      : spec_(spec), diagnostics_(diagnostics), interpreter_(only_computes(limits, spec.consent)) {}

  std::optional<VariedVariable> matrix(const std::string& text, int line) {
    Diagnostics said;
    const auto value = interpreter_.evaluate(interpreter_.base(), text, said);
    if (value) {
      try {
        const oml::Value real = oml::to_real(oml::full(*value));
        const Numbers numbers = oml::to_vector(real);
        const bool good =
            !numbers.empty() && std::none_of(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); });
        if (good)
          return VariedVariable{
              {}, static_cast<int>(real.dims().rows()), static_cast<int>(real.dims().cols()), numbers};
      } catch (const oml::OmlError& error) {
        said.error("bad-specification", {}, error.message);
      }
    }
    const Place place{spec_.file, line, 0, {}, {}};
    if (add_refusals(said, place, diagnostics_)) return std::nullopt;
    diagnostics_.error("bad-specification", place,
                       fmt::format("{}: {}", text, said.all().empty() ? "these are no numbers" : said.all()[0].message),
                       "write numbers in OML, as in 3.5 or [1 2 3]");
    return std::nullopt;
  }

 private:
  const OptimiseSpec& spec_;
  Diagnostics& diagnostics_;
  oml::Interpreter interpreter_;
};

// Variables with start values, and bounds for each element.
struct Unknowns {
  std::vector<VariedVariable> variables;
  Numbers start, low, high;
};

std::optional<Unknowns> unknowns_of(const OptimiseSpec& spec, const model::Model& model, const RunRequest& run,
                                    Diagnostics& diagnostics) {
  const int errors = diagnostics.error_count();
  SpecNumbers numbers(spec, {run.script_seconds, run.interrupt}, diagnostics);
  Unknowns result;
  std::optional<std::vector<OmlEvaluator::Variable>> own;  // of the model
  for (const OptimiseSpec::Variable& wanted : spec.variables) {
    const Place place{spec.file, wanted.line, 0, {}, {}};
    std::optional<VariedVariable> value;
    if (wanted.start) {
      value = numbers.matrix(*wanted.start, wanted.line);
    } else {
      if (!own) {
        Diagnostics ignored;
        const auto prepared = prepare(model, run, ignored);
        own = prepared ? prepared->evaluator->variables() : std::vector<OmlEvaluator::Variable>{};
      }
      for (const auto& known : *own)
        if (known.name == wanted.name) value = VariedVariable{known.name, known.rows, known.cols, known.values};
      if (!value)
        diagnostics.error("bad-specification", place,
                          fmt::format("the model gives {} no number to begin with", wanted.name),
                          fmt::format("say where to begin: variable {} = 1", wanted.name));
    }
    if (!uses_variable(model, wanted.name))
      diagnostics.error("unknown-parameter", place, fmt::format("the model does not use a variable {}", wanted.name),
                        "name a variable of its initialization or top context");
    const auto low = numbers.matrix(wanted.low, wanted.line), high = numbers.matrix(wanted.high, wanted.line);
    if (!value || !low || !high) continue;
    value->name = wanted.name;
    const std::size_t size = value->values.size();
    for (const auto* bound : {&*low, &*high}) {
      if (bound->values.size() != 1 && bound->values.size() != size)
        diagnostics.error("bad-specification", place,
                          fmt::format("{} has {} elements, its bounds {}", wanted.name, size, bound->values.size()),
                          "give one bound for all, or one for each");
    }
    for (std::size_t k = 0; k < size; ++k) {
      const auto of = [&](const Numbers& list) { return list.size() == size ? list[k] : list[0]; };
      const double from = of(low->values), to = of(high->values);
      if (!(from <= value->values[k] && value->values[k] <= to))
        diagnostics.error("bad-specification", place,
                          fmt::format("{} begins at {}, which is not between its bounds",
                                      element_name(wanted.name, k, size), value->values[k]),
                          "begin within the bounds");
      result.low.push_back(from);
      result.high.push_back(to);
      result.start.push_back(value->values[k]);
    }
    result.variables.push_back(std::move(*value));
  }
  if (diagnostics.error_count() > errors) return std::nullopt;
  return result;
}

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
      worst_ = std::abs(first.numbers[0]);
      if (result_.exact_gradients) check_gradient(first);
      objective_.is_fit() ? fit() : minimise();
    } catch (const Stopped&) {
      result_.interrupted = true;
    }
    if (best_.empty()) return;
    result_.values = best_;
    const Objective::Values at = known_values(best_);
    result_.cost = objective_.is_fit() ? squares(at.numbers) : spec_.maximise ? -at.numbers[0] : at.numbers[0];
    result_.violation = violation(at);
    for (std::size_t k = 0; k < spec_.constraints.size(); ++k)
      result_.constraints.emplace_back(spec_.constraints[k].text, at.numbers[k + 1]);
  }

 private:
  static double squares(const Numbers& residuals) {
    double sum = 0;
    for (const double r : residuals) sum += r * r;
    return sum;
  }

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
    for (std::size_t k = 0; k < spec_.constraints.size(); ++k) {
      const double off = values.numbers[k + 1];
      worst = std::max(worst, spec_.constraints[k].equal ? std::abs(off) : off);
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
      found.numbers.assign(objective_.count(), 0.0);
      if (objective_.is_fit())
        found.numbers.assign(objective_.count(), std::numeric_limits<double>::quiet_NaN());
      else
        found.numbers[0] = 10 * worst_ + 1;
      result_.costs.push_back(std::numeric_limits<double>::quiet_NaN());
    } else {
      note(x, found);
    }
    return found;
  }

  void note(const Numbers& x, const Objective::Values& found) {
    const double cost = objective_.is_fit() ? squares(found.numbers) : found.numbers[0], off = violation(found);
    worst_ = std::max(worst_, std::abs(cost));
    result_.costs.push_back(spec_.maximise ? -cost : cost);
    constexpr double small = 1e-6;
    const bool better = best_.empty() || (off <= small && best_violation_ <= small   ? cost < best_cost_
                                          : off <= small || best_violation_ <= small ? off <= small
                                                                                     : off < best_violation_);
    result_.simulations = objective_.simulations();
    if (better) {
      best_ = x;
      best_cost_ = cost;
      best_violation_ = off;
      result_.history.push_back({static_cast<long>(result_.costs.size()), spec_.maximise ? -cost : cost, off, x});
    }
    if (request_.progress) request_.progress({result_.simulations, spec_.maximise ? -best_cost_ : best_cost_});
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

  void minimise() {
    math::MinimiseProblem problem{unknowns_.low, unknowns_.high,
                                  [this](const Numbers& x) { return values(x).numbers[0]; }};
    std::vector<std::size_t> unequal, equal;
    for (std::size_t k = 0; k < spec_.constraints.size(); ++k)
      (spec_.constraints[k].equal ? equal : unequal).push_back(k + 1);
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
    if (!unequal.empty()) problem.inequalities = choose(unequal), problem.inequality_jacobian = choose_slopes(unequal);
    if (!equal.empty()) problem.equalities = choose(equal), problem.equality_jacobian = choose_slopes(equal);
    problem.gradient = [this](const Numbers& x) {
      const RealMatrix all = slopes(x);
      Numbers row;
      for (Index c = 0; c < all.cols; ++c) row.push_back(all(0, c));
      return row;
    };
    const math::MinimiseOptions options = search_options();
    const math::Minimum found = math::minimise(problem, unknowns_.start, options);
    result_.converged = found.end == math::MinimiseEnd::converged;
    // A second search from where the first has ended repairs a model of the valley that had gone wrong.
    if (options.method == math::MinimiseMethod::sqp && result_.converged)
      result_.converged = math::minimise(problem, best_, options).end == math::MinimiseEnd::converged;
  }

  // Of a point whose values were asked for a moment ago.
  Objective::Values values_again(const Numbers& x) {
    if (const Numbers* known = store_.find('v', x)) return {*known, false};
    return values(x);
  }

  void fit() {
    if (result_.method == "lm") {
      math::LeastSquaresOptions options;
      options.low = unknowns_.low;
      options.high = unknowns_.high;
      options.step_tolerance = spec_.tolerance;
      options.function_tolerance = 1e-2 * spec_.tolerance;
      options.calls = spec_.evaluations;
      options.jacobian = [this](const Numbers& x) { return slopes(x); };
      result_.converged =
          math::dogleg([this](const Numbers& x) { return values(x).numbers; }, unknowns_.start, options).converged();
    } else {
      math::MinimiseProblem problem{unknowns_.low, unknowns_.high, [this](const Numbers& x) {
                                      const Objective::Values found = values(x);
                                      return found.failed ? 10 * worst_ + 1 : squares(found.numbers);
                                    }};
      problem.gradient = [this](const Numbers& x) {
        const Objective::Values found = values_again(x);
        const RealMatrix all = slopes(x);
        Numbers row(x.size(), 0.0);
        for (std::size_t k = 0; k < x.size() && !found.failed; ++k)
          for (std::size_t r = 0; r < found.numbers.size(); ++r)
            row[k] += 2 * found.numbers[r] * all(static_cast<Index>(r), static_cast<Index>(k));
        return row;
      };
      const math::MinimiseOptions options = search_options();
      result_.converged = math::minimise(problem, unknowns_.start, options).end == math::MinimiseEnd::converged;
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
  if (result.started && !result.interrupted && !diagnostics.has_errors()) store.remove();
  return result;
}

}  // namespace orrery::api
