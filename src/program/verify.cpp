// SPDX-License-Identifier: Apache-2.0
// The rules of a Program, one check each.
#include "program/verify.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "program/function.h"
#include "program/motion.h"
#include "program/parameter_space.h"

namespace orrery::program {
namespace {

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program), graph_(program.graph) {}

  std::vector<std::string> run() {
    check_nodes();
    check_slots();
    check_clocks();
    check_continuous();
    check_loops();
    check_start();
    check_assigns(program_.always, "always");
    check_assigns(program_.sampled, "sampled");
    for (std::size_t i = 0; i < program_.sources.size(); ++i) check_source(i);
    check_surfaces();
    check_histories();
    check_probes();
    check_variables();
    if (problems_.empty() && !program_.fixed_step) check_corners();
    return std::move(problems_);
  }

 private:
  template <class... Args>
  void problem(fmt::format_string<Args...> format, Args&&... arguments) {
    problems_.push_back(fmt::format(format, std::forward<Args>(arguments)...));
  }

  std::string slot_text(SlotId id) const {
    if (id >= program_.slots.size()) return fmt::format("slot {}", id);
    const Slot& slot = program_.slots[id];
    std::string path = slot.origin < program_.origins.size() ? program_.origins[slot.origin].path : "";
    return fmt::format("slot {} ({}{}{})", id, path, path.empty() ? "" : ".", slot.name);
  }

  bool exists(ExprId id, const std::string& where) {
    if (id < graph_.size()) return true;
    problem("{}: the expression does not exist", where);
    return false;
  }

  void check_expression(ExprId id, Type type, const std::string& where) {
    if (!exists(id, where) || graph_.type(id) == type) return;
    problem("{}: the value is {}, not {}", where, to_text(graph_.type(id)), to_text(type));
  }

  void check_guard(ExprId guard, const std::string& where) {
    if (guard != no_expr) check_expression(guard, Type{Scalar::boolean, 1, 1}, where + ": guard");
  }

  void check_origin(OriginId origin, const std::string& where) {
    if (origin >= program_.origins.size() && origin != 0) problem("{}: origin {} does not exist", where, origin);
  }

  void check_nodes() {
    for (ExprId id = 0; id < graph_.size(); ++id) {
      const Node& node = graph_[id];
      for (ExprId a : graph_.arguments(id)) {
        if (a >= id) problem("expression {}: argument {} does not come before it", id, a);
      }
      if (node.op == Op::read) {
        if (node.payload >= program_.slots.size())
          problem("expression {}: slot {} does not exist", id, node.payload);
        else if (program_.slots[node.payload].type != node.type) {
          auto slot = static_cast<SlotId>(node.payload);
          problem("expression {}: reads {} as {}", id, slot_text(slot), to_text(node.type));
        }
      } else if (node.op == Op::clock_active && node.payload >= program_.clocks.size()) {
        problem("expression {}: clock {} does not exist", id, node.payload);
      } else if (node.op == Op::past) {
        check_past(id);
      } else if (node.op == Op::foreign) {
        check_foreign(id);
      } else if (node.op == Op::call) {
        check_call(id);
      } else if ((node.op == Op::gather || node.op == Op::update) && node.payload > graph_.sites().size()) {
        problem("expression {}: site {} does not exist", id, node.payload);
      }
    }
    for (const ListedFunction& listed : list_functions(graph_)) {
      for (const std::string& text : verify(*listed.function)) problem("{}", text);
    }
  }

  void check_call(ExprId id) {
    const Node& node = graph_[id];
    if (node.payload >> 8 >= graph_.functions().size()) return problem("expression {}: calls no function", id);
    const Function& function = graph_.function_of(id);
    const std::uint64_t result = node.payload & 255;
    if (result >= function.results.size() || function.result_type(result) != node.type) {
      problem("expression {}: {} has no result {} of type {}", id, function.name, result, to_text(node.type));
    }
    const auto arguments = graph_.arguments(id);
    bool agree = arguments.size() == function.arguments;
    for (std::size_t k = 0; agree && k < arguments.size(); ++k) {
      agree = graph_.type(arguments[k]) == function.argument_type(k);
    }
    if (!agree) problem("expression {}: arguments of {} have other types", id, function.name);
  }

