// SPDX-License-Identifier: Apache-2.0
// Exact rational arithmetic on periods and offsets, one domain (and one for what comes first) per SyncTag scope.
#include "compile/merge_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace orrery::compile {
namespace {

struct Found {
  PortOf output;
  Rational period;
  Rational offset;
  bool first = false;  // before all other events of the instant
};

std::string shown(const Rational& r) {
  return r.denominator == 1 ? fmt::format("{}", r.numerator) : fmt::format("{}/{}", r.numerator, r.denominator);
}

bool before(const Rational& a, const Rational& b) {
  return static_cast<long double>(a.numerator) * static_cast<long double>(b.denominator) <
         static_cast<long double>(b.numerator) * static_cast<long double>(a.denominator);
}

std::optional<Rational> times(const Rational& r, std::int64_t n) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(r.numerator, n, &product)) return std::nullopt;
  return make_rational(product, r.denominator);
}

std::optional<Rational> plus(const Rational& a, const Rational& b) {
  return subtract(a, Rational{-b.numerator, b.denominator});
}

class Merging {
 public:
  Merging(const FlatModel& model, const Bodies& bodies, program::Program& program, Diagnostics& diagnostics)
      : model_(model), bodies_(bodies), program_(program), diagnostics_(diagnostics) {}

  ClockOutputs run() {
    for (std::uint32_t b = 0; b < model_.blocks.size(); ++b) {
      const auto& first = bodies_.of_block[b].first_ports;
      for (const auto& clock : bodies_.of_block[b].clocks) {
        const bool comes_first = std::find(first.begin(), first.end(), clock.port) != first.end();
        found_.push_back({{b, clock.port}, clock.period, clock.offset, comes_first});
      }
    }
    resample();
    tell_periods();
    std::map<std::pair<std::uint32_t, bool>, std::vector<std::size_t>> scopes;
    for (std::size_t k = 0; k < found_.size(); ++k) {
      scopes[{model_.blocks[found_[k].output.block].sync_domain, found_[k].first}].push_back(k);
    }
    for (const auto& [scope, clocks] : scopes) make_domain(clocks);
    return std::move(outputs_);
  }

 private:
  const Found* clock_at(const PortOf& output) const {
    for (const Found& clock : found_) {
      if (clock.output == output) return &clock;
    }
    return nullptr;
  }

