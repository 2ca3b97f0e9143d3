// SPDX-License-Identifier: Apache-2.0
// An error with those who called the function it happened in: what verbose(1) asks for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "oml/error.h"

namespace orrery::oml {

struct TracedError : OmlError {
  std::vector<std::string> callers;  // innermost first: "in function F at line number N in file S"

  TracedError(const OmlError& error, std::vector<std::string> called_by)
      : OmlError(error), callers(std::move(called_by)) {}
};

}  // namespace orrery::oml
