// SPDX-License-Identifier: Apache-2.0
// Parts of matrices of signals: which element goes where, also when an index is itself a signal.
#pragma once

#include <vector>

#include "oml/value.h"
#include "program/expr.h"

namespace orrery::trace {

// Numbers first, first + 1, … in the shape of a matrix: what OML's own functions make of them says which elements go
// where.
oml::Value positions(oml::Index rows, oml::Index cols, double first);
void append_elements(program::Expr a, std::vector<program::Expr>& elements);
// The matrix whose element k is elements[map(k) - 1]; position 0 stands for a zero.
oml::Value gather(const oml::Value& map, const std::vector<program::Expr>& elements);

// a(subscripts). A subscript that is a signal must have a size, not a truth value for each element; where it is outside
// the matrix, the run ends.
oml::Value index_elements(program::Expr a, const oml::Values& subscripts, program::Graph& graph);
// The matrix after a(subscripts) = value; `target` may be empty.
oml::Value assign_elements(const oml::Value& target, const oml::Values& subscripts, const oml::Value& value,
                           program::Graph& graph);
// The matrix without a(subscripts), which are numbers.
oml::Value remove_elements(const oml::Value& target, const oml::Values& subscripts, program::Graph& graph);
// The matrices below each other, or side by side.
oml::Value concatenate_elements(const oml::Values& parts, bool vertically, program::Graph& graph);

}  // namespace orrery::trace