  void check_past(ExprId id) {
    const PastOf of = PastOf::from(graph_[id].payload);
    const std::size_t arguments = graph_[id].argument_count;
    if (of.history >= program_.histories.size()) {
      return problem("expression {}: history {} does not exist", id, of.history);
    }
    const ExprId value = program_.histories[of.history].value;
    if (value < graph_.size() && of.element >= static_cast<std::uint64_t>(graph_.type(value).size())) {
      problem("expression {}: history {} has no element {}", id, of.history, of.element);
    }
    const bool fits = of.what == PastWhat::value     ? arguments == 2 || arguments == 4
                      : of.what == PastWhat::weight  ? arguments == 3
                      : of.what == PastWhat::stretch ? arguments == 2
                                                     : arguments == 1 && of.what <= PastWhat::end;
    if (!fits) problem("expression {}: past with {} arguments", id, arguments);
    for (const ExprId argument : graph_.arguments(id)) {
      if (graph_.type(argument) != Type{}) problem("expression {}: an argument of past is no number", id);
    }
  }

  // Delays are not negative, and bounded: what a history keeps is.
  void check_histories() {
    for (std::size_t k = 0; k < program_.histories.size(); ++k) {
      const History& history = program_.histories[k];
      const std::string where = fmt::format("history {}", k);
      check_origin(history.origin, where);
      if (!exists(history.value, where)) continue;
      const Type type = graph_.type(history.value);
      if (type.scalar != Scalar::f64) problem("{}: the signal is not double", where);
      check_expression(history.start, type, where + ": before the start");
      const bool follows = history.of < k && history.parameter < program_.sensitivities.parameters.size();
      if (history.of != no_history && !follows) problem("{}: it is the sensitivity of nothing", where);
      check_bound(history.least, where + ": smallest delay");
      check_bound(history.largest, where + ": largest delay");
      if (!std::ranges::is_sorted(history.start_breaks))
        problem("{}: the breaks before the start are not sorted", where);
    }
  }

  void check_bound(ExprId bound, const std::string& where) {
    check_expression(bound, Type{}, where);
    if (bound >= graph_.size()) return;
    if (graph_.is_constant(bound)) {
      const double value = graph_.constant_data(bound)[0];
      if (!(value >= 0) || std::isinf(value)) problem("{} is {}", where, value);
    } else if (!is_start_value(program_, bound)) {
      problem("{} does not follow from parameters alone", where);
    }
  }

  void check_foreign(ExprId id) {
    const Node& node = graph_[id];
    std::uint64_t number = node.payload >> 8;
    std::uint64_t result = node.payload & 255;
    const auto& functions = graph_.foreign_functions();
    if (number >= functions.size()) {
      return problem("expression {}: foreign function {} does not exist", id, number);
    }
    const ForeignFunction& function = functions[number];
    if (function.object >= program_.foreign_objects.size()) problem("{} belongs to no object", function.symbol);
    if (result >= function.results.size() || function.results[result] != node.type) {
      problem("expression {}: {} has no result {} of type {}", id, function.symbol, result, to_text(node.type));
    }
    auto arguments = graph_.arguments(id);
    auto same_type = [&](ExprId a, const Type& type) { return graph_.type(a) == type; };
    bool agree = std::ranges::equal(arguments, function.arguments, same_type);
    if (!agree) problem("expression {}: arguments of {} have other types", id, function.symbol);
  }

  void check_slots() {
    for (SlotId id = 0; id < program_.slots.size(); ++id) {
      const Slot& slot = program_.slots[id];
      std::string where = slot_text(id);
      check_origin(slot.origin, where);
      if (slot.type.rows < 0 || slot.type.cols < 0) problem("{}: negative size", where);
      bool mode = slot.kind == SlotKind::mode;
      bool direction = slot.kind == SlotKind::direction;
      if (mode && slot.type != Type{Scalar::boolean, 1, 1} && slot.type != Type{})
        problem("{}: a mode is a boolean or a double", where);
      if (direction && slot.type != Type{Scalar::i8, 1, 1}) problem("{}: a direction is int8", where);
      if (slot.initial == no_expr) continue;
      check_expression(slot.initial, slot.type, where + ": initial value");
      if (slot.initial < graph_.size() && !graph_.is_constant(slot.initial)) {
        problem("{}: the initial value is not a constant", where);
      }
    }
  }

