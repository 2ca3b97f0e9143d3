// SPDX-License-Identifier: Apache-2.0
// Chain rule over the slots of a Program.
#include "passes/add_sensitivities.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "passes/differentiate.h"
#include "passes/substitute.h"

namespace orrery::passes {

using namespace program;

namespace {

class Augmentation {
 public:
  Augmentation(Program& program, const std::vector<std::string>& parameters)
      : program_(program), graph_(program.graph), names_(parameters), count_(parameters.size()) {}

  bool run() {
    declare_parameters();
    time_ = program_.add_slot({"time", Type{}, SlotKind::parameter, 0});
    declare_times();
    declare_slots();
    for (ExprId id = 0; id < graph_.size(); ++id) {
      if (graph_[id].op == Op::time) to_slot_.set_node(id, program_.read(time_));
    }
    to_time_.set(time_, graph_.time());
    declare_histories();
    Gradients gradients(graph_, variables_);
    gradients_ = &gradients;
    augment_histories();
    augment_start();
    augment_continuous();
    for (std::size_t s = 0; s < program_.sources.size(); ++s) {
      solve_unknowns(static_cast<std::int32_t>(s), true);
      augment_table(program_.sources[s].table);
    }
    augment_probes();
    return gradients.complete();
  }

 private:
  // Parameters are the variables of the derivatives; so is what the start computes, until its own derivatives are
  // known.
  void declare_parameters() {
    const ExprId zero = graph_.constant(0);
    for (const std::vector<Assign>* computed : {&program_.start, &program_.start_system.found}) {
      for (const Assign& assign : *computed) {
        const Slot& slot = program_.slots[assign.slot];
        if (slot.kind != SlotKind::parameter || slot.type.scalar != Scalar::f64) continue;
        const auto size = static_cast<std::size_t>(slot.type.size());
        if (first_column_.contains(assign.slot)) continue;
        add_variable(assign.slot, std::vector(count_, std::vector(size, zero)));
      }
    }
    for (const Parameter& parameter : program_.parameters) {
      const auto varied = std::find(names_.begin(), names_.end(), parameter.name);
      if (varied == names_.end()) continue;
      if (!first_column_.contains(parameter.slot)) {
        const auto size = static_cast<std::size_t>(program_.slots[parameter.slot].type.size());
        add_variable(parameter.slot, std::vector(count_, std::vector(size, zero)));
      }
      columns_[first_column_.at(parameter.slot)][static_cast<std::size_t>(varied - names_.begin())] =
          graph_.constant(1);
    }
  }

  // What the start solves for changes by the equations that it solves.
  void augment_start() {
    augment_computed(program_.start);
    if (program_.start_system.found.empty()) return;
    solve_unknowns(Loop::start, false);
    augment_computed(program_.start_system.found);
  }

  // Where a computation of the start changes with a parameter, so does what it is assigned to.
  void augment_computed(std::vector<Assign>& computed) {
    const std::vector<Assign> assigns = computed;
    for (const Assign& assign : assigns) {
      const Slot target = program_.slots[assign.slot];
      if (target.type.scalar != Scalar::f64) continue;
      for (std::size_t p = 0; p < count_; ++p) {
        const ExprId slope = derivative(assign.value, p, false);
        if (graph_.is_constant(slope, 0) && &computed == &program_.start) continue;
        SlotId sensitivity = no_slot;
        if (target.kind == SlotKind::parameter) {
          const std::string name = fmt::format("d{}/d{}", target.name, names_[p]);
          sensitivity = program_.add_slot({name, target.type, SlotKind::parameter, target.origin});
          for (std::int64_t k = 0; k < target.type.size(); ++k) {
            columns_[first_column_.at(assign.slot) + static_cast<std::uint32_t>(k)][p] =
                graph_.element(program_.read(sensitivity), k);
          }
        } else if (const auto found = sensitivity_.find(assign.slot); found != sensitivity_.end()) {
          sensitivity = found->second[p];
        }
        if (sensitivity != no_slot) computed.push_back({sensitivity, slope, assign.guard, assign.origin});
      }
    }
  }

  // tangents: by parameter and element. Every column has one tangent more, along the solution: zero until it is set.
  void add_variable(SlotId slot, const std::vector<std::vector<ExprId>>& tangents) {
    const std::int64_t size = program_.slots[slot].type.size();
    first_column_[slot] = static_cast<std::uint32_t>(columns_.size());
    variables_.push_back({slot, size});
    for (std::int64_t k = 0; k < size; ++k) {
      std::vector<ExprId>& column = columns_.emplace_back();
      for (std::size_t p = 0; p < count_; ++p) column.push_back(tangents[p][static_cast<std::size_t>(k)]);
      column.push_back(graph_.constant(0));
    }
  }

