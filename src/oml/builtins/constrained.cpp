// SPDX-License-Identifier: Apache-2.0
// Minima under constraints: arguments in, results out of src/math.
#include <algorithm>
#include <cmath>

#include "math/minimise.h"
#include "oml/builtins/differences.h"
#include "oml/builtins/families.h"
#include "oml/builtins/target_function.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

// The problem as arguments `first`...: A, b, Aeq, beq, low, high, constraints.
class Problem {
 public:
  Problem(Call& c, Target& target, std::size_t n, int first) : c_(c), target_(target), n_(n), first_(first) {
    low = bounds(first + 4, -INFINITY);
    high = bounds(first + 5, INFINITY);
    for (std::size_t k = 0; k < n; ++k)
      if (low[k] > high[k]) fail("a lower bound lies above its upper bound");
    if (given(first + 6)) {
      nonlinear_ = c.oml.to_handle(c[first + 6]);
      two_outputs_ = !nonlinear_.handle().user || nonlinear_.handle().user->outputs.size() > 1 ||
                     nonlinear_.handle().user->expression != nullptr;
    }
  }

  double objective(const Vec& x) { return target_.scalar(x); }

  // Inequalities (<= 0) first, equalities (= 0) second.
  std::pair<Vec, Vec> constraints(const Vec& x) {
    std::pair<Vec, Vec> out;
    linear(first_, x, out.first);
    linear(first_ + 2, x, out.second);
    if (nonlinear_.is_none()) return out;
    const Values r = call_nonlinear(x);
    for (double v : to_vector(r.at(0))) out.first.push_back(v);
    if (r.size() > 1 && !r[1].is_none() && !r[1].is_empty())
      for (double v : to_vector(r[1])) out.second.push_back(v);
    return out;
  }

  double violation(const Vec& x) {
    const auto [in, eq] = constraints(x);
    double worst = 0;
    for (double v : in) worst = std::max(worst, v);
    for (double v : eq) worst = std::max(worst, std::abs(v));
    return worst;
  }

  // Near x, where the constraints are counted.
  math::MinimiseProblem as_search(Vec x) {
    math::MinimiseProblem search{low, high, [this](const Vec& z) { return objective(z); }};
    const auto slopes = [this](auto f) {
      return [this, f](const Vec& z) { return differences(c_.oml, f, z, low, high); };
    };
    search.gradient = [this](const Vec& z) {
      return differences(
                 c_.oml, [this](const Vec& at) { return Vec{objective(at)}; }, z, low, high)
          .data;
    };
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::clamp(x[k], low[k], high[k]);
    const auto [in, eq] = constraints(x);
    if (!in.empty()) {
      search.inequalities = [this](const Vec& z) { return constraints(z).first; };
      search.inequality_jacobian = slopes(search.inequalities);
    }
    if (!eq.empty()) {
      search.equalities = [this](const Vec& z) { return constraints(z).second; };
      search.equality_jacobian = slopes(search.equalities);
    }
    return search;
  }

  Vec low, high;

 private:
  bool given(int k) const { return c_.has(k) && !c_[k].is_empty() && !c_[k].is_struct(); }

  Vec bounds(int k, double fallback) const {
    Vec v = given(k) ? to_vector(c_[k]) : Vec();
    if (!v.empty() && v.size() != 1 && v.size() != n_) fail_argument(k + 1, "must have one bound for each variable");
    v.resize(n_, v.size() == 1 && n_ > 1 ? v[0] : fallback);
    return v;
  }

  void linear(int a, const Vec& x, Vec& out) const {
    if (!given(a) || !given(a + 1)) return;
    const Vec lhs = to_vector(apply_binary(BinaryOp::matrix_times, to_real(full(c_[a])), Value::column(x))),
              rhs = to_vector(c_[a + 1]);
    if (lhs.size() != rhs.size()) fail_argument(a + 2, "must have one value for each row of the matrix");
    for (std::size_t k = 0; k < lhs.size(); ++k) out.push_back(lhs[k] - rhs[k]);
  }

  // A function with one output gives inequalities only.
  Values call_nonlinear(const Vec& x) {
    if (two_outputs_) {
      try {
        return c_.oml.call(nonlinear_, {target_.shaped(x)}, 2);
      } catch (const OmlError&) {
        two_outputs_ = false;
      }
    }
    return c_.oml.call(nonlinear_, {target_.shaped(x)}, 1);
  }

  Call& c_;
  Target& target_;
  std::size_t n_;
  int first_;
  Value nonlinear_;
  bool two_outputs_ = true;
};

struct Settings {
  double tol_x, tol_f, tol_constraint;
  int limit;
};

Settings settings_of(const Call& c, int k) {
  return {option(c, k, "TolX", 1e-9), option(c, k, "TolFun", 1e-12), option(c, k, "TolCon", 1e-8),
          static_cast<int>(option(c, k, "MaxIter", 1000))};
}

