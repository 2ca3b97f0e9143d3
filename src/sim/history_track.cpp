// SPDX-License-Identifier: Apache-2.0
// Fitting, finding and evaluating the polynomials of a history.
#include "sim/history_track.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace orrery::sim {
namespace newton {
namespace {

std::array<double, highest_degree + 1> ordered(int degree) {
  std::vector<double> left;
  for (int k = 0; k <= degree; ++k) left.push_back(0.5 * (1 - std::cos(std::numbers::pi * k / degree)));
  std::array<double, highest_degree + 1> points{};
  std::size_t count = 0;
  const auto take = [&](std::vector<double>::iterator at) {
    points[count++] = *at;
    left.erase(at);
  };
  take(left.begin());
  take(left.end() - 1);
  while (!left.empty()) {
    const auto distance = [&](double x) {
      double product = 1;
      for (std::size_t k = 0; k < count; ++k) product *= std::fabs(x - points[k]);
      return product;
    };
    take(std::max_element(left.begin(), left.end(), [&](double a, double b) { return distance(a) < distance(b); }));
  }
  points[0] = 0;
  points[1] = 1;
  return points;
}

}  // namespace

std::span<const double> points(int degree) {
  static const auto all = [] {
    std::array<std::array<double, highest_degree + 1>, highest_degree + 1> made{};
    for (int d = 1; d <= highest_degree; ++d) made[static_cast<std::size_t>(d)] = ordered(d);
    return made;
  }();
  return {all[static_cast<std::size_t>(degree)].data(), static_cast<std::size_t>(degree) + 1};
}

}  // namespace newton

namespace {

// The values at the points become the coefficients: divided differences, in place.
void divide_differences(double* c, std::size_t elements, std::span<const double> points, double width) {
  for (std::size_t level = 1; level < points.size(); ++level) {
    for (std::size_t k = points.size() - 1; k >= level; --k) {
      const double distance = (points[k] - points[k - level]) * width;
      for (std::size_t e = 0; e < elements; ++e)
        c[k * elements + e] = (c[k * elements + e] - c[(k - 1) * elements + e]) / distance;
    }
  }
}

}  // namespace

double HistoryTrack::last_length() const {
  if (breaks_.empty() || first_of(breaks_.size() - 1) == pieces_.size()) return 0;
  return pieces_.back().end - pieces_.back().begin;
}

void HistoryTrack::add_break(double t, int order, const double* right, double moved) {
  const double next = dropped_pieces_ + static_cast<double>(pieces_.size());
  if (!breaks_.empty() && breaks_.back().first_piece == next) {  // nothing has happened since the last one
    breaks_.back().order = std::min(breaks_.back().order, static_cast<double>(order));
    breaks_.back().moved = moved;
    right_.resize(right_.size() - elements_);
  } else {
    breaks_.push_back({t, static_cast<double>(order), moved, next});
  }
  right_.insert(right_.end(), right, right + elements_);
  filled_to_ = t;
}

bool HistoryTrack::ends_with(const double* values) const {
  constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
  if (breaks_.empty()) return false;
  const bool empty = first_of(breaks_.size() - 1) == pieces_.size();
  for (std::size_t e = 0; e < elements_; ++e) {
    const double left = empty ? right_[right_.size() - elements_ + e]
                              : polynomial(pieces_.back(), coefficients(pieces_.size() - 1) + e, filled_to_, 0);
    if (!(std::fabs(left - values[e]) <= rounding * std::max(std::fabs(left), std::fabs(values[e])))) return false;
  }
  return true;
}

void HistoryTrack::fit(double begin, double end, int degree, const double* values) {
  fitted_.assign(stride_, 0.0);
  std::copy_n(values, static_cast<std::size_t>(degree + 1) * elements_, fitted_.begin());
  fitted_piece_ = {begin, end, static_cast<double>(degree)};
  divide_differences(fitted_.data(), elements_, newton::points(degree), end - begin);
}

double HistoryTrack::fitted(std::size_t element, double t) const {
  return polynomial(fitted_piece_, fitted_.data() + element, t, 0);
}

void HistoryTrack::append(double end, int degree, const double* values) {
  if (degree > 0) {
    fit(filled_to_, end, degree, values);
    pieces_.push_back(fitted_piece_);
    coefficients_.insert(coefficients_.end(), fitted_.begin(), fitted_.end());
  }
  filled_to_ = end;
}

