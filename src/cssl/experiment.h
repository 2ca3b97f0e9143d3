// SPDX-License-Identifier: Apache-2.0
// The experiment part of a DESIRE program: enhanced BASIC over numbers and arrays, which runs the model.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/diagnostic.h"
#include "cssl/program.h"

namespace orrery::cssl {

// Columns one after the other.
struct ExperimentArray {
  int rows = 1, cols = 1;
  bool state = false;
  std::vector<double> values;
};

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
  std::map<std::string, ExperimentArray> arrays;
  double value_of(NodeId id);  // not a number, and a diagnostic, where it has none

  // Names that the run before has given values to, which are not there. Whoever reads one ends the experiment.
  std::unordered_set<std::string> unknown;
  bool met_unknown() const { return met_unknown_; }

 private:
  enum class Flow : std::uint8_t { on, jump, end, failed };
  Flow carry_out(const std::vector<Statement>& statements);
  Flow carry_out(const Statement& statement);
  Flow count(const Statement& statement);
  Flow call(const Statement& statement);
  void make_array(const Statement& statement);
  void store(NodeId target, double value);
  double* element(const Node& node);
  double call_value(const Node& node);
  double missing(const Node& node);

  const Program& program_;
  Act act_;
  Say say_;
  Diagnostics& diagnostics_;
  std::string label_;     // to which a jump goes
  Position jumped_from_;  // …
  long left_ = 10'000'000;
  std::size_t data_read_ = 0;
  bool met_unknown_ = false;
};

}  // namespace orrery::cssl
