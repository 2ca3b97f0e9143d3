// SPDX-License-Identifier: Apache-2.0
// Opening and calling foreign objects.
#include "sim/foreign_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace orrery::sim {

using program::ForeignHealth;
using program::ForeignOutcome;

bool ForeignSet::open(const program::OpenForeign& opener, const program::ForeignRun& run, const program::Layout& layout,
                      std::byte* memory, const PlaceOf& place_of, Diagnostics& diagnostics) {
  for (std::size_t k = 0; k < program_.foreign_objects.size(); ++k) {
    const program::ForeignObject& object = program_.foreign_objects[k];
    const Place place = place_of(object.origin);
    if (!opener) {
      diagnostics.error("no-foreign-code", place,
                        fmt::format("nothing here can run an object of kind {}", object.kind));
      return false;
    }
    auto instance = opener(object, run, place, diagnostics);
    if (!instance) return false;
    results_.resize(size_of(object.initial));
    const bool ok = instance->open(results_).ok;
    instances_.push_back(std::move(instance));
    if (!ok) {
      instances_.back()->report(place, run.start, diagnostics);
      return false;
    }
    write(object.initial, layout, memory);
  }
  for (const program::ForeignFunction& function : program_.graph.foreign_functions()) {
    table_.push_back(instances_[function.object]->entry(function.entry));
  }
  point(layout, memory);
  return true;
}

void ForeignSet::point(const program::Layout& layout, std::byte* memory) const {
  const program::ForeignEntry* table = table_.data();
  if (layout.foreign > 0) std::memcpy(memory + layout.foreign, &table, sizeof(void*));
}

std::size_t ForeignSet::size_of(const std::vector<program::SlotId>& slots) const {
  std::size_t size = 0;
  for (program::SlotId slot : slots) size += static_cast<std::size_t>(program_.slots[slot].type.size());
  return size;
}

void ForeignSet::write(const std::vector<program::SlotId>& slots, const program::Layout& layout,
                       std::byte* memory) const {
  std::size_t next = 0;
  for (program::SlotId slot : slots) {
    const program::Type type = program_.slots[slot].type;
    std::byte* at = memory + layout.offset[slot];
    for (std::int64_t k = 0; k < type.size(); ++k, at += byte_size(type.scalar)) {
      program::write_number(type.scalar, at, results_[next++]);
    }
  }
}

ForeignOutcome ForeignSet::perform(const program::Call& call, double t, const double* arguments,
                                   const program::Layout& layout, std::byte* memory) {
  std::size_t count = 0;
  for (program::ExprId argument : call.arguments) {
    count += static_cast<std::size_t>(program_.graph.type(argument).size());
  }
  results_.resize(size_of(call.results));
  const ForeignOutcome outcome = instances_[call.object]->perform(call.procedure, t, {arguments, count}, results_);
  if (!outcome.ok) troubled_ = call.object;
  if (outcome.ok && outcome.changed) write(call.results, layout, memory);
  return outcome;
}

ForeignHealth ForeignSet::health() {
  ForeignHealth worst = ForeignHealth::well;
  for (std::size_t k = 0; k < instances_.size(); ++k) {
    if (instances_[k]->is_surely_well()) continue;
    const ForeignHealth health = instances_[k]->health();
    if (health <= worst) continue;
    worst = health;
    troubled_ = k;
  }
  failed_ = failed_ || worst == ForeignHealth::failed;
  return worst;
}

bool ForeignSet::guard(std::size_t object, const std::function<void()>& body) {
  constexpr std::size_t most = 16;  // the others protect themselves, call by call
  if (object == std::min(instances_.size(), most)) {
    body();
    return true;
  }
  bool ok = true;
  return instances_[object]->guard([&] { ok = guard(object + 1, body); }) && ok;
}

double ForeignSet::next_bend(double t) const {
  double next = std::numeric_limits<double>::infinity();
  for (const auto& instance : instances_) next = std::min(next, instance->next_bend(t));
  return next;
}

void ForeignSet::report(double t, const PlaceOf& place_of, Diagnostics& diagnostics) {
  if (troubled_ >= instances_.size()) return;
  instances_[troubled_]->report(place_of(program_.foreign_objects[troubled_].origin), t, diagnostics);
  troubled_ = SIZE_MAX;
}

std::vector<std::vector<std::byte>> ForeignSet::save() const {
  std::vector<std::vector<std::byte>> parts(instances_.size());
  for (std::size_t k = 0; k < instances_.size(); ++k) {
    if (!instances_[k]->save(parts[k])) parts[k].clear();
  }
  return parts;
}

bool ForeignSet::restore(const std::vector<std::vector<std::byte>>& parts) {
  if (parts.size() != instances_.size()) return false;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].empty() || !instances_[k]->restore(parts[k])) return false;
  }
  return true;
}

}  // namespace orrery::sim
