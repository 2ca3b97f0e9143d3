// SPDX-License-Identifier: Apache-2.0
// Where tests and bench find the sources and what was built. Functions, so that their text is the same in every
// checkout and a compiler cache serves all of them.
#pragma once

#include <string>

namespace orrery {

const std::string& source_folder();
const std::string& test_fmu_folder();  // the FMUs made for tests
const std::string& orrery_binary();    // the executable

}  // namespace orrery
