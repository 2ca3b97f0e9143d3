// SPDX-License-Identifier: Apache-2.0
// The foreign objects of a run: opened, called from native code and from tables, saved with the run.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/diagnostic.h"
#include "program/foreign.h"
#include "program/procedure.h"

namespace orrery::sim {

class ForeignSet {
 public:
  explicit ForeignSet(const program::Program& program) : program_(program) {}

  bool empty() const { return program_.foreign_objects.empty(); }
  bool is_open() const { return !instances_.empty(); }
  using PlaceOf = std::function<Place(program::OriginId)>;
  // Opens all objects, writes what they give into the memory and lets the memory point to their functions.
  [[nodiscard]] bool open(const program::OpenForeign& opener, const program::ForeignRun& run,
                          const program::Layout& layout, std::byte* memory, const PlaceOf& place_of,
                          Diagnostics& diagnostics);
  void point(const program::Layout& layout, std::byte* memory) const;

  // Carries out a call with the arguments given; its results go to the memory when something changed.
  program::ForeignOutcome perform(const program::Call& call, double t, const double* arguments,
                                  const program::Layout& layout, std::byte* memory);
  bool needs_step_call(std::uint32_t object, double t, const double* x) {
    return instances_[object]->needs_step_call(t, x);
  }
  double next_bend(double t) const;
  // Runs body under the guards of all objects.
  bool guard(const std::function<void()>& body) { return guard(0, body); }
  // Of the functions that native code has called since the last question.
  program::ForeignHealth health();
  bool is_surely_well() const {  // after every evaluation, mostly for one object
    for (const auto& instance : instances_) {
      if (!instance->is_surely_well()) return false;
    }
    return true;
  }
  void forget_trouble() { troubled_ = SIZE_MAX; }  // a smaller step has helped
  bool has_failed() const { return failed_; }      // for good
  // What went wrong, after a failed call or a bad health.
  void report(double t, const PlaceOf& place_of, Diagnostics& diagnostics);

  // One part for each object; empty where an object cannot be saved.
  std::vector<std::vector<std::byte>> save() const;
  [[nodiscard]] bool restore(const std::vector<std::vector<std::byte>>& parts);

 private:
  bool guard(std::size_t object, const std::function<void()>& body);
  void write(const std::vector<program::SlotId>& slots, const program::Layout& layout, std::byte* memory) const;
  std::size_t size_of(const std::vector<program::SlotId>& slots) const;

  const program::Program& program_;
  std::vector<std::unique_ptr<program::ForeignInstance>> instances_;
  std::vector<program::ForeignEntry> table_;
  std::vector<double> results_;
  std::size_t troubled_ = SIZE_MAX;  // the object that failed last
  bool failed_ = false;
};

}  // namespace orrery::sim
