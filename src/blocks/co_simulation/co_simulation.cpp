// SPDX-License-Identifier: Apache-2.0
// An FMU of Co-Simulation as formulas: at communication points one foreign function makes the step since the last one.
//
// The step is a function of the epoch (how many steps were made), the times and the inputs held since the last point,
// so it can be an output of the event: what the FMU gives at a point is seen by all blocks that are active there (seed
// 000, 12.7: doStep during the output update). Only a step that needs the inputs of its own end, for their
// derivatives, waits until the outputs of the event are known.
//
// A communication point comes before all other events of its instant: the inputs at the end of a step are those before
// a jump (12.7: the first super dense time). The next step begins with those after the last event of the instant.
//
// With iterations (Activate, 12.4.1) the step is made again, from where it began, in events of the same instant that
// only the FMUs take part in: each with the outputs the others have given last (Gauss-Seidel), or with those of the
// iteration before (Jacobi: outputs are published when all have made the step), until its inputs stay as they are.
// Newton: the outputs are functions of the inputs at the end of the step, so FMUs that depend on each other are an
// algebraic loop of the event, solved with whatever else is in it.
#include "blocks/co_simulation/co_simulation.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "blocks/co_simulation/fmu_parts.h"

namespace orrery::blocks {
namespace {

constexpr double most_calm_rounds = 8;  // a change goes round a loop of so many FMUs before the iteration ends

class CoSimulation {
 public:
  CoSimulation(Block& b, const ForeignModel& model)
      : b_(b), model_(model), own_(model), inputs_(inputs_as_doubles(b, model)), slopes_(b.flag("interpolate")) {
    order_ = b.integer("extrapolate");
    if (order_ < 0 || order_ > model.output_derivatives) {
      b.fail("extrapolate", "must be a whole number from 0 to the order of the derivatives the FMU gives, " +
                                std::to_string(model.output_derivatives));
    }
    if (slopes_ && !model.interpolates_inputs) {
      b.fail("interpolate",
             "the FMU takes no derivatives of its inputs (canInterpolateInputs; FMI 3.0: providesIntermediateUpdate)",
             "set it to 0");
    }
    most_ = b.integer("iterations");
    if (most_ < 0) b.fail("iterations", "must not be negative");
    if (most_ > 0 && !model.goes_back) {
      b.fail("iterations", "the FMU cannot go back to the beginning of a step (canGetAndSetFMUstate)", "set it to 0");
    }
    jacobi_ = b.text("coupling") == "jacobi";
    newton_ = b.text("coupling") == "newton";
    if (jacobi_ && most_ == 0) b.fail("coupling", "jacobi repeats steps, but iterations is 0", "set iterations to 20");
    if (newton_ && !model.goes_back) {
      b.fail("coupling", "the FMU cannot go back to the beginning of a step (canGetAndSetFMUstate)",
             "set it to 'gauss-seidel'");
    }
    if (newton_) most_ = 0;  // the loop has its own
    if (has_clocks() && (newton_ || most_ > 0)) {
      b.fail(newton_ ? "coupling" : "iterations",
             "the FMU has clocks that are ticked from outside or tick others, so its steps cannot be repeated",
             newton_ ? "set it to 'gauss-seidel'" : "set it to 0");
    }
  }

  void build() {
    declare_memory();
    communicate();
    declare_step();
    const std::vector<Expr> held(held_.begin(), held_.end());
    const std::vector<Expr> results = step(active_.as(Scalar::f64), last_, held, slopes_ || newton_ ? inputs_ : held);
    for (std::size_t k = 0; k < model_.outputs.size(); ++k) {
      const ForeignVariable& output = model_.outputs[k];
      Expr value = extrapolated(k);
      // An output that needs all inputs is asked for when they are known, so that the step can be made then.
      if (!slopes_ || newton_ || model_.needs_all_inputs[k]) value = select(active_, results[k], value);
      b_.out(static_cast<int>(k) + 1, as_port(value, output.type));
    }
    const Trigger point = b_.on_activation().when(active_ && !b_.active(end_input));
    take(point, results);
    point.set(last_, b_.time());
    CallRule completed{object_, fmu_calls::completed_step, {}, {}, 0, b_.flag("event_ports") ? end_output : 0};
    if (newton_ || has_clocks()) completed.arguments = time_and_inputs();
    if (has_clocks()) {
      add_ticks(b_, model_, true, completed.arguments);
      for (const Variable& memory : memory_) completed.results.push_back(memory.slot());
      completed.fire_ports = clock_outputs(model_);
    }
    point.call(std::move(completed));
    // Inputs that jump at a communication point act from there on.
    const Trigger at_end = b_.on_instant_end().when(b_.time() == last_);
    for (std::size_t k = 0; k < held_.size(); ++k) at_end.set(held_[k], inputs_[k]);
    for (const Expr& input : inputs_) b_.follow(input);
    if (model_.has_event_mode) handle_new_inputs();
    if (most_ > 0) iterate(point);
    if (!inputs_.empty()) start_again();
    b_.on_activation(end_input).call({object_, fmu_calls::terminate, {}, {}});
  }