  void declare_times() {
    Sensitivities& info = program_.sensitivities;
    info.parameters = names_;
    std::vector<std::vector<ExprId>> tau(count_);
    for (std::size_t p = 0; p < count_; ++p) {
      info.event_time.push_back(program_.add_slot({fmt::format("tau{}", p + 1), Type{}, SlotKind::discrete, 0}));
      tau[p].push_back(program_.read(info.event_time[p]));
    }
    time_column_ = static_cast<std::uint32_t>(columns_.size());
    add_variable(time_, tau);
    columns_[time_column_][count_] = graph_.constant(1);
    for (std::size_t s = 0; s < program_.sources.size(); ++s) {
      std::vector<SlotId>& own = info.source_time.emplace_back();
      for (std::size_t p = 0; p < count_; ++p) {
        own.push_back(program_.add_slot({fmt::format("tau{}_of_source{}", p + 1, s), Type{}, SlotKind::discrete, 0}));
      }
    }
  }

  static bool carries(const Slot& slot) {
    return slot.type.scalar == Scalar::f64 && (slot.kind == SlotKind::state || slot.kind == SlotKind::shadow ||
                                               slot.kind == SlotKind::discrete || slot.kind == SlotKind::signal);
  }

  void declare_slots() {
    const auto slots = static_cast<SlotId>(program_.slots.size());
    for (SlotId id = 0; id < slots; ++id) {
      if (program_.slots[id].kind == SlotKind::unknown) {
        const auto size = static_cast<std::size_t>(program_.slots[id].type.size());
        add_variable(id, std::vector(count_, std::vector<ExprId>(size, graph_.constant(0))));
      }
      if (!carries(program_.slots[id]) || is_own(id)) continue;
      std::vector<std::vector<ExprId>> tangents(count_);
      for (std::size_t p = 0; p < count_; ++p) {
        const SlotId sensitivity = declare_one(id, p);
        for (std::int64_t k = 0; k < program_.slots[id].type.size(); ++k) {
          tangents[p].push_back(graph_.element(program_.read(sensitivity), k));
        }
        sensitivity_[id].push_back(sensitivity);
      }
      add_variable(id, tangents);
    }
  }

  bool is_own(SlotId id) const { return id >= time_; }

  // What is kept of a signal changes with the parameters, too: its sensitivities have histories of their own. Each look
  // into the past becomes itself plus a variable that is zero, whose tangent is the same look into those. The present
  // value, and the time that is looked at, count as arguments of the look.
  void declare_histories() {
    histories_ = static_cast<std::uint32_t>(program_.histories.size());
    for (std::uint32_t h = 0; h < histories_; ++h) {
      for (std::uint32_t p = 0; p < count_; ++p) {
        History history = program_.histories[h];
        history.of = h;
        history.parameter = p;
        program_.histories.push_back(std::move(history));
      }
    }
    const auto nodes = static_cast<ExprId>(graph_.size());
    for (ExprId id = 0; id < nodes && histories_ > 0; ++id) {
      if (graph_[id].op == Op::past) declare_look(id);
    }
  }

  void declare_look(ExprId id) {
    const PastOf of = PastOf::from(graph_[id].payload);
    if (of.what == PastWhat::stretch || of.what == PastWhat::weight) return;
    std::vector<ExprId> arguments(graph_.arguments(id).begin(), graph_.arguments(id).end());
    std::vector<ExprId> slots;
    for (const ExprId argument : arguments) slots.push_back(to_slot_.apply(argument));
    if (arguments.size() == 4) arguments[2] = graph_.constant(0);
    const SlotId zero = program_.add_slot({"past", Type{}, SlotKind::parameter, 0});
    std::vector<std::vector<ExprId>> tangents(count_);
    for (std::uint32_t p = 0; p < count_; ++p) {
      PastOf change = of;
      change.history = histories_ + of.history * static_cast<std::uint32_t>(count_) + p;
      if (of.what != PastWhat::value) change.order = 1;  // how the break moves
      tangents[p].push_back(graph_.past(change, arguments));
    }
    add_variable(zero, tangents);
    to_time_.set(zero, graph_.constant(0));
    to_slot_.set_node(id, graph_.binary(Op::add, graph_.past(of, slots), program_.read(zero)));
  }

