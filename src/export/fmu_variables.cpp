// SPDX-License-Identifier: Apache-2.0
// FMU variables from the interface of a Program.
#include "export/fmu_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "passes/find_dependencies.h"
#include "program/print.h"
#include "program/variables.h"

namespace orrery::code_export {
namespace {

using program::no_slot;
using program::SlotId;

std::string element_suffix(int rows, int cols, int k) {
  if (rows * cols == 1) return "";
  if (rows == 1 || cols == 1) return fmt::format("[{}]", k + 1);
  return fmt::format("[{},{}]", k % rows + 1, k / rows + 1);
}

// What continuous signals depend on, followed through algebraic loops to states and inputs.
class Knowns {
 public:
  explicit Knowns(const program::Program& program) : program_(program), dependencies_(program.graph) {
    for (std::size_t k = 0; k < program.loops.size(); ++k) {
      if (program.loops[k].source != program::Loop::continuous) continue;
      for (const SlotId slot : program.loops[k].unknowns) loop_of_[slot] = k;
    }
    for (const program::Assign& assign : program.always) always_[assign.slot] = assign.value;
  }

  using Set = std::set<passes::Leaf>;
  Set of(program::ExprId expression, std::int64_t element) {
    Set found;
    follow(dependencies_.of(expression, element), found);
    return found;
  }
  Set of_whole(program::ExprId expression) {
    Set found;
    follow(dependencies_.of_whole(expression), found);
    return found;
  }
  // The value of a signal that is computed in continuous time.
  program::ExprId value_of(SlotId slot) const {
    const auto at = always_.find(slot);
    return at == always_.end() ? program::no_expr : at->second;
  }

 private:
  void follow(const std::vector<passes::Leaf>& leaves, Set& found) {
    for (const passes::Leaf& leaf : leaves) {
      if (!found.insert(leaf).second) continue;
      if (const auto loop = loop_of_.find(leaf.slot); loop != loop_of_.end()) {
        for (const program::ExprId residual : program_.loops[loop->second].residuals)
          follow(dependencies_.of_whole(residual), found);
      } else if (const auto value = always_.find(leaf.slot); value != always_.end()) {
        follow(dependencies_.of_whole(value->second), found);
      }
    }
  }

  const program::Program& program_;
  passes::Dependencies dependencies_;
  std::map<SlotId, std::size_t> loop_of_;
  std::map<SlotId, program::ExprId> always_;
};

class FmuLister {
 public:
  FmuLister(const CModel& model, const FmuShape& shape)
      : model_(model), program_(model.program), shape_(shape), arrays_(shape.arrays), knowns_(model.program) {}

  std::vector<FmuVariable> list() {
    if (arrays_) {
      FmuVariable time;
      time.name = unused_name("time");
      time.role = FmuRole::time;
      time.continuous = true;
      add(time);
    }
    parameters();
    inputs();
    outputs();
    states();
    if (shape_.exchange) derivatives();
    if (shape_.exchange && arrays_) indicators();
    columns();
    clocks();
    if (shape_.scheduled) {
      for (FmuVariable& v : list_) v.continuous = v.continuous && v.role == FmuRole::time;
    }
    return std::move(list_);
  }

 private:
  const CVariable* described(SlotId slot) const {
    for (const CVariable& v : model_.variables) {
      if (v.slot == slot && v.element < 0) return &v;
    }
    return nullptr;
  }

  std::string unused_name(const std::string& wanted) {
    std::string name = wanted;
    for (int k = 2; names_.contains(name); ++k) name = fmt::format("{}_{}", wanted, k);
    return name;
  }

  // As one variable, or as one for each element; the place of the first of them.
  std::size_t add(FmuVariable v) {
    const std::size_t first = list_.size();
    const std::string whole = unused_name(v.name);
    const int rows = v.rows, cols = v.cols;
    names_.insert(whole);
    if (arrays_ || v.count() == 1) {
      v.name = whole;
      list_.push_back(std::move(v));
      return first;
    }
    for (int k = 0; k < rows * cols; ++k) {
      FmuVariable one = v;
      one.name = unused_name(whole + element_suffix(rows, cols, k));
      names_.insert(one.name);
      one.first = k;
      one.rows = one.cols = 1;
      if (!v.start.empty()) one.start = {v.start[static_cast<std::size_t>(k)]};
      list_.push_back(std::move(one));
    }
    return first;
  }

  FmuVariable of_slot(SlotId slot, const std::string& name, FmuRole role, int index) const {
    FmuVariable v;
    const program::Type type = program_.slots[slot].type;
    v.name = name;
    v.role = role;
    v.index = index;
    v.scalar = type.scalar;
    v.rows = static_cast<int>(type.rows);
    v.cols = static_cast<int>(type.cols);
    if (const CVariable* known = described(slot)) {
      v.about = known->about;
      v.unit = known->unit;
      v.start = known->start;
    }
    if (v.start.size() != static_cast<std::size_t>(v.count())) v.start.assign(static_cast<std::size_t>(v.count()), 0);
    return v;
  }

