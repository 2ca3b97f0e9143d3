// SPDX-License-Identifier: Apache-2.0
// What foreign code must be for a run: an object that computes, acts, and can be saved.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/diagnostic.h"
#include "program/program.h"

namespace orrery::program {

// What a procedure has done besides its results.
struct ForeignOutcome {
  bool ok = true;                                         // false: report() says why not
  bool changed = false;                                   // the results are written, and what is continuous starts anew
  bool stop = false;                                      // the object asks for the end of the run
  double wake = std::numeric_limits<double>::infinity();  // when it wants to be called next
  std::vector<std::uint32_t> fired = {};                  // activation outputs that fire: indices into Call::fires
  std::vector<double> nominals = {};  // usual sizes of the states among the results; empty: as before
};

enum class ForeignHealth : std::uint8_t { well, retry, failed };  // retry: another point, nearer to the last, may do

// How native code reaches a foreign function: entry k of a run's table is that of foreign function k.
struct ForeignEntry {
  void (*call)(void* self, int function, const void* const* arguments, void* const* results) = nullptr;
  void* self = nullptr;
  int function = 0;
};

class ForeignInstance {
 public:
  virtual ~ForeignInstance() = default;

  // What native code calls for a function: compute(), or something that does the same on a shorter way.
  virtual ForeignEntry entry(int function) {
    return {[](void* self, int which, const void* const* arguments, void* const* results) {
              static_cast<ForeignInstance*>(self)->compute(which, arguments, results);
            },
            this, function};
  }

  // Before the initial table: gives the values of ForeignObject::initial.
  virtual ForeignOutcome open(std::span<double> initial) = 0;
  // A pure function: elements column by column, in the element types of the declaration. Called from native code, so
  // nothing may be thrown; a failure leaves numbers that are none and shows in health().
  virtual void compute(int function, const void* const* arguments, void* const* results) noexcept = 0;
  virtual ForeignOutcome perform(int procedure, double t, std::span<const double> arguments,
                                 std::span<double> results) = 0;
  // Runs body, in which calls may share what protects the run from crashes of foreign code. False when there was one:
  // body has ended where it stood, without the destructors of its frames, and health() and report() know of it.
  virtual bool guard(const std::function<void()>& body) {
    body();
    return true;
  }
  // After an accepted step, where the call for it takes nothing but the time and one state: false when there is nothing
  // to tell the run, so that the call need not be made. What the object has been told here it is not told again.
  virtual bool needs_step_call(double /*t*/, const double* /*x*/) noexcept { return true; }
  // The first time after t at which something that the object follows bends: a step is to end there.
  virtual double next_bend(double /*t*/) noexcept { return std::numeric_limits<double>::infinity(); }
  // Of the calls of compute since the last question.
  virtual ForeignHealth health() noexcept = 0;
  // health() has nothing but `well` to say: it is asked after every evaluation, and this costs no call.
  bool is_surely_well() const { return surely_well_; }
  // Says what went wrong last, at the place of the object.
  virtual void report(const Place& place, double t, Diagnostics& diagnostics) = 0;
  // False: it cannot be saved.
  virtual bool save(std::vector<std::byte>& bytes) = 0;
  virtual bool restore(std::span<const std::byte> bytes) = 0;

 protected:
  bool surely_well_ = false;  // false: ask. Objects that do not care leave it so.
};

// For the objects of a run.
struct ForeignRun {
  double start = 0;
  double stop = 0;
  double relative_tolerance = 0;
};

// Nothing, and a diagnostic at the place, when it cannot be opened.
using OpenForeign = std::function<std::unique_ptr<ForeignInstance>(const ForeignObject& object, const ForeignRun& run,
                                                                   const Place& place, Diagnostics& diagnostics)>;

}  // namespace orrery::program
