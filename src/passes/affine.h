// SPDX-License-Identifier: Apache-2.0
// Recognises expressions that are affine in some slots: f(z) = A z + b with A and b free of z.
#pragma once

#include <span>
#include <vector>

#include "program/graph.h"

namespace orrery::passes {

// Structural: what is affine only after simplification that Graph does not do counts as not affine. Steps such as floor
// or a relation are not affine although their derivative is zero.
bool is_affine(const program::Graph& graph, std::span<const program::ExprId> expressions,
               std::span<const program::SlotId> slots);
// The same, one answer for each expression.
std::vector<bool> affine_ones(const program::Graph& graph, std::span<const program::ExprId> expressions,
                              std::span<const program::SlotId> slots);

}  // namespace orrery::passes