  void augment_histories() {
    for (std::size_t k = histories_; k < program_.histories.size(); ++k) {
      const History history = program_.histories[k];
      program_.histories[k].value = derivative(program_.histories[history.of].value, history.parameter, false);
      program_.histories[k].start = derivative(program_.histories[history.of].start, history.parameter, false);
    }
  }

  SlotId declare_one(SlotId id, std::size_t p) {
    Slot slot = program_.slots[id];
    slot.name = fmt::format("d{}/d{}", slot.name, names_[p]);
    slot.initial = no_expr;
    if (slot.kind == SlotKind::signal) slot.kind = SlotKind::discrete;
    return program_.add_slot(std::move(slot));
  }

  // d expression / d parameter p, of the instant too where `at_event`; after the last parameter: along the solution.
  ExprId derivative(ExprId expression, std::size_t p, bool at_event) {
    const ExprId id = to_slot_.apply(expression);
    const Type type = graph_.type(id);
    std::vector<ExprId> elements;
    for (std::int64_t k = 0; k < type.size(); ++k) elements.push_back(sum_of(gradients_->of(id, k), p, at_event));
    return to_time_.apply(graph_.stack(type, elements));
  }

  ExprId sum_of(const std::vector<Partial>& partials, std::size_t p, bool at_event) {
    ExprId sum = graph_.constant(0);
    for (const Partial& partial : partials) {
      const ExprId tangent = columns_[partial.column][p];
      if ((!at_event && p < count_ && partial.column == time_column_) || graph_.is_constant(tangent, 0)) continue;
      const ExprId term = graph_.binary(Op::mul, partial.value, tangent);
      sum = graph_.is_constant(sum, 0) ? term : graph_.binary(Op::add, sum, term);
    }
    return sum;
  }

  // Tangents of the unknowns as the table of a source (or continuous time) sees them: where a table solves a loop of
  // its own for them, by that one.
  void solve_unknowns(std::int32_t source, bool at_event) {
    std::set<SlotId> own;
    for (const Loop& loop : program_.loops) {
      if (source != Loop::continuous && loop.source == source) own.insert(loop.unknowns.begin(), loop.unknowns.end());
    }
    for (const Loop& loop : program_.loops) {
      const bool used = loop.source == source || (loop.source == Loop::continuous && !own.contains(loop.unknowns[0]));
      if (loop.solution.empty() && used) solve_unknowns(loop, at_event);
    }
  }

  void solve_unknowns(const Loop& loop, bool at_event) {
    std::unordered_map<std::uint32_t, std::size_t> place;  // by column of an unknown
    std::vector<std::uint32_t> unknowns;
    for (SlotId slot : loop.unknowns) {
      for (std::int64_t k = 0; k < program_.slots[slot].type.size(); ++k) {
        place.emplace(first_column_.at(slot) + static_cast<std::uint32_t>(k), unknowns.size());
        unknowns.push_back(first_column_.at(slot) + static_cast<std::uint32_t>(k));
      }
    }
    const std::size_t n = unknowns.size(), columns = count_ + 1;
    std::vector<ExprId> matrix(n * n, graph_.constant(0)), right(n * columns);
    std::size_t row = 0;
    for (ExprId residual : loop.residuals) {
      const ExprId id = to_slot_.apply(residual);
      for (std::int64_t k = 0; k < graph_.type(id).size(); ++k, ++row) {
        std::vector<Partial> rest;
        for (const Partial& partial : gradients_->of(id, k)) {
          const auto found = place.find(partial.column);
          if (found == place.end()) {
            rest.push_back(partial);
          } else {
            matrix[found->second * n + row] = to_time_.apply(partial.value);
          }
        }
        for (std::size_t p = 0; p < columns; ++p) {
          right[p * n + row] = graph_.unary(Op::neg, to_time_.apply(sum_of(rest, p, at_event)));
        }
      }
    }
    ExprId solution = no_expr;
    if (n > 1) {
      const auto size = static_cast<std::int32_t>(n);
      solution = graph_.solve(graph_.stack({Scalar::f64, size, size}, matrix),
                              graph_.stack({Scalar::f64, size, static_cast<std::int32_t>(columns)}, right));
    }
    for (std::size_t p = 0; p < columns; ++p) {
      for (std::size_t k = 0; k < n; ++k) {
        columns_[unknowns[k]][p] = n == 1 ? graph_.binary(Op::div, right[p], matrix[0])
                                          : graph_.element(solution, static_cast<std::int64_t>(p * n + k));
      }
    }
  }

