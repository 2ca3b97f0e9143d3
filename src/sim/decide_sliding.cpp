// SPDX-License-Identifier: Apache-2.0
// Which surfaces slide from an instant on.
#include <algorithm>
#include <cmath>

#include "sim/sliding.h"

namespace orrery::sim {
namespace {

constexpr double alike = 1e-9;         // how far what is computed in two ways may differ
constexpr double parallel = 1 - 1e-9;  // the square of the cosine

}  // namespace

void Sliding::make_room() {
  const std::size_t n = groups_.size(), vertices = std::max<std::size_t>(n + 2, 3);
  rates_.resize(vertices * 3 * g_.size());
  slopes_.resize(vertices * machine_.state_count());
  matrix_.resize(n * n);
  share_.resize(n);
}

void Sliding::keep_modes(bool back) {
  kept_modes_.resize(g_.size());
  for (std::size_t k = 0; k < g_.size(); ++k) {
    if (!may_slide(k)) continue;
    (back ? mode_of(k) : kept_modes_[k]) = back ? kept_modes_[k] : mode_of(k);
  }
}

Sliding::Outcome Sliding::decide(std::span<const std::uint32_t> arriving, double t, const double* x) {
  const std::vector<std::size_t> before = surfaces();
  decided_.clear();
  if (t != left_at_) left_.clear();
  evaluate_surfaces(t, x, g_.data());
  drop_what_jumped(t, x);
  keep_modes(false);
  gather(arriving, t, x);
  const bool fresh = before.empty();
  if (groups_.empty()) {
    pins_.clear();
    return fresh ? Outcome::nothing : Outcome::changed;
  }
  evaluate_sides(t, x, true);
  const bool independent = act_independently(t, x);
  if (!independent && groups_.size() > 2) {
    const bool some = std::any_of(groups_.begin(), groups_.end(), [&](const Group& g) { return attracts(g, t, x); });
    if (some || !fresh) return Outcome::not_unique;
    keep_modes(true);
    groups_.clear();
    return Outcome::nothing;
  }
  RelaySystem system = relay_system();
  if (!independent) {
    const std::vector<bool> both(2, true);
    is_as_predicted(t, x, both);
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t at = 3 * groups_[i].members[0].surface;
      system.together.push_back(rates_of(3)[at] - rates_of(2)[at] - rates_of(1)[at] + rates_of(0)[at]);
    }
  }
  const RelaySides sides = choose_sides(system);
  using Verdict = RelaySides::Verdict;
  const bool slide = std::find(sides.slides.begin(), sides.slides.end(), true) != sides.slides.end();
  const bool refused = sides.verdict == Verdict::several && sides.sliding && groups_.size() > 1;
  if (refused || (sides.verdict != Verdict::one && !fresh)) return Outcome::not_unique;
  if (fresh && (sides.verdict != Verdict::one || !slide)) {  // an ordinary crossing
    keep_modes(true);
    groups_.clear();
    return Outcome::nothing;
  }
  apply(sides, t);
  find_pins(t, x);
  return surfaces() == before ? Outcome::same : Outcome::changed;
}

// Within rounding of zero, or not further away than its speed carries it in an instant, or the integrator has let it
// drift.
bool Sliding::is_hardly_away(std::size_t surface, double speed, double drift) {
  return std::fabs(g_[surface]) <= speed * coincidence_ + 1e-14 * rates_of(0)[3 * surface + 2] + 2 * drift;
}

