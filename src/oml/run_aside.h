// SPDX-License-Identifier: Apache-2.0
// Long numerical work that Ctrl-C must not wait for: LAPACK cannot be asked to stop, so it runs beside.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "oml/interrupt.h"

namespace orrery::oml {

// Runs work in a thread of its own and waits, looking at the interrupt flag; throws Interrupted when it is raised, and
// lets the work come to its end unheard. The work must own all it touches. Rethrows what the work throws.
void wait_aside(std::function<void()> work);

// f(), aside when it takes more than about a tenth of a second: `operations` says how much it does.
template <class F>
auto run_aside(double operations, F f) -> decltype(f()) {
  if (interrupt_flag() == nullptr || operations < 1e8) return f();
  using R = decltype(f());
  auto result = std::make_shared<std::optional<R>>();
  auto work = std::make_shared<F>(std::move(f));
  wait_aside([result, work] { result->emplace((*work)()); });
  return std::move(**result);
}

}  // namespace orrery::oml
