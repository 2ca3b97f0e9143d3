// SPDX-License-Identifier: Apache-2.0
// All choices of sides are tried, for up to eight switches that act on each other; others are independent of them.
#include "sim/relay_sides.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery::sim {
namespace {

constexpr std::size_t most_coupled = 8;  // 3^8 choices
constexpr double rounding = 1e-12;       // relative
constexpr double same_share = 1e-9;

enum Choice : unsigned char { negative, positive, slides };

// Switches that act on each other, directly or through others.
std::vector<std::vector<std::size_t>> coupled_switches(const RelaySystem& system) {
  const std::size_t n = system.n;
  std::vector<std::vector<std::size_t>> parts;
  std::vector<bool> known(n, false);
  for (std::size_t first = 0; first < n; ++first) {
    if (known[first]) continue;
    std::vector<std::size_t> part{first};
    known[first] = true;
    for (std::size_t at = 0; at < part.size(); ++at) {
      for (std::size_t j = 0; j < n; ++j) {
        const bool acts = system.gain[part[at] * n + j] != 0 || system.gain[j * n + part[at]] != 0;
        if (known[j] || !(acts || !system.together.empty())) continue;
        known[j] = true;
        part.push_back(j);
      }
    }
    std::sort(part.begin(), part.end());
    parts.push_back(std::move(part));
  }
  return parts;
}

class Part {
 public:
  Part(const RelaySystem& system, const std::vector<std::size_t>& members) : system_(system), members_(members) {}

  RelaySides::Verdict choose(RelaySides& all) {
    if (members_.size() <= most_coupled) {
      choice_.assign(members_.size(), negative);
      do {
        try_choice();
      } while (next());
    } else if (is_dominant()) {
      iterate();
      try_choice();
    }
    if (count_ == 0 && members_.size() > most_coupled) {
      all.sliding = true;
      return RelaySides::Verdict::several;
    }
    all.sliding = all.sliding || any_slides_ || singular_;
    if (count_ == 0) return singular_ ? RelaySides::Verdict::several : RelaySides::Verdict::none;
    if (count_ > 1) return RelaySides::Verdict::several;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      all.share[members_[k]] = best_[k];
      all.slides[members_[k]] = best_choice_[k] == slides;
    }
    return RelaySides::Verdict::one;
  }

 private:
  bool next() {
    for (Choice& c : choice_) {
      if (c != slides) {
        c = static_cast<Choice>(c + 1);
        return true;
      }
      c = negative;
    }
    return false;
  }

