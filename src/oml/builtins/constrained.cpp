// SPDX-License-Identifier: Apache-2.0
// Minima under constraints: sequential quadratic programming of NLopt, and a genetic algorithm in front of it.
#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <exception>

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

  Vec low, high;
  std::exception_ptr error;  // raised by a user function inside NLopt

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

double difference_step(double x) { return std::cbrt(2.2e-16) * std::max(std::abs(x), 1e-2); }

// State of one run of NLopt; exceptions wait here until the C code has returned.
struct Session {
  Problem& problem;
  nlopt_opt optimiser;
  std::size_t inequalities, equalities;

  template <class Work>
  void guarded(Work work) {
    if (problem.error) return;
    try {
      work();
    } catch (...) {
      problem.error = std::current_exception();
      nlopt_force_stop(optimiser);
    }
  }
};

double objective_of(unsigned n, const double* x, double* gradient, void* data) {
  auto& s = *static_cast<Session*>(data);
  double value = HUGE_VAL;
  s.guarded([&] {
    Vec z(x, x + n);
    value = s.problem.objective(z);
    for (unsigned k = 0; gradient != nullptr && k < n; ++k) {
      const double h = difference_step(x[k]), up = std::min(x[k] + h, s.problem.high[k]),
                   down = std::max(x[k] - h, s.problem.low[k]);
      z[k] = up;
      const double f1 = s.problem.objective(z);
      z[k] = down;
      gradient[k] = up > down ? (f1 - s.problem.objective(z)) / (up - down) : 0;
      z[k] = x[k];
    }
  });
  return value;
}

void constraints_of(bool equal, unsigned m, double* result, unsigned n, const double* x, double* gradient, void* data) {
  auto& s = *static_cast<Session*>(data);
  std::fill(result, result + m, 0.0);
  s.guarded([&] {
    const auto at = [&](const Vec& z) {
      auto both = s.problem.constraints(z);
      Vec& out = equal ? both.second : both.first;
      if (out.size() != m) fail("the number of constraints must not change");
      return std::move(out);
    };
    Vec z(x, x + n);
    const Vec value = at(z);
    std::copy(value.begin(), value.end(), result);
    for (unsigned k = 0; gradient != nullptr && k < n; ++k) {
      const double h = difference_step(x[k]);
      z[k] = x[k] + h;
      const Vec up = at(z);
      z[k] = x[k] - h;
      const Vec down = at(z);
      z[k] = x[k];
      for (unsigned i = 0; i < m; ++i) gradient[i * n + k] = (up[i] - down[i]) / (2 * h);
    }
  });
}
void inequalities_of(unsigned m, double* r, unsigned n, const double* x, double* g, void* d) {
  constraints_of(false, m, r, n, x, g, d);
}
void equalities_of(unsigned m, double* r, unsigned n, const double* x, double* g, void* d) {
  constraints_of(true, m, r, n, x, g, d);
}

struct Settings {
  double tol_x, tol_f, tol_constraint;
  int limit;
};

Settings settings_of(const Call& c, int k) {
  return {option(c, k, "TolX", 1e-9), option(c, k, "TolFun", 1e-12), option(c, k, "TolCon", 1e-8),
          static_cast<int>(option(c, k, "MaxIter", 1000))};
}

// Improves x; true when NLopt says that it converged.
bool run_slsqp(Problem& problem, Vec& x, const Settings& settings) {
  const auto n = static_cast<unsigned>(x.size());
  for (unsigned k = 0; k < n; ++k) x[k] = std::clamp(x[k], problem.low[k], problem.high[k]);
  const auto [in, eq] = problem.constraints(x);
  nlopt_opt o = nlopt_create(NLOPT_LD_SLSQP, n);
  struct Release {
    nlopt_opt what;
    ~Release() { nlopt_destroy(what); }
  } release{o};
  Session session{problem, o, in.size(), eq.size()};
  nlopt_set_lower_bounds(o, problem.low.data());
  nlopt_set_upper_bounds(o, problem.high.data());
  nlopt_set_min_objective(o, objective_of, &session);
  const Vec tolerance(std::max(in.size(), eq.size()), settings.tol_constraint);
  if (!in.empty())
    nlopt_add_inequality_mconstraint(o, static_cast<unsigned>(in.size()), inequalities_of, &session, tolerance.data());
  if (!eq.empty())
    nlopt_add_equality_mconstraint(o, static_cast<unsigned>(eq.size()), equalities_of, &session, tolerance.data());
  nlopt_set_xtol_rel(o, settings.tol_x);
  nlopt_set_ftol_rel(o, settings.tol_f);
  nlopt_set_maxeval(o, settings.limit);
  double value = 0;
  const nlopt_result result = nlopt_optimize(o, x.data(), &value);
  if (problem.error) std::rethrow_exception(problem.error);
  // Rounding limits how far the search comes; the point reached is as good as the differences allow.
  return (result > 0 && result != NLOPT_MAXEVAL_REACHED) || result == NLOPT_ROUNDOFF_LIMITED;
}

