// SPDX-License-Identifier: Apache-2.0
// Units that the remarks of a program give to its names and numbers.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "base/diagnostic.h"
#include "cssl/program.h"
#include "units/unit.h"

namespace orrery::cssl {

struct UnitRemark {
  units::ParsedUnit unit;
  int line = 0;
};

struct UnitRemarks {
  std::map<std::string, UnitRemark> names;
  std::map<std::pair<int, int>, UnitRemark> numbers;  // by line and column of the number
};

// `is_name`: whether the program has a quantity of this name.
UnitRemarks read_unit_remarks(const Program& program, const std::function<bool(const std::string&)>& is_name,
                              Diagnostics& diagnostics);

}  // namespace orrery::cssl
