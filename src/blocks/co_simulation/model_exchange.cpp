// SPDX-License-Identifier: Apache-2.0
// An FMU of Model Exchange as formulas: its states are ours, its derivatives, outputs and indicators foreign functions.
//
// Each output is a function of its own that takes only the inputs it depends on, so that no loop arises that is not one
// (Activate, 12.4.2). What happens at events is one foreign procedure; the epoch it counts is an argument of all
// functions, since it changes what they are.
#include <algorithm>
#include <limits>
#include <numeric>

#include "blocks/co_simulation/fmu_parts.h"

namespace orrery::blocks {
namespace {

class ModelExchange {
 public:
  ModelExchange(Block& b, const ForeignModel& model)
      : b_(b), model_(model), own_(model), inputs_(inputs_as_doubles(b, model)) {}

  void build() {
    epoch_ = b_.memory("epoch", b_.constant(0, Scalar::i32));
    program::ForeignObject object{"fmu", 0, fmu_settings(b_, model_), {}};
    if (model_.states > 0) {
      x_ = b_.state("x", b_.fill(column(model_.states), 0));
      b_.set_nominals(x_, model_.nominals);
      object.initial.push_back(x_.slot());
    }
    object_ = b_.foreign_object(std::move(object));
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      if (!model_.inputs[k].discrete) continue;
      const std::string name = model_.inputs[k].name;
      held_.push_back({k, b_.memory(name, b_.fill(inputs_[k].type(), 0))});
    }
    std::vector<std::uint32_t> all(inputs_.size());
    std::iota(all.begin(), all.end(), 0u);
    if (model_.states > 0) {
      b_.der(x_, function("derivatives", fmu_calls::derivatives, fmu_calls::derivative_partials, column(model_.states),
                          all, model_.derivative_dependencies));
    }
    for (std::uint32_t k = 0; k < model_.outputs.size(); ++k) {
      const ForeignVariable& output = model_.outputs[k];
      const ForeignDependencies& needs = model_.output_dependencies[k];
      const Type type{Scalar::f64, output.type.rows, output.type.cols};
      const std::vector<ForeignDependencies> rows(static_cast<std::size_t>(type.size()), needs);
      const Expr value =
          function(output.name, fmu_calls::output(k), fmu_calls::output_partials(k), type, needs.inputs, rows);
      b_.out(static_cast<int>(k) + 1, as_port(value, output.type));
    }
    events(all);
  }

 private:
  static Type column(std::uint32_t rows) { return {Scalar::f64, static_cast<std::int32_t>(rows), 1}; }

  std::vector<Expr> arguments(const std::vector<std::uint32_t>& inputs) {
    std::vector<Expr> list{b_.time()};
    if (model_.states > 0) list.push_back(x_);
    for (std::uint32_t k : inputs) list.push_back(inputs_[k]);
    list.push_back(epoch_);
    return list;
  }

  // A function with its partial derivatives; needs[r] is on what element r of the result depends.
  Expr function(const std::string& name, int entry, int partials, Type result, const std::vector<std::uint32_t>& inputs,
                const std::vector<ForeignDependencies>& needs) {
    const std::vector<Expr> list = arguments(inputs);
    program::ForeignFunction declared{name, {}, {result}, object_, entry};
    for (const Expr& argument : list) declared.arguments.push_back(argument.type());
    // Of large models without a structure nothing is told: everything on everything, and differences.
    constexpr std::size_t most_partials = 4'000'000;
    std::size_t all = 0;
    for (const ForeignDependencies& row : needs) all += row.states.size() + row.inputs.size();
    if (all > most_partials) return b_.foreign(b_.declare(std::move(declared)), list);
    std::int32_t count = 0;
    for (const ForeignDependencies& row : needs) {
      declared.depends_on.push_back(columns(row, inputs));
      count += static_cast<std::int32_t>(declared.depends_on.back().size());
    }
    if (count > 0) {
      program::ForeignFunction slopes{
          name + " partials", declared.arguments, {Type{Scalar::f64, count, 1}}, object_, partials};
      declared.partials = b_.declare(std::move(slopes));
    }
    return b_.foreign(b_.declare(std::move(declared)), list);
  }

