// SPDX-License-Identifier: Apache-2.0
// The parameters of a model while its scripts run and it is compiled: formulas instead of numbers.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "program/program.h"

namespace orrery::program {

// Whether an expression is the same throughout a run: it reads parameters and nothing else.
bool is_start_value(const Program& program, ExprId expression);

// Scripts run before there is a Program. What they compute from parameters are formulas in the graph of `beginning`,
// with which every Program compiled from the model begins, so that the formulas mean the same in all of them. While a
// Program is being compiled, formulas are made in that one.
class ParameterSpace {
 public:
  const Program& beginning() const { return beginning_; }
  Program& program() { return *target_; }
  Graph& graph() { return target_->graph; }
  bool empty() const { return beginning_.parameters.empty(); }

  // The parameter with this name, or nullptr; of several the last.
  const Parameter* find(const std::string& name) const;
  // A new parameter with the value it has unless it is set: numbers, or a formula of other parameters. One that had the
  // name before keeps its value, and nobody can set it any more.
  SlotId declare(const std::string& name, Type type, std::vector<double> values, std::string unit = {});
  SlotId declare(const std::string& name, ExprId formula, std::string unit = {});
  // A slot that is computed when a run starts.
  SlotId compute(std::string name, ExprId value);

  // Somebody at this place needs the number of a formula, for this reason: none of its parameters can be varied.
  void fix(ExprId formula, Place place, std::string reason);
  void fix(ExprId formula, std::string reason) { fix(formula, where ? where() : Place{}, std::move(reason)); }
  // By slot of a parameter.
  const std::vector<NumberUse>& uses(SlotId slot) const;

  std::function<Place()> where;  // where scripts are now
  bool paused = false;           // numbers do: the expressions made now only show sizes

  // While it lives, formulas are made in this Program.
  class Compiling {
   public:
    Compiling(ParameterSpace* space, Program& program) : space_(space) {
      if (space_ != nullptr) space_->target_ = &program;
    }
    ~Compiling() {
      if (space_ != nullptr) space_->target_ = &space_->beginning_;
    }
    Compiling(const Compiling&) = delete;
    Compiling& operator=(const Compiling&) = delete;

   private:
    ParameterSpace* space_;
  };

 private:
  Program beginning_;
  Program* target_ = &beginning_;
  std::map<SlotId, std::vector<NumberUse>> uses_;
};

}  // namespace orrery::program
