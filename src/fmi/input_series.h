// SPDX-License-Identifier: Apache-2.0
// Inputs of a run from a table over time. Two rows of one time are the two sides of a jump; continuous inputs are
// linear in between, all others are held; before the first and after the last row the values stay.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fmi/description.h"
#include "fmi/instance.h"
#include "io/csv.h"

namespace orrery::fmi {

enum class Side { left, right };

class InputSeries {
 public:
  InputSeries() = default;
  // Columns name inputs, elements of array inputs ("u[2]"), or parameters; others are left out with a warning. Cells
  // are numbers, true and false, names of enumeration items, texts, binaries in hexadecimal digits; all elements of an
  // array, separated by blanks, in a column of its name. Times of the table and of the run that differ by less than
  // `rounding` are one.
  InputSeries(const Description& description, std::string_view text, const std::string& file, double rounding,
              Diagnostics& diagnostics);

  bool empty() const { return groups_.empty(); }
  // Continuous inputs at t. Cheap to call again and again with times that differ little.
  Status set_continuous(Instance& instance, double t, Side side);
  // All the others, and tunable parameters: only at events.
  Status set_discrete(Instance& instance, double t, Side side);
  // Also parameters that may not change later.
  Status set_all_at_start(Instance& instance, double t);
  // Slopes of continuous inputs from t to the end of a step, or to a jump before it, for FMUs that interpolate.
  Status set_slopes(Instance& instance, double t, double until);
  // The first time after t where a value jumps; infinity: none.
  double next_jump(double t) const;
  // Whether the table has two sides at t.
  bool has_sides(double t) const;
  // The first time after t where a slope changes.
  double next_kink(double t) const;
  // Columns of input clocks: the times of the rows that are not 0.
  const std::vector<std::pair<ValueReference, std::vector<double>>>& ticks() const { return ticks_; }

 private:
  // What the numbers of a column mean.
  enum class Content { number, integer, text };  // 64-bit integers and texts are numbered in the pools
  struct Group {                                 // inputs of one type, set in one call
    Type type;
    Content content;
    bool continuous, fixed;
    bool sloping;  // a slope other than 0 was set
    std::vector<ValueReference> references;
    std::vector<std::size_t> columns;
    std::vector<std::int8_t> negated;
    std::vector<double> values;
    std::vector<std::int64_t> integers;
    std::vector<std::string> texts;
  };
  using Elements = std::map<const Variable*, std::vector<std::size_t>>;

  void match_columns(const Description& description, Elements& elements);
  void add_column(const Description& description, const Variable& variable, std::size_t element, std::size_t column,
                  Elements& elements);
  void spread_array(const Description& description, const Variable& variable, std::size_t column, Elements& elements);
  void warn(const std::string& column, const char* message);
  double number_of_text(const std::string& text);
  double number_of_integer(std::int64_t value);
  std::optional<double> read_cell(const Description& description, const Variable* variable, const std::string& cell);
  double report_cell(const Variable& variable, const std::string& cell);  // 0
  void add_group(const Variable& variable, const std::vector<std::size_t>& columns);
  void find_ticks(const Variable& variable, std::size_t column);
  void find_jumps();
  std::size_t row_at(double t, Side side);
  double value(std::size_t column, std::size_t row, double t, bool linear) const;
  Status set(Instance& instance, Group& group, double t, Side side);

  io::TimeSeries table_;
  std::string file_;
  Diagnostics* diagnostics_ = nullptr;  // while the table is read
  double rounding_ = 0;
  std::vector<std::string> texts_;
  std::vector<std::int64_t> integers_;
  std::map<std::string, std::size_t> text_number_;
  std::map<std::int64_t, std::size_t> integer_number_;
  std::vector<Group> groups_;
  std::vector<double> jumps_, kinks_, sides_;
  std::vector<std::pair<ValueReference, std::vector<double>>> ticks_;
  std::size_t row_ = 0;  // where the last search ended
};

}  // namespace orrery::fmi
