// SPDX-License-Identifier: Apache-2.0
// Interpreters for the texts beside a model: numbers of options, expressions of sweeps and of specifications.
#pragma once

#include "api/oml_evaluator.h"

namespace orrery::api {

// They compute and print nothing. What the interpreter of the user's own scripts may is not theirs: a text may come
// with a file that somebody else has written.
inline oml::InterpreterOptions only_computes(const ScriptLimits& limits, Consent consent = {}) {
  oml::InterpreterOptions options;
  options.most_seconds = limits.seconds;
  options.interrupt = limits.interrupt;
  options.consent = std::move(consent);
  options.output = [](std::string_view) {};
  return options;
}

// What no other message replaces: refusals, and limits of time, where the text stands. False: there are none.
inline bool add_refusals(const Diagnostics& said, const Place& place, Diagnostics& diagnostics) {
  bool found = false;
  for (Diagnostic each : said.all()) {
    if (each.code != "needs-consent" && each.code != "script-limit") continue;
    each.place = place;
    diagnostics.add(std::move(each));
    found = true;
  }
  return found;
}

}  // namespace orrery::api