// What is dropped is erased when it is half of all: each number moves once at most, on average.
void HistoryTrack::forget_before(double t) {
  std::size_t count = 0;
  while (count + 1 < pieces_.size() && pieces_[count].end < t) ++count;
  if (count < 64 || 2 * count < pieces_.size()) return;
  pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(count));
  coefficients_.erase(coefficients_.begin(), coefficients_.begin() + static_cast<std::ptrdiff_t>(count * stride_));
  dropped_pieces_ += static_cast<double>(count);
  std::size_t breaks = 0;
  while (breaks + 1 < breaks_.size() && breaks_[breaks + 1].first_piece <= dropped_pieces_) ++breaks;
  breaks_.erase(breaks_.begin(), breaks_.begin() + static_cast<std::ptrdiff_t>(breaks));
  right_.erase(right_.begin(), right_.begin() + static_cast<std::ptrdiff_t>(breaks * elements_));
  dropped_breaks_ += static_cast<double>(breaks);
  cursor_ = 0;
}

std::size_t HistoryTrack::break_of(double stretch) const {
  const double index = stretch - dropped_breaks_;
  if (!(index > 0)) return 0;
  return index < static_cast<double>(breaks_.size()) ? static_cast<std::size_t>(index) : breaks_.size() - 1;
}

std::size_t HistoryTrack::first_of(std::size_t brk) const {
  return static_cast<std::size_t>(std::max(breaks_[brk].first_piece - dropped_pieces_, 0.0));
}

std::size_t HistoryTrack::last_of(std::size_t brk) const {
  return brk + 1 < breaks_.size() ? first_of(brk + 1) : pieces_.size();
}

// The last that begins at t or before it, else the first. The answer does not depend on where the last one was found.
std::size_t HistoryTrack::piece_at(double t, std::size_t first, std::size_t last) const {
  const auto fits = [&](std::size_t k) {
    return k >= first && k < last && pieces_[k].begin <= t && (k + 1 == last || pieces_[k + 1].begin > t);
  };
  if (fits(cursor_)) return cursor_;
  if (fits(cursor_ + 1)) return ++cursor_;
  const auto begin = pieces_.begin();
  const auto after =
      std::upper_bound(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last), t,
                       [](double at, const Piece& piece) { return at < piece.begin; });
  cursor_ = std::max(static_cast<std::size_t>(after - begin), first + 1) - 1;
  return cursor_;
}

// Horner's rule for Newton's form and its derivatives.
double HistoryTrack::polynomial(const Piece& piece, const double* c, double t, int order) const {
  constexpr int most = 8;
  const int degree = static_cast<int>(piece.degree);
  if (order > degree) return 0;
  const std::span<const double> points = newton::points(degree);
  const double x = t - piece.begin, width = piece.end - piece.begin;
  if (order == 0) {
    double value = c[static_cast<std::size_t>(degree) * elements_];
    for (auto k = static_cast<std::size_t>(degree); k-- > 0;)
      value = value * (x - points[k] * width) + c[k * elements_];
    return value;
  }
  double d[most + 1] = {c[static_cast<std::size_t>(degree) * elements_]};
  for (auto k = static_cast<std::size_t>(degree); k-- > 0;) {
    const double distance = x - points[k] * width;
    for (int j = order; j > 0; --j) d[j] = d[j] * distance + j * d[j - 1];
    d[0] = d[0] * distance + c[k * elements_];
  }
  return d[order];
}

// Trial points may lie far beyond what was fitted: from its own length onwards the polynomial is continued as a line.
double HistoryTrack::extended(const Piece& piece, const double* c, double t, int order) const {
  const double width = piece.end - piece.begin;
  const double edge = t > piece.end + width ? piece.end + width : t < piece.begin - width ? piece.begin - width : t;
  if (edge == t) return polynomial(piece, c, t, order);
  if (order > 1) return 0;
  const double slope = polynomial(piece, c, edge, 1);
  return order == 1 ? slope : polynomial(piece, c, edge, 0) + slope * (t - edge);
}

double HistoryTrack::value(double t, double stretch, std::size_t element, int order) const {
  const std::size_t brk = break_of(stretch), first = first_of(brk), last = last_of(brk);
  if (first >= last) return order == 0 ? right_[brk * elements_ + element] : 0;
  const std::size_t piece = piece_at(t, first, last);
  return extended(pieces_[piece], coefficients(piece) + element, t, order);
}

// Beyond the last accepted point: the polynomial through the points of the last one and the present value.
double HistoryTrack::value(double t, double stretch, std::size_t element, int order, double present, double now) const {
  if (order == 0 && t >= now) return present;
  if (!(t > filled_to_) || !is_open(stretch)) return value(t, stretch, element, order);
  if (order == 0)
    return value(t, stretch, element, 0) + (present - value(now, stretch, element, 0)) * weight(t, stretch, now);
  // Its derivatives by t, as far as the part goes that the present value adds, by differences: they serve predictions.
  const double step = 1e-3 * (now - filled_to_);
  const double low = value(t - step, stretch, element, order - 1, present, now);
  const double high = value(std::min(t + step, now), stretch, element, order - 1, present, now);
  return (high - low) / (std::min(t + step, now) - (t - step));
}