void give(Call& c, Target& target, Problem& problem, const Vec& x, bool converged, int iterations) {
  const double f = problem.objective(x), off = problem.violation(x);
  c.ret(target.shaped(x));
  c.ret(Value(f));
  c.ret(Value(off > 1e-4 ? -2 : converged ? 1 : 0));
  Value info = Value::structure();
  info.edit_structure().set("iterations", Value(iterations));
  info.edit_structure().set("nfev", Value(target.evaluations));
  info.edit_structure().set("constrviolation", Value(off));
  c.ret(info);
}

void fmincon(Call& c) {
  Target target{c, c.oml.to_handle(c[0]), c[1].dims()};
  Vec x = to_vector(c[1]);
  if (x.empty()) fail_argument(2, "must not be empty");
  Problem problem(c, target, x.size(), 2);
  const Settings settings = settings_of(c, c.count() - 1);
  bool converged = run_slsqp(problem, x, settings);
  // A second run from where the first one ended repairs steps that differences had misled.
  Vec again = x;
  converged = run_slsqp(problem, again, settings) || converged;
  const double before = problem.violation(x), after = problem.violation(again);
  if (after < before - 1e-9 || (after <= before + 1e-9 && problem.objective(again) < problem.objective(x))) x = again;
  give(c, target, problem, x, converged, settings.limit);
}

// Real-coded: tournaments, blended parents, normal mutation that shrinks with the generations; constraints outrank the
// objective (Deb 2000).
class Population {
 public:
  Population(Problem& problem, std::mt19937& random, std::size_t n, std::size_t size)
      : problem_(problem), random_(random), n_(n) {
    for (std::size_t k = 0; k < size; ++k) {
      Vec x(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = low(i) + uniform() * (high(i) - low(i));
      add(x);
    }
    sort();
  }

  void next(double spread) {
    std::vector<Member> old = std::move(members_);
    members_.assign(old.begin(), old.begin() + 2);
    while (members_.size() < old.size()) {
      const Vec &a = choose(old), &b = choose(old);
      Vec x(n_);
      for (std::size_t i = 0; i < n_; ++i) {
        const double t = 1.5 * uniform() - 0.25;
        x[i] = a[i] + t * (b[i] - a[i]);
        if (uniform() < 0.2) x[i] += spread * (high(i) - low(i)) * normal();
        x[i] = std::clamp(x[i], problem_.low[i], problem_.high[i]);
      }
      add(x);
    }
    sort();
  }

  const Vec& best() const { return members_[0].x; }
  double best_value() const { return members_[0].f; }

 private:
  struct Member {
    Vec x;
    double f, violation;
  };
  double low(std::size_t i) const { return std::isfinite(problem_.low[i]) ? problem_.low[i] : -10; }
  double high(std::size_t i) const { return std::isfinite(problem_.high[i]) ? problem_.high[i] : 10; }
  double uniform() { return static_cast<double>(random_()) / 4294967296.0; }
  double normal() { return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(6.283185307179586 * uniform()); }
  void add(const Vec& x) {
    const double off = problem_.violation(x);
    members_.push_back({x, problem_.objective(x), off <= 1e-8 ? 0 : off});
  }
  static bool better(const Member& a, const Member& b) {
    if (a.violation != b.violation) return a.violation < b.violation;
    return a.f < b.f;
  }
  void sort() { std::stable_sort(members_.begin(), members_.end(), better); }
  const Vec& choose(const std::vector<Member>& from) {
    const auto pick = [&] { return static_cast<std::size_t>(uniform() * static_cast<double>(from.size())); };
    const std::size_t a = pick(), b = pick();
    return from[std::min(a, b)].x;
  }

  Problem& problem_;
  std::mt19937& random_;
  std::size_t n_;
  std::vector<Member> members_;
};

// ga(f, start | n, A, b, Aeq, beq, low, high, constraints, options)
void ga(Call& c) {
  const bool count_only = c[1].numel() == 1 && (!c.has(6) || c[6].numel() != 1 || c.whole(1) > 1);
  const Index n = count_only ? c.whole(1) : c[1].numel();
  if (n < 1 || n > 10000) fail_argument(2, "must be the number of variables");
  Target target{c, c.oml.to_handle(c[0]), count_only ? Dims(1, n) : c[1].dims()};
  Problem problem(c, target, static_cast<std::size_t>(n), 2);
  const int at = c.count() - 1;
  const double size = option(c, at, "PopulationSize", std::clamp(10.0 * static_cast<double>(n), 40.0, 200.0));
  const auto generations = static_cast<int>(option(c, at, "Generations", option(c, at, "MaxIter", 100)));
  if (!(size >= 4) || size > 1e6) fail("PopulationSize must be from 4 to a million");
  std::mt19937 own(static_cast<unsigned>(option(c, at, "Seed", 1)));
  Population population(problem, own, static_cast<std::size_t>(n), static_cast<std::size_t>(size));
  int used = 0;
  for (; used < generations; ++used) population.next(0.2 * std::pow(0.01, static_cast<double>(used) / generations));
  Vec x = population.best();
  // The algorithm finds the right valley; quadratic programming goes to its bottom.
  Vec polished = x;
  const bool converged = run_slsqp(problem, polished, {1e-9, 1e-12, 1e-8, 1000});
  if (problem.violation(polished) <= std::max(problem.violation(x), 1e-7) &&
      problem.objective(polished) <= problem.objective(x))
    x = polished;
  give(c, target, problem, x, converged || used == generations, used);
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
