// SPDX-License-Identifier: Apache-2.0
// What a block sees of a foreign model, an FMU: variables, sizes and structure, before any run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "program/type.h"
#include "program/value.h"

namespace orrery::blocks {

// A variable that becomes a port.
struct ForeignVariable {
  std::string name;
  program::Type type;     // of the port
  bool discrete = false;  // changes at events only
  std::string unit = {};
  std::vector<double> start = {};  // what an input has when nothing is connected to it; empty: 0
};

// On which states and inputs (as ports: ForeignModel::inputs) something depends, ascending.
struct ForeignDependencies {
  std::vector<std::uint32_t> states;
  std::vector<std::uint32_t> inputs;
};

struct ForeignModel {
  enum class Kind : std::uint8_t { model_exchange, co_simulation, scheduled_execution };
  Kind kind = Kind::model_exchange;
  std::vector<ForeignVariable> inputs, outputs;
  std::vector<std::string> input_clocks;   // that somebody outside must tick
  std::vector<std::string> output_clocks;  // that tick for those outside
  std::uint32_t states = 0;
  std::uint32_t indicators = 0;
  std::vector<ForeignDependencies> derivative_dependencies;  // by state
  std::vector<ForeignDependencies> output_dependencies;      // by output
  std::vector<bool> needs_all_inputs;                        // by output: so it is declared
  std::vector<double> nominals;                              // by state; empty: 1
  bool wants_steps = false;                                  // Model Exchange: it is told of every accepted step
  bool interpolates_inputs = false;                          // Co-Simulation: it takes derivatives of its inputs
  bool has_event_mode = false;                               // Co-Simulation: it handles events between steps
  int output_derivatives = 0;      // Co-Simulation: the highest order of derivatives of its outputs
  bool goes_back = false;          // its whole state can be taken and set
  bool has_constant_step = false;  // Co-Simulation: all steps must be of one length
  double default_step = 0;         // Co-Simulation: 0 when the model does not say
  // For whoever opens it: program::ForeignObject::settings.
  std::vector<std::pair<std::string, std::string>> settings;
};

// What the block's parameters ask for.
struct ForeignRequest {
  std::string file;                                           // relative to the model's file, or absolute
  std::string kind = "auto";                                  // "auto", "me", "cs", "se"
  std::vector<std::string> inputs, outputs;                   // variables that become ports; empty: those declared so
  std::vector<std::pair<std::string, program::Value>> start;  // values before the start
};

class ForeignModels {
 public:
  virtual ~ForeignModels() = default;
  // Throws ParameterError with the names of the block's parameters: fmu, kind, inputs, outputs, start.
  virtual std::shared_ptr<const ForeignModel> fmu(const ForeignRequest& request) const = 0;
};

// The functions and procedures of an FMU, as numbered in program::ForeignFunction::entry and program::Call::procedure.
//
// Arguments of functions of Model Exchange: time, states (where there are any), the inputs they depend on (derivatives
// and indicators: all), all as doubles, and the epoch (int32), which counts the events so far.
// step: epoch (int32), whether to step at all, time of the last step, time, the inputs held over the step, the inputs
// at its end (only with derivatives or iterations). Its results: the outputs, then their derivatives order by order.
// output(k) of Co-Simulation is result k of a step that may be tried as often as it takes: the same arguments without
// the epoch. completed_step with all inputs says which trial counts. Procedures take the time, the states, all inputs
// and, for each input clock that is ticked from outside, whether it ticks; they give the states and the epoch. start
// completed_step and external_event of Co-Simulation, and all procedures of Scheduled Execution, give the outputs and
// their derivatives.
namespace fmu_calls {
enum Function : int { derivatives, derivative_partials, indicators, step, first_output };
constexpr int output(std::uint32_t k) { return first_output + 2 * static_cast<int>(k); }
constexpr int output_partials(std::uint32_t k) { return output(k) + 1; }
enum Procedure : int { start, external_event, state_event, time_event, completed_step, terminate };
}  // namespace fmu_calls

}  // namespace orrery::blocks
