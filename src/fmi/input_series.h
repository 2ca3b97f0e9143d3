// SPDX-License-Identifier: Apache-2.0
// Inputs of a run from a table over time. Two rows of one time are the two sides of a jump; continuous inputs are
// linear in between, all others are held; before the first and after the last row the values stay.
#pragma once

#include <memory>
#include <vector>

#include "fmi/description.h"
#include "fmi/instance.h"
#include "io/csv.h"

namespace orrery::fmi {

enum class Side { left, right };

class InputSeries {
 public:
  InputSeries() = default;
  // Columns name inputs, elements of array inputs ("u[2]"), or parameters; others are left out with a warning.
  InputSeries(const Description& description, io::TimeSeries table, const std::string& file, Diagnostics& diagnostics);

  bool empty() const { return inputs_.empty(); }
  // Continuous inputs at t. Cheap to call again and again with times that differ little.
  Status set_continuous(Instance& instance, double t, Side side);
  // All the others, and tunable parameters: only at events.
  Status set_discrete(Instance& instance, double t, Side side);
  // Also parameters that may not change later.
  Status set_all_at_start(Instance& instance, double t);
  // Slopes of continuous inputs to the right of t, for FMUs that interpolate.
  Status set_slopes(Instance& instance, double t);
  // The first time after t where a value jumps; infinity: none.
  double next_jump(double t) const;
  // The first time after t where a slope changes.
  double next_kink(double t) const;

 private:
  struct Input {
    const Variable* variable;
    std::vector<std::size_t> columns;  // of each element
    bool continuous, fixed;
  };
  struct Group {  // inputs of one type, set in one call
    Type type;
    bool continuous, fixed;
    std::vector<ValueReference> references;
    std::vector<std::size_t> columns;
    std::vector<std::int8_t> negated;
    std::vector<double> values;
  };
  void group_inputs();
  void find_jumps();
  std::size_t row_at(double t, Side side);
  double value(std::size_t column, std::size_t row, double t, bool linear) const;
  Status set(Instance& instance, Group& group, double t, Side side);

  io::TimeSeries table_;
  std::vector<Input> inputs_;
  std::vector<Group> groups_;
  std::vector<double> jumps_, kinks_;
  std::size_t row_ = 0;  // where the last search ended
};

}  // namespace orrery::fmi
