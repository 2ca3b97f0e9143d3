// SPDX-License-Identifier: Apache-2.0
// What every explicit Runge–Kutta step shares: the workspace, the stage sums, dense output, saving.
//
// Dense output with s = (t - t_old) / h (HNW I, section II.6):
//   x(s) = x0 + s (d + (1 - s) (p + s (q + (1 - s) r)))
//   d = x1 - x0,  p = h f0 - d,  q = d - h f1 - p
// which is the cubic Hermite interpolant plus r s^2 (1 - s)^2. The table gives the weights of r; methods of order 5
// without such weights get r from one more derivative, taken on the cubic at s = 1/4 ("bootstrapping", HNW II.6): it
// makes the interpolant as accurate as the step. The middle would not do, the fourth-degree term is level there.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "solve/integrator.h"

namespace orrery::solve {

// Two doubles in one register. The sums are written with it because the compiler does not vectorise loops of unknown
// length at -O2; the results are those of the scalar code to the last bit. Few states are summed one by one: loading a
// pair that the derivative has just stored as two doubles would stall.
typedef double Pair __attribute__((vector_size(16), may_alias));
constexpr int most_states_one_by_one = 8;

template <class Value>
inline Value& value_at(double* p) {
  return *reinterpret_cast<Value*>(p);
}
template <class Value>
inline const Value& value_at(const double* p) {
  return *reinterpret_cast<const Value*>(p);
}
template <class Value>
inline Value larger_magnitude(Value a, Value b) {
  a = a < 0.0 ? -a : a;
  b = b < 0.0 ? -b : b;
  return a > b ? a : b;
}
inline double lane_sum(double a) { return a; }
inline double lane_sum(Pair a) { return a[0] + a[1]; }

// sum_j Weights[j] * k[j][i], left to right, without the zeros.
template <class Value, const auto& Weights, class Slopes>
inline __attribute__((always_inline)) Value weighted_sum(const Slopes& k, int i) {
  constexpr int count = sizeof(Weights) / sizeof(Weights[0]);
  Value sum{};
  bool first = true;
  const auto add = [&]<int J>(std::integral_constant<int, J>) {
    if constexpr (Weights[J] != 0) {
      const Value term = Weights[J] * value_at<Value>(k[J] + i);
      sum = first ? term : sum + term;
      first = false;
    }
  };
  [&]<int... J>(std::integer_sequence<int, J...>) { (add(std::integral_constant<int, J>{}), ...); }
  (std::make_integer_sequence<int, count>{});
  return sum;
}

template <class Table>
class Stages {
 public:
  static constexpr int count = Table::stages;

  Stages(int n, const Rhs& rhs);

  // The state at the beginning of the step, and at its end or, while the stages are evaluated, at a stage.
  const double* begin() const { return begin_; }
  const double* end() const { return end_; }
  const double* state() const { return accepted_ ? end_ : begin_; }
  double* tolerance() { return tolerance_; }
  const double* tolerance() const { return tolerance_; }
  const double* slope(int j) const { return k_[j]; }
  int padded() const { return padded_; }

  void set_state(const double* x);
  // Makes the end of the last accepted step the beginning of the next one.
  void open_step();
  // The derivative at the beginning, unless it is known already. The codes are those of Rhs.
  int evaluate_begin(double t);
  // All stages and the new state.
  int evaluate(double t, double h);
  // The derivative at the new state, for the error estimates that want it; otherwise it waits until it is needed.
  int evaluate_end(double t_new);
  // The derivative after an Euler step of size h; nullptr: not defined there. Overwrites the new state.
  const double* trial_slope(double t_new, double h);
  void accept() { accepted_ = true; }
  // The new state, for a projection: its derivative has to be evaluated again.
  double* move_end() {
    end_known_ = false;
    return end_;
  }
  // Dense output of the accepted step from t_old over h, at the fraction s of it.
  void interpolate(double t_old, double h, double s, double* x);
  // h sum_j error[j] k[j][i]
  double error_of(int i, double h) const;
  // The first state with a slope that is not finite, -1: none.
  int first_not_finite() const;

  void save(std::vector<std::byte>& out) const;
  void restore(std::span<const std::byte> in);
  std::size_t saved_size() const;

  long evaluations = 0;

 private:
  struct alignas(64) Line {
    double value[8];
  };
  struct Flags {
    bool swapped_states = false, swapped_slopes = false, accepted = false, begin_known = false, end_known = false;
  };
  static constexpr bool own_dense = Table::dense[0] != 0;
  static constexpr int doubles_per_line = 8;
  // begin, end, slopes with the one at the end, d p q r; the tolerance is not part of what is saved.
  static constexpr int saved_vectors = 2 + count + 1 + 4;

