// SPDX-License-Identifier: Apache-2.0
// Damped Newton iteration; when it fails, the solution is followed from the guess (homotopy).
//
// The damping follows the natural monotonicity test (Deuflhard, Newton Methods for Nonlinear Problems, section 3.3): a
// step of length l is good when the correction computed with the same matrix at its end is at most (1 - l / 2) times as
// large.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

#include "sim/loop_work.h"
#include "solve/dae.h"

namespace orrery::sim {
namespace {

constexpr double quadratic = 1e-9;   // after a relative move this small, the next one would be below rounding
constexpr double stagnation = 1e-7;  // moves that no longer shrink below this are rounding errors
constexpr int most = 50;             // iterations of one search

}  // namespace

solve::Sparsity full_pattern(int n) {
  solve::Sparsity pattern{n, {0}, {}};
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < n; ++r) pattern.row.push_back(r);
    pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
  }
  return pattern;
}

std::optional<AlgebraicMethod> find_algebraic_method(std::string_view name) {
  std::string plain;
  for (char c : name) {
    if (c != ' ' && c != '-' && c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (plain.empty() || plain == "auto") return AlgebraicMethod::automatic;
  if (plain == "newton" || plain == "fsolve") return AlgebraicMethod::newton;
  if (plain == "homotopy") return AlgebraicMethod::homotopy;
  if (plain == "idacalc" || plain == "daskrcalc") return AlgebraicMethod::idacalc;
  return std::nullopt;
}

LoopSolver::LoopSolver(const CompiledProgram& machine, std::span<std::byte> memory, AlgebraicMethod method)
    : machine_(machine),
      memory_(memory),
      method_(method),
      first_(machine.loops().size(), true),
      statistics_(machine.loops().size()) {
  for (const LoopCode& code : machine.loops()) {
    work_.push_back(code.offsets.empty() ? nullptr : std::make_unique<Work>(code));
  }
}

LoopSolver::~LoopSolver() = default;

void LoopSolver::put(const Work& work, const std::vector<double>& z) {
  for (std::size_t i = 0; i < z.size(); ++i) std::memcpy(memory_.data() + work.code.offsets[i], &z[i], sizeof(double));
}

void LoopSolver::put_point(Work& work, const Place& place, const std::vector<double>& z) {
  put(work, z);
  if (!live_) return;
  look_at_conditions(work, place);
  take_conditions(work);
}

// r(z) - offset; z is left in memory. False where it has no value.
bool LoopSolver::evaluate(Work& work, const Place& place, const double* offset, const std::vector<double>& z,
                          std::vector<double>& r) {
  put_point(work, place, z);
  machine_.function(work.code.residual)(place.t, place.x, r.data(), memory_.data(), place.tick);
  bool finite = true;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (offset != nullptr) r[i] -= offset[i];
    finite = finite && std::isfinite(r[i]);
  }
  return finite;
}

void LoopSolver::differences(Work& work, const Place& place) {
  const std::size_t n = work.z.size();
  work.next = work.z;
  for (std::size_t c = 0; c < n; ++c) {
    const double step = 1e-6 * std::max(std::fabs(work.z[c]), 1e-3);
    work.next[c] = work.z[c] + step;
    static_cast<void>(evaluate(work, place, nullptr, work.next, work.next_r));
    work.next[c] = work.z[c] - step;
    static_cast<void>(evaluate(work, place, nullptr, work.next, work.check));
    work.next[c] = work.z[c];
    for (std::size_t r = 0; r < n; ++r) work.values[c * n + r] = (work.next_r[r] - work.check[r]) / (2 * step);
  }
}

// The matrix at z.
bool LoopSolver::factor(Work& work, const Place& place) {
  if (work.code.exact) {
    put_point(work, place, work.z);
    machine_.function(work.code.jacobian)(place.t, place.x, work.values.data(), memory_.data(), place.tick);
  } else {
    differences(work, place);
  }
  if (work.matrix.factor(0, work.values.data())) return true;
  work.undetermined = work.matrix.singular_column();
  work.trouble = "the equations do not determine an unknown: their derivatives are singular";
  return false;
}

// Rows that say the same but for rounding leave pivots of that size: a right-hand side of no special direction shows
// it.
bool LoopSolver::is_nearly_singular(Work& work) const {
  constexpr double most = 1e14;
  double entry = 0;
  for (const double a : work.values) entry = std::max(entry, std::fabs(a));
  for (std::size_t i = 0; i < work.check.size(); ++i) {
    work.check[i] = (i % 2 == 0 ? 1 : -1) * (1 + 0.3 * static_cast<double>(i % 3) + 0.1 * static_cast<double>(i % 7));
  }
  work.matrix.solve(work.check.data());
  const auto larger = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
  const auto largest = std::max_element(work.check.begin(), work.check.end(), larger);
  if (std::fabs(*largest) * entry < most) return false;
  work.undetermined = static_cast<int>(largest - work.check.begin());
  work.trouble = "the equations do not determine an unknown: their derivatives are singular";
  return true;
}

// Goes along d as far as that helps.
bool LoopSolver::move(Work& work, const Place& place, const double* offset, double size) {
  for (double length = 1; length > 1e-6; length *= 0.5) {
    for (std::size_t i = 0; i < work.z.size(); ++i) work.next[i] = work.z[i] + length * work.d[i];
    if (!evaluate(work, place, offset, work.next, work.next_r)) continue;
    if (size > quadratic) {
      work.check = work.next_r;
      work.matrix.solve(work.check.data());
      if (!(work.norm(work.check) <= (1 - 0.5 * length) * size) && !(work.norm(work.check) < stagnation)) continue;
    }
    work.z.swap(work.next);
    work.r.swap(work.next_r);
    return true;
  }
  return false;
}

bool LoopSolver::newton(Work& work, const Place& place, const double* offset, int limit) {
  if (!evaluate(work, place, offset, work.z, work.r)) {
    work.trouble = "the equations have no finite value at the guess";
    return false;
  }
  double before = INFINITY;
  for (int k = 0; k < limit; ++k, ++work.iterations) {
    // Where there are other places to try, a solution must be the only one.
    const bool solved = std::all_of(work.r.begin(), work.r.end(), [](double r) { return r == 0; });
    if (solved && !(plain_ && k == 0)) return true;
    if (!factor(work, place) || (plain_ && k == 0 && is_nearly_singular(work))) return false;
    if (solved) return true;
    work.d = work.r;
    work.matrix.solve(work.d.data());
    const double size = work.norm(work.d);
    work.trouble = "the iteration does not converge";
    if (!std::isfinite(size)) return false;
    if (size >= 0.5 * before && size < stagnation) return true;  // as far as rounding allows
    if (!move(work, place, offset, size)) return size < stagnation;
    if (size < quadratic && (k == 0 || size < 0.1 * before)) return true;
    before = size;
  }
  return false;
}

// r(z) = (1 - s) r(guess) from s = 0, where the guess is the solution, to s = 1.
bool LoopSolver::follow(Work& work, const Place& place) {
  work.z = work.guess;
  if (!evaluate(work, place, nullptr, work.z, work.start_r)) return false;
  std::vector<double> offset(work.z.size()), last = work.z;
  double s = 0, step = 0.1;
  while (s < 1) {
    const double target = std::min(1.0, s + step);
    for (std::size_t i = 0; i < offset.size(); ++i) offset[i] = (1 - target) * work.start_r[i];
    if (newton(work, place, offset.data(), 12)) {
      s = target;
      step *= 2;
      last = work.z;
    } else {
      step *= 0.25;
      work.z = last;
      if (step < 1e-5) return false;
    }
  }
  return true;
}

// The system without derivatives is a DAE all of whose components are algebraic.
bool LoopSolver::find_by_ida(Work& work, const Place& place) {
  struct Context {
    LoopSolver& solver;
    Work& work;
    const Place& place;
  } context{*this, work, place};
  solve::DaeProblem problem;
  problem.n = static_cast<int>(work.z.size());
  problem.residual.user = problem.jacobian.user = &context;
  problem.residual.function = [](double, const double* z, const double*, double* r, void* user) {
    auto& [solver, own, where] = *static_cast<Context*>(user);
    own.next.assign(z, z + own.z.size());
    if (!solver.evaluate(own, where, nullptr, own.next, own.next_r)) return 1;
    std::copy(own.next_r.begin(), own.next_r.end(), r);
    return 0;
  };
  problem.jacobian.pattern = pattern_of(work.code);
  if (work.code.exact) {
    problem.jacobian.function = [](double, double, const double* z, const double*, double* values, void* user) {
      auto& [solver, own, where] = *static_cast<Context*>(user);
      own.next.assign(z, z + own.z.size());
      solver.put(own, own.next);
      solver.machine_.function(own.code.jacobian)(where.t, where.x, values, solver.memory_.data(), where.tick);
      return 0;
    };
  }
  problem.differential.assign(work.z.size(), 0);
  problem.tolerance = {1e-8, 1e-10, {}};
  std::vector<double> z = work.z, rates(z.size());
  solve::Failure failure;
  if (make_consistent(problem, solve::StartMethod::idacalc, place.t, z.data(), rates.data(), failure) ==
      solve::Status::ok) {
    work.z = std::move(z);
    return true;
  }
  work.trouble = "IDACalcIC finds no solution from this guess";
  return false;
}

bool LoopSolver::find(Work& work, const Place& place, AlgebraicMethod method, LoopStatistics& statistics) {
  switch (method) {
    case AlgebraicMethod::automatic: return find_somehow(work, place, statistics);
    case AlgebraicMethod::newton: return newton(work, place, nullptr, most);
    case AlgebraicMethod::homotopy: ++statistics.homotopies; return follow(work, place);
    case AlgebraicMethod::idacalc: return find_by_ida(work, place) && newton(work, place, nullptr, most);
  }
  return false;
}

bool LoopSolver::find_somehow(Work& work, const Place& place, LoopStatistics& statistics) {
  if (newton(work, place, nullptr, most)) return true;
  std::string trouble = work.trouble;
  int undetermined = work.undetermined;
  // A guess beyond the domain of a root or logarithm is brought nearer to zero.
  if (!evaluate(work, place, nullptr, work.guess, work.r)) {
    for (double part : {0.5, 0.1, 0.01, 0.0}) {
      for (std::size_t i = 0; i < work.z.size(); ++i) work.z[i] = part * work.guess[i];
      if (newton(work, place, nullptr, most)) return true;
    }
  }
  // A guess at an unlucky point (a stationary one, a pole) is moved a little, always in the same way.
  for (double shift : {1e-2, 0.5}) {
    for (std::size_t i = 0; i < work.z.size(); ++i) {
      work.z[i] = work.guess[i] + shift * (1 + 0.3 * static_cast<double>(i % 3)) * (1 + std::fabs(work.guess[i]));
    }
    work.undetermined = -1;
    if (newton(work, place, nullptr, most)) return true;
    if (undetermined < 0 || work.undetermined >= 0) continue;
    trouble = work.trouble;  // the guess alone was singular
    undetermined = -1;
  }
  ++statistics.homotopies;
  if (follow(work, place)) return true;
  work.trouble = trouble;
  work.undetermined = undetermined;
  return false;
}

// Beyond a corner that is about to be located, as sqrt(max(u, 0)) for u < 0 (docs/semantics.md, 7.5).
bool LoopSolver::find_with_other_modes(Work& work, const Place& place, AlgebraicMethod method,
                                       LoopStatistics& statistics) {
  if (plain_ || !take_modes_ || evaluate(work, place, nullptr, work.guess, work.r)) return false;
  work.z = work.guess;
  const bool found = take_modes_(place.t, place.x) && find(work, place, method, statistics);
  hold_modes_();
  return found;
}

LoopSolver::Quality LoopSolver::quality_of(std::uint32_t loop) const {
  Quality quality;
  for (const double r : work_[loop]->r) quality.residual = std::max(quality.residual, std::fabs(r));
  quality.iterations = work_[loop]->iterations;
  return quality;
}

bool LoopSolver::solve_one(std::uint32_t loop, double t, const double* x, std::int64_t tick) {
  Work& work = *work_[loop];
  const Place place{t, x, tick};
  for (std::size_t i = 0; i < work.z.size(); ++i) {
    std::memcpy(&work.z[i], memory_.data() + work.code.offsets[i], sizeof(double));
    if (!std::isfinite(work.z[i])) work.z[i] = 0;
  }
  work.guess = work.z;
  work.iterations = 0;
  work.undetermined = -1;
  LoopStatistics& statistics = statistics_[loop];
  const AlgebraicMethod method = plain_ ? AlgebraicMethod::newton : first_[loop] ? method_ : AlgebraicMethod::automatic;
  work.conflicts.clear();
  const bool found = work.code.conditions.empty() ? find(work, place, method, statistics) ||
                                                        find_with_other_modes(work, place, method, statistics)
                                                  : settle_conditions(work, place, method, statistics);
  if (!found) {
    static_cast<void>(evaluate(work, place, nullptr, work.z, work.r));
    failure_ = {loop, t, work.trouble, work.undetermined, work.guess, work.z, work.r, work.conflicts};
    put(work, work.guess);
    return false;
  }
  first_[loop] = false;
  put(work, work.z);
  ++statistics.solutions;
  statistics.iterations += work.iterations;
  statistics.most_iterations = std::max(statistics.most_iterations, work.iterations);
  return true;
}

}  // namespace orrery::sim
