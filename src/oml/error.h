// SPDX-License-Identifier: Apache-2.0
// The exception that carries a user's mistake from deep inside the interpreter to its boundary.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/diagnostic.h"

namespace orrery::oml {

// What callers tell apart; the message is for people.
enum class ErrorKind : std::uint8_t {
  general,
  syntax,
  missing_end,     // syntax: the text ended inside a block
  undefined_name,  // neither a variable nor a function has this name
};

// Where an error happened; filled in on the way out, innermost first.
struct OmlError {
  std::string message;     // without "Error: " and without the location
  std::string identifier;  // "Octave:some-id" style; may be empty
  std::string builtin;     // the builtin that failed, if one did
  std::string function;    // the user function around it; empty in a script
  std::string file;
  int line = 0;
  int column = 0;
  bool located = false;         // line, column, file and function are set
  bool message_only = false;    // errormsgonly: print without location
  bool without_prefix = false;  // the text starts with the message, not with "Error: "
  ErrorKind kind = ErrorKind::general;
  std::string name;  // that is undefined

  bool is_syntax() const { return kind == ErrorKind::syntax || kind == ErrorKind::missing_end; }

  explicit OmlError(std::string text) : message(std::move(text)) {}

  // "Error: <message>[ in call to function F][ in function U] at line number N in file S"
  std::string full_text() const;
};

// Thrown when the interrupt flag was raised: no try/catch of the script may stop it.
struct Interrupted {};

// Thrown where a model wants what its user has not allowed, or more time than it has: no try/catch of the script may
// stop it, or the script would go on with another answer than it has elsewhere.
struct Refused {
  Diagnostic diagnostic;  // its place is that in the script
};

// Thrown by exit/quit: ends the script with this code.
struct ExitRequest {
  int code = 0;
};

[[noreturn]] void fail(std::string message);
[[noreturn]] void fail_undefined(const std::string& name);
// "Argument N; <requirement>"
[[noreturn]] void fail_argument(int number, const std::string& requirement);

}  // namespace orrery::oml