  void parameters() {
    for (std::size_t k = 0; k < program_.parameters.size(); ++k) {
      const program::Parameter& parameter = program_.parameters[k];
      FmuVariable v = of_slot(parameter.slot, parameter.name, FmuRole::parameter, static_cast<int>(k));
      if (!parameter.unit.empty()) v.unit = parameter.unit;
      add(std::move(v));
    }
  }

  void inputs() {
    for (std::size_t k = 0; k < program_.inputs.size(); ++k) {
      const program::InputPort& port = program_.inputs[k];
      if (port.value == no_slot) {
        FmuVariable v;
        v.name = port.name;
        v.role = shape_.clocks() ? FmuRole::trigger : FmuRole::activation;
        v.about = shape_.clocks() ? "activation" : "true lets the activation come once";
        v.scalar = program::Scalar::boolean;
        v.index = static_cast<int>(k);
        v.start = {0};
        add(std::move(v));
        continue;
      }
      FmuVariable v = of_slot(port.value, port.name, FmuRole::input, static_cast<int>(k));
      v.continuous = port.slope != no_slot;
      input_of_[port.value] = add(v);
      if (port.slope != no_slot) input_of_[port.slope] = input_of_[port.value];
    }
  }

  std::vector<int> first_columns() const {
    std::vector<int> first;
    int at = 0;
    for (const program::Probe& probe : program_.probes) {
      first.push_back(at);
      at += static_cast<int>(program_.slots[probe.slot].type.size());
    }
    return first;
  }

  void outputs() {
    const std::vector<int> first = first_columns();
    for (const program::OutputPort& port : program_.outputs) {
      const program::Probe& probe = program_.probes[port.probe];
      if (port.activation && shape_.clocks()) {
        output_clock(port, first[port.probe]);
        continue;
      }
      FmuVariable v = of_slot(probe.slot, port.name, FmuRole::column, first[port.probe]);
      v.output = true;
      v.continuous = probe.continuous && v.scalar == program::Scalar::f64;
      v.start.clear();
      if (port.activation) v.about = "how often the activation has come";
      if (!probe.unit.empty()) v.unit = probe.unit;
      shown_.insert(port.probe);
      later_.emplace_back(add(std::move(v)), probe.slot);
    }
  }

  // Besides, how often it has ticked is a number for people.
  void output_clock(const program::OutputPort& port, int column) {
    FmuVariable clock;
    clock.name = port.name;
    clock.about = "activation";
    clock.role = FmuRole::fired;
    clock.output = true;
    clock.index = column;
    clock.first = fired_++;
    add(std::move(clock));
    FmuVariable count = of_slot(program_.probes[port.probe].slot, port.name + ".count", FmuRole::column, column);
    count.about = "how often the activation has come";
    count.start.clear();
    shown_.insert(port.probe);
    add(std::move(count));
  }

  void clocks() {
    if (shape_.ticks) {
      const std::vector<FmuClock> list = list_fmu_clocks(program_);
      for (std::size_t k = 0; k < list.size(); ++k) add_clock(list[k].name, list[k].about, FmuRole::ticks, k);
    }
    if (shape_.scheduled && programs_events(program_))
      add_clock("next event", "events that the model has programmed for itself", FmuRole::pending, 0);
  }

  void add_clock(const std::string& name, const std::string& about, FmuRole role, std::size_t index) {
    FmuVariable v;
    v.name = name;
    v.about = about;
    v.role = role;
    v.index = static_cast<int>(index);
    add(std::move(v));
  }

  void states() {
    int at = 0;
    for (const SlotId slot : program_.states) {
      FmuVariable v = of_slot(slot, program::slot_name(program_, slot), FmuRole::state, at);
      v.continuous = true;
      v.start.clear();
      at += v.count();
      state_of_[slot] = add(std::move(v));
    }
    for (const auto& [place, slot] : later_) depend(place, slot);
  }

  void depend(std::size_t place, SlotId slot) {
    const program::ExprId value = knowns_.value_of(slot);
    if (value == program::no_expr || !list_[place].continuous) return;
    const auto count = static_cast<std::size_t>(program_.slots[slot].type.size());
    if (arrays_ || count == 1) {
      set(list_[place], knowns_.of_whole(value));
      return;
    }
    for (std::size_t k = 0; k < count; ++k) set(list_[place + k], knowns_.of(value, static_cast<std::int64_t>(k)));
  }

  void set(FmuVariable& v, const Knowns::Set& leaves) {
    std::set<std::size_t> places;
    for (const passes::Leaf& leaf : leaves) {
      const auto input = input_of_.find(leaf.slot);
      const auto state = state_of_.find(leaf.slot);
      const std::size_t element = arrays_ ? 0 : leaf.element;
      if (input != input_of_.end()) places.insert(input->second + element);
      if (state != state_of_.end()) places.insert(state->second + element);
    }
    v.depends_known = true;
    v.depends_on.assign(places.begin(), places.end());
  }

