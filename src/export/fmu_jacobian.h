// SPDX-License-Identifier: Apache-2.0
// Partial derivatives of an exported model, for the directional and adjoint derivatives of FMUs.
#pragma once

#include <string>
#include <vector>

#include "passes/make_procedures.h"
#include "program/program.h"

namespace orrery::code_export {

// Rows: equations of the continuous loops, derivatives of states, outputs that are continuous in time, surfaces.
// Columns: unknowns of these loops, states, inputs that are continuous in time.
struct FmuJacobian {
  bool exact = false;            // false: something has no rule, and derivatives are not offered
  program::Procedure procedure;  // y: the entries, row by row
  std::vector<int> row_start;    // rows + 1
  std::vector<int> column;       // by entry
  std::vector<int> loop_start;   // loops + 1
  int columns = 0;
  int derivatives = 0, surfaces = 0;  // the first row of them
  std::vector<int> output_row;        // by column of the model's record; -1: none
  std::vector<int> input_column;      // by input; -1: none

  int rows() const { return static_cast<int>(row_start.size()) - 1; }
};

// Adds nodes to the program's graph.
FmuJacobian make_fmu_jacobian(program::Program& program, const passes::Procedures& cut);

// The constant of type orr_fmi_jacobian with its tables; `model`: whose procedure it is.
std::string fmu_jacobian_text(const FmuJacobian& jacobian, const std::string& model, const std::string& constant);

}  // namespace orrery::code_export
