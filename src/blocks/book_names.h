// SPDX-License-Identifier: Apache-2.0
// Names that other programs and books have for blocks, and what we call them.
#pragma once

#include <string>
#include <vector>

namespace orrery::blocks {

struct OtherName {
  std::string name;  // in Activate ("Extended Definitions", A.1, table 22.2), Scicos or Xcos
  std::string ours;  // block type; empty: there is none
  std::string note;  // what differs, or why there is none; may be empty
};

const std::vector<OtherName>& other_names();

}  // namespace orrery::blocks