  void check_clocks() {
    for (std::size_t d = 0; d < program_.domains.size(); ++d) {
      if (program_.domains[d].base.numerator <= 0) problem("clock domain {}: the base period is not positive", d);
      for (std::uint32_t clock : program_.domains[d].clocks) {
        if (clock >= program_.clocks.size()) problem("clock domain {}: clock {} does not exist", d, clock);
      }
    }
    for (std::size_t c = 0; c < program_.clocks.size(); ++c) {
      if (program_.clocks[c].divisor < 1) problem("clock {}: the divisor is not positive", c);
    }
  }

  void check_continuous() {
    if (program_.states.size() != program_.derivatives.size()) {
      problem("{} states but {} derivatives", program_.states.size(), program_.derivatives.size());
    }
    std::vector<bool> listed(program_.slots.size());
    for (std::size_t i = 0; i < program_.states.size(); ++i) {
      SlotId id = program_.states[i];
      if (id >= program_.slots.size()) {
        problem("state {}: slot {} does not exist", i, id);
        continue;
      }
      const Slot& slot = program_.slots[id];
      std::string where = slot_text(id);
      if (listed[id]) problem("{} is listed twice among the states", where);
      listed[id] = true;
      if (slot.kind != SlotKind::state && slot.kind != SlotKind::shadow) problem("{} is not a state", where);
      if (slot.type.scalar != Scalar::f64) problem("{}: a continuous state is double", where);
      if (i < program_.derivatives.size()) check_expression(program_.derivatives[i], slot.type, where + ": derivative");
    }
    for (ExprId id : program_.invariants) {
      if (exists(id, "invariant") && graph_.type(id).scalar != Scalar::f64) problem("an invariant is not double");
    }
    check_assigns(program_.projections, "projections");
    for (const Assertion& assertion : program_.assertions) {
      check_origin(assertion.origin, "assertion");
      check_expression(assertion.holds, Type{Scalar::boolean}, "assertion");
      check_expression(assertion.tried, Type{Scalar::boolean}, "assertion at a tried point");
      check_message(assertion.text, assertion.values, "assertion");
    }
    for (SlotId id = 0; id < program_.slots.size(); ++id) {
      bool continuous = program_.slots[id].kind == SlotKind::state || program_.slots[id].kind == SlotKind::shadow;
      if (continuous && !listed[id]) problem("{} has no derivative", slot_text(id));
    }
  }

  void check_loops() {
    for (std::size_t k = 0; k < program_.loops.size(); ++k) {
      const Loop& loop = program_.loops[k];
      std::string where = fmt::format("loop {}", k);
      if (loop.unknowns.size() != loop.residuals.size()) {
        problem("{}: {} unknowns but {} residuals", where, loop.unknowns.size(), loop.residuals.size());
        continue;
      }
      if (loop.source < Loop::start || loop.source >= static_cast<std::int64_t>(program_.sources.size())) {
        problem("{}: no such source", where);
      }
      for (const Surface& mode : loop.modes) check_loop_mode(mode, where);
      for (std::size_t i = 0; i < loop.unknowns.size(); ++i) {
        SlotId id = loop.unknowns[i];
        if (id >= program_.slots.size() || program_.slots[id].kind != SlotKind::unknown) {
          problem("{}: {} is not an unknown", where, slot_text(id));
          continue;
        }
        if (program_.slots[id].type.scalar != Scalar::f64) problem("{}: an unknown is double", slot_text(id));
        check_expression(loop.residuals[i], program_.slots[id].type, where + ": residual");
      }
    }
  }

  void check_loop_mode(const Surface& mode, const std::string& where) {
    check_slot_kind(mode.mode, SlotKind::mode, where + ": condition");
    check_expression(mode.value, Type{}, where + ": condition");
    const bool held = mode.mode < program_.slots.size() && program_.slots[mode.mode].type == Type{};
    if (held) check_expression(mode.settled, Type{}, where + ": what the number becomes");
  }

