// SPDX-License-Identifier: Apache-2.0
// Statements that jump or loop, as a function of the Program.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "blocks/text_programs/formulas.h"
#include "cssl/program.h"
#include "program/function.h"

namespace orrery::blocks::text_programs {

// A name that the statements use: an argument where it has a value before them, a result where they assign it.
struct FunctionName {
  std::string name;
  program::Type type;
  bool given = false, assigned = false;
};

// Arguments in the order of the given names, then the time; results in that of the assigned ones. Throws
// ParameterError.
std::shared_ptr<const program::Function> write_function(
    const cssl::Program& program, const std::vector<cssl::Statement>& statements,
    const std::vector<FunctionName>& names, const std::function<const cssl::Declared*(const std::string&)>& declared);

// y = IMPL(y0, err, f): the body again and again until |f - y| <= err. Names as before; y and f are among them.
std::shared_ptr<const program::Function> write_iteration(
    const cssl::Program& program, const cssl::Statement& statement, const std::vector<FunctionName>& names,
    const std::function<const cssl::Declared*(const std::string&)>& declared);

}  // namespace orrery::blocks::text_programs
