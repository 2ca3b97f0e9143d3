// SPDX-License-Identifier: Apache-2.0
// For tests: one block on its own, built with given parameters and inputs, its formulas evaluated by the oracle.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blocks/block.h"
#include "program/evaluate.h"

namespace orrery::blocks {

// Numbers, inf, texts in quotes and matrices of numbers: what defaults are written in.
std::optional<Value> read_literal(std::string_view text);

inline constexpr Type real_type{};
inline constexpr Type boolean_type{Scalar::boolean, 1, 1};
inline Type column(int rows, Scalar scalar = Scalar::f64) { return {scalar, rows, 1}; }

class BlockBench {
 public:
  using Texts = std::map<std::string, std::string>;

  // Throws ParameterError; a complaint of the ports is in failure(), and then nothing is built.
  BlockBench(const std::string& type, const Texts& parameters, const std::vector<Type>& input_types, bool fold = true);

  const std::string& failure() const { return failure_; }
  const Body& body() const { return body_; }
  std::size_t modes();  // how many the block has in continuous time
  Type output_type(int port = 1) const { return output_types_[static_cast<std::size_t>(port - 1)]; }

  double time = 0;
  void set_input(int port, std::vector<double> value);
  void set_active(int port, bool active);  // … of no effect where the block does not ask
  std::vector<double> output(int port = 1);
  // Computes output 1 for inputs given in order.
  std::vector<double> operator()(const std::vector<std::vector<double>>& inputs);
  double derivative(std::size_t element = 0);

  // Carries out the rules; returns the delays of events, by port, and counts the actions.
  std::map<int, double> run(When when, int fired_port = 0);
  int actions = 0;
  bool passes(int port);  // whether an activation passes now
  double value(const std::string& slot, std::size_t element = 0);
  std::vector<double> evaluate(ExprId expression);

 private:
  void resolve_ports(const std::vector<Type>& input_types);
  bool holds(ExprId condition) { return condition == program::no_expr || evaluate(condition)[0] != 0; }

  const BlockType& type_;
  Parameters parameters_;
  program::Program program_;
  std::vector<SlotId> inputs_;
  std::vector<Type> output_types_;
  Body body_;
  std::string failure_;
  program::Environment environment_;
};

}  // namespace orrery::blocks
