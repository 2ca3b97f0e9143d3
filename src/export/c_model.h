// SPDX-License-Identifier: Apache-2.0
// A Program as C that others compile: a struct for its memory, its procedures, and the description of both that
// everything which runs it stands on (runtime/orrery_rt.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "export/fmu_jacobian.h"
#include "native/emit.h"
#include "passes/make_procedures.h"
#include "program/program.h"

namespace orrery::code_export {

// What a run is asked to do, where nobody says otherwise.
struct ExportSettings {
  double start = 0, stop = 10;
  std::string solver;  // as solve::SolverInfo names it
  double step = 0;     // of methods with fixed steps
  double relative_tolerance = 1e-6, absolute_tolerance = 0;
  double longest_step = 0, shortest_step = 0, first_step = 0;
  double time_tolerance = 0, zero_threshold = 0;
  bool final_tick = true, sliding = false;
};

struct CModelOptions {
  std::string name;       // of the C names; empty: from the model
  bool comments = true;   // the block of each statement
  bool jacobian = false;  // with the partial derivatives that FMUs offer
};

// Partial derivatives for the implicit method of the run-time, those of the equations of loops behind those of states.
struct SolverJacobian {
  int size = 0;                  // rows and columns; 0: there is no implicit method
  program::Procedure procedure;  // no stores: there is none, and differences are taken
  passes::Sparsity pattern;

  int entries() const { return procedure.stores.empty() ? size * size : static_cast<int>(pattern.nonzeros()); }
};

// A quantity of the model by name, as users of the C see it.
struct CVariable {
  std::string name, unit, about;
  program::VariableKind kind = program::VariableKind::signal;
  program::Type type;
  program::SlotId slot = program::no_slot;
  int element = -1;
  bool negated = false, continuous = false;
  std::vector<double> start = {};
};

struct CModel {
  ExportSettings settings;
  std::string about;   // what the model is, in its own words
  std::string name;    // a C identifier
  std::string header;  // NAME.h
  std::string source;  // NAME.c
  program::Program program;
  passes::Procedures cut;
  std::vector<program::Procedure> procedures;  // that are in the source
  std::vector<program::SlotId> slots;          // that are members
  std::vector<CVariable> variables;            // in the order of orr_model::variable
  FmuJacobian jacobian;                        // where it was asked for
  SolverJacobian solver_jacobian;
};

// Nothing, and a diagnostic for each block that cannot go with the reason, when there is something of that kind.
std::optional<CModel> make_c_model(program::Program program, const ExportSettings& settings,
                                   const std::vector<bool>& recorded, const CModelOptions& options,
                                   Diagnostics& diagnostics);

// A name as a C identifier: others than letters, digits and _ become _.
std::string identifier(std::string_view name);
bool is_taken_word(const std::string& name);  // by C, or by what is written around it

}  // namespace orrery::code_export
