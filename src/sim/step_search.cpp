// SPDX-License-Identifier: Apache-2.0
// Halving a step until every piece is resolved.
#include "sim/step_search.h"

#include <algorithm>
#include <cmath>

#include "sim/bernstein.h"

namespace orrery::sim {
namespace {

constexpr int doubtful_depth = 8;             // so often pieces are halved because polynomials are not exact,
constexpr int greatest_depth = 40;            // and so often because they may have several zeros
constexpr int misleading_depth = 5;           // where rates contradict the values seen
constexpr std::uint32_t most_samples = 4000;  // of a step: noise around zero would be halved for ever
constexpr double far_enough = 4;              // from zero, in differences between the ends of steps

// Whether all surfaces are further from zero than what they moved in the last step and in the one before, which was
// shorter or longer by `growth`.
bool are_far(const double* first, const double* before, const double* last, std::size_t count, double growth) {
  using solve::load_from;
  using solve::magnitude;
  using solve::Pair;
  const auto nearer = [](auto a, auto b) { return magnitude(a) < magnitude(b) ? magnitude(a) : magnitude(b); };
  std::size_t k = 0;
  solve::PairBits far = {-1, -1};
  for (; k + 1 < count; k += 2) {
    const Pair a = load_from<Pair>(first + k), b = load_from<Pair>(last + k), c = load_from<Pair>(before + k);
    const Pair size = nearer(a, b);
    far &= (size > far_enough * magnitude(b - a)) & (size > growth * magnitude(a - c));
  }
  bool all = (far[0] & far[1]) != 0;
  for (; k < count; ++k) {
    const double size = nearer(first[k], last[k]);
    all &= (size > far_enough * magnitude(last[k] - first[k])) & (size > growth * magnitude(first[k] - before[k]));
  }
  return all;
}

}  // namespace

Quarters StepSearch::quarters(const Piece& piece) {
  Quarters all;
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = sample(piece.values[j]);
  return all;
}

void StepSearch::make_first(const SurfaceWatch::Evaluate& evaluate) {
  const double begin = watch_.time();
  const std::size_t count = watch_.size();
  if (samples_.size() < 5 * count) samples_.resize(5 * count);
  std::copy_n(watch_.last().data(), count, sample(0));
  const double h = (end_ - begin) / 4;
  for (std::uint32_t j = 1; j < 4; ++j) evaluate(begin + j * h, sample(j));
  evaluate(end_, sample(4));
  sample_count_ = 5;
  pieces_.push_back({begin, end_, {0, 1, 2, 3, 4}, 0, false});
  if (watch_.begins_here()) {
    constexpr double early = 1.0 / 1024;
    const double after = (end_ - begin) * early;
    if (samples_.size() < 6 * count) samples_.resize(6 * count);
    evaluate(begin + after, sample(5));
    watch_.widen_bands(quarters(pieces_[0]), end_);
    watch_.widen_bands(after, sample(5));
  }
  least_depth_ = end_rates_ && misleads(pieces_[0]) ? misleading_depth : 0;
}

// Values at quarters may look harmless between which a fast surface swings to and fro: the rate at the end shows it.
bool StepSearch::misleads(const Piece& piece) {
  const double* rates = end_rates_(piece.end);
  const Quarters v = quarters(piece);
  for (std::size_t k = 0; k < watch_.size(); ++k) {
    const double rate = rates[3 * k] * (piece.end - piece.begin);
    if (std::isnan(rate)) continue;
    const Quartic<double> b = bernstein<double>({v[0][k], v[1][k], v[2][k], v[3][k], v[4][k]});
    const auto [low, high] = std::minmax({v[0][k], v[1][k], v[2][k], v[3][k], v[4][k]});
    const double range = high - low + 1e-12 * std::fabs(v[4][k]);
    if (std::fabs(rate - 4 * (b.c[4] - b.c[3])) > 0.5 * range) return true;
    // Where the rate happens to fit, as near the top of a wave, its change does not.
    const double second = rates[3 * k + 1] * (piece.end - piece.begin) * (piece.end - piece.begin);
    if (std::fabs(second - 12 * (b.c[4] - 2 * b.c[3] + b.c[2])) > 8 * range) return true;
  }
  return false;
}

void StepSearch::look_for_lost(const Piece& piece) {
  const Quarters v = quarters(piece);
  const std::size_t k = watch_.swinging(v);
  if (k == watch_.size()) return;
  const auto [low, high] = std::minmax({v[0][k], v[1][k], v[2][k], v[3][k], v[4][k]});
  if (!lost_ || high - low > lost_->range) lost_ = {k, piece.begin, high - low};
}

// The first half is looked at next. Three of its values are known, and so are those of the second half.
void StepSearch::halve(const SurfaceWatch::Evaluate& evaluate) {
  const Piece whole = pieces_.back();
  const std::uint32_t first = sample_count_;
  sample_count_ += 4;
  if (samples_.size() < sample_count_ * watch_.size()) samples_.resize(2 * sample_count_ * watch_.size());
  const double h = (whole.end - whole.begin) / 8;
  for (std::uint32_t j = 0; j < 4; ++j) evaluate(whole.begin + (2 * j + 1) * h, sample(first + j));
  const double middle = whole.begin + 4 * h;
  const auto& v = whole.values;
  pieces_.back() = {middle, whole.end, {v[2], first + 2, v[3], first + 3, v[4]}, whole.depth + 1, false};
  pieces_.push_back({whole.begin, middle, {v[0], first, v[1], first + 1, v[2]}, whole.depth + 1, false});
}

// A parabola through three ends bulges by less than a quarter of its differences.
bool StepSearch::stays_away(const SurfaceWatch::Evaluate& evaluate) {
  const double begin = watch_.time();
  const std::size_t count = watch_.size();
  if (samples_.size() < 5 * count) samples_.resize(5 * count);
  const double* first = watch_.last().data();
  double* last = sample(4);
  bool calm = before_end_ == begin && !watch_.begins_here();
  before_.resize(count);
  double* before = before_.data();
  if (calm) {
    evaluate(end_, last);
    calm = are_far(first, before, last, count, far_enough * (end_ - begin) / (begin - before_begin_));
  }
  std::copy_n(first, count, before);
  before_begin_ = begin;
  before_end_ = end_;
  return calm && watch_.pass_by(end_, last);
}

bool StepSearch::find(const SurfaceWatch::Evaluate& evaluate, double tolerance, Found& found) {
  if (open_ && ends_only_ && watch_.time() < end_ && stays_away(evaluate)) {
    open_ = false;
    return false;
  }
  if (open_ && watch_.time() < end_) make_first(evaluate);
  open_ = false;
  while (!pieces_.empty()) {
    Piece& piece = pieces_.back();
    const Quarters values = quarters(piece);
    last_ = values;
    last_width_ = piece.end - piece.begin;
    last_end_ = piece.end;
    if (!piece.resolved) {
      const bool trusted = piece.depth >= least_depth_;
      const bool divisible =
          piece.end - piece.begin > smallest_ && piece.depth < greatest_depth && sample_count_ < most_samples;
      if ((trusted || !divisible) && watch_.pass_quietly(piece.end, values)) {
        pieces_.pop_back();
        continue;
      }
      const bool doubt = piece.depth < doubtful_depth;
      if (divisible && !(trusted && watch_.is_resolved(values, doubt))) {
        halve(evaluate);
        continue;
      }
      if (!doubt || !divisible) look_for_lost(piece);
      piece.resolved = true;
    }
    if (watch_.look({piece.begin, piece.end, values}, evaluate, tolerance, found)) return true;
    pieces_.pop_back();
  }
  return false;
}

}  // namespace orrery::sim