  // Two guards that can never hold together: one is among the conjuncts of the other, negated.
  bool disjoint(ExprId a, ExprId b) const {
    if (a == no_expr || b == no_expr) return false;
    std::vector<ExprId> left = conjuncts(a);
    std::vector<ExprId> right = conjuncts(b);
    for (ExprId x : left) {
      for (ExprId y : right) {
        bool opposite = (graph_[x].op == Op::logical_not && graph_.arguments(x)[0] == y) ||
                        (graph_[y].op == Op::logical_not && graph_.arguments(y)[0] == x);
        if (opposite || graph_.is_constant(x, 0) || graph_.is_constant(y, 0) || differ_by_constant(x, y)) return true;
      }
    }
    return false;
  }

  // s == 1 and s == 2; s == 1 and s != 1.
  bool differ_by_constant(ExprId x, ExprId y) const {
    if (graph_[x].op == Op::not_equal) std::swap(x, y);
    if (graph_[x].op != Op::equal || (graph_[y].op != Op::equal && graph_[y].op != Op::not_equal)) return false;
    auto a = graph_.arguments(x);
    auto b = graph_.arguments(y);
    if (graph_[y].op == Op::not_equal) return a[0] == b[0] && a[1] == b[1];
    if (a[0] != b[0] || !graph_.is_constant(a[1]) || !graph_.is_constant(b[1])) return false;
    return graph_.constant_data(a[1])[0] != graph_.constant_data(b[1])[0];
  }

  std::vector<ExprId> conjuncts(ExprId guard) const {
    std::vector<ExprId> parts{guard};
    constexpr std::size_t enough = 64;  // the check is quadratic in this
    for (std::size_t i = 0; i < parts.size() && parts.size() < enough; ++i) {
      if (graph_[parts[i]].op != Op::logical_and) continue;
      for (ExprId a : graph_.arguments(parts[i])) parts.push_back(a);
    }
    return parts;
  }

  void check_assigns(const std::vector<Assign>& assigns, const std::string& where) {
    std::unordered_map<SlotId, std::vector<ExprId>> guards;
    for (const Assign& assign : assigns) {
      std::string target = where + ": " + slot_text(assign.slot);
      check_origin(assign.origin, target);
      check_guard(assign.guard, target);
      if (assign.slot >= program_.slots.size()) {
        problem("{} does not exist", target);
        continue;
      }
      check_expression(assign.value, program_.slots[assign.slot].type, target);
      std::vector<ExprId>& earlier = guards[assign.slot];
      bool clash = std::ranges::any_of(earlier, [&](ExprId g) { return !disjoint(g, assign.guard); });
      if (clash) problem("{} is written twice and the guards may hold together", target);
      earlier.push_back(assign.guard);
    }
  }

  // Expressions of the start read parameters only.
  void check_start() {
    check_assigns(program_.start, "start");
    for (const Assign& assign : program_.start) {
      for (const ExprId id : {assign.value, assign.guard}) {
        if (id < graph_.size() && !is_start_value(program_, id)) {
          problem("start: {} does not follow from parameters alone", slot_text(assign.slot));
        }
      }
    }
    check_start_system();
    for (const Parameter& parameter : program_.parameters) {
      check_slot_kind(parameter.slot, SlotKind::parameter, "parameter " + parameter.name);
      if (parameter.given != no_slot) check_slot_kind(parameter.given, SlotKind::parameter, parameter.name);
    }
  }

  // Nothing is sought twice, and guesses are for unknowns.
  void check_start_system() {
    const StartSystem& system = program_.start_system;
    std::vector<bool> sought(program_.slots.size());
    for (const Loop& loop : program_.loops) {
      if (loop.source != Loop::start) continue;
      for (SlotId id : loop.unknowns) {
        if (id >= sought.size()) continue;
        if (sought[id]) problem("start: {} is sought twice", slot_text(id));
        sought[id] = true;
      }
    }
    check_assigns(system.guesses, "guesses of the start");
    for (const Assign& guess : system.guesses) check_slot_kind(guess.slot, SlotKind::unknown, "guess of the start");
    check_assigns(system.found, "what the start finds");
    for (const StartCheck& check : system.checks) {
      check_origin(check.origin, "check of the start");
      check_expression(check.residual, Type{}, "check of the start");
    }
    if (system.homotopy == no_slot) return;
    check_slot_kind(system.homotopy, SlotKind::parameter, "homotopy");
    if (system.homotopy < program_.slots.size() && program_.slots[system.homotopy].type != Type{}) {
      problem("start: the slot of the homotopy is not a double");
    }
  }

