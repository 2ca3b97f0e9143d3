// SPDX-License-Identifier: Apache-2.0
// What is turned into native code: named lists of stores. All reads happen before all stores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/program.h"

namespace orrery::program {

// Stores a value (scalar or matrix) to a slot, or to elements of the procedure's output vector y (doubles).
struct Store {
  enum class Target : std::uint8_t { slot, output };
  Target target = Target::slot;
  std::uint32_t index = 0;  // slot, or first element of y
  ExprId value = no_expr;
  ExprId guard = no_expr;  // no_expr: always
  OriginId origin = 0;
};

struct Procedure {
  std::string name;  // a C identifier
  std::vector<Store> stores;
};

// What went wrong first in native code since it was cleared (Site); lies in the run's memory.
struct TroubleRecord {
  std::int64_t turns = 0;   // that loops have left
  double index = 0;         // the position, from 0,
  std::int64_t length = 0;  // and how many there are
  std::int32_t site = 0;    // 0: nothing; its number (find_site) + 1
  std::int32_t unused = 0;
};
static_assert(sizeof(TroubleRecord) == 32);

// Byte offsets of the slots in a run's memory block. States come first, in the order of Program::states, so that the
// block begins with the solver's vector; then the other slots grouped by element type, widest first.
struct Layout {
  std::vector<std::uint32_t> offset;  // by slot, in bytes
  std::uint32_t bytes = 0;            // a multiple of 16
  std::uint32_t workspace = 0;        // where large temporaries begin (native::reserve_workspace); 0: there are none
  std::uint32_t histories = 0;        // where the pointer to the run's PastValues lies; 0: there are none
  std::uint32_t trouble = 0;          // where the TroubleRecord lies; 0: nothing can go wrong
  std::uint32_t foreign = 0;          // where the pointer to the run's ForeignEntry table lies; 0: there is none
};

Layout lay_out(const Program& program);
// The memory block of a run before initialisation: initial values of all slots.
std::vector<std::byte> initial_memory(const Program& program, const Layout& layout);
// Stores a number as an element of this type (of a complex one: one of its two parts).
void write_number(Scalar scalar, std::byte* at, double value);

}  // namespace orrery::program
