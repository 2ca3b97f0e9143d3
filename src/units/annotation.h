// SPDX-License-Identifier: Apache-2.0
// Units in remarks: "h [m], v [m/s]", or "[m]" for the one name the remark belongs to.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::units {

struct Annotation {
  std::string name;    // empty: whatever the remark stands behind
  std::string unit;    // between the brackets
  std::size_t at = 0;  // of the unit in the remark
};

// Brackets behind a name, or as the first thing of a remark. Others are prose: "see chapter [3]" has no unit, since
// a unit has letters or is 1.
std::vector<Annotation> find_annotations(std::string_view remark);

}  // namespace orrery::units
