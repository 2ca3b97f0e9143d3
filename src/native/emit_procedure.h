// SPDX-License-Identifier: Apache-2.0
// A planned procedure as C functions.
#pragma once

#include <string>

#include "native/emit.h"
#include "native/emit_expression.h"

namespace orrery::native {

struct EmittedProcedure {
  std::string text;
  std::string block = {};  // of emit_block: what is to stand where the procedure is carried out
  std::size_t statements = 0;
  std::size_t loops = 0;
  std::size_t choices = 0;  // ExpressionPrinter::choices
};

EmittedProcedure emit_procedure(const program::Program& program, const program::Layout& layout, const Planner& planner,
                                const Plan& plan, Prologue& prologue, Style style, const MemberNames* names = nullptr);

// A procedure as a part of another C function, which has t, x, y, m, tick and w.
EmittedProcedure emit_block(const program::Program& program, const program::Layout& layout, const Planner& planner,
                            const Plan& plan, Prologue& prologue, Style style);

}  // namespace orrery::native