  // Elements of the arguments: time is the first, then the states, then the inputs.
  std::vector<std::uint32_t> columns(const ForeignDependencies& row, const std::vector<std::uint32_t>& inputs) const {
    std::vector<std::uint32_t> list;
    for (std::uint32_t state : row.states) list.push_back(1 + state);
    std::uint32_t first = 1 + model_.states;
    for (std::uint32_t k : inputs) {
      const auto size = static_cast<std::uint32_t>(inputs_[k].size());
      const bool used = std::find(row.inputs.begin(), row.inputs.end(), k) != row.inputs.end();
      for (std::uint32_t e = 0; used && e < size; ++e) list.push_back(first + e);
      first += size;
    }
    return list;
  }

  // With the ticks of this activation, or at an event of another kind.
  CallRule call(int procedure, bool activated = false) {
    CallRule rule;
    rule.object = object_;
    rule.procedure = procedure;
    rule.arguments.push_back(b_.time().id());
    if (model_.states > 0) rule.arguments.push_back(x_.id());
    for (const Expr& input : inputs_) rule.arguments.push_back(input.id());
    add_ticks(b_, model_, activated, rule.arguments);
    if (model_.states > 0) rule.results.push_back(x_.slot());
    rule.results.push_back(epoch_.slot());
    rule.wake_port = own_.wake;
    rule.fire_ports = clock_outputs(model_);
    rule.end_port = b_.flag("event_ports") ? end_output : 0;
    return rule;
  }

  // Event iteration, with the values of the discrete inputs that it has seen.
  void handle(const Trigger& trigger, int procedure, bool activated = false) {
    trigger.call(call(procedure, activated));
    for (const auto& [k, memory] : held_) trigger.set(memory, inputs_[k]);
    if (procedure != fmu_calls::external_event && b_.flag("event_ports")) trigger.emit(event_output);
  }

  void events(const std::vector<std::uint32_t>& all) {
    const Trigger start = b_.on_start();
    start.call(call(fmu_calls::start));
    for (const auto& [k, memory] : held_) start.set(memory, inputs_[k]);
    handle(b_.on_activation().when(!b_.active(end_input)), fmu_calls::external_event, true);
    b_.on_activation(end_input).call(call(fmu_calls::terminate));
    handle(b_.on_fired(own_.wake), fmu_calls::time_event);
    if (model_.wants_steps || b_.parameters().given("results")) b_.on_step().call(call(fmu_calls::completed_step));
    std::vector<Expr> indicators;
    if (model_.indicators > 0) {
      program::ForeignFunction declared{"indicators", {}, {column(model_.indicators)}, object_, fmu_calls::indicators};
      const std::vector<Expr> list = arguments(all);
      for (const Expr& argument : list) declared.arguments.push_back(argument.type());
      const Expr values = b_.foreign(b_.declare(std::move(declared)), list);
      // The domains of an indicator are z > 0 and z <= 0.
      const double least = std::numeric_limits<double>::min();
      for (std::uint32_t k = 0; k < model_.indicators; ++k) indicators.push_back(values[k] - least);
    }
    // A discrete input that continuous time changes, through a mode: it jumps across this surface.
    std::vector<Expr> changes;
    Expr changed = b_.constant(0, Scalar::boolean);
    for (const auto& [k, memory] : held_) {
      for (std::int64_t e = 0; e < memory.size(); ++e) {
        const Expr same = inputs_[k][e] == memory[e];
        changes.push_back(select(same, b_.constant(1), b_.constant(-1)));
        changed = changed || !same;
      }
    }
    // At the start another FMU may have had its first events after this one has read it.
    if (!held_.empty()) {
      b_.on_start().schedule(own_.step_again, b_.constant(0));
      handle(b_.on_fired(own_.step_again).when(changed), fmu_calls::external_event);
    }
    if (indicators.empty() && changes.empty()) return;
    handle(b_.on_crossings(indicators, changes), fmu_calls::state_event);
  }

  Block& b_;
  const ForeignModel& model_;
  const OwnPorts own_;
  std::vector<Expr> inputs_;
  std::uint32_t object_ = 0;
  Variable x_, epoch_;
  std::vector<std::pair<std::size_t, Variable>> held_;  // discrete inputs, and as the FMU knows them
};

}  // namespace

void build_model_exchange(Block& b, const ForeignModel& model) { ModelExchange(b, model).build(); }

}  // namespace orrery::blocks