  void augment_continuous() {
    const std::size_t states = program_.states.size();
    program_.sensitivities.states = static_cast<std::uint32_t>(states);
    const std::vector<ExprId> derivatives = program_.derivatives;
    for (std::size_t i = 0; i < states; ++i) {
      const std::uint32_t first = first_column_.at(program_.states[i]);
      for (std::int64_t k = 0; k < graph_.type(derivatives[i]).size(); ++k) {
        columns_[first + static_cast<std::uint32_t>(k)][count_] = graph_.element(derivatives[i], k);
      }
    }
    solve_unknowns(Loop::continuous, false);
    for (std::size_t p = 0; p < count_; ++p) {
      for (std::size_t i = 0; i < states; ++i) {
        program_.states.push_back(sensitivity_.at(program_.states[i])[p]);
        program_.derivatives.push_back(derivative(derivatives[i], p, false));
      }
    }
    for (const Surface& surface : program_.surfaces) {
      SurfaceTangent tangent;
      tangent.rate = derivative(surface.value, count_, false);
      for (std::size_t p = 0; p < count_; ++p) tangent.change.push_back(derivative(surface.value, p, false));
      program_.sensitivities.surfaces.push_back(std::move(tangent));
    }
    const std::vector<Assign> always = program_.always;
    for (const Assign& assign : always) append(program_.always, assign, false);
  }

  void append(std::vector<Assign>& assigns, const Assign& assign, bool at_event) {
    const auto found = sensitivity_.find(assign.slot);
    if (found == sensitivity_.end()) return;
    for (std::size_t p = 0; p < count_; ++p) {
      assigns.push_back({found->second[p], derivative(assign.value, p, at_event), assign.guard, assign.origin});
    }
  }

  void augment_table(Table& table) {
    const std::vector<Assign> assigns = table.assigns;
    for (const Assign& assign : assigns) append(table.assigns, assign, true);
    const Sensitivities& info = program_.sensitivities;
    for (const Schedule& schedule : table.schedules) {
      for (std::size_t p = 0; p < count_; ++p) {
        const ExprId later =
            graph_.binary(Op::add, program_.read(info.event_time[p]), derivative(schedule.delay, p, true));
        table.assigns.push_back({info.source_time[schedule.source][p], later, schedule.guard, schedule.origin});
      }
    }
  }

  void augment_probes() {
    const std::size_t probes = program_.probes.size();
    for (std::size_t k = 0; k < probes; ++k) {
      const auto found = sensitivity_.find(program_.probes[k].slot);
      if (found == sensitivity_.end() || program_.probes[k].counts) continue;
      for (std::size_t p = 0; p < count_; ++p) {
        Probe probe = program_.probes[k];
        probe.name = fmt::format("d({})/d({})", probe.name, names_[p]);
        probe.slot = found->second[p];
        const auto index = static_cast<std::uint32_t>(program_.probes.size());
        program_.probes.push_back(std::move(probe));
        for (Source& source : program_.sources) record_too(source.table, static_cast<std::uint32_t>(k), index);
      }
    }
  }

  static void record_too(Table& table, std::uint32_t probe, std::uint32_t index) {
    const std::vector<Action> actions = table.actions;
    for (const Action& action : actions) {
      if (action.kind != ActionKind::record || action.probe != probe) continue;
      Action copy = action;
      copy.probe = index;
      table.actions.push_back(std::move(copy));
    }
  }

  Program& program_;
  Graph& graph_;
  const std::vector<std::string>& names_;
  std::size_t count_;
  SlotId time_ = no_slot;  // time as a variable to differentiate by
  std::uint32_t time_column_ = 0;
  std::uint32_t histories_ = 0;  // of the model's own
  Substitution to_slot_{graph_}, to_time_{graph_};
  std::vector<Variable> variables_;
  std::vector<std::vector<ExprId>> columns_;  // tangents, by column and parameter, and along the solution
  std::unordered_map<SlotId, std::uint32_t> first_column_;
  std::unordered_map<SlotId, std::vector<SlotId>> sensitivity_;
  Gradients* gradients_ = nullptr;
};

}  // namespace

bool add_sensitivities(Program& program, const std::vector<std::string>& parameters) {
  return Augmentation(program, parameters).run();
}

}  // namespace orrery::passes
