// SPDX-License-Identifier: Apache-2.0
// An FMU of Co-Simulation as formulas: at communication points one foreign function makes the step since the last one.
//
// The step is a function of the epoch (how many steps were made), the times and the inputs held since the last point,
// so it can be an output of the event: what the FMU gives at a point is seen by all blocks that are active there (seed
// 000, 12.7: doStep during the output update). Only a step that needs the inputs of its own end, for their
// derivatives, waits until the outputs of the event are known.
#include "blocks/co_simulation/co_simulation.h"

#include "blocks/co_simulation/fmu_parts.h"

namespace orrery::blocks {
namespace {

class CoSimulation {
 public:
  CoSimulation(Block& b, const ForeignModel& model)
      : b_(b), model_(model), inputs_(inputs_as_doubles(b)), slopes_(b.flag("interpolate")) {
    order_ = b.integer("extrapolate");
    if (order_ < 0 || order_ > model.output_derivatives) {
      b.fail("extrapolate", "must be a whole number from 0 to the order of the derivatives the FMU gives, " +
                                std::to_string(model.output_derivatives));
    }
    if (slopes_ && !model.interpolates_inputs) {
      b.fail("interpolate", "the FMU takes no derivatives of its inputs (canInterpolateInputs)", "set it to 0");
    }
  }

  void build() {
    declare_memory();
    communicate();
    const std::vector<Expr> results = step_results();
    for (std::size_t k = 0; k < model_.outputs.size(); ++k) {
      const ForeignVariable& output = model_.outputs[k];
      Expr value = extrapolated(k);
      if (!slopes_) value = select(active_, results[k], value);
      b_.out(static_cast<int>(k) + 1, as_port(value, output.type));
    }
    const Trigger point = b_.on_activation().when(active_ && !b_.active(end_input));
    for (std::size_t k = 0; k < memory_.size(); ++k) point.set(memory_[k], results[k]);
    for (std::size_t k = 0; k < held_.size(); ++k) point.set(held_[k], inputs_[k]);
    point.set(last_, b_.time());
    point.set(epoch_, epoch_ + b_.constant(1, Scalar::i32));
    point.call({object_, fmu_calls::completed_step, {}, {}, 0, b_.flag("event_ports") ? end_output : 0});
    b_.on_activation(end_input).call({object_, fmu_calls::terminate, {}, {}});
  }

 private:
  void declare_memory() {
    epoch_ = b_.memory("epoch", b_.constant(0, Scalar::i32));
    last_ = b_.memory("last", b_.constant(0));
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      held_.push_back(b_.memory(model_.inputs[k].name, b_.fill(inputs_[k].type(), 0)));
    }
    for (int order = 0; order <= order_; ++order) {
      for (const ForeignVariable& output : model_.outputs) {
        const Type type{Scalar::f64, output.type.rows, output.type.cols};
        memory_.push_back(
            b_.memory(output.name + std::string(static_cast<std::size_t>(order), '\''), b_.fill(type, 0)));
      }
    }
    program::ForeignObject object{"fmu", 0, fmu_settings(b_, model_), {}};
    object.settings.emplace_back("derivatives", std::to_string(order_));
    if (slopes_) object.settings.emplace_back("interpolate", "1");
    for (const Variable& memory : memory_) object.initial.push_back(memory.slot());
    object_ = b_.foreign_object(std::move(object));
    const Trigger start = b_.on_start();
    CallRule call{object_, fmu_calls::start, {b_.time().id()}, {}, 0};
    for (const Expr& input : inputs_) call.arguments.push_back(input.id());
    for (const Variable& memory : memory_) call.results.push_back(memory.slot());
    start.call(std::move(call));
    for (std::size_t k = 0; k < held_.size(); ++k) start.set(held_[k], inputs_[k]);
    start.set(last_, b_.time());
  }

  // When the FMU steps: at the ticks of a clock of its own, after every step of the solver, or when a link says so.
  void communicate() {
    const double step = b_.number("step");
    if (step != -1 && !(step >= 0))
      b_.fail("step", "must be positive, 0 (the solver's steps) or -1 (activation links)");
    if (step == 0 && model_.has_constant_step) {
      b_.fail("step", "this FMU can only make steps of one constant length, so the solver's steps will not do",
              model_.default_step > 0 ? "set step to " + std::to_string(model_.default_step) : "set step");
    }
    active_ = b_.active(event_input);
    if (step == -1) return;
    if (step > 0) {
      const Rational period = b_.exact("step");
      b_.clock(step_output, period, period);
    } else {
      b_.fires_at_steps(step_output);
    }
    b_.activate_itself(step_output, own_input);
    active_ = active_ || b_.active(own_input);
  }

  std::vector<Expr> step_results() {
    std::vector<Expr> arguments{epoch_, active_.as(Scalar::f64), last_, b_.time()};
    arguments.insert(arguments.end(), held_.begin(), held_.end());
    if (slopes_) arguments.insert(arguments.end(), inputs_.begin(), inputs_.end());
    program::ForeignFunction declared{"step", {}, {}, object_, fmu_calls::step};
    for (const Expr& argument : arguments) declared.arguments.push_back(argument.type());
    for (const Variable& memory : memory_) declared.results.push_back(memory.type());
    const int function = b_.declare(std::move(declared));
    std::vector<Expr> results;
    for (std::size_t k = 0; k < memory_.size(); ++k) {
      results.push_back(b_.foreign(function, arguments, static_cast<int>(k)));
    }
    return results;
  }

  // Between points: y + h y' + h^2/2 y'' … with the derivatives the FMU gave at the last one.
  Expr extrapolated(std::size_t output) {
    const std::size_t count = model_.outputs.size();
    const Expr h = b_.time() - last_;
    Expr value = memory_[static_cast<std::size_t>(order_) * count + output];
    for (int order = order_ - 1; order >= 0; --order) {
      value = memory_[static_cast<std::size_t>(order) * count + output] + value * (h / (order + 1));
    }
    return value;
  }

  Block& b_;
  const ForeignModel& model_;
  std::vector<Expr> inputs_;
  bool slopes_ = false;
  int order_ = 0;
  std::uint32_t object_ = 0;
  Variable epoch_, last_;
  std::vector<Variable> held_;    // inputs since the last communication point
  std::vector<Variable> memory_;  // outputs of the last communication point, then their derivatives
  Expr active_;
};

}  // namespace

void build_co_simulation(Block& b, const ForeignModel& model) { CoSimulation(b, model).build(); }

}  // namespace orrery::blocks
