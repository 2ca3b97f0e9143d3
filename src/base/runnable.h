// SPDX-License-Identifier: Apache-2.0
// Which files hold texts or code that can run, by their names.
#pragma once

#include <string>

namespace orrery {

// What a model or a script can make run; recorded trust watches these. Data files are not among them, and blocks take
// their code from no others.
bool can_run(const std::string& path);
// "must end in .c, .so, ...": for those that were given another.
std::string endings_that_run();

}  // namespace orrery
