// SPDX-License-Identifier: Apache-2.0
// C text to machine code in memory by libtcc, in milliseconds.
#pragma once

#include <memory>
#include <span>
#include <string>

struct TCCState;

namespace orrery::native {

struct MemoryCodeDeleter {
  void operator()(TCCState* state) const;
};
using MemoryCode = std::unique_ptr<TCCState, MemoryCodeDeleter>;

struct NamedAddress {
  const char* name;
  const void* address;
};

// Null when the text does not compile; `messages` then says why. `more`: what it may call besides the functions of
// emitted code.
MemoryCode compile_in_memory(const std::string& text, std::string& messages, std::span<const NamedAddress> more = {});
// The address of a function, or null.
void* symbol_of(const MemoryCode& code, const std::string& name);

}  // namespace orrery::native
