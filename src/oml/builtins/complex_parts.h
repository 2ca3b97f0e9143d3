// SPDX-License-Identifier: Apache-2.0
// Functions that are linear in their data, of complex data.
#pragma once

#include <algorithm>

#include "oml/interpreter.h"

namespace orrery::oml {

// Runs a function that wants real data once for the real and once for the imaginary parts of the arguments from `first`
// to `last` (excluded); the function must be linear in all of them together.
inline void run_by_parts(Call& c, int first, int last, void (*run)(Call&)) {
  last = std::min(last, c.count());
  const auto is_complex = [&](int k) { return c[k].is_complex(); };
  bool any = false;
  for (int k = first; k < last; ++k) any = any || is_complex(k);
  if (!any) return run(c);
  Values results[2];
  for (const bool imaginary : {false, true}) {
    Values args = c.args;
    for (int k = first; k < last; ++k)
      args[static_cast<std::size_t>(k)] = c.oml.call_named(imaginary ? "imag" : "real", {c[k]}, 1)[0];
    Call part{c.oml, c.name, args, c.nargout, results[imaginary ? 1 : 0]};
    run(part);
  }
  for (std::size_t k = 0; k < results[0].size(); ++k)
    c.ret(c.oml.call_named("complex", {results[0][k], results[1][k]}, 1)[0]);
}

}  // namespace orrery::oml
