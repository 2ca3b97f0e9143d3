// SPDX-License-Identifier: Apache-2.0
// The text of errors, with the location line of OML.
#include "oml/error.h"

#include <fmt/format.h>

namespace orrery::oml {

std::string OmlError::full_text() const {
  if (is_syntax()) {
    std::string text = fmt::format("Syntax error at line number {}", line);
    if (!file.empty()) text += " in file " + file;
    text += fmt::format(" near character position {}", column);
    return message.empty() ? text : text + ": " + message;
  }
  std::string text = without_prefix ? message : "Error: " + message;
  if (message_only) return text;
  if (!builtin.empty()) text += " in call to function " + builtin;
  if (!function.empty()) text += " in function " + function;
  if (line > 0) {
    text += fmt::format(" at line number {}", line);
    if (!file.empty()) text += " in file " + file;
  }
  return text;
}

void fail(std::string message) { throw OmlError(std::move(message)); }

void fail_undefined(const std::string& name) {
  OmlError error("Unknown function: " + name);
  error.kind = ErrorKind::undefined_name;
  error.name = name;
  throw error;
}

void fail_argument(int number, const std::string& requirement) {
  throw OmlError(fmt::format("Argument {}; {}", number, requirement));
}

}  // namespace orrery::oml
