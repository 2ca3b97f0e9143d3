// SPDX-License-Identifier: Apache-2.0
// Local methods of NLopt behind one problem; global ones are in global_search.cpp.
#include "math/minimise.h"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "math/global_search.h"

namespace orrery::math {
namespace {

using Numbers = std::vector<double>;

double difference_step(double x) { return std::cbrt(2.2e-16) * std::max(std::abs(x), 1e-2); }

// The ends of a central difference, within the bounds.
std::pair<double, double> difference_ends(const MinimiseProblem& problem, std::size_t k, double x) {
  const double h = difference_step(x);
  return {std::max(x - h, problem.low[k]), std::min(x + h, problem.high[k])};
}

RealMatrix jacobian_of(const MinimiseProblem& problem, const std::function<Numbers(const Numbers&)>& values,
                       const std::function<RealMatrix(const Numbers&)>& exact, const Numbers& x, std::size_t rows) {
  if (exact) return exact(x);
  RealMatrix result(static_cast<Index>(rows), static_cast<Index>(x.size()));
  Numbers z = x;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto [down, up] = difference_ends(problem, k, x[k]);
    if (!(up > down)) continue;
    z[k] = up;
    const Numbers right = values(z);
    z[k] = down;
    const Numbers left = values(z);
    z[k] = x[k];
    for (std::size_t r = 0; r < rows; ++r)
      result(static_cast<Index>(r), static_cast<Index>(k)) = (right[r] - left[r]) / (up - down);
  }
  return result;
}

// One run of NLopt. What callbacks throw waits here until the C code has returned.
class Search {
 public:
  Search(const MinimiseProblem& problem, const MinimiseOptions& options, Numbers x)
      : problem_(problem), options_(options), x_(std::move(x)) {
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] = std::clamp(x_[k], problem.low[k], problem.high[k]);
  }

  Minimum run() {
    handle_ = nlopt_create(algorithm(), static_cast<unsigned>(x_.size()));
    struct Release {
      nlopt_opt handle;
      ~Release() { nlopt_destroy(handle); }
    } release{handle_};
    nlopt_srand(options_.seed);
    nlopt_set_lower_bounds(handle_, problem_.low.data());
    nlopt_set_upper_bounds(handle_, problem_.high.data());
    nlopt_set_min_objective(handle_, value, this);
    add_constraints(problem_.inequalities, inequality_count_, nlopt_add_inequality_mconstraint, inequality_values);
    add_constraints(problem_.equalities, equality_count_, nlopt_add_equality_mconstraint, equality_values);
    nlopt_set_xtol_rel(handle_, options_.step_tolerance);
    if (options_.least_radius > 0) nlopt_set_xtol_abs1(handle_, options_.least_radius);
    nlopt_set_ftol_rel(handle_, options_.value_tolerance);
    nlopt_set_maxeval(handle_, options_.evaluations);
    if (options_.population > 0) nlopt_set_population(handle_, static_cast<unsigned>(options_.population));
    if (options_.first_radius > 0) nlopt_set_initial_step1(handle_, options_.first_radius);
    Minimum found;
    const nlopt_result result = nlopt_optimize(handle_, x_.data(), &found.value);
    if (error_) std::rethrow_exception(error_);
    found.evaluations = evaluations_;
    // Rounding limits how far a search comes; the point reached is as good as the numbers allow.
    if (result == NLOPT_MAXEVAL_REACHED)
      found.end = MinimiseEnd::limit;
    else if (result > 0 || result == NLOPT_ROUNDOFF_LIMITED)
      found.end = MinimiseEnd::converged;
    take_best(found);
    return found;
  }

 private:
  nlopt_algorithm algorithm() const {
    switch (options_.method) {
      case MinimiseMethod::bobyqa: return NLOPT_LN_BOBYQA;
      case MinimiseMethod::cobyla: return NLOPT_LN_COBYLA;
      case MinimiseMethod::simplex: return NLOPT_LN_SBPLX;
      case MinimiseMethod::crs: return NLOPT_GN_CRS2_LM;
      default: return NLOPT_LD_SLSQP;
    }
  }

  void add_constraints(const std::function<Numbers(const Numbers&)>& values, std::size_t& count, auto add,
                       nlopt_mfunc call) {
    if (!values || !info_of(options_.method).constraints) return;
    count = values(x_).size();
    if (count == 0) return;
    const Numbers tolerance(count, options_.constraint_tolerance);
    add(handle_, static_cast<unsigned>(count), call, this, tolerance.data());
  }

  void guarded(const std::function<void()>& work) {
    if (error_) return;
    try {
      work();
    } catch (...) {
      error_ = std::current_exception();
      nlopt_force_stop(handle_);
    }
  }