// Events may have carried a surface away.
void Sliding::drop_what_jumped(double t, const double* x) {
  if (groups_.empty()) return;
  evaluate_sides(t, x, false);
  for (std::size_t k = groups_.size(); k-- > 0;) {
    const std::size_t surface = groups_[k].members[0].surface;
    double speed = 0;
    for (std::size_t v = 0; v <= groups_.size(); ++v) speed = std::max(speed, std::fabs(rates_of(v)[3 * surface]));
    const double errors = 10 * (absolute_ + relative_ * rates_of(0)[3 * surface + 2]);
    if (is_hardly_away(surface, speed, groups_[k].drift + errors)) {
      groups_[k].drift = std::max(groups_[k].drift, std::fabs(g_[surface]));
      continue;
    }
    take_side(groups_[k], g_[surface] > 0);
    for (const Member& member : groups_[k].members) decided_.push_back(member.surface);
    groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

void Sliding::add(Group group) {
  take_side(group, false);
  group.drift = std::fabs(g_[group.members[0].surface]);
  groups_.push_back(std::move(group));
}

// Those that arrive, and others that are at zero as well and cannot leave it on their own.
void Sliding::gather(std::span<const std::uint32_t> arriving, double t, const double* x) {
  for (const std::uint32_t k : arriving) {
    if (!may_slide(k) || has_mode(k)) continue;
    Group group = find_group(k, t, x);
    if (!group.members.empty()) add(std::move(group));
  }
  for (std::size_t k = 0; k < g_.size(); ++k) {
    if (!may_slide(k) || has_mode(k)) continue;
    evaluate(t, x, 0, false);
    if (!is_hardly_away(k, std::fabs(rates_of(0)[3 * k]), 0)) continue;
    Group group = find_group(k, t, x);
    if (!group.members.empty() && attracts(group, t, x)) add(std::move(group));
  }
  make_room();
}

// How surfaces change with each state and with time, by differences.
void Sliding::find_gradients(double t, const double* x) {
  const std::size_t states = machine_.state_count(), count = g_.size();
  gradients_.resize((states + 1) * count);
  std::vector<double> moved(x, x + states), here(count);
  evaluate_surfaces(t, x, here.data());
  for (std::size_t i = 0; i <= states; ++i) {
    const double at = i < states ? x[i] : t, step = 1e-7 * (1e-3 + std::fabs(at));
    if (i < states) moved[i] = at + step;
    double* const change = gradients_.data() + i * count;
    evaluate_surfaces(i < states ? t : t + step, moved.data(), change);
    for (std::size_t k = 0; k < count; ++k) change[k] = (change[k] - here[k]) / step;
    if (i < states) moved[i] = at;
  }
}

// Other surfaces that are zero here and change as this one does, but for a factor, are the same surface.
Sliding::Group Sliding::find_group(std::size_t surface, double t, const double* x) {
  Group group;
  group.members.push_back({surface, true, false});
  find_gradients(t, x);
  evaluate(t, x, 0, false);
  for (std::size_t k = 0; k < g_.size(); ++k) {
    if (k == surface || !may_slide(k) || has_mode(k)) continue;
    double own = 0, other = 0, both = 0;
    for (std::size_t i = 0; i <= machine_.state_count(); ++i) {
      const double a = gradients_[i * g_.size() + surface], b = gradients_[i * g_.size() + k];
      own += a * a;
      other += b * b;
      both += a * b;
    }
    if (!(both * both >= parallel * own * other && own > 0 && other > 0)) continue;
    // As far away as this one, where the other forms of the surface have not noticed yet that it was passed.
    const double scale = std::sqrt(other / own);
    if (is_hardly_away(k, std::fabs(rates_of(0)[3 * k]), scale * std::fabs(g_[surface])))
      group.members.push_back({k, both > 0, both < 0});
  }
  if (group.members.size() > 1) settle_corners(group, t, x);
  return group;
}

// The first form is one that goes on through the surface; of those that have a corner there the modes are found from
// how they change away from it, on each side. None is left where all have corners: they touch zero and slide nowhere.
void Sliding::settle_corners(Group& group, double t, const double* x) {
  std::vector<std::byte> before;
  for (const Member& member : group.members) before.push_back(mode_of(member.surface));
  const std::vector<Member> all = group.members;
  const std::size_t count = g_.size(), columns = machine_.state_count() + 1;
  const auto on_side = [&](bool side) {
    take_side(group, side);
    find_gradients(t, x);
    return gradients_;
  };
  const auto product = [&](const std::vector<double>& a, const Member& i, const std::vector<double>& b,
                           const Member& j) {
    double sum = 0;
    for (std::size_t c = 0; c < columns; ++c) sum += a[c * count + i.surface] * b[c * count + j.surface];
    return sum;
  };
  std::vector<double> below = on_side(false), above = on_side(true);
  const auto goes_on = [&](const Member& member) {
    const double both = product(below, member, above, member);
    return both > 0 &&
           both * both >= parallel * product(below, member, below, member) * product(above, member, above, member);
  };
  const auto first = std::stable_partition(group.members.begin(), group.members.end(), goes_on);
  const std::size_t through = static_cast<std::size_t>(first - group.members.begin());
  if (through == 0) {
    group.members.clear();
  } else if (!group.members[0].mode_there) {  // counted from a form of the other sign until now
    for (Member& member : group.members) std::swap(member.mode_there, member.mode_here);
    std::swap(below, above);
  }
  const std::size_t most_rounds = group.members.size();  // a corner may depend on another one
  for (std::size_t round = 0; round < most_rounds && through < group.members.size(); ++round) {
    bool changed = false;
    const Member& normal = group.members[0];
    for (std::size_t k = through; k < group.members.size(); ++k) {
      Member& member = group.members[k];
      const bool strict = machine_.program().surfaces[member.surface].strict;
      const auto mode_on = [&](const std::vector<double>& gradients, double direction) {
        const double away = direction * product(gradients, member, gradients, normal);
        const double tiny = 1e-6 * std::sqrt(product(gradients, member, gradients, member) *
                                             product(gradients, normal, gradients, normal));
        return strict ? away > tiny : away >= -tiny;
      };
      const Member found{member.surface, mode_on(above, 1), mode_on(below, -1)};
      changed = changed || found.mode_there != member.mode_there || found.mode_here != member.mode_here;
      member = found;
    }
    if (!changed) break;
    below = on_side(false);
    above = on_side(true);
  }
  for (std::size_t k = 0; k < all.size(); ++k) mode_of(all[k].surface) = before[k];
}

bool Sliding::attracts(const Group& group, double t, const double* x) {
  std::vector<std::byte> before;
  for (const Member& member : group.members) before.push_back(mode_of(member.surface));
  for (const bool side : {false, true}) {
    take_side(group, side);
    evaluate(t, x, side ? 1 : 0, false);
  }
  for (std::size_t k = 0; k < before.size(); ++k) mode_of(group.members[k].surface) = before[k];
  const std::size_t at = 3 * group.members[0].surface;
  return rates_of(0)[at] > 0 && rates_of(1)[at] < 0;
}

RelaySystem Sliding::relay_system() {
  RelaySystem system;
  system.n = groups_.size();
  for (const Group& group : groups_) {
    const std::size_t at = 3 * group.members[0].surface;
    system.rate.push_back(rates_of(0)[at]);
    for (std::size_t j = 0; j < groups_.size(); ++j) system.gain.push_back(rates_of(j + 1)[at] - rates_of(0)[at]);
  }
  return system;
}

// Whether the derivatives with these sides are what each switch adds on its own; they are left in the last vertex.
bool Sliding::is_as_predicted(double t, const double* x, const std::vector<bool>& sides) {
  const std::size_t n = groups_.size(), last = n + 1;
  for (std::size_t k = 0; k < n; ++k) take_side(groups_[k], sides[k]);
  evaluate(t, x, last, true);
  for (const Group& group : groups_) take_side(group, false);
  for (std::size_t i = 0; i < machine_.state_count(); ++i) {
    const double base = slope_of(0)[i];
    double sum = base, size = std::fabs(base) + std::fabs(slope_of(last)[i]);
    for (std::size_t k = 0; k < n; ++k) {
      if (!sides[k]) continue;
      sum += slope_of(k + 1)[i] - base;
      size += std::fabs(slope_of(k + 1)[i]);
    }
    if (!(std::fabs(sum - slope_of(last)[i]) <= alike * size)) return false;
  }
  return true;
}

// Two by two, among others that are on their negative sides and among others that are on their positive ones.
bool Sliding::act_independently(double t, const double* x) {
  const std::size_t n = groups_.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      std::vector<bool> sides(n, false);
      sides[i] = sides[j] = true;
      if (!is_as_predicted(t, x, sides)) return false;
      sides.flip();
      if (n > 2 && !is_as_predicted(t, x, sides)) return false;
    }
  }
  for (std::size_t i = 0; i <= n && n > 2; ++i) {
    std::vector<bool> sides(n, true);
    if (i < n) sides[i] = false;
    if (!is_as_predicted(t, x, sides)) return false;
  }
  return true;
}

