// SPDX-License-Identifier: Apache-2.0
// What every explicit Runge–Kutta step shares: the workspace, the stage sums, dense output, saving.
//
// Dense output with s = (t - t_old) / h (HNW I, section II.6):
//   x(s) = x0 + s (d + (1 - s) (p + s (q + (1 - s) r)))
//   d = x1 - x0,  p = h f0 - d,  q = d - h f1 - p
// which is the cubic Hermite interpolant plus r s^2 (1 - s)^2. The table gives the weights of r; methods of order 5
// without such weights get r from one more derivative, taken on the cubic at s = 1/4 ("bootstrapping", HNW II.6): it
// makes the interpolant as accurate as the step. The middle would not do, the fourth-degree term is level there.
// A method with stages for its dense output alone goes on in the same way up to degree 7:
//   ... (1 - s) (r + s (u + (1 - s) (v + s w)))
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "solve/integrator.h"
#include "solve/weighted_sum.h"

namespace orrery::solve {

// Stages that only the dense output needs.
template <class Table>
constexpr int dense_stages() {
  if constexpr (requires { Table::dense_stages; }) {
    return Table::dense_stages;
  } else {
    return 0;
  }
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
  // The slopes of at most most_states_one_by_one states: each fills one line, so that all but the two that change
  // places lie at fixed distances, which saves the look-up of their addresses.
  struct NearSlopes {
    const double *first, *second, *last;
    const double* operator[](int j) const {
      return j == 0 ? first : j == count ? last : second + (j - 1) * most_states_one_by_one;
    }
  };
  NearSlopes near_slopes() const { return {k_[0], k_[1], k_[count]}; }
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
  // Dense output of the accepted step from t_old over h, at the fraction s of it: all states, or those watched.
  void interpolate(double t_old, double h, double s, double* x);
  void watch(std::span<const int> which);
  void interpolate_watched(double t_old, double h, double s, double* x);
  // h sum_j error[j] k[j][i]
  double error_of(int i, double h) const;
  // The first state with a slope that is not finite, -1: none.
  int first_not_finite() const;

  void save(std::vector<std::byte>& out) const;
  void restore(std::span<const std::byte> in);
  std::size_t saved_size() const;

  long evaluations = 0;

  static constexpr int dense_degree() { return extra > 0 ? 7 : own_dense ? 4 : 3; }

 private:
  struct alignas(64) Line {
    double value[8];
  };
  struct Flags {
    bool swapped_states = false, swapped_slopes = false, accepted = false, begin_known = false, end_known = false;
  };
  // Whose coefficients are known. Those of watched states lie one after the other.
  enum class Dense : std::uint8_t { none, watched, all };
  static constexpr int extra = dense_stages<Table>();
  static constexpr bool own_dense = extra > 0 || requires { requires Table::dense[0] != 0.0; };
  static constexpr int doubles_per_line = 8;
  // begin, end, slopes with the one at the end, d p q r; the tolerance is not part of what is saved.
  static constexpr int saved_vectors = 2 + count + 1 + 4;
  // Then what the dense output of higher degree needs: u v w and the slopes of its stages.
  static constexpr int other_vectors = extra > 0 ? 3 + extra : 0;

  int call(double t, const double* x, double* slope) {
    ++evaluations;
    return rhs_.function(t, x, slope, rhs_.user);
  }
  template <int Row>
  int evaluate_stage(double t, double h);
  template <const auto& Weights>
  void combine(double h);
  void prepare_dense(double t_old, double h, Dense wanted);
  // The vectors of a step. Loops take a copy: a stored Pair may alias anything, so members would be read again and
  // again.
  struct Vectors {
    double *begin, *end;
    double* k[count + 1 + extra];
    double *d, *p, *q, *r;
    double* higher[3];
  };
  struct Known {
    bool end, stages;  // derivatives at the end, and of all stages of the dense output
  };
  // The coefficients of state or states i, put to the place given.
  template <class Value, class Index>
  static void prepare_at(const Vectors& v, Index i, int place, double h, Known known);
  void bootstrap(double t_old, double h);
  struct DenseVectors {
    const double *begin, *d, *p, *q, *r;
    const double* higher[3];
  };
  DenseVectors dense_vectors(const double* begin) const {
    return {begin, d_, p_, q_, r_, {higher_[0], higher_[1], higher_[2]}};
  }
  template <class Value>
  static Value at(const DenseVectors& v, int i, double s) {
    const auto of = [i](const double* vector) { return value_at<Value>(vector + i); };
    Value r = of(v.r);
    if constexpr (extra > 0) r += s * (of(v.higher[0]) + (1 - s) * (of(v.higher[1]) + s * of(v.higher[2])));
    return of(v.begin) + s * (of(v.d) + (1 - s) * (of(v.p) + s * (of(v.q) + (1 - s) * r)));
  }
  Vectors vectors() const {
    Vectors v{begin_, end_, {}, d_, p_, q_, r_, {higher_[0], higher_[1], higher_[2]}};
    std::copy_n(k_, count + 1 + extra, v.k);
    return v;
  }
  template <int Row>
  int evaluate_dense_stage(double t_old, double h);
  bool evaluate_dense_stages(double t_old, double h);
  // Calls one(i) for states and two(i) for pairs of states from i on.
  template <class One, class Two>
  void for_all(const One& one, const Two& two) const;
  double* vector(int index) { return lines_[static_cast<std::size_t>(index) * lines_per_vector_].value; }
  void place(bool swapped_states, bool swapped_slopes);

  Rhs rhs_;
  int n_, padded_;
  std::size_t lines_per_vector_;
  std::vector<Line> lines_;
  double *begin_, *end_, *tolerance_, *watched_begin_;
  double* k_[count + 1 + extra];
  double *d_, *p_, *q_, *r_;
  double* higher_[3] = {};
  bool swapped_states_ = false, swapped_slopes_ = false;
  bool accepted_ = false, begin_known_ = false, end_known_ = false;
  Dense dense_ = Dense::none;
  bool watches_ = false;
  std::vector<Couple> watched_;  // an odd one is its own partner
};

template <class Table>
Stages<Table>::Stages(int n, const Rhs& rhs) : rhs_(rhs), n_(n), padded_((n + 1) / 2 * 2) {
  lines_per_vector_ = static_cast<std::size_t>((n + doubles_per_line - 1) / doubles_per_line);
  // Vectors a multiple of 4 KiB apart would fight for the same cache lines.
  if (lines_per_vector_ % 64 == 0) ++lines_per_vector_;
  lines_.assign(lines_per_vector_ * (saved_vectors + other_vectors + 2), Line{});
  place(false, false);
  int next = 2 + count + 1;
  for (double** v : {&d_, &p_, &q_, &r_, &tolerance_, &watched_begin_}) *v = vector(next++);
  if constexpr (extra > 0) {
    for (double*& v : higher_) v = vector(next++);
    for (int j = 0; j < extra; ++j) k_[count + 1 + j] = vector(next++);
  }
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
  accepted_ = begin_known_ = end_known_ = false;
  dense_ = Dense::none;
}

template <class Table>
void Stages<Table>::open_step() {
  dense_ = Dense::none;
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
    const NearSlopes k = near_slopes();
    for (int i = 0; i < n_; ++i) y[i] = x[i] + h * weighted_sum<double, Weights>(k, i);
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
  combine<row_of<Table::a, Row>>(h);
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
void Stages<Table>::watch(std::span<const int> which) {
  watches_ = true;
  watched_.clear();
  for (std::size_t k = 0; k < which.size(); k += 2)
    watched_.push_back({which[k], which[std::min(k + 1, which.size() - 1)]});
  dense_ = Dense::none;
}

// Pairs of states lie at even places; few states are handled one by one, as in combine().
template <class Table>
template <class One, class Two>
inline __attribute__((always_inline)) void Stages<Table>::for_all(const One& one, const Two& two) const {
  int i = 0;
  if (n_ > most_states_one_by_one) {
    for (; i + 1 < n_; i += 2) two(i);
  }
  for (; i < n_; ++i) one(i);
}

template <class Table>
void Stages<Table>::interpolate(double t_old, double h, double s, double* x) {
  if (dense_ != Dense::all) prepare_dense(t_old, h, Dense::all);
  const DenseVectors v = dense_vectors(begin_);
  for_all([&](int i) { x[i] = at<double>(v, i, s); }, [&](int i) { store_at(x + i, at<Pair>(v, i, s)); });
}

template <class Table>
void Stages<Table>::interpolate_watched(double t_old, double h, double s, double* x) {
  if (!watches_) return interpolate(t_old, h, s, x);
  if (dense_ == Dense::none) prepare_dense(t_old, h, Dense::watched);
  if (dense_ == Dense::all) {
    const DenseVectors v = dense_vectors(begin_);
    for (const Couple i : watched_) {
      x[i.first] = at<double>(v, i.first, s);
      x[i.second] = at<double>(v, i.second, s);
    }
    return;
  }
  const DenseVectors v = dense_vectors(watched_begin_);
  int place = 0;
  for (const Couple i : watched_) {
    const Pair values = at<Pair>(v, place, s);
    x[i.first] = values[0];
    x[i.second] = values[1];
    place += 2;
  }
}

template <class Table>
template <class Value, class Index>
inline __attribute__((always_inline)) void Stages<Table>::prepare_at(const Vectors& v, Index i, int place, double h,
                                                                     Known known) {
  const auto finite_or_zero = [](Value value) { return value - value == 0.0 ? value : Value{}; };
  const Value d = pick<Value>(v.end, i) - pick<Value>(v.begin, i);
  const Value p = h * pick<Value>(v.k[0], i) - d;
  value_at<Value>(v.d + place) = d;
  value_at<Value>(v.p + place) = p;
  // A derivative that is not defined at the end leaves a parabola.
  value_at<Value>(v.q + place) = known.end ? finite_or_zero(d - h * pick<Value>(v.k[count], i) - p) : Value{};
  const auto term = [&]<const auto & Weights>(double* into) {
    Value sum{};
    if (known.stages) sum = finite_or_zero(h * weighted_sum<Value, Weights>(v.k, i));
    value_at<Value>(into + place) = sum;
  };
  if constexpr (extra > 0) {
    term.template operator()<row_of<Table::dense, 0>>(v.r);
    term.template operator()<row_of<Table::dense, 1>>(v.higher[0]);
    term.template operator()<row_of<Table::dense, 2>>(v.higher[1]);
    term.template operator()<row_of<Table::dense, 3>>(v.higher[2]);
  } else if constexpr (own_dense) {
    term.template operator()<Table::dense>(v.r);
  } else {
    value_at<Value>(v.r + place) = Value{};
  }
}

// The states of these stages take the place of the second slope, which no weight of theirs asks for.
template <class Table>
template <int Row>
int Stages<Table>::evaluate_dense_stage(double t_old, double h) {
  static_assert(Table::dense_a[Row][1] == 0 && Table::dense[0][1] == 0);
  double* x = k_[1];
  for (int i = 0; i < n_; ++i) x[i] = begin_[i] + h * weighted_sum<double, row_of<Table::dense_a, Row>>(k_, i);
  return call(t_old + Table::dense_c[Row] * h, x, k_[count + 1 + Row]);
}

template <class Table>
bool Stages<Table>::evaluate_dense_stages(double t_old, double h) {
  return [&]<int... Row>(std::integer_sequence<int, Row...>) {
    return ((evaluate_dense_stage<Row>(t_old, h) == 0) && ...);
  }
  (std::make_integer_sequence<int, extra>{});
}

template <class Table>
void Stages<Table>::prepare_dense(double t_old, double h, Dense wanted) {
  if (!end_known_) evaluate_end(t_old + h);
  // Without weights of its own the method needs the whole state for one more derivative.
  constexpr bool bootstraps = !own_dense && Table::order >= 5;
  if (bootstraps) wanted = Dense::all;
  const Known known{end_known_, end_known_ && evaluate_dense_stages(t_old, h)};
  const Vectors v = vectors();
  const auto one = [&](int i) __attribute__((always_inline)) { prepare_at<double>(v, i, i, h, known); };
  const auto two = [&](int i) __attribute__((always_inline)) { prepare_at<Pair>(v, i, i, h, known); };
  if (wanted == Dense::all) {
    for_all(one, two);
  } else {
    int place = 0;
    for (const Couple i : watched_) {
      value_at<Pair>(watched_begin_ + place) = pick<Pair>(begin_, i);
      prepare_at<Pair>(v, i, place, h, known);
      place += 2;
    }
  }
  if constexpr (bootstraps) bootstrap(t_old, h);
  dense_ = wanted;
}

// Stages 1 and 2 serve as scratch: the next step evaluates them anew.
template <class Table>
void Stages<Table>::bootstrap(double t_old, double h) {
  static_assert(count >= 3);
  constexpr double s = 0.25;
  double* x = k_[2];
  double* slope = k_[1];
  const DenseVectors v = dense_vectors(begin_);
  for (int i = 0; i < n_; ++i) x[i] = at<double>(v, i, s);
  if (call(t_old + s * h, x, slope) != 0) return;
  for (int i = 0; i < n_; ++i) {
    const double cubic_slope = d_[i] + (1 - 2 * s) * p_[i] + s * (2 - 3 * s) * q_[i];
    const double r = (h * slope[i] - cubic_slope) / (2 * s * (1 - s) * (1 - 2 * s));
    r_[i] = std::isfinite(r) ? r : 0;
  }
}

template <class Table>
double Stages<Table>::error_of(int i, double h) const {
  return h * weighted_sum<double, Table::error>(k_, i);
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
  dense_ = Dense::none;
}

}  // namespace orrery::solve
