// SPDX-License-Identifier: Apache-2.0
// Mends libraries that would not load on this machine. The files are copies in a temporary folder.
#pragma once

#include <string>

namespace orrery::fmi {

// The loader, and the library itself when it opens others by their names, look into the library's own folder first.
// False: it cannot be told so.
bool look_beside(const std::string& library);

// "libgfortran.so.5" for "libgfortran.so.3": the version of a library that this machine has; empty: none.
std::string other_version(const std::string& missing);
// Asks for another version in place of a library that is not there; symbols are then taken whatever version they are
// of. False: the library does not need `missing`, or it cannot be changed.
bool replace_needed(const std::string& library, const std::string& missing, const std::string& other);

// Some systems refuse libraries that ask for a stack with code on it, which most do by mistake. False: it does not ask.
bool leave_stack_alone(const std::string& library);

}  // namespace orrery::fmi