  void check_source(std::size_t i) {
    const Source& source = program_.sources[i];
    std::string where = fmt::format("source {}", i);
    check_origin(source.origin, where);
    bool initial = source.kind == SourceKind::initial;
    if ((i == 0) != initial) problem("{}: the initial source is number 0, and only that", where);
    if (source.kind == SourceKind::clock && source.domain >= program_.domains.size()) {
      problem("{}: clock domain {} does not exist", where, source.domain);
    }
    check_assigns(source.table.assigns, where);
    for (const Schedule& schedule : source.table.schedules) {
      check_guard(schedule.guard, where);
      check_expression(schedule.delay, Type{}, where + ": delay");
      if (schedule.source >= program_.sources.size()) {
        problem("{}: schedules source {}, which does not exist", where, schedule.source);
      } else if (program_.sources[schedule.source].kind != SourceKind::programmed) {
        problem("{}: schedules source {}, which is not a programmed one", where, schedule.source);
      }
    }
    check_calls(source.table.calls, where);
    for (const Action& action : source.table.actions) {
      check_guard(action.guard, where);
      check_message(action.text, action.values, where + ": action");
      if (action.kind == ActionKind::record && action.probe >= program_.probes.size()) {
        problem("{}: probe {} does not exist", where, action.probe);
      }
    }
  }

  void check_message(const std::string& text, const std::vector<ExprId>& values, const std::string& where) {
    for (ExprId value : values) check_expression(value, Type{}, where + ": value of a message");
    std::size_t places = 0;
    for (std::size_t at = text.find("{}"); at != std::string::npos; at = text.find("{}", at + 2)) ++places;
    if (!values.empty() && places != values.size()) {
      problem("{}: a message has {} places for {} values", where, places, values.size());
    }
  }

  void check_calls(const std::vector<Call>& calls, const std::string& where) {
    for (const Call& call : calls) {
      check_guard(call.guard, where + ": call");
      if (call.object >= program_.foreign_objects.size()) problem("{}: calls an object that does not exist", where);
      for (ExprId argument : call.arguments) {
        if (exists(argument, where + ": call") && graph_.type(argument).scalar != Scalar::f64) {
          problem("{}: an argument of a call is not double", where);
        }
      }
      for (SlotId slot : call.results) {
        if (slot >= program_.slots.size()) problem("{}: a call writes slot {}, which does not exist", where, slot);
      }
      std::vector<std::uint32_t> sources = call.fires;
      sources.insert(sources.end(), {call.wake, call.end});
      for (std::uint32_t programmed : sources) {
        if (programmed == no_source) continue;
        bool known = programmed < program_.sources.size();
        if (!known || program_.sources[programmed].kind != SourceKind::programmed) {
          problem("{}: a call programs source {}, which is not a programmed one", where, programmed);
        }
      }
    }
  }

  void check_surfaces() {
    for (std::size_t i = 0; i < program_.surfaces.size(); ++i) {
      const Surface& surface = program_.surfaces[i];
      std::string where = fmt::format("surface {}", i);
      check_origin(surface.origin, where);
      check_expression(surface.value, Type{}, where);
      if (surface.mode != no_slot) {
        check_slot_kind(surface.mode, SlotKind::mode, where);
        bool held = surface.mode < program_.slots.size() && program_.slots[surface.mode].type == Type{};
        if (held) check_expression(surface.settled, Type{}, where + ": what the number becomes");
        if (!held && surface.settled != no_expr) problem("{}: a boolean mode is its condition", where);
        continue;
      }
      if (surface.direction != no_slot) check_slot_kind(surface.direction, SlotKind::direction, where);
      if (surface.source >= program_.sources.size() || program_.sources[surface.source].kind != SourceKind::crossing) {
        problem("{}: source {} is not a crossing source", where, surface.source);
      }
    }
  }

