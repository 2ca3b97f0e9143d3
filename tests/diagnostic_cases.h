// SPDX-License-Identifier: Apache-2.0
// For tests: for each stable diagnostic code a mistake that provokes it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace orrery::tests {

struct DiagnosticCase {
  std::string code;
  std::string place;  // a part of what place_text() makes of the diagnostic's place
  std::function<Diagnostics()> provoke;
  bool help = true;  // whether the diagnostic must say what to do
};

// "case.orr:12 /Plant/Mass input 1", as far as it is known.
std::string place_text(const Place& place);

// Runs a model from a file case.orr: a text of the format, or of notation.h, which has lines too once it is written.
Diagnostics run_case(const std::string& model);

std::vector<DiagnosticCase> loader_cases();
std::vector<DiagnosticCase> compiler_cases();
std::vector<DiagnosticCase> run_cases();
std::vector<DiagnosticCase> file_cases();

}  // namespace orrery::tests
