// SPDX-License-Identifier: Apache-2.0
// What an exported model cannot have, block by block, with the reason.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "base/diagnostic.h"
#include "export/c_model.h"
#include "passes/make_procedures.h"

namespace orrery::code_export {

// The most unknowns of one system of equations that the run-time solves.
constexpr std::size_t most_unknowns = 32;

// Names each block that cannot go to a target, once for each reason.
class Refusals {
 public:
  Refusals(const program::Program& program, Diagnostics& diagnostics, const char* whole = "the model",
           const char* refused = "cannot be exported");
  void add(program::OriginId origin, const std::string& reason, const std::string& help);
  bool any() const { return any_; }

 private:
  const program::Program& program_;
  Diagnostics& diagnostics_;
  const char* whole_;    // who is meant where no block is
  const char* refused_;  // in words
  std::set<std::pair<program::OriginId, std::string>> said_;
  bool any_ = false;
};

// Says everything that stands in the way, once for each block. True: nothing does.
bool check_exportable(const program::Program& program, const passes::Procedures& cut, const ExportSettings& settings,
                      Diagnostics& diagnostics);

}  // namespace orrery::code_export
