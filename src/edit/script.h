// SPDX-License-Identifier: Apache-2.0
// A model as an OML script that makes it again, byte for byte.
#pragma once

#include <string>

#include "model/model.h"

namespace orrery::edit {

// The script ends by saving to this file.
std::string script_of(const model::Model& model, const std::string& save_as);
// What the functions of scripts cannot say of a model; empty: nothing.
std::string beyond_scripts(const model::Model& model);

}  // namespace orrery::edit
