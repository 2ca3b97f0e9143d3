// SPDX-License-Identifier: Apache-2.0
// The settings of a simulation, and the one table that describes them for files, the schema, the command line and OML.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::model {

// One simulation setting as OML text; empty text means the default.
struct Setting {
  std::string text;
  int line = 0;
  bool empty() const { return text.empty(); }
};

// A setting for the states of one block, by its path: "/Plant/Integral".
struct BlockSetting {
  std::string block;
  std::string text;
  int line = 0;
};
using StateTolerance = BlockSetting;  // an absolute tolerance
using InitialChoice = BlockSetting;   // how the states begin: given, free or rest; of a diagram all states inside it

struct Settings {
  Setting start, stop, solver, rtol, atol, hmax, hmin, hinit, step, time_tolerance, zero_threshold, final_tick, sliding,
      algebraic;
  std::vector<StateTolerance> tolerances;
  std::vector<InitialChoice> initial;
};

// The same after evaluation; nothing (words: empty) where neither the model nor the user says anything.
struct SettingValues {
  std::optional<double> start, stop, rtol, atol, hmax, hmin, hinit, step, time_tolerance, zero_threshold, final_tick,
      sliding;
  std::string solver, algebraic;
};

enum class SettingType {
  number,
  flag,  // a number; 0 is false
  word,  // the text itself is the value
};
enum class SettingRange { any, not_negative, positive, relative };
inline constexpr double smallest_relative = 1e-14;  // of SettingRange::relative: a few roundings of a double

struct SettingInfo {
  std::string_view name;
  SettingType type;
  Setting Settings::*text;
  std::optional<double> SettingValues::*number;  // of numbers and flags
  std::string SettingValues::*word;              // of words
  SettingRange range;
  std::string_view default_text;                   // OML, or the word; empty: follows from other settings or the model
  std::string_view unit;                           // "time": as the model's time; "state": as its states; empty: none
  std::string_view about;                          // a help text, without the full stop
  std::string_view option;                         // names on the command line, with commas between them; empty: none
  std::string_view placeholder;                    // of the value in the help of the command line
  bool compiles = false;                           // the Program depends on it
  std::span<const std::string_view> choices = {};  // of words; empty: see `about`
};

// All settings that are one text, in the order in which files have them.
std::span<const SettingInfo> setting_table();
const SettingInfo* find_setting(std::string_view name);
bool in_range(double value, SettingRange range);
// "must exceed zero": what a value out of range is told.
std::string describe(SettingRange range);

}  // namespace orrery::model
