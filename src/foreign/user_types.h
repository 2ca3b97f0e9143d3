// SPDX-License-Identifier: Apache-2.0
// Block types in shared libraries of users (blocks/user_block.h).
#pragma once

#include <memory>

#include "base/consent.h"
#include "blocks/user_block.h"

namespace orrery::foreign {

// Libraries stay loaded: compiled models refer to their types. They are native code, which the user must have allowed.
std::shared_ptr<const blocks::UserTypes> make_user_types(Consent consent);

}  // namespace orrery::foreign