  int call(double t, const double* x, double* slope) {
    ++evaluations;
    return rhs_.function(t, x, slope, rhs_.user);
  }
  template <int Row>
  int evaluate_stage(double t, double h);
  template <const auto& Weights>
  void combine(double h);
  void prepare_dense(double t_old, double h);
  void bootstrap(double t_old, double h);
  double at(int i, double s) const {
    return begin_[i] + s * (d_[i] + (1 - s) * (p_[i] + s * (q_[i] + (1 - s) * r_[i])));
  }
  double* vector(int index) { return lines_[static_cast<std::size_t>(index) * lines_per_vector_].value; }
  void place(bool swapped_states, bool swapped_slopes);

  Rhs rhs_;
  int n_, padded_;
  std::size_t lines_per_vector_;
  std::vector<Line> lines_;
  double *begin_, *end_, *tolerance_;
  double* k_[count + 1];
  double *d_, *p_, *q_, *r_;
  bool swapped_states_ = false, swapped_slopes_ = false;
  bool accepted_ = false, begin_known_ = false, end_known_ = false, dense_ready_ = false;
};

template <class Table>
Stages<Table>::Stages(int n, const Rhs& rhs) : rhs_(rhs), n_(n), padded_((n + 1) / 2 * 2) {
  lines_per_vector_ = static_cast<std::size_t>((n + doubles_per_line - 1) / doubles_per_line);
  // Vectors a multiple of 4 KiB apart would fight for the same cache lines.
  if (lines_per_vector_ % 64 == 0) ++lines_per_vector_;
  lines_.assign(lines_per_vector_ * (saved_vectors + 1), Line{});
  place(false, false);
  int next = 2 + count + 1;
  for (double** v : {&d_, &p_, &q_, &r_, &tolerance_}) *v = vector(next++);
  for (int i = n; i < padded_; ++i) tolerance_[i] = 1;
}

template <class Table>
void Stages<Table>::place(bool swapped_states, bool swapped_slopes) {
  swapped_states_ = swapped_states;
  swapped_slopes_ = swapped_slopes;
  begin_ = vector(swapped_states ? 1 : 0);
  end_ = vector(swapped_states ? 0 : 1);
  for (int j = 0; j <= count; ++j) k_[j] = vector(2 + j);
  if (swapped_slopes) std::swap(k_[0], k_[count]);
}

template <class Table>
void Stages<Table>::set_state(const double* x) {
  if (n_ > 0) std::memmove(begin_, x, sizeof(double) * static_cast<std::size_t>(n_));
  accepted_ = begin_known_ = end_known_ = dense_ready_ = false;
}

template <class Table>
void Stages<Table>::open_step() {
  dense_ready_ = false;
  if (!accepted_) return;
  std::swap(begin_, end_);
  swapped_states_ = !swapped_states_;
  if (end_known_) {
    std::swap(k_[0], k_[count]);
    swapped_slopes_ = !swapped_slopes_;
  }
  begin_known_ = end_known_;
  accepted_ = end_known_ = false;
}

template <class Table>
int Stages<Table>::evaluate_begin(double t) {
  if (begin_known_) return 0;
  const int code = call(t, begin_, k_[0]);
  begin_known_ = code == 0;
  return code;
}

template <class Table>
template <const auto& Weights>
inline __attribute__((always_inline)) void Stages<Table>::combine(double h) {
  const double* x = begin_;
  double* y = end_;
  if (n_ <= most_states_one_by_one) {
    for (int i = 0; i < n_; ++i) y[i] = x[i] + h * weighted_sum<double, Weights>(k_, i);
  } else {
    double* k[count];
    std::copy_n(k_, count, k);  // a stored Pair may alias anything, so members would be read again and again
    for (int i = 0; i < padded_; i += 2) {
      value_at<Pair>(y + i) = value_at<Pair>(x + i) + h * weighted_sum<Pair, Weights>(k, i);
    }
  }
}

template <class Table>
template <int Row>
inline __attribute__((always_inline)) int Stages<Table>::evaluate_stage(double t, double h) {
  combine<Table::a[Row]>(h);
  return call(t + Table::c[Row] * h, end_, k_[Row]);
}

template <class Table>
inline int Stages<Table>::evaluate(double t, double h) {
  int code = 0;
  const auto stages = [&]<int... Row>(std::integer_sequence<int, Row...>) __attribute__((always_inline)) {
    return ((code = evaluate_stage<Row + 1>(t, h), code == 0) && ...);
  };
  if (!stages(std::make_integer_sequence<int, count - 1>{})) return code;
  combine<Table::b>(h);
  return 0;
}

template <class Table>
inline int Stages<Table>::evaluate_end(double t_new) {
  const int code = call(t_new, end_, k_[count]);
  end_known_ = code == 0;
  return code;
}

template <class Table>
const double* Stages<Table>::trial_slope(double t_new, double h) {
  for (int i = 0; i < n_; ++i) end_[i] = begin_[i] + h * k_[0][i];
  return call(t_new, end_, k_[1]) == 0 ? k_[1] : nullptr;
}

template <class Table>
void Stages<Table>::interpolate(double t_old, double h, double s, double* x) {
  if (!dense_ready_) prepare_dense(t_old, h);
  for (int i = 0; i < n_; ++i) x[i] = at(i, s);
}

template <class Table>
void Stages<Table>::prepare_dense(double t_old, double h) {
  if (!end_known_) evaluate_end(t_old + h);
  const double* f0 = k_[0];
  const double* f1 = k_[count];
  for (int i = 0; i < n_; ++i) {
    d_[i] = end_[i] - begin_[i];
    p_[i] = h * f0[i] - d_[i];
    // A derivative that is not defined at the end leaves a parabola.
    q_[i] = end_known_ && std::isfinite(f1[i]) ? d_[i] - h * f1[i] - p_[i] : 0;
    r_[i] = 0;
  }
  if constexpr (own_dense) {
    for (int i = 0; i < n_; ++i) {
      double sum = 0;
      for (int j = 0; j <= count; ++j) sum += Table::dense[j] * k_[j][i];
      r_[i] = h * sum;
    }
  } else if constexpr (Table::order >= 5) {
    bootstrap(t_old, h);
  }
  dense_ready_ = true;
}

// Stages 1 and 2 serve as scratch: the next step evaluates them anew.
template <class Table>
void Stages<Table>::bootstrap(double t_old, double h) {
  static_assert(count >= 3);
  constexpr double s = 0.25;
  double* x = k_[2];
  double* slope = k_[1];
  for (int i = 0; i < n_; ++i) x[i] = at(i, s);
  if (call(t_old + s * h, x, slope) != 0) return;
  for (int i = 0; i < n_; ++i) {
    const double cubic_slope = d_[i] + (1 - 2 * s) * p_[i] + s * (2 - 3 * s) * q_[i];
    const double r = (h * slope[i] - cubic_slope) / (2 * s * (1 - s) * (1 - 2 * s));
    r_[i] = std::isfinite(r) ? r : 0;
  }
}

template <class Table>
double Stages<Table>::error_of(int i, double h) const {
  double sum = 0;
  for (int j = 0; j <= count; ++j) {
    if (Table::error[j] != 0) sum += Table::error[j] * k_[j][i];
  }
  return h * sum;
}

template <class Table>
int Stages<Table>::first_not_finite() const {
  for (int j = 0; j <= count; ++j) {
    for (int i = 0; i < n_; ++i) {
      if (!std::isfinite(k_[j][i])) return i;
    }
  }
  for (int i = 0; i < n_; ++i) {
    if (!std::isfinite(end_[i])) return i;
  }
  return -1;
}

template <class Table>
std::size_t Stages<Table>::saved_size() const {
  return sizeof(Flags) + sizeof(Line) * lines_per_vector_ * saved_vectors;
}

template <class Table>
void Stages<Table>::save(std::vector<std::byte>& out) const {
  const Flags flags{swapped_states_, swapped_slopes_, accepted_, begin_known_, end_known_};
  const std::size_t at = out.size();
  out.resize(at + saved_size());
  std::memcpy(out.data() + at, &flags, sizeof flags);
  std::memcpy(out.data() + at + sizeof flags, lines_.data(), saved_size() - sizeof flags);
}

template <class Table>
void Stages<Table>::restore(std::span<const std::byte> in) {
  Flags flags;
  std::memcpy(&flags, in.data(), sizeof flags);
  std::memcpy(lines_.data(), in.data() + sizeof flags, saved_size() - sizeof flags);
  place(flags.swapped_states, flags.swapped_slopes);
  accepted_ = flags.accepted;
  begin_known_ = flags.begin_known;
  end_known_ = flags.end_known;
  dense_ready_ = false;
}

}  // namespace orrery::solve
