// SPDX-License-Identifier: Apache-2.0
// Values as bytes and back, for processes that read what we do not trust.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oml/value.h"

namespace orrery::oml {

// Numbers, texts, logicals, sparse matrices, cells and structs of these.
std::string to_bytes(const std::vector<std::pair<std::string, Value>>& variables);
// Believes nothing: sizes, types, names and structures are checked against what is there. An OML error otherwise.
std::vector<std::pair<std::string, Value>> from_bytes(std::string_view bytes);

}  // namespace orrery::oml
