// SPDX-License-Identifier: Apache-2.0
// Units in terms of the base units of FMI.
#pragma once

#include <optional>
#include <string>

namespace orrery::code_export {

// Powers of kg, m, s, A, K, mol, cd and rad. Value in these = factor * value + offset.
struct FmuUnit {
  std::string name;
  int exponents[8] = {};
  double factor = 1, offset = 0;
};

// "m/s2", "kg.m^2/(s.K)", "kPa", "degC"; nothing where a part of it is not known.
std::optional<FmuUnit> parse_unit(const std::string& text);

}  // namespace orrery::code_export