 private:
  void take(const Trigger& trigger, const std::vector<Expr>& results) {
    for (std::size_t k = 0; k < memory_.size(); ++k) trigger.set(memory_[k], results[k]);
    trigger.set(epoch_, epoch_ + b_.constant(1, Scalar::i32));
  }

  std::vector<ExprId> time_and_inputs() {
    std::vector<ExprId> list{b_.time().id()};
    for (const Expr& input : inputs_) list.push_back(input.id());
    return list;
  }

  // Discrete inputs that change after the step, in another event of the instant: with event mode the FMU takes them at
  // once.
  void handle_new_inputs() {
    Expr changed = b_.constant(0, Scalar::boolean);
    bool any = false;
    for (std::size_t k = 0; k < held_.size(); ++k) {
      if (!model_.inputs[k].discrete) continue;
      any = true;
      for (std::int64_t e = 0; e < inputs_[k].size(); ++e) changed = changed || !(inputs_[k][e] == held_[k][e]);
    }
    if (!any) return;
    const Trigger event = b_.on_activation().when(!active_ && !b_.active(end_input) && b_.time() == last_ && changed);
    CallRule call{
        object_, fmu_calls::external_event, time_and_inputs(), {}, 0, b_.flag("event_ports") ? end_output : 0};
    add_ticks(b_, model_, false, call.arguments);
    for (const Variable& memory : memory_) call.results.push_back(memory.slot());
    call.fire_ports = clock_outputs(model_);
    event.call(std::move(call));
    for (std::size_t k = 0; k < held_.size(); ++k) event.set(held_[k], inputs_[k]);
  }

  // At the start other FMUs may not have had their inputs when this one read their outputs: a step of no length, after
  // all have, brings it up to date.
  void start_again() {
    b_.on_start().schedule(own_.step_again, b_.constant(0));
    if (most_ == 0) take(b_.on_fired(own_.step_again), step(b_.constant(1), last_, inputs_, inputs_));
  }

  void iterate(const Trigger& point) {
    const Variable begin = b_.memory("begin", b_.constant(0));
    b_.on_start().set(begin, b_.time());
    const Variable count = b_.memory("iteration", b_.constant(0, Scalar::i32));
    const Variable calm = b_.memory("calm", b_.constant(0, Scalar::i32));
    const Expr one = b_.constant(1, Scalar::i32), none = b_.constant(0, Scalar::i32);
    const Trigger again = b_.on_fired(own_.step_again);
    const double tolerance = b_.positive("iteration_tolerance");
    std::vector<Expr> before;
    std::vector<Variable> used;  // what the last step was made with
    Expr moved = b_.constant(0, Scalar::boolean);
    for (std::size_t k = 0; k < held_.size(); ++k) {
      const std::string& name = model_.inputs[k].name;
      const Variable memory = b_.memory(name + " before", b_.fill(inputs_[k].type(), 0));
      used.push_back(b_.memory(name + " used", b_.fill(inputs_[k].type(), std::numeric_limits<double>::quiet_NaN())));
      point.set(memory, held_[k]).set(used[k], held_[k]);
      before.push_back(memory);
      for (std::int64_t e = 0; e < inputs_[k].size(); ++e) {
        const Expr now = inputs_[k][e], seen = used[k][e];
        const Expr size = max(apply(Op::abs, now), b_.constant(1));
        moved = moved || !(apply(Op::abs, now - seen) <= tolerance * size);
      }
    }
    point.set(begin, last_).set(count, none).set(calm, none).schedule(own_.step_again, b_.constant(0));
    const std::vector<Expr> results = step(moved.as(Scalar::f64), begin, before, inputs_);
    // An FMU that nothing moves makes no step, but looks again: the others may still be moving.
    const Expr next = (moved || calm < most_calm_rounds) && count < static_cast<double>(most_ - 1);
    again.set(count, count + one)
        .set(calm, select(moved, none, calm + one))
        .set(epoch_, epoch_ + moved.as(Scalar::i32));
    for (std::size_t k = 0; k < held_.size(); ++k) again.set(used[k], select(moved, inputs_[k], used[k]));
    if (jacobi_) return publish_later(again, results, next);
    for (std::size_t k = 0; k < memory_.size(); ++k) again.set(memory_[k], results[k]);
    again.when(next).schedule(own_.step_again, b_.constant(0));
  }

