// SPDX-License-Identifier: Apache-2.0
// C code that people write: compiled by the machine's C compiler, through the cache, or in memory where there is none.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "native/first_tier.h"
#include "native/second_tier.h"

namespace orrery::native {

struct UserCode {
  MemoryCode memory;
  SharedObject object;

  void* symbol(const std::string& name) const;  // nullptr: there is none
};

struct UserText {
  std::string header;       // what stands before the code
  std::string header_name;  // its #include in the code is left out
  std::string code;
  std::string prelude;                      // before the header, where there is no compiler and so no system headers
  std::span<const NamedAddress> functions;  // what code in memory may call besides those of libm
  std::string compiler = {};                // empty: that of the machine
};

// Nothing, and messages, when it does not compile.
std::unique_ptr<UserCode> compile_user_code(const UserText& text, std::string& messages);

}  // namespace orrery::native
