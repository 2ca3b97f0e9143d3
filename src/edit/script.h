// SPDX-License-Identifier: Apache-2.0
// A model as a script that makes it again, byte for byte: in OML, or in Python with the module python/orrery.
#pragma once

#include <string>

#include "model/model.h"

namespace orrery::edit {

enum class ScriptLanguage { oml, python };

// The script ends by saving to this file.
std::string script_of(const model::Model& model, const std::string& save_as,
                      ScriptLanguage language = ScriptLanguage::oml);

}  // namespace orrery::edit
