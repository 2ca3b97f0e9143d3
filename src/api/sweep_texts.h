// SPDX-License-Identifier: Apache-2.0
// The texts of a sweep's request: lists, distributions, expressions over signals.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyse/sweep.h"
#include "api/oml_evaluator.h"
#include "api/repeated_runs.h"
#include "api/sweep.h"

namespace orrery::api {

// Nothing, and diagnostics, where a text makes no sense.
std::optional<analyse::SweepPlan> plan_of(const SweepRequest& request, Diagnostics& diagnostics);

// A wish in OML over signals. Reductions of signals, "max(/Speed)", are computed while a run goes on and stand in the
// text as value_1, value_2, …; whole signals, if there are any, as signal_1, …; their time is t.
struct Keep {
  std::string name;        // of the column
  std::string expression;  // as it was written
  std::string text;
  std::vector<std::size_t> values;   // of the reductions
  std::vector<std::string> signals;  // whole ones: "/Plant/Speed:2", or an element, "/Plant/Speed[2]"
};

// What is kept of each run.
struct KeptTexts {
  std::vector<Keep> keeps;
  std::vector<analyse::SignalReduction> reductions;
  std::vector<std::string> probes;  // block outputs and sinks that they need
  std::string script;               // OML that is run before: functions that the expressions call
  // Variables that the expressions may name, with the values of the moment.
  std::vector<VariedVariable> variables;
  ScriptLimits limits = {};  // of the script, and of each number
  Consent consent = {};      // what script and expressions may do besides computing
  bool keeps_rows() const;
};
// `option` is where the texts stand, for messages. Texts without any signal make sense only where there are variables.
std::optional<KeptTexts> keeps_of(const std::vector<std::string>& texts, Diagnostics& diagnostics,
                                  const std::string& option = "--keep",
                                  const std::vector<VariedVariable>& variables = {});
// Wishes name columns: of signals with several elements each has its own. A block's first output may be named without
// its number.
[[nodiscard]] bool find_columns(KeptTexts& kept, const std::vector<std::string>& columns, Diagnostics& diagnostics,
                                const std::string& option = "--keep");
// The last values of these columns.
KeptTexts keep_last(const std::vector<std::string>& columns);
// With an interpreter of its own.
analyse::Sweep::Finish make_finish(const KeptTexts& texts);
// Whether each can be computed at all, with signals that grow from 1 to 3.
[[nodiscard]] bool check_keeps(const KeptTexts& texts, Diagnostics& diagnostics, const std::string& option = "--keep");

}  // namespace orrery::api