math::MinimiseOptions options_of(math::MinimiseMethod method, const Settings& settings) {
  math::MinimiseOptions options;
  options.method = method;
  options.step_tolerance = settings.tol_x;
  options.value_tolerance = settings.tol_f;
  options.constraint_tolerance = settings.tol_constraint;
  options.evaluations = settings.limit;
  return options;
}

// Improves x; true when the search says that it converged.
bool run_sqp(Problem& problem, Vec& x, const Settings& settings) {
  const math::Minimum found = math::minimise(problem.as_search(x), x, options_of(math::MinimiseMethod::sqp, settings));
  x = found.x;
  return found.end == math::MinimiseEnd::converged;
}

void give(Call& c, Target& target, Problem& problem, const Vec& x, bool converged, int iterations) {
  const double f = problem.objective(x), off = problem.violation(x);
  c.ret(target.shaped(x));
  c.ret(Value(f));
  c.ret(Value(off > 1e-4 ? -2 : converged ? 1 : 0));
  Value info = search_details(iterations, target);
  info.edit_structure().set("constrviolation", Value(off));
  c.ret(info);
}

void fmincon(Call& c) {
  Differencing::begin_search(c.oml);
  Target target{c, c.oml.to_handle(c[0]), c[1].dims()};
  Vec x = to_vector(c[1]);
  if (x.empty()) fail_argument(2, "must not be empty");
  Problem problem(c, target, x.size(), 2);
  const Settings settings = settings_of(c, c.count() - 1);
  bool converged = run_sqp(problem, x, settings);
  // A second run from where the first one ended repairs steps that differences had misled.
  Vec again = x;
  converged = run_sqp(problem, again, settings) || converged;
  const double before = problem.violation(x), after = problem.violation(again);
  if (after < before - 1e-9 || (after <= before + 1e-9 && problem.objective(again) < problem.objective(x))) x = again;
  give(c, target, problem, x, converged, settings.limit);
}

// ga(f, start | n, A, b, Aeq, beq, low, high, constraints, options)
void ga(Call& c) {
  Differencing::begin_search(c.oml);
  const bool count_only = c[1].numel() == 1 && (!c.has(6) || c[6].numel() != 1 || c.whole(1) > 1);
  const Index n = count_only ? c.whole(1) : c[1].numel();
  if (n < 1 || n > 10000) fail_argument(2, "must be the number of variables");
  Target target{c, c.oml.to_handle(c[0]), count_only ? Dims(1, n) : c[1].dims()};
  Problem problem(c, target, static_cast<std::size_t>(n), 2);
  const int at = c.count() - 1;
  const double size = option(c, at, "PopulationSize", std::clamp(10.0 * static_cast<double>(n), 40.0, 200.0));
  const double generations = option(c, at, "Generations", option(c, at, "MaxIter", 100));
  if (!(size >= 4) || size > 1e6) fail("PopulationSize must be from 4 to a million");
  if (!(generations >= 0) || size * generations > 1e9) fail("these are too many generations");
  math::MinimiseOptions options = options_of(math::MinimiseMethod::genetic, {1e-9, 1e-12, 1e-8, 1000});
  options.population = static_cast<int>(size);
  options.evaluations = static_cast<int>(size * (generations + 1));
  options.seed = static_cast<unsigned>(option(c, at, "Seed", 1));
  Vec start(static_cast<std::size_t>(n), 0.0);
  if (!count_only) start = to_vector(c[1]);
  Vec x = math::minimise(problem.as_search(start), start, options).x;
  // The algorithm finds the right valley; quadratic programming goes to its bottom.
  Vec polished = x;
  (void)run_sqp(problem, polished, {1e-9, 1e-12, 1e-8, 1000});
  if (problem.violation(polished) <= std::max(problem.violation(x), 1e-7) &&
      problem.objective(polished) <= problem.objective(x))
    x = polished;
  give(c, target, problem, x, true, static_cast<int>(generations));
}

constexpr Builtin constrained_table[] = {
    {"fmincon", 2, 10, fmincon,
     "[x, f, flag, info] = fmincon(f, x0, A, b, Aeq, beq, low, high, constraints, options): minimum with A*x <= b, "
     "Aeq*x = beq, bounds, and [c, ceq] = constraints(x) with c <= 0, ceq = 0.",
     "function, real, any, ..."},
    {"ga", 2, 10, ga,
     "[x, f, flag, info] = ga(f, n, A, b, Aeq, beq, low, high, constraints, options): global minimum by a genetic "
     "algorithm; options PopulationSize, Generations, Seed.",
     "function, real, any, ..."},
    {"gaoptimset", 0, -1,
     [](Call& c) {
       for (Value& v : c.oml.call_named("optimset", c.args, 1)) c.ret(std::move(v));
     },
     "gaoptimset('PopulationSize', n, 'Generations', n, 'Seed', s): options of ga.", "any, ..."},
};

}  // namespace

BuiltinFamily constrained_builtins() { return constrained_table; }

}  // namespace orrery::oml
