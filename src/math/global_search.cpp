// SPDX-License-Identifier: Apache-2.0
// Populations of points, ranked by constraints first and the objective second (Deb 2000).
#include "math/global_search.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace orrery::math {
namespace {

using Numbers = std::vector<double>;

struct Member {
  Numbers x;
  double value = 0, violation = 0;

  bool better_than(const Member& other) const {
    if (violation != other.violation) return violation < other.violation;
    return value < other.value;
  }
};

// The numbers of every machine are the same: distributions of the standard library need not be.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double uniform() { return static_cast<double>(engine_()) / 4294967296.0; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937 engine_;
};

class Judge {
 public:
  Judge(const MinimiseProblem& problem, const MinimiseOptions& options) : problem_(problem), options_(options) {}

  double low(std::size_t k) const { return std::isfinite(problem_.low[k]) ? problem_.low[k] : -10; }
  double high(std::size_t k) const { return std::isfinite(problem_.high[k]) ? problem_.high[k] : 10; }
  double width(std::size_t k) const { return high(k) - low(k); }
  void keep_within(Numbers& x) const {
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::clamp(x[k], problem_.low[k], problem_.high[k]);
  }
  Member judged(Numbers x) {
    ++evaluations;
    const double off = violation_of(problem_, x), value = problem_.objective(x);
    Member member{std::move(x), std::isnan(value) ? HUGE_VAL : value, off <= options_.constraint_tolerance ? 0 : off};
    if (evaluations == 1 || member.better_than(best)) best = member;
    return member;
  }
  bool may_go_on() const { return evaluations < options_.evaluations; }

  int evaluations = 0;
  Member best;

 private:
  const MinimiseProblem& problem_;
  const MinimiseOptions& options_;
};

void rank(std::vector<Member>& members) {
  std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.better_than(b); });
}

// Tournaments, blended parents, normal mutation that shrinks with the generations.
void breed(Judge& judge, Dice& dice, const Numbers& start, std::size_t size, int generations) {
  const std::size_t n = start.size();
  std::vector<Member> members = {judge.judged(start)};
  while (members.size() < size && judge.may_go_on()) {
    Numbers x(n);
    for (std::size_t k = 0; k < n; ++k) x[k] = judge.low(k) + dice.uniform() * judge.width(k);
    members.push_back(judge.judged(std::move(x)));
  }
  rank(members);
  for (int generation = 0; generation < generations && judge.may_go_on(); ++generation) {
    const double spread = 0.2 * std::pow(0.01, static_cast<double>(generation) / generations);
    std::vector<Member> next(members.begin(), members.begin() + std::min<std::ptrdiff_t>(2, std::ssize(members)));
    const auto choose = [&]() -> const Numbers& {
      const auto pick = [&] { return static_cast<std::size_t>(dice.uniform() * static_cast<double>(members.size())); };
      const std::size_t a = pick(), b = pick();
      return members[std::min(a, b)].x;
    };
    while (next.size() < members.size() && judge.may_go_on()) {
      const Numbers &a = choose(), &b = choose();
      Numbers x(n);
      for (std::size_t k = 0; k < n; ++k) {
        x[k] = a[k] + (1.5 * dice.uniform() - 0.25) * (b[k] - a[k]);
        if (dice.uniform() < 0.2) x[k] += spread * judge.width(k) * dice.normal();
      }
      judge.keep_within(x);
      next.push_back(judge.judged(std::move(x)));
    }
    members = std::move(next);
    rank(members);
  }
}

