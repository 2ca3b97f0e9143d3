// SPDX-License-Identifier: Apache-2.0
// C text to machine code in memory by libtcc, in milliseconds.
#pragma once

#include <memory>
#include <string>

struct TCCState;

namespace orrery::native {

struct MemoryCodeDeleter {
  void operator()(TCCState* state) const;
};
using MemoryCode = std::unique_ptr<TCCState, MemoryCodeDeleter>;

// Null when the text does not compile; `messages` then says why.
MemoryCode compile_in_memory(const std::string& text, std::string& messages);
// The address of a function, or null.
void* symbol_of(const MemoryCode& code, const std::string& name);

}  // namespace orrery::native