bool Sliding::accept_step(double t, const double* x) {
  evaluate_surfaces(t, x, g_.data());
  for (Group& group : groups_) group.drift = std::max(group.drift, std::fabs(g_[group.members[0].surface]));
  if (groups_.size() < 2) return true;
  evaluate_sides(t, x, true);
  return act_independently(t, x);
}

void Sliding::apply(const RelaySides& sides, double t) {
  left_at_ = t;
  double drift = 0;
  for (const Group& group : groups_) drift = std::max(drift, group.drift);
  for (const Pin& pin : pins_) left_.push_back({pin.surface, 100 * drift + 1e-12 * pin.size});
  std::vector<Group> kept;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    for (const Member& member : groups_[k].members) decided_.push_back(member.surface);
    if (sides.slides[k]) {
      kept.push_back(std::move(groups_[k]));
      continue;
    }
    take_side(groups_[k], sides.share[k] > 0.5);
    for (const Member& member : groups_[k].members) left_.push_back({member.surface, 100 * groups_[k].drift});
  }
  groups_ = std::move(kept);
  make_room();
}

// Surfaces that fire events, or are only shown, and stay at zero with those that slide.
void Sliding::find_pins(double t, const double* x) {
  pins_.clear();
  if (groups_.empty()) return;
  std::vector<double> along(machine_.state_count());
  if (!derivative(t, x, along.data())) return;
  find_gradients(t, x);
  double drift = 0;
  for (const Group& group : groups_) drift = std::max(drift, group.drift);
  const program::Program& program = machine_.program();
  for (std::size_t k = 0; k < g_.size(); ++k) {
    const program::Surface& surface = program.surfaces[k];
    const bool is_mode = surface.mode != program::no_slot;
    if (has_mode(k) || surface.settled != program::no_expr || (is_mode && !surface.shown)) continue;
    const double base = rates_of(0)[3 * k];
    double rate = base, speed = std::fabs(base);
    for (std::size_t j = 0; j < groups_.size(); ++j) {
      rate += share_[j] * (rates_of(j + 1)[3 * k] - base);
      speed = std::max(speed, std::fabs(rates_of(j + 1)[3 * k]));
    }
    // What has a corner on the surface itself moves with neither side, but with the motion along it.
    double motion = gradients_[along.size() * g_.size() + k];
    for (std::size_t i = 0; i < along.size(); ++i) motion += gradients_[i * g_.size() + k] * along[i];
    const bool stays = std::fabs(rate) <= alike * speed || std::fabs(motion) <= 1e-6 * speed;
    if (!(stays && speed > 0 && is_hardly_away(k, speed, drift))) continue;
    const double side = !is_mode ? 0 : mode_of(k) != std::byte{0} ? 1.0 : -1.0;
    pins_.push_back({k, side, rates_of(0)[3 * k + 2]});
  }
}

}  // namespace orrery::sim