  void derivatives() {
    int at = 0;
    for (std::size_t k = 0; k < program_.states.size(); ++k) {
      const SlotId slot = program_.states[k];
      const std::string state = program::slot_name(program_, slot);
      FmuVariable v = of_slot(slot, "der(" + state + ")", FmuRole::derivative, at);
      v.continuous = true;
      v.about = "derivative of " + state;
      v.unit.clear();
      v.start.clear();
      const int count = v.count();
      const std::size_t place = add(std::move(v));
      at += count;
      for (int e = 0; e < (arrays_ ? 1 : count); ++e) {
        FmuVariable& one = list_[place + static_cast<std::size_t>(e)];
        one.state = state_of_[slot] + static_cast<std::size_t>(e);
        set(one, arrays_ ? knowns_.of_whole(program_.derivatives[k]) : knowns_.of(program_.derivatives[k], e));
      }
    }
  }

  void indicators() {
    for (std::size_t k = 0; k < program_.surfaces.size(); ++k) {
      FmuVariable v;
      v.name = fmt::format("event indicator {}", k + 1);
      v.about = program_.surfaces[k].text;
      v.role = FmuRole::indicator;
      v.index = static_cast<int>(k);
      v.continuous = true;
      const std::size_t place = add(std::move(v));
      set(list_[place], knowns_.of_whole(program_.surfaces[k].value));
    }
  }

  // What the model records besides its outputs.
  void columns() {
    const std::vector<int> first = first_columns();
    for (std::size_t k = 0; k < program_.probes.size(); ++k) {
      const program::Probe& probe = program_.probes[k];
      if (shown_.contains(static_cast<std::uint32_t>(k))) continue;
      if (program_.slots[probe.slot].type.scalar == program::Scalar::c128) continue;
      FmuVariable v = of_slot(probe.slot, probe.name, FmuRole::column, first[k]);
      v.continuous = probe.continuous && v.scalar == program::Scalar::f64;
      v.start.clear();
      if (!probe.unit.empty()) v.unit = probe.unit;
      add(std::move(v));
    }
  }

  const CModel& model_;
  const program::Program& program_;
  const FmuShape shape_;
  const bool arrays_;
  int fired_ = 0;  // output clocks so far
  Knowns knowns_;
  std::vector<FmuVariable> list_;
  std::set<std::string> names_;
  std::set<std::uint32_t> shown_;
  std::map<SlotId, std::size_t> input_of_, state_of_;
  std::vector<std::pair<std::size_t, SlotId>> later_;
};

}  // namespace

std::string escape_markup(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::vector<FmuVariable> list_fmu_variables(const CModel& model, const FmuShape& shape) {
  return FmuLister(model, shape).list();
}

std::string fmu_table_text(const std::vector<FmuVariable>& variables, const std::vector<FmuVariable>& of_body,
                           const std::string& table) {
  static const char* const roles[] = {"ORR_FMI_TIME",       "ORR_FMI_PARAMETER", "ORR_FMI_INPUT",
                                      "ORR_FMI_ACTIVATION", "ORR_FMI_COLUMN",    "ORR_FMI_STATE",
                                      "ORR_FMI_DERIVATIVE", "ORR_FMI_INDICATOR", "ORR_FMI_TRIGGER",
                                      "ORR_FMI_TICKS",      "ORR_FMI_PENDING",   "ORR_FMI_FIRED"};
  static const char* const types[] = {"ORR_F64", "ORR_C128", "ORR_I8",  "ORR_I16",    "ORR_I32",
                                      "ORR_U8",  "ORR_U16",  "ORR_U32", "ORR_BOOLEAN"};
  std::map<std::string, const FmuVariable*> by_name;
  for (const FmuVariable& v : of_body) by_name[v.name] = &v;
  std::string rows;
  for (const FmuVariable& v : variables) {
    const auto found = by_name.find(v.name);
    if (found == by_name.end()) {
      rows += "    {ORR_FMI_ABSENT, ORR_F64, 0, 0, 1, 1},\n";
      continue;
    }
    const FmuVariable& mine = *found->second;
    rows += fmt::format("    {{{}, {}, {}, {}, {}, {}}}, /* {} */\n", roles[static_cast<std::size_t>(mine.role)],
                        is_clock(mine.role) ? "ORR_CLOCK_TYPE" : types[static_cast<std::size_t>(mine.scalar)],
                        mine.index, mine.first, mine.rows, mine.cols, [&] {
                          std::string safe = v.name;
                          std::ranges::replace(safe, '*', '_');
                          return safe;
                        }());
  }
  if (rows.empty()) rows = "    {ORR_FMI_ABSENT, ORR_F64, 0, 0, 1, 1},\n";
  return fmt::format("static const orr_fmi_variable {}[] = {{\n{}}};\n", table, rows);
}

}  // namespace orrery::code_export