  // Each surface is attracted by its own switch more than the others can undo: there is one choice.
  bool is_dominant() const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      double others = 0;
      for (std::size_t j = 0; j < members_.size(); ++j) others += j == i ? 0 : std::fabs(gain(i, j));
      if (!(-gain(i, i) > others)) return false;
    }
    return true;
  }

  // … to which Gauss and Seidel lead.
  void iterate() {
    constexpr int most = 10000;
    share_.assign(members_.size(), 0.5);
    double change = 1;
    for (int k = 0; k < most && change > 1e-13; ++k) {
      change = 0;
      for (std::size_t i = 0; i < members_.size(); ++i) {
        double rate = system_.rate[members_[i]];
        for (std::size_t j = 0; j < members_.size(); ++j) rate += j == i ? 0 : gain(i, j) * share_[j];
        const double share = std::clamp(-rate / gain(i, i), 0.0, 1.0);
        change = std::max(change, std::fabs(share - share_[i]));
        share_[i] = share;
      }
    }
    for (const double share : share_) choice_.push_back(share <= 0 ? negative : share >= 1 ? positive : slides);
  }

  double gain(std::size_t i, std::size_t j) const { return system_.gain[members_[i] * system_.n + members_[j]]; }

  // What the switch with number i in the part adds where those before it are decided: pairs that act together.
  double together(std::size_t i) const {
    return system_.together.empty() ? 0 : system_.together[members_[i]] * share_[0] * share_[1];
  }

  bool find_shares() {
    share_.assign(members_.size(), 0);
    free_.clear();
    for (std::size_t k = 0; k < members_.size(); ++k) {
      if (choice_[k] == slides) free_.push_back(k);
      if (choice_[k] == positive) share_[k] = 1;
    }
    const std::size_t m = free_.size();
    if (m == 0) return true;
    if (m == 2 && !system_.together.empty()) {
      singular_ = true;
      return false;
    }
    matrix_.assign(m * m, 0);
    right_.assign(m, 0);
    for (std::size_t a = 0; a < m; ++a) {
      const std::size_t i = free_[a];
      right_[a] = -system_.rate[members_[i]];
      for (std::size_t j = 0; j < members_.size(); ++j) {
        if (choice_[j] == positive) right_[a] -= gain(i, j);
      }
      for (std::size_t b = 0; b < m; ++b) {
        matrix_[a * m + b] = gain(i, free_[b]);
        // The other one of two that act together is fixed.
        if (!system_.together.empty()) matrix_[a * m + b] += system_.together[members_[i]] * share_[1 - free_[b]];
      }
    }
    if (!solve_small(m, matrix_.data(), right_.data())) {
      singular_ = singular_ || m > 1;
      return false;
    }
    for (std::size_t a = 0; a < m; ++a) share_[free_[a]] = right_[a];
    return std::all_of(right_.begin(), right_.end(), [](double s) { return s > 0 && s < 1; });
  }

  void try_choice() {
    if (!find_shares()) return;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (choice_[i] == slides) continue;
      double rate = system_.rate[members_[i]] + together(i), size = std::fabs(rate);
      for (std::size_t j = 0; j < members_.size(); ++j) {
        rate += gain(i, j) * share_[j];
        size += std::fabs(gain(i, j));
      }
      if ((choice_[i] == positive ? rate : -rate) < -rounding * size) return;
    }
    const bool sliding = !free_.empty();
    any_slides_ = any_slides_ || sliding;
    const bool known = count_ > 0 && std::equal(share_.begin(), share_.end(), best_.begin(),
                                                [](double a, double b) { return std::fabs(a - b) <= same_share; });
    if (!known) ++count_;
    if (known && free_.size() >= best_free_) return;
    best_ = share_;
    best_choice_ = choice_;
    best_free_ = free_.size();
  }

  const RelaySystem& system_;
  const std::vector<std::size_t>& members_;
  std::vector<Choice> choice_, best_choice_;
  std::vector<double> share_, best_, matrix_, right_;
  std::vector<std::size_t> free_;
  std::size_t best_free_ = 0;
  int count_ = 0;
  bool any_slides_ = false, singular_ = false;
};

}  // namespace

bool solve_small(std::size_t n, double* gain, double* right) {
  for (std::size_t r = 0; r < n; ++r) {  // rows have units of their own
    double largest = 0;
    for (std::size_t c = 0; c < n; ++c) largest = std::max(largest, std::fabs(gain[r * n + c]));
    if (!(largest > 0)) return false;
    for (std::size_t c = 0; c < n; ++c) gain[r * n + c] /= largest;
    right[r] /= largest;
  }
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r) {
      if (std::fabs(gain[r * n + c]) > std::fabs(gain[pivot * n + c])) pivot = r;
    }
    if (!(std::fabs(gain[pivot * n + c]) > rounding)) return false;
    if (pivot != c) {
      std::swap_ranges(gain + c * n, gain + (c + 1) * n, gain + pivot * n);
      std::swap(right[c], right[pivot]);
    }
    for (std::size_t r = c + 1; r < n; ++r) {
      const double factor = gain[r * n + c] / gain[c * n + c];
      for (std::size_t k = c; k < n; ++k) gain[r * n + k] -= factor * gain[c * n + k];
      right[r] -= factor * right[c];
    }
  }
  for (std::size_t c = n; c-- > 0;) {
    for (std::size_t k = c + 1; k < n; ++k) right[c] -= gain[c * n + k] * right[k];
    right[c] /= gain[c * n + c];
  }
  return true;
}

RelaySides choose_sides(const RelaySystem& system) {
  RelaySides sides;
  sides.verdict = RelaySides::Verdict::one;
  sides.share.assign(system.n, 0);
  sides.slides.assign(system.n, false);
  for (const auto& members : coupled_switches(system)) {
    const RelaySides::Verdict verdict = Part(system, members).choose(sides);
    if (verdict == RelaySides::Verdict::one || sides.verdict == RelaySides::Verdict::several) continue;
    sides.verdict = verdict;
  }
  return sides;
}

}  // namespace orrery::sim
