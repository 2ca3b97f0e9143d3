// SPDX-License-Identifier: Apache-2.0
// Runs an OML script from the command line; for development and measurements of src/oml alone.
#include <cstdio>
#include <string>
#include <vector>

#include "oml/interpreter.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: oml_run FILE [arguments] | -e TEXT\n", stderr);
    return 2;
  }
  orrery::oml::Interpreter oml;
  orrery::oml::RunResult result;
  if (std::string(argv[1]) == "-e" && argc > 2)
    result = oml.run_text(argv[2]);
  else
    result = oml.run_file(argv[1], std::vector<std::string>(argv + 2, argv + argc));
  if (!result.error_text.empty()) std::printf("%s\n", result.error_text.c_str());
  std::fflush(stdout);
  return result.exit_code;
}
