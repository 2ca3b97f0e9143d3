// SPDX-License-Identifier: Apache-2.0
// A model made of residuals alone: filled by a test, made causal, run.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "equations/causalise.h"
#include "program/expr.h"
#include "program/verify.h"
#include "sim/simulation.h"

namespace orrery::equations {

class EquationModel {
 public:
  using Expr = program::Expr;

  EquationModel() {
    program.add_origin({"model", "model", 0});
    program.sources.push_back({.kind = program::SourceKind::initial, .table = {}, .activates = {}});
  }

  Expr variable(const std::string& name, double start = 0, bool fixed = false) {
    ids_[name] = system.add(name, start, fixed);
    return at(ids_[name]);
  }
  VariableId id(const std::string& name) const { return ids_.at(name); }
  Expr der(const std::string& name) { return at(system.derivative_of(id(name))); }
  // The derivative of a derivative, which begins at `rate`.
  Expr second(const std::string& name, double rate = 0) {
    const VariableId first = system.derivative_of(id(name));
    program.slots[system.variables[first].slot].initial = program.graph.constant(rate);
    return at(system.derivative_of(first));
  }
  Expr at(VariableId v) { return {&program.graph, system.read(v)}; }
  Expr number(double value) { return {&program.graph, program.graph.constant(value)}; }
  Expr time() { return {&program.graph, program.graph.time()}; }
  void zero(Expr residual) { system.equation(residual.id()); }
  void initial(Expr residual) { system.initial_equation(residual.id()); }
  program::SlotId parameter(const std::string& name, double value) {
    const program::SlotId slot =
        program.add_slot({name, {}, program::SlotKind::parameter, 0, number(value).id(), 0, {}});
    program.parameters.push_back({name, slot});
    return slot;
  }
  Expr at_slot(program::SlotId slot) { return {&program.graph, program.read(slot)}; }

  // Records an expression at every accepted point.
  void show(const std::string& name, Expr value) {
    const program::SlotId slot = program.add_slot({name, {}, program::SlotKind::signal, 0, program::no_expr, 0, {}});
    shown_.emplace_back(slot, value.id());
    program.probes.push_back({.name = name, .slot = slot, .continuous = true});
  }

  bool close() {
    if (!causalise(system, values, diagnostics)) return false;
    for (const auto& [slot, value] : shown_) program.always.push_back({slot, values.apply(value)});
    const std::vector<std::string> problems = program::verify(program);
    for (const std::string& problem : problems) ADD_FAILURE() << problem;
    return problems.empty();
  }

  // By name of what is shown.
  struct Run {
    std::map<std::string, std::vector<double>> columns;
    std::vector<double> time;
    std::string messages;
    sim::End end = sim::End::failed;
    sim::StartReport start;

    double last(const std::string& name) const { return columns.at(name).back(); }
    double largest(const std::string& name) const {
      double most = 0;
      for (const double value : columns.at(name)) most = std::max(most, std::fabs(value));
      return most;
    }
  };
  Run run(const std::string& solver, double stop, double tolerance, double interval = 0,
          bool second_tier = false) const {
    sim::RunOptions options;
    options.native.second_tier = options.native.wait_for_second = second_tier;
    options.stop = stop;
    options.solver = solver;
    options.tolerance.relative = tolerance;
    options.interval = interval;
    Diagnostics messages;
    Run result;
    const auto simulation = sim::Simulation::create(program, options, messages);
    if (simulation) {
      result.end = simulation->run();
      result.start = simulation->report().start;
      const sim::Recording& recording = simulation->recording();
      result.time = recording.time;
      for (std::size_t c = 0; c < recording.columns.size(); ++c) {
        auto& column = result.columns[recording.columns[c].name];
        for (std::size_t r = 0; r < recording.rows(); ++r) column.push_back(recording.value(r, c));
      }
    }
    result.messages = to_text(messages);
    return result;
  }

  program::Program program;
  System system{program};
  Unfolding values{program};
  Diagnostics diagnostics;

 private:
  std::map<std::string, VariableId> ids_;
  std::vector<std::pair<program::SlotId, program::ExprId>> shown_;
};

}  // namespace orrery::equations