  // ReSampleClock blocks may follow each other: repeat until nothing new is resolved.
  void resample() {
    std::vector<std::uint32_t> waiting;
    for (std::uint32_t b = 0; b < model_.blocks.size(); ++b) {
      if (!bodies_.of_block[b].resamples.empty()) waiting.push_back(b);
    }
    for (bool progress = true; progress && !waiting.empty();) {
      progress = false;
      for (std::size_t k = 0; k < waiting.size();) {
        if (resolve(waiting[k])) {
          waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(k));
          progress = true;
        } else {
          ++k;
        }
      }
    }
    for (std::uint32_t b : waiting) {
      diagnostics_.error("needs-periodic-activation", model_.place(model_.blocks[b], "activation input 1"),
                         "works on periodic activations only, and what activates it is not periodic",
                         "activate it by one SampleClock or ReSampleClock");
    }
  }

  bool resolve(std::uint32_t b) {
    const FlatBlock& block = model_.blocks[b];
    if (block.activation_drivers.empty() || block.activation_drivers[0].size() != 1) return false;
    const Found* source = clock_at(block.activation_drivers[0][0]);
    if (source == nullptr) return false;
    const Found from = *source;
    for (const auto& rule : bodies_.of_block[b].resamples) {
      auto period = times(from.period, rule.factor);
      std::int64_t denominator = 0;
      if (period && rule.up != 1) {
        period = __builtin_mul_overflow(period->denominator, rule.up, &denominator)
                     ? std::nullopt
                     : make_rational(period->numerator, denominator);
      }
      const auto shift = times(from.period, rule.phase);
      const auto offset = shift ? plus(from.offset, *shift) : std::nullopt;
      if (!period || !offset) {
        diagnostics_.error("clock-overflow", model_.place(block), "the period is too large to be exact");
        continue;
      }
      found_.push_back({{b, rule.port}, *period, *offset});
    }
    return true;
  }

  // Blocks that are made for a certain period learn it.
  void tell_periods() {
    for (std::uint32_t b = 0; b < model_.blocks.size(); ++b) {
      const program::SlotId slot = bodies_.of_block[b].period;
      if (slot == program::no_slot) continue;
      const auto& drivers = model_.blocks[b].activation_drivers;
      const Found* clock = !drivers.empty() && drivers[0].size() == 1 ? clock_at(drivers[0][0]) : nullptr;
      if (clock == nullptr) {
        diagnostics_.error("needs-periodic-activation", model_.place(model_.blocks[b], "activation input 1"),
                           "works on periodic activations only, and what activates it is not periodic",
                           "activate it by one SampleClock or ReSampleClock");
        continue;
      }
      const double period =
          static_cast<double>(clock->period.numerator) / static_cast<double>(clock->period.denominator);
      program_.start.push_back({slot, program_.graph.constant(period), program::no_expr, b + 1});
    }
  }

  void make_domain(const std::vector<std::size_t>& members) {
    Rational first = found_[members[0]].offset;
    for (std::size_t k : members) {
      if (before(found_[k].offset, first)) first = found_[k].offset;
    }
    std::optional<Rational> base = found_[members[0]].period;
    for (std::size_t k : members) {
      const auto distance = subtract(found_[k].offset, first);
      base = base ? common_divisor(*base, found_[k].period) : base;
      if (base && distance && distance->numerator != 0) base = common_divisor(*base, *distance);
      if (!base || !distance) {
        report(members, k);
        return;
      }
    }
    program::ClockDomain domain{*base, first, {}};
    const auto domain_index = static_cast<std::uint32_t>(program_.domains.size());
    for (std::size_t k : members) {
      const auto divisor = whole_quotient(found_[k].period, *base);
      const auto distance = subtract(found_[k].offset, first);
      const auto tick = distance ? whole_quotient(*distance, *base) : std::nullopt;
      if (!divisor || !tick) {
        report(members, k);
        return;
      }
      const auto clock = static_cast<std::uint32_t>(program_.clocks.size());
      program_.clocks.push_back({found_[k].output.block + 1, found_[k].period, found_[k].offset, *divisor, *tick});
      domain.clocks.push_back(clock);
      outputs_.push_back({found_[k].output, {clock, domain_index, found_[k].first}});
    }
    program_.domains.push_back(std::move(domain));
  }

  void report(const std::vector<std::size_t>& members, std::size_t culprit) {
    auto& d =
        diagnostics_.error("clocks-do-not-fit", model_.place(model_.blocks[found_[culprit].output.block]),
                           fmt::format("period {} and offset {} have no common tick with the other clocks that fits "
                                       "64 bits",
                                       shown(found_[culprit].period), shown(found_[culprit].offset)),
                           "round the periods to a few digits, or put a SyncTag into the diagram of this clock");
    for (std::size_t k : members) {
      d.notes.push_back(fmt::format("{}: period {}, offset {}", model_.blocks[found_[k].output.block].path,
                                    shown(found_[k].period), shown(found_[k].offset)));
    }
  }

  const FlatModel& model_;
  const Bodies& bodies_;
  program::Program& program_;
  Diagnostics& diagnostics_;
  std::vector<Found> found_;
  ClockOutputs outputs_;
};

}  // namespace

ClockOutputs merge_clocks(const FlatModel& model, const Bodies& bodies, program::Program& program,
                          Diagnostics& diagnostics) {
  return Merging(model, bodies, program, diagnostics).run();
}

}  // namespace orrery::compile