  static double value(unsigned n, const double* x, double* gradient, void* data) {
    auto& self = *static_cast<Search*>(data);
    double result = HUGE_VAL;
    self.guarded([&] {
      const Numbers at(x, x + n);
      ++self.evaluations_;
      result = self.problem_.objective(at);
      self.note(at, result);
      if (gradient == nullptr) return;
      if (!self.problem_.gradient) self.evaluations_ += 2 * static_cast<int>(n);
      const Numbers slope = gradient_of(self.problem_, at);
      std::copy(slope.begin(), slope.end(), gradient);
    });
    return result;
  }

  static void inequality_values(unsigned m, double* out, unsigned n, const double* x, double* gradient, void* data) {
    auto& self = *static_cast<Search*>(data);
    self.constraints(self.problem_.inequalities, self.problem_.inequality_jacobian, m, out, {x, x + n}, gradient);
  }
  static void equality_values(unsigned m, double* out, unsigned n, const double* x, double* gradient, void* data) {
    auto& self = *static_cast<Search*>(data);
    self.constraints(self.problem_.equalities, self.problem_.equality_jacobian, m, out, {x, x + n}, gradient);
  }

  void constraints(const std::function<Numbers(const Numbers&)>& values,
                   const std::function<RealMatrix(const Numbers&)>& exact, unsigned m, double* out, const Numbers& x,
                   double* gradient) {
    std::fill(out, out + m, 0.0);
    guarded([&] {
      const Numbers found = values(x);
      if (found.size() != m) throw Error("the number of constraints must not change");
      std::copy(found.begin(), found.end(), out);
      if (gradient == nullptr) return;
      const RealMatrix jacobian = jacobian_of(problem_, values, exact, x, m);
      for (unsigned r = 0; r < m; ++r)
        for (std::size_t k = 0; k < x.size(); ++k)
          gradient[r * x.size() + k] = jacobian(static_cast<Index>(r), static_cast<Index>(k));
    });
  }

  // Without constraints the best point of all, wherever the search has ended.
  void note(const Numbers& x, double value) {
    if (inequality_count_ + equality_count_ > 0 || !(value < best_value_)) return;
    best_value_ = value;
    best_ = x;
  }
  void take_best(Minimum& found) const {
    found.x = x_;
    if (!best_.empty() && !(found.value <= best_value_)) {
      found.x = best_;
      found.value = best_value_;
    }
  }

  const MinimiseProblem& problem_;
  const MinimiseOptions& options_;
  Numbers x_, best_;
  double best_value_ = HUGE_VAL;
  nlopt_opt handle_ = nullptr;
  std::size_t inequality_count_ = 0, equality_count_ = 0;
  int evaluations_ = 0;
  std::exception_ptr error_;
};

}  // namespace

const std::vector<MethodInfo>& minimise_methods() {
  using enum MinimiseMethod;
  static const std::vector<MethodInfo> list = {
      {sqp, "sqp", true, true, false, "sequential quadratic programming, with gradients"},
      {bobyqa, "bobyqa", false, false, false, "quadratic models in a trust region, without gradients"},
      {cobyla, "cobyla", true, false, false, "linear models in a trust region, without gradients"},
      {simplex, "simplex", false, false, false, "Nelder and Mead on subspaces"},
      {crs, "crs", false, false, true, "controlled random search"},
      {genetic, "ga", true, false, true, "genetic algorithm"},
      {cma, "cma", true, false, true, "covariance matrix adaptation"},
  };
  return list;
}

const MethodInfo& info_of(MinimiseMethod method) { return minimise_methods()[static_cast<std::size_t>(method)]; }

std::optional<MinimiseMethod> find_minimise_method(std::string_view name) {
  for (const MethodInfo& info : minimise_methods())
    if (name == info.name) return info.method;
  return std::nullopt;
}

Numbers gradient_of(const MinimiseProblem& problem, const Numbers& x) {
  if (problem.gradient) return problem.gradient(x);
  Numbers result(x.size(), 0.0), z = x;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto [down, up] = difference_ends(problem, k, x[k]);
    if (!(up > down)) continue;
    z[k] = up;
    const double right = problem.objective(z);
    z[k] = down;
    result[k] = (right - problem.objective(z)) / (up - down);
    z[k] = x[k];
  }
  return result;
}

double violation_of(const MinimiseProblem& problem, const Numbers& x) {
  double worst = 0;
  if (problem.inequalities)
    for (const double v : problem.inequalities(x)) worst = std::max(worst, std::isnan(v) ? HUGE_VAL : v);
  if (problem.equalities)
    for (const double v : problem.equalities(x)) worst = std::max(worst, std::isnan(v) ? HUGE_VAL : std::abs(v));
  return worst;
}

Minimum minimise(const MinimiseProblem& problem, Numbers x, const MinimiseOptions& options) {
  const bool ours = options.method == MinimiseMethod::genetic || options.method == MinimiseMethod::cma;
  Minimum found = ours ? search_globally(problem, std::move(x), options) : Search(problem, options, std::move(x)).run();
  found.violation = violation_of(problem, found.x);
  return found;
}

}  // namespace orrery::math
