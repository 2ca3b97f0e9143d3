// SPDX-License-Identifier: Apache-2.0
// While a search looks for slopes of a function by differences around the point it evaluated last. A builtin that knows
// its own derivatives there (a run of a model) may answer along them instead of computing anew.
#pragma once

#include "oml/interpreter.h"

namespace orrery::oml {

class Differencing {
 public:
  explicit Differencing(Interpreter& interpreter) : state_(interpreter.extension<State>()) { ++state_.depth; }
  ~Differencing() { --state_.depth; }
  Differencing(const Differencing&) = delete;
  Differencing& operator=(const Differencing&) = delete;

  static bool is_on(Interpreter& interpreter) {
    const State& state = interpreter.extension<State>();
    return state.depth > 0 && !state.distrusted;
  }
  // A builtin has answered along its derivatives.
  static void note_answer(Interpreter& interpreter) { ++interpreter.extension<State>().answers; }

  // What answers along derivatives hide (when events are, for example) only the function itself shows: it is compared
  // with differences of true values at the first, the second, the fourth … gradient of a search.
  static void begin_search(Interpreter& interpreter) {
    State& state = interpreter.extension<State>();
    state.gradients = 0;
    state.distrusted = false;
  }
  // A builtin has run a model.
  static void note_run(Interpreter& interpreter) { ++interpreter.extension<State>().runs; }
  static long runs(Interpreter& interpreter) { return interpreter.extension<State>().runs; }
  static bool is_distrusted(Interpreter& interpreter) { return interpreter.extension<State>().distrusted; }
  static long answers(Interpreter& interpreter) { return interpreter.extension<State>().answers; }
  static bool is_comparison_due(Interpreter& interpreter) {
    const int n = ++interpreter.extension<State>().gradients;
    return (n & (n - 1)) == 0;
  }
  static void distrust(Interpreter& interpreter) { interpreter.extension<State>().distrusted = true; }

 private:
  struct State {
    int depth = 0;
    long answers = 0, runs = 0;
    int gradients = 0;
    bool distrusted = false;
  };
  State& state_;
};

}  // namespace orrery::oml
