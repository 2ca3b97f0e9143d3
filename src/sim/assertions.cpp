// SPDX-License-Identifier: Apache-2.0
// Evaluating assertions and saying which do not hold.
#include "sim/assertions.h"

#include <fmt/format.h>

#include "program/message.h"
#include "program/motion.h"

namespace orrery::sim {
namespace {

constexpr const char* failure_help = "look at what the condition of this assertion depends on";

}  // namespace

Assertions::Assertions(const CompiledProgram& machine) : machine_(machine), program_(machine.program()) {
  std::size_t count = 0;
  for (const program::Assertion& assertion : program_.assertions) {
    first_value_.push_back(count);
    count += assertion.values.size();
    judge_trials_ |= !program::judged_as_it_stands(program_.graph, assertion);
  }
  hold_.resize(program_.assertions.size());
  warned_.resize(program_.assertions.size());
  values_.resize(count);
}

std::string Assertions::message(std::size_t index) const {
  const program::Assertion& assertion = program_.assertions[index];
  return program::fill_in(assertion.text, {values_.data() + first_value_[index], assertion.values.size()});
}

bool Assertions::allow(double t, const double* x, std::byte* memory) {
  if (program_.fixed_step) return true;  // there is no smaller step
  machine_.tried_assertions()(t, x, hold_.data(), memory, 0);
  for (std::size_t k = 0; k < hold_.size(); ++k) {
    if (hold_[k] != 0 || program_.assertions[k].only_warns) continue;
    machine_.assertion_values()(t, x, values_.data(), memory, 0);
    refused_ = k;
    refused_at_ = t;
    refusal_ = message(k);
    return false;
  }
  return true;
}

bool Assertions::check(double t, const double* x, std::byte* memory, const PlaceOf& place_of,
                       Diagnostics& diagnostics) {
  machine_.assertions()(t, x, hold_.data(), memory, 0);
  bool ok = true;
  for (std::size_t k = 0; k < hold_.size(); ++k) {
    const program::Assertion& assertion = program_.assertions[k];
    if (hold_[k] != 0) warned_[k] = false;
    if (hold_[k] != 0 || warned_[k]) continue;
    warned_[k] = true;
    machine_.assertion_values()(t, x, values_.data(), memory, 0);
    const Place place = place_of(assertion.origin);
    if (assertion.only_warns) {
      diagnostics.warning("model-warning", place, message(k)).time = t;
    } else {
      diagnostics.error("assertion-failed", place, message(k), failure_help).time = t;
      ok = false;
    }
  }
  return ok;
}

bool Assertions::report_refusal(double since, const PlaceOf& place_of, Diagnostics& diagnostics) const {
  if (refused_ == SIZE_MAX || refused_at_ < since) return false;
  diagnostics.error("assertion-failed", place_of(program_.assertions[refused_].origin), refusal_, failure_help).time =
      refused_at_;
  return true;
}

}  // namespace orrery::sim
