// SPDX-License-Identifier: Apache-2.0
// Play between two limits that move together: what a Backlash gives, and BCKLSH of the text languages.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

// What was held, moved by `up` from below and by `down` from above, element by element. In continuous time the limits
// turn back at instants that are located: the rate of their motion changes its sign there.
inline Expr follow_with_play(Block& b, const Variable& held, Expr up, Expr down) {
  const Expr pushed_up = up > held, pushed_down = down < held;
  const Expr y = select(pushed_up, up, select(pushed_down, down, held));
  b.on_start().set(held, y);
  b.on_activation().set(held, y);
  b.on_left().set(held, y);
  for (std::int64_t k = 0; k < held.size(); ++k) {
    const Expr away = select(pushed_up[k], -b.rate(up[k]), select(pushed_down[k], b.rate(down[k]), b.constant(-1)));
    b.while_positive(away).set(held, y);
  }
  return y;
}

}  // namespace orrery::blocks
