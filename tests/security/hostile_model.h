// SPDX-License-Identifier: Apache-2.0
// For tests of what models may do: models whose scripts want something, in a folder of their own, and the executable.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "../command_line.h"

namespace orrery::tests {

class HostileModel : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    fs::create_directories(file("model"));
    fs::create_directories(file("outside"));
    std::ofstream(file("outside/secret.txt")) << "42\n";
  }

  // JSON text in quotes.
  static std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      result += c == '\n' ? "\\n" : std::string(1, c);
    }
    return result + "\"";
  }

  // A model with these lines as its initialization and these blocks, joined by commas.
  std::string model(const std::vector<std::string>& lines, const std::string& blocks = {},
                    const std::string& name = "m.orr") const {
    std::string script;
    for (const std::string& line : lines) script += (script.empty() ? "" : ", ") + quoted(line);
    const std::string text = fmt::format(
        R"({{"orrery": 1, "name": "m", "simulation": {{"stop": "0.1"}}, "initialization": [{}],
 "blocks": [{{"name": "C", "type": "Constant"}}, {{"name": "S", "type": "Scope"}}{}{}],
 "links": [{{"from": "C:1", "to": ["S:1"]}}]}})",
        script, blocks.empty() ? "" : ", ", blocks);
    return write("model/" + name, text + "\n");
  }

  std::string fmu_block(const std::string& fmu) const {
    return fmt::format(R"({{"name": "F", "type": "FMU", "parameters": {{"fmu": {}}}}})", quoted("'" + fmu + "'"));
  }
};

}  // namespace orrery::tests
