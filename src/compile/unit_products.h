// SPDX-License-Identifier: Apache-2.0
// Units of the elements of expressions of a Program, as products of quantities.
#pragma once

#include <functional>
#include <vector>

#include "program/program.h"
#include "units/infer.h"

namespace orrery::compile {

// Element by element; empty: nothing is known of it.
using UnitProducts = std::vector<units::Product>;

// Goes through the nodes of a graph in the order in which they were made.
class UnitSweep {
 public:
  using Quantity = std::function<units::Product(program::SlotId slot, int element)>;
  using Past = std::function<units::Product(std::uint32_t history, std::uint32_t element)>;
  // Both have one unit, because of what is said here.
  using Equate = std::function<void(const units::Product& left, const units::Product& right, const char* why)>;

  UnitSweep(const program::Graph& graph, Quantity quantity, Past past, Equate equate)
      : graph_(graph), quantity_(std::move(quantity)), past_(std::move(past)), equate_(std::move(equate)) {}

  // All nodes that have been made since the last call.
  void go_on();
  const UnitProducts& of(program::ExprId id) const { return products_[id]; }

 private:
  UnitProducts node(program::ExprId id);
  UnitProducts elementwise(program::ExprId id);
  units::Product binary(program::Op op, const units::Product& a, const units::Product& b, program::ExprId exponent);
  units::Product together(const units::Product& a, const units::Product& b, const char* why);
  units::Product together(const UnitProducts& all, const char* why);
  UnitProducts matrix_product(program::ExprId a, program::ExprId b);
  void none(const units::Product& value);

  const program::Graph& graph_;
  Quantity quantity_;
  Past past_;
  Equate equate_;
  std::vector<UnitProducts> products_;  // by node
};

}  // namespace orrery::compile