double HistoryTrack::weight(double t, double stretch, double now) const {
  if (t >= now) return 1;
  if (!(t > filled_to_) || !is_open(stretch)) return 0;
  const std::size_t brk = break_of(stretch), first = first_of(brk);
  if (first >= pieces_.size()) return (t - filled_to_) / (now - filled_to_);
  const Piece& piece = pieces_.back();
  double product = 1;
  for (const double point : newton::points(static_cast<int>(piece.degree))) {
    const double at = piece.begin + point * (piece.end - piece.begin);
    product *= (t - at) / (now - at);
  }
  return product;
}

// Time that is within rounding of a break has passed it where time stands, and not yet where a step goes on.
double HistoryTrack::stretch_at(double t, double now) const {
  const bool within_step = now > filled_to_ + same_;
  const double at = within_step ? t - same_ : t + same_;
  const auto after = std::upper_bound(breaks_.begin(), breaks_.end(), at,
                                      [](double time, const Break& brk) { return time < brk.time; });
  const auto index = std::max<std::ptrdiff_t>(after - breaks_.begin(), 1) - 1;
  return dropped_breaks_ + static_cast<double>(index);
}

double HistoryTrack::begin(double stretch) const {
  const double index = stretch - dropped_breaks_;
  if (!(index > 0) || index >= static_cast<double>(breaks_.size())) return long_ago_;
  return breaks_[static_cast<std::size_t>(index)].time;
}

double HistoryTrack::end(double stretch) const {
  const double index = stretch - dropped_breaks_ + 1;
  if (!(index > 0) || index >= static_cast<double>(breaks_.size())) return far_ahead_;
  return breaks_[static_cast<std::size_t>(index)].time;
}

double HistoryTrack::begin_moves(double stretch) const {
  const double index = stretch - dropped_breaks_;
  if (!(index > 0) || index >= static_cast<double>(breaks_.size())) return 0;
  return breaks_[static_cast<std::size_t>(index)].moved;
}

int HistoryTrack::order_between(double from, double to) const {
  double order = 255;
  for (std::size_t k = break_of(std::min(from, to)) + 1; k <= break_of(std::max(from, to)); ++k)
    order = std::min(order, breaks_[k].order);
  return static_cast<int>(order);
}

void HistoryTrack::save(std::vector<double>& out) const {
  out.insert(out.end(), {filled_to_, dropped_pieces_, dropped_breaks_, static_cast<double>(pieces_.size()),
                         static_cast<double>(breaks_.size())});
  for (const Piece& piece : pieces_) out.insert(out.end(), {piece.begin, piece.end, piece.degree});
  out.insert(out.end(), coefficients_.begin(), coefficients_.end());
  for (const Break& brk : breaks_) out.insert(out.end(), {brk.time, brk.order, brk.moved, brk.first_piece});
  out.insert(out.end(), right_.begin(), right_.end());
}

bool HistoryTrack::restore(std::span<const double>& in) {
  if (in.size() < 5 || !(in[3] >= 0 && in[4] >= 0 && in[3] < 1e15 && in[4] < 1e15)) return false;
  const auto pieces = static_cast<std::size_t>(in[3]), breaks = static_cast<std::size_t>(in[4]);
  const double filled = in[0], dropped_pieces = in[1], dropped_breaks = in[2];
  const double in_pieces = in[3];
  in = in.subspan(5);
  if (in.size() < pieces * (3 + stride_) + breaks * (4 + elements_)) return false;
  const auto take = [&](std::size_t count) {
    const auto part = in.first(count);
    in = in.subspan(count);
    return part;
  };
  pieces_.clear();
  breaks_.clear();
  for (std::size_t k = 0; k < pieces; ++k) {
    const auto part = take(3);
    if (!(part[2] >= 1 && part[2] <= newton::highest_degree)) return false;
    pieces_.push_back({part[0], part[1], part[2]});
  }
  const auto coefficients = take(pieces * stride_);
  coefficients_.assign(coefficients.begin(), coefficients.end());
  for (std::size_t k = 0; k < breaks; ++k) {
    const auto part = take(4);
    if (!(part[3] <= dropped_pieces + in_pieces)) return false;
    breaks_.push_back({part[0], part[1], part[2], part[3]});
  }
  const auto right = take(breaks * elements_);
  right_.assign(right.begin(), right.end());
  filled_to_ = filled;
  dropped_pieces_ = dropped_pieces;
  dropped_breaks_ = dropped_breaks;
  cursor_ = 0;
  return true;
}

}  // namespace orrery::sim
