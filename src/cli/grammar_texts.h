// SPDX-License-Identifier: Apache-2.0
// Texts made from the grammar of the command line: completion for shells, the manual page, the grammar itself.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace orrery::cli {

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string manual_page(const CLI::App& app);
// Commands with their arguments and options, for programs that offer them (docs/protocol.md, `tools`).
std::string grammar_json(const CLI::App& app);

}  // namespace orrery::cli
