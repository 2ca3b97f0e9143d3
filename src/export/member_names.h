// SPDX-License-Identifier: Apache-2.0
// Which slots an exported model needs, and what they are called in its struct.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "native/emit.h"
#include "passes/make_procedures.h"

namespace orrery::code_export {

// The slots that procedures touch or that are seen from outside, ascending.
std::vector<program::SlotId> used_slots(const program::Program& program,
                                        const std::vector<program::Procedure>& procedures);

native::MemberNames name_members(const program::Program& program, const std::vector<program::SlotId>& used,
                                 const std::string& model);

// The structs of states, parameters and memory as C.
std::string struct_text(const program::Program& program, const std::vector<program::SlotId>& used,
                        const native::MemberNames& names, const program::Layout& layout);
// What the memory holds before a run, as C: a constant <model>_defaults.
std::string initial_text(const program::Program& program, const std::vector<program::SlotId>& used,
                         const native::MemberNames& names);

// A text as a C string, a number as a C literal, and a text that cannot end a comment.
std::string quoted(const std::string& text);
std::string number_text(double value);
std::string comment_text(const std::string& text);

}  // namespace orrery::code_export
