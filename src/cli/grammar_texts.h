// SPDX-License-Identifier: Apache-2.0
// Texts made from the grammar of the command line: completion for shells, the manual page.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace orrery::cli {

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string manual_page(const CLI::App& app);

}  // namespace orrery::cli
