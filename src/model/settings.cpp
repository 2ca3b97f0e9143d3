// SPDX-License-Identifier: Apache-2.0
// The table of settings. A test compares docs/orr.schema.json and the defaults of runs with it.
#include "model/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace orrery::model {
namespace {

using S = Settings;
using V = SettingValues;
using enum SettingType;
using enum SettingRange;

constexpr std::string_view algebraic_methods[] = {"auto", "newton", "homotopy", "idacalc"};

constexpr SettingInfo table[] = {
    {"start", number, &S::start, &V::start, nullptr, any, "0", "time", "Start time", "--start", "T"},
    {"stop", number, &S::stop, &V::stop, nullptr, any, "10", "time",
     "Stop time; like all settings an expression in the model's context", "--stop", "T"},
    {"solver", word, &S::solver, nullptr, &V::solver, any, "auto", "", "Solver; `orrery show solvers` lists them",
     "--solver", "NAME", true},
    {"rtol", number, &S::rtol, &V::rtol, nullptr, relative, "1e-6", "", "Relative tolerance", "--rtol,--tol", "R"},
    {"atol", number, &S::atol, &V::atol, nullptr, positive, "", "state", "Absolute tolerance", "--atol", "A"},
    {"hmax", number, &S::hmax, &V::hmax, nullptr, positive, "", "time", "Largest step", "--hmax", "H"},
    {"hmin", number, &S::hmin, &V::hmin, nullptr, not_negative, "0", "time", "Smallest step", "--hmin", "H"},
    {"hinit", number, &S::hinit, &V::hinit, nullptr, not_negative, "", "time", "First step", "--hinit", "H"},
    {"step", number, &S::step, &V::step, nullptr, positive, "", "time",
     "Step of fixed-step solvers; communication step of an FMU", "--step", "H"},
    {"time_tolerance", number, &S::time_tolerance, &V::time_tolerance, nullptr, not_negative, "", "time",
     "Two times nearer than this are one instant", "", ""},
    {"zero_threshold", number, &S::zero_threshold, &V::zero_threshold, nullptr, not_negative, "0", "",
     "A zero-crossing that has fired is masked until its function is farther from zero than this", "", ""},
    {"final_tick", flag, &S::final_tick, &V::final_tick, nullptr, any, "true", "",
     "Whether clocks tick at the stop time", "", ""},
    {"sliding", flag, &S::sliding, &V::sliding, nullptr, any, "false", "",
     "Where both values of a mode lead to the other one, go on along their surface instead of giving up", "--sliding",
     ""},
    {"algebraic", word, &S::algebraic, nullptr, &V::algebraic, any, "auto", "",
     "How algebraic equations are first solved: auto, newton, homotopy or idacalc", "--algebraic", "METHOD", false,
     algebraic_methods},
};

// A setting that has no row is forgotten by every reader of the table.
static_assert(sizeof(Settings) ==
              std::size(table) * sizeof(Setting) + sizeof(Settings::tolerances) + sizeof(Settings::initial));

}  // namespace

std::span<const SettingInfo> setting_table() { return table; }

const SettingInfo* find_setting(std::string_view name) {
  const auto row =
      std::find_if(std::begin(table), std::end(table), [&](const auto& info) { return info.name == name; });
  return row == std::end(table) ? nullptr : row;
}

bool in_range(double value, SettingRange range) {
  if (range == relative) return value >= smallest_relative && value < 1;
  return range == any || value > 0 || (value == 0 && range == not_negative);
}

std::string describe(SettingRange range) {
  if (range == relative) return fmt::format("must be below 1 and not below {}", smallest_relative);
  return range == positive ? "must exceed zero" : "must not be below zero";
}

}  // namespace orrery::model
