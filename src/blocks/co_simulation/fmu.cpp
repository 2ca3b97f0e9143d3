// SPDX-License-Identifier: Apache-2.0
// The FMU block: parameters, ports from the model description, and which of the two behaviours it has (Activate, 12.5).
#include <fmt/format.h>

#include "blocks/co_simulation/co_simulation.h"
#include "blocks/co_simulation/fmu_parts.h"

namespace orrery::blocks {
namespace {

// A text, or a list of texts.
std::vector<std::string> names_in(const Parameters& parameters, const char* name) {
  const Value& value = parameters.value(name);
  if (value.is_empty()) return {};
  if (value.is_text()) return {value.text};
  std::vector<std::string> names;
  for (const Value& item : value.items) {
    if (!item.is_text()) parameters.fail(name, "must be the name of a variable, or a list {'a', 'b'} of names");
    names.push_back(item.text);
  }
  if (names.empty()) parameters.fail(name, "must be the name of a variable, or a list {'a', 'b'} of names");
  return names;
}

// {'g', 9.81, 'e', 0.7}, or the same in rows of two.
std::vector<std::pair<std::string, Value>> start_values(const Parameters& parameters) {
  const Value& value = parameters.value("start");
  std::vector<std::pair<std::string, Value>> list;
  if (value.is_empty()) return list;
  const auto fail = [&]() {
    parameters.fail("start", fmt::format("must be names and values in turn, but is {}", describe(value)),
                    "write {'g', 9.81, 'e', 0.7}");
  };
  const std::vector<Value>& items = value.items;
  if (!value.is_list() || items.size() % 2 != 0) fail();
  const bool in_rows = value.cols == 2 && value.rows > 1;
  const std::size_t count = items.size() / 2;
  for (std::size_t k = 0; k < count; ++k) {
    const Value& name = items[in_rows ? k : 2 * k];
    if (!name.is_text()) fail();
    list.emplace_back(name.text, items[in_rows ? k + count : 2 * k + 1]);
  }
  return list;
}

// Nothing without a file where there is nobody to read it: in the manual.
std::shared_ptr<const ForeignModel> model_of(const Parameters& parameters) {
  if (parameters.foreign_models() == nullptr) return nullptr;
  ForeignRequest request;
  request.file = parameters.text("fmu");
  if (request.file.empty()) parameters.fail("fmu", "names no file", "give the path of an FMU: 'parts/motor.fmu'");
  request.kind = parameters.text("kind");
  request.inputs = names_in(parameters, "inputs");
  request.outputs = names_in(parameters, "outputs");
  request.start = start_values(parameters);
  parameters.settle("start", "foreign code is started with it, which the run cannot look into");
  return parameters.foreign_models()->fmu(request);
}

void declare_fmu_ports(Ports& p) {
  const auto model = model_of(p.parameters());
  const int ticked = model ? static_cast<int>(model->input_clocks.size()) : 0;
  const int ticking = model ? static_cast<int>(model->output_clocks.size()) : 0;
  p.activation_inputs(end_input + ticked);
  p.activation_outputs(p.parameters().flag("event_ports") || ticking > 0 ? end_output + ticking : 0);
  if (!model) return;
  for (const ForeignVariable& v : model->inputs) p.input(v.name, {v.type.rows, v.type.cols}, v.type.scalar);
  for (const ForeignVariable& v : model->outputs) p.output(v.name, {v.type.rows, v.type.cols}, v.type.scalar);
}

void build(Block& b) {
  const auto model = model_of(b.parameters());
  if (!model) b.fail("fmu", "can only be read inside a model");
  // Whatever the kind needs, a value that makes no sense is a mistake.
  static_cast<void>(b.number("step"));
  static_cast<void>(b.integer("iterations"));
  static_cast<void>(b.positive("iteration_tolerance"));
  switch (model->kind) {
    case ForeignModel::Kind::model_exchange: return build_model_exchange(b, *model);
    case ForeignModel::Kind::co_simulation: return build_co_simulation(b, *model);
    case ForeignModel::Kind::scheduled_execution: return build_scheduled_execution(b, *model);
  }
}

}  // namespace

std::vector<Expr> inputs_as_doubles(Block& b, const ForeignModel& model) {
  std::vector<Expr> inputs;
  for (const Expr& input : b.inputs()) {
    const std::vector<double>& start = model.inputs[inputs.size()].start;
    const bool driven = !b.graph().is_constant(input.id());  // a signal is a read, whatever it is later
    const Type type{Scalar::f64, input.rows(), input.cols()};
    inputs.push_back(driven || start.empty() ? input.as(Scalar::f64) : b.constant(type, start));
  }
  return inputs;
}

void add_ticks(Block& b, const ForeignModel& model, bool activated, std::vector<ExprId>& arguments) {
  for (int k = 0; k < static_cast<int>(model.input_clocks.size()); ++k) {
    const Expr ticks = activated ? b.active(first_clock_input + k).as(Scalar::f64) : b.constant(0);
    arguments.push_back(ticks.id());
  }
}

Expr any_tick(Block& b, const ForeignModel& model) {
  Expr any = b.constant(0, Scalar::boolean);
  for (int k = 0; k < static_cast<int>(model.input_clocks.size()); ++k) any = any || b.active(first_clock_input + k);
  return any;
}

std::vector<int> clock_outputs(const ForeignModel& model) {
  std::vector<int> ports;
  for (int k = 0; k < static_cast<int>(model.output_clocks.size()); ++k) ports.push_back(first_clock_output + k);
  return ports;
}

Expr as_port(Expr value, program::Type port) { return value.as(port.scalar); }

std::vector<std::pair<std::string, std::string>> fmu_settings(const Block& b, const ForeignModel& model) {
  auto settings = model.settings;
  const Parameters& parameters = b.parameters();
  for (const char* name :
       {"log", "log_level", "log_categories", "resources", "results", "results_at", "results_separator"}) {
    if (parameters.given(name) && !parameters.text(name).empty()) settings.emplace_back(name, parameters.text(name));
  }
  for (const char* name : {"safe", "log_own", "tolerance", "visible", "results_all", "results_names"}) {
    if (parameters.flag(name)) settings.emplace_back(name, "1");
  }
  return settings;
}

const BlockType fmu = {
    .name = "FMU",
    .palette = "CoSimulation",
    .summary = "A model from another tool: an FMU of FMI 1.0, 2.0 or 3.0, of any kind.",
    .description =
        "The ports are those of the model description: an input for each variable of causality input, an output for "
        "each output, with their types and sizes, in the order of the file. Integers of 64 bits are doubles here; "
        "texts "
        "and binaries are no signals.\n\n"
        "Model Exchange: the states of the FMU are integrated together with all others of the model, its event "
        "indicators are located like any zero-crossing, its time events are hit exactly. Each output depends on the "
        "inputs "
        "the description says, no more. Events of what drives its inputs put the FMU into event mode; with links at "
        "activation input 1, those events do.\n\n"
        "Co-Simulation: the FMU makes its own steps from one communication point to the next. step sets their "
        "distance; "
        "0 takes every step of the solver, -1 waits for activation input 1. The inputs are held over the step, or "
        "given with their slope (interpolate); outputs are held, or go on with their derivatives (extrapolate). FMUs "
        "that depend on each other take the values of the last point. Those that can go back repeat the step until "
        "their inputs agree: up to iterations times, each with the newest outputs of the others (gauss-seidel) or with "
        "those of the iteration before (jacobi); or by Newton's method (newton), as an algebraic loop.\n\n"
        "A communication point comes before all other events of its instant: a step ends with the inputs as they were "
        "before them, and the next one begins with the inputs after the last.\n\n"
        "Activation input 2 ends the FMU: its outputs stay as they are. With event_ports, activation output 1 fires "
        "when the FMU had an event of its own, and output 2 when it asks to end; without, that ends the run. Clocks of "
        "FMI 3.0, in the order of the file: triggered input clocks are activation inputs 3, 4, ..., output clocks "
        "activation outputs 3, 4, ...; other input clocks tick by themselves. Scheduled Execution: the partitions of "
        "the clocks that tick run, the most important first.",
    .parameters = {{"fmu", "''", "path of the FMU, from the folder of the model file"},
                   {"kind",
                    "'auto'",
                    "which interface; auto: me where there is one, else cs, else se",
                    {"auto", "me", "cs", "se"}},
                   {"start", "[]", "parameters and start values: {'g', 9.81, 'e', 0.7}"},
                   {"inputs", "[]", "variables that become inputs: {'u', 'e'}; tunable parameters too"},
                   {"outputs", "[]", "variables that become outputs; any variable"},
                   {"step", "0", "Co-Simulation: time between communication points; 0: solver's steps, -1: links"},
                   {"interpolate", "0", "Co-Simulation: 1 gives the slope of the inputs"},
                   {"extrapolate", "0", "Co-Simulation: order of the derivatives with which outputs go on"},
                   {"iterations", "0", "Co-Simulation: how often a step may be made again with new inputs"},
                   {"coupling",
                    "'gauss-seidel'",
                    "how FMUs that depend on each other come to agree",
                    {"gauss-seidel", "jacobi", "newton"}},
                   {"iteration_tolerance", "1e-6", "relative change of inputs below which they count as the same"},
                   {"event_ports", "0", "1 shows the activation outputs"},
                   {"tolerance", "1", "1 tells the FMU the relative tolerance of the run"},
                   {"safe", "0", "1 runs the FMU in a process of its own"},
                   {"visible", "0", "1 asks a tool behind the FMU to show itself"},
                   {"resources", "''", "folder of its resources, from the folder of the model file; empty: its own"},
                   {"log", "''", "file for the messages of the FMU; stderr for standard error"},
                   {"log_level",
                    "'warning'",
                    "what is written to the log",
                    {"nothing", "fatal", "error", "warning", "info", "verbose"}},
                   {"log_categories", "''", "categories the FMU is asked to log, separated by commas; empty: all"},
                   {"log_own", "0", "1 adds what Orrery does with the FMU to the log"},
                   {"results", "''", "file for the variables of the FMU: .csv, or HDF5 as .mtsf"},
                   {"results_all", "0", "1 stores all variables, not inputs and outputs alone"},
                   {"results_at", "'steps,events'",
                    "when: steps, state, time, step, external, events, iterations, outputs"},
                   {"results_separator", "','", "between the columns of the CSV file"},
                   {"results_names", "0", "1 writes names of enumeration items, true and false instead of numbers"}},
    .activation = Activation::always_and_inherit,
    .ports = declare_fmu_ports,
    .build = build,
    .foreign = true,
};

}  // namespace orrery::blocks
