// SPDX-License-Identifier: Apache-2.0
// Sums of squares under constraints: multipliers and a penalty outside, a search without constraints inside.
#include <algorithm>
#include <cmath>

#include "math/least_squares.h"

namespace orrery::math {
namespace {

using Vector = std::vector<double>;

constexpr int most_rounds = 40;
constexpr double kept = 1e-9;             // a constraint, by relative changes of x
constexpr double largest_penalty = 1e12;  // in units of the first one

// By relative changes of x.
double squares_of_row(const RealMatrix& matrix, std::size_t row, const Vector& x) {
  double sum = 0;
  for (Index k = 0; k < matrix.cols; ++k) {
    const double size = std::abs(x[static_cast<std::size_t>(k)]);
    const double change = matrix(static_cast<Index>(row), k) * (size > 0 ? size : 1);
    sum += change * change;
  }
  return sum;
}

// |f|^2 + sum of l h + m h^2 is |f|^2 + m |h + l / (2 m)|^2 and a constant: residuals again. Of an inequality only what
// lies beyond -l / (2 m) counts.
class Lagrangian {
 public:
  Lagrangian(const ConstrainedSquares& problem, const Vector& x) : problem_(problem) {
    const RealMatrix first = problem.jacobian(x);
    double residuals = 0;
    for (const std::size_t row : problem.residuals) residuals += squares_of_row(first, row, x);
    const auto add = [&](std::size_t row, bool equal) {
      const double own = squares_of_row(first, row, x);
      // A constraint that matters a tenth as much as all residuals together does not bend the valley.
      const double penalty = own > 0 && residuals > 0 ? 10 * residuals / own : 1;
      constraints_.push_back({row, equal, 0, penalty, penalty * largest_penalty, own > 0 ? std::sqrt(own) : 1});
    };
    for (const std::size_t row : problem.equalities) add(row, true);
    for (const std::size_t row : problem.inequalities) add(row, false);
  }

  Vector residual(const Vector& numbers) const {
    Vector f;
    for (const std::size_t row : problem_.residuals) f.push_back(numbers[row]);
    for (const Constraint& c : constraints_) {
      const double shifted = numbers[c.row] + c.multiplier / (2 * c.penalty);
      f.push_back(c.equal || !(shifted <= 0) ? std::sqrt(c.penalty) * shifted : 0);
    }
    return f;
  }

  RealMatrix jacobian(const Vector& numbers, const RealMatrix& all) const {
    RealMatrix result(static_cast<Index>(problem_.residuals.size() + constraints_.size()), all.cols);
    Index at = 0;
    const auto copy = [&](std::size_t row, double factor) {
      for (Index k = 0; k < all.cols; ++k) result(at, k) = factor * all(static_cast<Index>(row), k);
      ++at;
    };
    for (const std::size_t row : problem_.residuals) copy(row, 1);
    for (const Constraint& c : constraints_) {
      const bool counts = c.equal || !(numbers[c.row] + c.multiplier / (2 * c.penalty) <= 0);
      copy(c.row, counts ? std::sqrt(c.penalty) : 0);
    }
    return result;
  }

  // How far the worst constraint is from being kept or, an inequality that is, from having no multiplier.
  double next_round(const Vector& numbers) {
    double worst = 0;
    for (Constraint& c : constraints_) {
      const double value = numbers[c.row];
      const double off = std::abs(c.equal ? value : std::max(value, -c.multiplier / (2 * c.penalty))) / c.scale;
      c.multiplier += 2 * c.penalty * value;
      if (!c.equal) c.multiplier = std::max(c.multiplier, 0.0);
      // A multiplier is right for any penalty, so raising it costs nothing but curvature.
      if (off > 0.25 * c.off && c.penalty < c.largest_penalty) c.penalty *= 10;
      c.off = off;
      worst = std::max(worst, off);
    }
    return worst;
  }

 private:
  struct Constraint {
    std::size_t row;
    bool equal;
    double multiplier, penalty, largest_penalty, scale;
    double off = HUGE_VAL;
  };
  const ConstrainedSquares& problem_;
  std::vector<Constraint> constraints_;
};

}  // namespace

LeastSquares constrained_least_squares(const ConstrainedSquares& problem, Vector x,
                                       const LeastSquaresOptions& options) {
  Lagrangian lagrangian(problem, x);
  LeastSquaresOptions inner = options;
  LeastSquares result;
  int calls = 0;
  const auto residual = [&](const Vector& at) { return lagrangian.residual(problem.numbers(at)); };
  inner.jacobian = [&](const Vector& at) { return lagrangian.jacobian(problem.numbers(at), problem.jacobian(at)); };
  for (int round = 0; round < most_rounds; ++round) {
    inner.calls = options.calls - calls;
    LeastSquares found = least_squares(residual, x, inner);
    calls += found.iterations * (2 * static_cast<int>(x.size()) + 1);
    x = found.x;
    result.iterations += found.iterations;
    result.end = found.end;
    result.path.insert(result.path.end(), found.path.begin(), found.path.end());
    result.squares.insert(result.squares.end(), found.squares.begin(), found.squares.end());
    const bool is_kept = lagrangian.next_round(problem.numbers(x)) <= kept;
    if (is_kept && round > 0) break;
    result.end = SearchEnd::limit;
    if (calls >= options.calls || result.iterations >= options.iterations) break;
  }
  result.x = x;
  result.residual = problem.numbers(x);
  result.jacobian = problem.jacobian(x);
  return result;
}

}  // namespace orrery::math