// Hansen, The CMA evolution strategy: a tutorial (2016), with the constants given there. Variables are measured by the
// widths of their bounds. True: the points have come together.
bool adapt(Judge& judge, Dice& dice, const Numbers& start, std::size_t size, double tolerance) {
  using Vector = ::Eigen::VectorXd;
  const auto n = static_cast<::Eigen::Index>(start.size());
  const double d = static_cast<double>(n);
  const auto lambda = static_cast<::Eigen::Index>(size), mu = lambda / 2;
  Vector weights(mu);
  for (::Eigen::Index k = 0; k < mu; ++k)
    weights[k] = std::log(static_cast<double>(lambda + 1) / 2) - std::log(static_cast<double>(k + 1));
  weights /= weights.sum();
  const double mass = 1 / weights.squaredNorm();
  const double cc = (4 + mass / d) / (d + 4 + 2 * mass / d), cs = (mass + 2) / (d + mass + 5);
  const double c1 = 2 / ((d + 1.3) * (d + 1.3) + mass);
  const double cmu = std::min(1 - c1, 2 * (mass - 2 + 1 / mass) / ((d + 2) * (d + 2) + mass));
  const double damping = 1 + 2 * std::max(0.0, std::sqrt((mass - 1) / (d + 1)) - 1) + cs;
  const double expected = std::sqrt(d) * (1 - 1 / (4 * d) + 1 / (21 * d * d));
  Vector mean(n), path = Vector::Zero(n), step_path = Vector::Zero(n);
  for (::Eigen::Index k = 0; k < n; ++k) {
    const auto at = static_cast<std::size_t>(k);
    mean[k] = judge.width(at) > 0 ? (start[at] - judge.low(at)) / judge.width(at) : 0;
  }
  ::Eigen::MatrixXd covariance = ::Eigen::MatrixXd::Identity(n, n);
  double sigma = 0.3;
  for (int generation = 1; judge.may_go_on(); ++generation) {
    const ::Eigen::SelfAdjointEigenSolver<::Eigen::MatrixXd> axes(covariance);
    const Vector lengths = axes.eigenvalues().cwiseMax(1e-30).cwiseSqrt();
    std::vector<std::pair<Member, Vector>> tried;
    for (::Eigen::Index k = 0; k < lambda && judge.may_go_on(); ++k) {
      Vector z(n);
      for (::Eigen::Index i = 0; i < n; ++i) z[i] = dice.normal();
      Vector y = axes.eigenvectors() * lengths.cwiseProduct(z);
      Numbers x(start.size());
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = judge.low(i) +
               judge.width(i) * (mean[static_cast<::Eigen::Index>(i)] + sigma * y[static_cast<::Eigen::Index>(i)]);
      judge.keep_within(x);
      // A point that was put back to its bound counts where it is.
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (judge.width(i) > 0)
          y[static_cast<::Eigen::Index>(i)] =
              ((x[i] - judge.low(i)) / judge.width(i) - mean[static_cast<::Eigen::Index>(i)]) / sigma;
      }
      tried.emplace_back(judge.judged(std::move(x)), std::move(y));
    }
    if (std::ssize(tried) < lambda) return false;
    std::stable_sort(tried.begin(), tried.end(),
                     [](const auto& a, const auto& b) { return a.first.better_than(b.first); });
    Vector step = Vector::Zero(n);
    for (::Eigen::Index k = 0; k < mu; ++k) step += weights[k] * tried[static_cast<std::size_t>(k)].second;
    mean += sigma * step;
    const Vector whitened = axes.eigenvectors() * (axes.eigenvectors().transpose() * step).cwiseQuotient(lengths);
    step_path = (1 - cs) * step_path + std::sqrt(cs * (2 - cs) * mass) * whitened;
    const double length = step_path.norm() / std::sqrt(1 - std::pow(1 - cs, 2 * generation));
    const bool stalls = length < (1.4 + 2 / (d + 1)) * expected;
    path = (1 - cc) * path + (stalls ? std::sqrt(cc * (2 - cc) * mass) : 0) * step;
    ::Eigen::MatrixXd spread = ::Eigen::MatrixXd::Zero(n, n);
    for (::Eigen::Index k = 0; k < mu; ++k) {
      const Vector& y = tried[static_cast<std::size_t>(k)].second;
      spread += weights[k] * y * y.transpose();
    }
    covariance = (1 - c1 - cmu) * covariance +
                 c1 * (path * path.transpose() + (stalls ? 0 : cc * (2 - cc)) * covariance) + cmu * spread;
    covariance = (covariance + covariance.transpose()).eval() / 2;
    sigma *= std::exp(cs / damping * (step_path.norm() / expected - 1));
    if (!std::isfinite(sigma)) return false;
    if (sigma * lengths.maxCoeff() < tolerance) return true;
  }
  return false;
}

}  // namespace

Minimum search_globally(const MinimiseProblem& problem, Numbers start, const MinimiseOptions& options) {
  Judge judge(problem, options);
  Dice dice(options.seed);
  judge.keep_within(start);
  const std::size_t n = start.size();
  Minimum found;
  found.end = MinimiseEnd::limit;
  if (options.method == MinimiseMethod::genetic) {
    const std::size_t size = options.population > 0 ? static_cast<std::size_t>(std::max(options.population, 4))
                                                    : std::clamp<std::size_t>(10 * n, 40, 200);
    const int generations = std::max(1, options.evaluations / static_cast<int>(size) - 1);
    breed(judge, dice, start, size, generations);
    found.end = MinimiseEnd::converged;
  } else {
    const auto usual = 4 + static_cast<std::size_t>(3 * std::log(static_cast<double>(n)));
    const std::size_t size =
        options.population > 0 ? static_cast<std::size_t>(std::max(options.population, 4)) : 2 * usual;
    if (adapt(judge, dice, start, size, std::max(options.step_tolerance, 1e-12))) found.end = MinimiseEnd::converged;
  }
  found.x = judge.best.x;
  found.value = judge.best.value;
  found.evaluations = judge.evaluations;
  return found;
}

}  // namespace orrery::math
