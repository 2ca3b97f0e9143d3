// SPDX-License-Identifier: Apache-2.0
// Functions of OML that are run when a run starts, because they have no formula.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "oml/interpreter.h"
#include "program/foreign_kinds.h"
#include "program/parameter_space.h"

namespace orrery::trace {

struct ParameterHome;

// One call of a builtin function. Where an argument, or a part of one, is a parameter, its value is put in.
struct StartComputation {
  std::string function;
  oml::Values arguments;
  int nargout = 1;
  std::vector<program::Type> inputs, outputs;
  Place place;  // of the call
};

class StartComputations {
 public:
  explicit StartComputations(oml::Interpreter& interpreter) : interpreter_(interpreter) {}

  // Whether a builtin function depends on its arguments alone, and the size of its results on their sizes.
  static bool can_run(const std::string& function);
  // The results of a call as values of the parameters; `numbers` are those it has just given. Nothing when they are not
  // all real matrices.
  std::optional<oml::Values> add(const std::shared_ptr<ParameterHome>& home, const std::string& function,
                                 const oml::Values& arguments, const oml::Values& numbers, int nargout);

  // To be called when nothing will ask for them any more: their arguments refer to the parameters they belong to.
  void clear() { list_.clear(); }
  const StartComputation& operator[](std::size_t index) const { return list_[index]; }
  // Runs of a compiled model may start on several threads, but an interpreter and its values belong to one thread at a
  // time: whoever computes holds this.
  std::mutex& turn() { return turn_; }
  // Results, one after the other, for the elements of all inputs; false, and a message, when the function failed.
  [[nodiscard]] bool run(std::size_t index, std::vector<double> inputs, std::vector<double>& outputs,
                         std::string& message);
  // For each element of the results its derivatives by all elements of the inputs, by extrapolated differences.
  [[nodiscard]] bool differentiate(std::size_t index, const std::vector<double>& inputs, std::vector<double>& slopes,
                                   std::string& message);

 private:
  oml::Interpreter& interpreter_;
  std::vector<StartComputation> list_;
  std::mutex turn_;
};

// The computations of the parameters among the kinds of foreign code of a run.
program::ForeignKind start_computation_kind(std::shared_ptr<ParameterHome> home);

// The computations whose derivatives the Program takes by differences: "place at file:3".
std::vector<std::string> differenced_computations(const program::Program& program, const ParameterHome& home);

}  // namespace orrery::trace
