// SPDX-License-Identifier: Apache-2.0
// What an FMU is, for people and for programs.
#pragma once

#include <string>

#include "fmi/description.h"
#include "fmi/unpack.h"

namespace orrery::fmi {

std::string info_text(const Description& description, const Archive& archive);
std::string info_json(const Description& description, const Archive& archive);

}  // namespace orrery::fmi
