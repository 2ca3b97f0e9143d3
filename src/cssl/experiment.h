// SPDX-License-Identifier: Apache-2.0
// The experiment part of a DESIRE program: enhanced BASIC over numbers, which runs the model.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "cssl/program.h"

namespace orrery::cssl {

class Experiment {
 public:
  // What a statement drun, drunr or reset asks for. False: the experiment ends here.
  using Act = std::function<bool(const std::string& what, Experiment& experiment)>;
  using Say = std::function<void(const std::string& text)>;

  Experiment(const Program& program, Act act, Say say, Diagnostics& diagnostics)
      : program_(program), act_(std::move(act)), say_(std::move(say)), diagnostics_(diagnostics) {}

  // False: a mistake was reported.
  bool run(const std::vector<Statement>& statements);
  std::map<std::string, double> values;
  double value_of(NodeId id);  // not a number, and a diagnostic, where it has none

 private:
  enum class Flow : std::uint8_t { on, jump, end, failed };
  Flow carry_out(const std::vector<Statement>& statements);
  Flow carry_out(const Statement& statement);

  const Program& program_;
  Act act_;
  Say say_;
  Diagnostics& diagnostics_;
  std::string label_;  // to which a jump goes
  long left_ = 10'000'000;
};

}  // namespace orrery::cssl
