// SPDX-License-Identifier: Apache-2.0
// The variables of an exported model as FMI has them, and what depends on what.
#pragma once

#include <string>
#include <vector>

#include "export/c_model.h"
#include "export/fmu_clocks.h"

namespace orrery::code_export {

// Numbers as in runtime/orrery_fmi.h.
enum class FmuRole {
  time,
  parameter,
  input,
  activation,
  column,
  state,
  derivative,
  indicator,
  trigger,  // clocks, see there
  ticks,
  pending,
  fired,
};

inline bool is_clock(FmuRole role) { return role >= FmuRole::trigger; }

// What kind of FMU the variables are for.
struct FmuShape {
  bool arrays = false;     // else each element is a variable of its own, as FMI 2.0 wants it
  bool exchange = false;   // with derivatives and event indicators
  bool scheduled = false;  // nothing is continuous; events that the model programs are a clock
  bool ticks = false;      // the importer ticks the sample clocks

  // FMI 3.0, which has arrays, has clocks too: activation ports are some.
  bool clocks() const { return arrays; }
};

struct FmuVariable {
  std::string name, about, unit;
  FmuRole role = FmuRole::column;
  program::Scalar scalar = program::Scalar::f64;
  int index = 0;           // among those of its role, in the model
  int first = 0;           // element of it
  int rows = 1, cols = 1;  // what is left of it from there
  bool output = false;
  bool continuous = false;
  std::vector<double> start = {};  // parameters and inputs, column by column
  std::size_t state = 0;           // derivatives: the place of the state in the list
  // Of outputs and derivatives, where they are known: places of states and inputs in the list.
  bool depends_known = false;
  std::vector<std::size_t> depends_on = {};

  int count() const { return rows * cols; }
};

// In the order of value references.
std::vector<FmuVariable> list_fmu_variables(const CModel& model, const FmuShape& shape);

// Text as it stands in XML and HTML.
std::string escape_markup(const std::string& text);

// The table of the variables for another body of the same model, by names.
std::string fmu_table_text(const std::vector<FmuVariable>& variables, const std::vector<FmuVariable>& of_body,
                           const std::string& table);

}  // namespace orrery::code_export
