// SPDX-License-Identifier: Apache-2.0
// The past of one signal: polynomials of the steps, in stretches between breaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace orrery::sim {

// A polynomial in Newton's form through values at Chebyshev's points of an interval, both ends among them.
namespace newton {

constexpr int highest_degree = 7;
// The points of [0, 1], so ordered that the form is stable: first both ends, then always the one farthest from those
// before it (Leja's order; Higham, Accuracy and Stability of Numerical Algorithms, 5.3).
std::span<const double> points(int degree);

}  // namespace newton

class HistoryTrack {
 public:
  explicit HistoryTrack(std::size_t elements) : elements_(elements), stride_(elements * (newton::highest_degree + 1)) {}

  // What lies before all that is kept, and after it, as begin() and end() tell.
  void open(double long_ago, double far_ahead, double same) {
    long_ago_ = long_ago;
    far_ahead_ = far_ahead;
    same_ = same;
  }
  std::size_t elements() const { return elements_; }
  double filled_to() const { return filled_to_; }
  // How long the last polynomial of the stretch that is open is; 0: there is none yet.
  double last_length() const;

  // A break here: a new stretch begins with these values. Its order is that of the lowest derivative that jumps.
  void add_break(double t, int order, const double* right, double moved = 0);
  bool ends_with(const double* values) const;  // whether these values go on where the last stretch has come to
  // The next polynomial, through values at the points of the interval from where it is filled to `end`, one point after
  // the other. A degree of 0 says that time has gone on by a rounding only.
  void append(double end, int degree, const double* values);
  // What the polynomial that append() would make is worth at t.
  void fit(double begin, double end, int degree, const double* values);
  double fitted(std::size_t element, double t) const;
  void forget_before(double t);

  // The operations of program::PastWhat.
  double value(double t, double stretch, std::size_t element, int order) const;
  double value(double t, double stretch, std::size_t element, int order, double present, double now) const;
  double weight(double t, double stretch, double now) const;
  double stretch_at(double t, double now) const;
  double begin(double stretch) const;
  double end(double stretch) const;
  // How the instants change with the parameter whose sensitivity this is.
  double begin_moves(double stretch) const;
  double end_moves(double stretch) const { return begin_moves(stretch + 1); }
  // The lowest order of the breaks between two stretches.
  int order_between(double from, double to) const;

  void save(std::vector<double>& out) const;
  [[nodiscard]] bool restore(std::span<const double>& in);

 private:
  struct Piece {
    double begin, end, degree;
  };
  struct Break {
    double time, order, moved, first_piece;  // of the stretch that begins here, counted from the very first
  };

  std::size_t break_of(double stretch) const;
  bool is_open(double stretch) const { return break_of(stretch) + 1 == breaks_.size(); }
  // Pieces of a stretch, as indices into pieces_.
  std::size_t first_of(std::size_t brk) const;
  std::size_t last_of(std::size_t brk) const;  // one after
  std::size_t piece_at(double t, std::size_t first, std::size_t last) const;
  const double* coefficients(std::size_t piece) const { return coefficients_.data() + piece * stride_; }
  double polynomial(const Piece& piece, const double* c, double t, int order) const;
  double extended(const Piece& piece, const double* c, double t, int order) const;

  std::size_t elements_, stride_;
  double long_ago_ = 0, far_ahead_ = 0, same_ = 0;
  double filled_to_ = -std::numeric_limits<double>::infinity();
  double dropped_pieces_ = 0, dropped_breaks_ = 0;
  std::vector<Piece> pieces_;
  std::vector<double> coefficients_;
  std::vector<Break> breaks_;
  std::vector<double> right_;  // values with which the stretches begin
  mutable std::size_t cursor_ = 0;
  Piece fitted_piece_{};
  std::vector<double> fitted_;
};

}  // namespace orrery::sim
