// SPDX-License-Identifier: Apache-2.0
// The C text of a program together with what its compilers must know about it.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "program/procedure.h"

namespace orrery::native {

// For people: comments, indentation, numbers where they stand. For compilers: numbers that repeat have names, because
// libtcc makes an object of every literal it meets.
enum class Style { readable, compact };

struct Unit {
  std::string text;
  bool thorough = false;  // worth -O2: loops, choices; straight-line code is not
};

// For texts that leave the program: slots are members of a struct with names instead of places in a block of memory.
struct MemberNames {
  std::string model;                // begins the names of functions and types
  std::vector<std::string> member;  // by slot, from the struct; of states, from the struct of states
  std::set<std::string> visible;    // procedures that other files may call
  bool comments = true;             // the block of each statement
};

// The same procedures for a C compiler that is not ours, without a warning: what they need first, and they themselves.
struct MemberText {
  std::string prologue, body;
};
MemberText emit_members(const program::Program& program, const program::Layout& layout,
                        const std::vector<program::Procedure>& procedures, const MemberNames& names);

Unit emit_unit(const program::Program& program, const program::Layout& layout,
               const std::vector<program::Procedure>& procedures, Style style);

}  // namespace orrery::native
