// SPDX-License-Identifier: Apache-2.0
// Functions and operators that every program can call: how many arguments, which of them count at once.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace orrery::cssl {

enum class OperatorKind : std::uint8_t {
  function,  // of its arguments now
  state,     // what it gives is a state, which is known before all else
  memory,    // it remembers something, so it belongs into continuous time
  random,    // another value at each call
};

struct Operator {
  std::string_view name;
  int least, most;
  OperatorKind kind = OperatorKind::function;
  std::uint32_t later = 0;    // bits of arguments that may be known later than what the operator gives
  std::uint32_t initial = 0;  // bits of arguments that count when the run starts only
};

std::span<const Operator> operators();
const Operator* find_operator(std::string_view name);

}  // namespace orrery::cssl