  void check_slot_kind(SlotId id, SlotKind kind, const std::string& where) {
    if (id >= program_.slots.size() || program_.slots[id].kind != kind) {
      problem("{}: {} is not of the kind it should be", where, slot_text(id));
    }
  }

  void check_probes() {
    for (const Probe& probe : program_.probes) {
      if (probe.slot >= program_.slots.size()) problem("probe {}: slot {} does not exist", probe.name, probe.slot);
      if (probe.seen != no_slot) check_slot_kind(probe.seen, SlotKind::discrete, fmt::format("probe {}", probe.name));
    }
  }

  void check_variables() {
    for (std::size_t k = 0; k < program_.variables.size(); ++k) {
      const Variable& variable = program_.variables[k];
      const std::string where = fmt::format("variable {}", k);
      check_origin(variable.origin, where);
      if (variable.slot >= program_.slots.size()) {
        problem("{}: slot {} does not exist", where, variable.slot);
        continue;
      }
      const Type type = program_.slots[variable.slot].type;
      if (variable.element >= type.size()) problem("{}: the slot has no element {}", where, variable.element);
      if (variable.value != no_expr) check_expression(variable.value, type, where);
      if (variable.alias != no_variable && variable.alias >= program_.variables.size())
        problem("{}: it is another name of nothing", where);
      for (const std::uint32_t text : {variable.name, variable.unit, variable.about}) {
        if (text != 0 && text >= program_.texts.size()) problem("{}: text {} does not exist", where, text);
      }
    }
  }

  // While the integrator steps it sees smooth functions: what moves reaches no operation with corners or jumps but
  // through a mode (docs/semantics.md, 7.1).
  void check_corners() {
    const std::vector<bool> moves = find_moving(program_);
    std::vector<bool> seen(graph_.size());
    const auto check = [&](ExprId root, const std::string& where) {
      std::vector<ExprId> stack{root};
      while (!stack.empty()) {
        const ExprId id = stack.back();
        stack.pop_back();
        if (id == no_expr || seen[id]) continue;
        seen[id] = true;
        const auto arguments = graph_.arguments(id);
        stack.insert(stack.end(), arguments.begin(), arguments.end());
        if (!moves[id] || arguments.empty()) continue;
        if (has_corner(graph_, id)) {
          problem("{}: {} of something that moves, without a mode", where, name_of(graph_[id].op));
        }
      }
    };
    for (std::size_t i = 0; i < program_.states.size(); ++i) {
      const bool shadow = program_.slots[program_.states[i]].kind == SlotKind::shadow;
      const ExprId value = program_.derivatives[i];
      check(shadow ? without_bounds(value) : value, slot_text(program_.states[i]) + ": derivative");
    }
    for (const Loop& loop : program_.loops) {
      if (loop.source != Loop::continuous) continue;
      for (std::size_t i = 0; i < loop.residuals.size(); ++i) check(loop.residuals[i], slot_text(loop.unknowns[i]));
    }
    for (const ExprId id : program_.invariants) check(id, "invariant");
    for (const Assertion& assertion : program_.assertions) check(assertion.holds, "assertion " + assertion.text);
    for (const Assign& projection : program_.projections) check(projection.value, slot_text(projection.slot));
    for (const Surface& surface : program_.surfaces) check(surface.value, "surface " + surface.text);
    for (const Assign& assign : program_.always) {
      check(assign.value, slot_text(assign.slot));
      check(assign.guard, slot_text(assign.slot) + ": guard");
    }
  }

  // A shadow follows a term whose corners nobody locates; what bounds it is the outermost of its derivative.
  ExprId without_bounds(ExprId id) const {
    for (const Op op : {Op::max, Op::min}) {
      if (graph_[id].op != op || !graph_.is_constant(graph_.arguments(id)[1])) return id;
      id = graph_.arguments(id)[0];
    }
    return id;
  }

  const Program& program_;
  const Graph& graph_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify(const Program& program) { return Verifier(program).run(); }

}  // namespace orrery::program
