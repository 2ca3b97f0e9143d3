// SPDX-License-Identifier: Apache-2.0
// The exception that carries a user's mistake from deep inside the interpreter to its boundary.
#pragma once

#include <string>
#include <utility>

namespace orrery::oml {

// Where an error happened; filled in on the way out, innermost first.
struct OmlError {
  std::string message;     // without "Error: " and without the location
  std::string identifier;  // "Octave:some-id" style; may be empty
  std::string builtin;     // the builtin that failed, if one did
  std::string function;    // the user function around it; empty in a script
  std::string file;
  int line = 0;
  int column = 0;
  bool located = false;       // line, column, file and function are set
  bool message_only = false;  // errormsgonly: print without location
  bool syntax = false;

  explicit OmlError(std::string text) : message(std::move(text)) {}

  // "Error: <message>[ in call to function F][ in function U] at line number N in file S"
  std::string full_text() const;
};

// Thrown when the interrupt flag was raised: no try/catch of the script may stop it.
struct Interrupted {};

// Thrown by exit/quit: ends the script with this code.
struct ExitRequest {
  int code = 0;
};

[[noreturn]] void fail(std::string message);
// "Argument N; <requirement>"
[[noreturn]] void fail_argument(int number, const std::string& requirement);

}  // namespace orrery::oml
