// SPDX-License-Identifier: Apache-2.0
// An FMU as a block wants it: its description, which variables are ports, and on what everything depends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "blocks/foreign_model.h"
#include "fmi/description.h"

namespace orrery::foreign {

struct FmuPort {
  std::size_t variable = 0;  // in the description
  program::Type type;
  // Element k of the port, counted column by column, is element order[k] of the FMU's row; empty: the same.
  std::vector<std::uint32_t> order;
  bool discrete = false;
};

// What is asked of an FMU, as texts: the settings of a program::ForeignObject.
struct FmuSettings {
  std::string file;
  std::string kind = "auto";
  std::vector<std::string> inputs, outputs;                 // empty: those the description declares
  std::vector<std::pair<std::string, std::string>> start;   // variable, value
  std::vector<std::pair<std::string, std::string>> others;  // logs, results
};
std::vector<std::pair<std::string, std::string>> to_list(const FmuSettings& settings);
FmuSettings from_list(const std::vector<std::pair<std::string, std::string>>& list);
// Of the others; empty when it is not there.
std::string other(const FmuSettings& settings, const std::string& name);

struct FmuInterface {
  std::string file;
  fmi::Description description;
  fmi::Kind kind = fmi::Kind::model_exchange;
  std::vector<FmuPort> inputs, outputs;
  std::vector<std::size_t> input_clocks, output_clocks;    // variables: clocks with activation ports
  std::vector<std::pair<std::size_t, std::string>> start;  // variable, value
  blocks::ForeignModel model;

  const fmi::Variable& variable(const FmuPort& port) const { return description.variables[port.variable]; }
};

// Of model.states derivatives, on states and inputs, as the description tells.
void find_derivative_dependencies(FmuInterface& interface);

// Throws blocks::ParameterError with the name of the block's parameter.
std::shared_ptr<const FmuInterface> read_interface(const FmuSettings& settings);

}  // namespace orrery::foreign
