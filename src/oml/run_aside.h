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
// lets the work come to its end unheard. Rethrows what the work throws. The work must own all it touches; it is
// destroyed by the calling thread, when it is over, so it may own Values. In it, it may only read and write the numbers
// of those: references are counted by one thread.
void wait_aside(std::function<void()> work);

// Destroys what works of this thread owned that were left alone and are over by now.
void clear_aside();

// Below so many multiplications, about a twentieth of a second, nobody notices.
inline constexpr double short_work = 1e8;

// f(), aside when it is long: `operations` says how much it does.
template <class F>
auto run_aside(double operations, F f) -> decltype(f()) {
  if (interrupt_flag() == nullptr || operations < short_work) return f();
  using R = decltype(f());
  auto work = std::make_shared<std::pair<F, std::optional<R>>>(std::move(f), std::nullopt);
  wait_aside([work] { work->second.emplace(work->first()); });
  return std::move(*work->second);
}

}  // namespace orrery::oml