  // Events of one instant come in the order they were asked for: all FMUs have made their step when the first one shows
  // its outputs, and all have shown theirs when the first one goes on.
  void publish_later(const Trigger& again, const std::vector<Expr>& results, Expr next) {
    const Variable goes_on = b_.memory("goes on", b_.constant(0, Scalar::boolean));
    const Trigger publish = b_.on_fired(own_.publish);
    for (std::size_t k = 0; k < memory_.size(); ++k) {
      const Variable fresh = b_.memory(fmt::format("result {}", k + 1), b_.fill(memory_[k].type(), 0));
      again.set(fresh, results[k]);
      publish.set(memory_[k], fresh);
    }
    again.set(goes_on, next).schedule(own_.publish, b_.constant(0));
    publish.when(goes_on).schedule(own_.step_again, b_.constant(0));
  }

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
    if (most_ > 0 || newton_) object.settings.emplace_back("iterate", "1");
    for (const Variable& memory : memory_) object.initial.push_back(memory.slot());
    object_ = b_.foreign_object(std::move(object));
    const Trigger start = b_.on_start();
    CallRule call{object_, fmu_calls::start, time_and_inputs(), {}, 0};
    for (const Variable& memory : memory_) call.results.push_back(memory.slot());
    add_ticks(b_, model_, false, call.arguments);
    call.fire_ports = clock_outputs(model_);
    start.call(std::move(call));
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
    active_ = b_.active(event_input) || any_tick(b_, model_);
    b_.come_first(own_.step);
    b_.come_first(own_.step_again);
    b_.come_first(own_.publish);
    if (step == -1) return;
    if (step > 0) {
      const Rational period = b_.exact("step");
      b_.clock(own_.step, period, period);
    } else {
      b_.fires_at_steps(own_.step);
    }
    b_.activate_itself(own_.step, own_.input);
    active_ = active_ || b_.active(own_.input);
  }

  bool has_clocks() const { return !model_.input_clocks.empty() || !model_.output_clocks.empty(); }
  bool sees_end() const { return slopes_ || newton_ || most_ > 0; }  // the step gets the inputs at its end too

  void declare_step() {
    std::vector<Type> arguments{Type{}, Type{}, Type{}};
    for (int side = 0; side < (sees_end() ? 2 : 1); ++side) {
      for (const Expr& input : inputs_) arguments.push_back(input.type());
    }
    if (newton_) return declare_trials(arguments);
    arguments.insert(arguments.begin(), epoch_.type());
    program::ForeignFunction declared{"step", std::move(arguments), {}, object_, fmu_calls::step};
    for (const Variable& memory : memory_) declared.results.push_back(memory.type());
    step_ = b_.declare(std::move(declared));
  }

  // A function for each result, with its partial derivatives by the inputs at the end.
  void declare_trials(const std::vector<Type>& arguments) {
    std::uint32_t count = 0;
    for (const Expr& input : inputs_) count += static_cast<std::uint32_t>(input.size());
    std::vector<std::uint32_t> columns(count);
    std::iota(columns.begin(), columns.end(), 3 + count);
    for (std::uint32_t k = 0; k < memory_.size(); ++k) {
      const auto size = static_cast<std::size_t>(memory_[k].type().size());
      program::ForeignFunction declared{
          fmt::format("step {}", k + 1), arguments, {memory_[k].type()}, object_, fmu_calls::output(k)};
      declared.depends_on.assign(size, columns);
      if (count > 0) {
        const Type column{Scalar::f64, static_cast<std::int32_t>(size * count), 1};
        declared.partials =
            b_.declare({declared.symbol + " partials", arguments, {column}, object_, fmu_calls::output_partials(k)});
      }
      trials_.push_back(b_.declare(std::move(declared)));
    }
  }

  // The step since `begin` with the inputs there and, where the FMU is to know them, those of now.
  std::vector<Expr> step(Expr active, Expr begin, const std::vector<Expr>& before, const std::vector<Expr>& now) {
    std::vector<Expr> arguments{active, begin, b_.time()};
    if (!newton_) arguments.insert(arguments.begin(), epoch_);
    arguments.insert(arguments.end(), before.begin(), before.end());
    if (sees_end()) arguments.insert(arguments.end(), now.begin(), now.end());
    std::vector<Expr> results;
    for (std::size_t k = 0; k < memory_.size(); ++k) {
      results.push_back(newton_ ? b_.foreign(trials_[k], arguments)
                                : b_.foreign(step_, arguments, static_cast<int>(k)));
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
  const OwnPorts own_;
  std::vector<Expr> inputs_;
  bool slopes_ = false;
  int order_ = 0;
  int most_ = 0;  // iterations
  bool jacobi_ = false, newton_ = false;
  int step_ = 0;             // the foreign function
  std::vector<int> trials_;  // with Newton's method: one for each result
  std::uint32_t object_ = 0;
  Variable epoch_, last_;
  std::vector<Variable> held_;    // inputs since the last communication point
  std::vector<Variable> memory_;  // outputs of the last communication point, then their derivatives
  Expr active_;
};

}  // namespace

void build_co_simulation(Block& b, const ForeignModel& model) { CoSimulation(b, model).build(); }

}  // namespace orrery::blocks
