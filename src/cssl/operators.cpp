// SPDX-License-Identifier: Apache-2.0
// The table of operators (ACSL's order of arguments).
#include "cssl/operators.h"

#include <array>
#include <string>
#include <unordered_map>

namespace orrery::cssl {
namespace {

constexpr auto state = OperatorKind::state;
constexpr auto memory = OperatorKind::memory;
constexpr auto random = OperatorKind::random;
constexpr auto plain = OperatorKind::function;
constexpr int many = 1000;

constexpr std::array operator_table = {
    // continuous time
    Operator{"integ", 2, 2, state, 0b01, 0b10},
    Operator{"intvc", 2, 2, state, 0b01, 0b10},
    Operator{"limint", 4, 4, state, 0b1101, 0b10},
    Operator{"dblint", 5, 5, state, 0b11001, 0b110},
    Operator{"realpl", 2, 3, state, 0b011, 0b100},
    Operator{"cmpxpl", 3, 5, state, 0b00111, 0b11000},
    Operator{"ledlag", 3, 4, memory, 0, 0b1000},
    Operator{"tran", 5, 5, memory, 0, 0},
    Operator{"modint", 4, 4, state, 0b1110, 0b0001},
    Operator{"delay", 3, 5, memory, 0b00001, 0b00010},
    Operator{"derivt", 2, 2, memory, 0, 0b01},
    Operator{"bcklsh", 3, 3, memory, 0, 0b001},
    Operator{"hstrss", 4, 4, memory, 0, 0b0001},
    Operator{"implc", 2, 2, memory, 0b01, 0b10},
    Operator{"impvc", 2, 2, memory, 0b01, 0b10},
    Operator{"impl", 6, 6, memory, 0b110000, 0b000001},
    Operator{"zhold", 2, 2, memory, 0, 0},
    Operator{"zoh", 4, 4, memory, 0b0001, 0b1110},
    Operator{"rst", 3, 3, memory, 0, 0},
    Operator{"trigpl", 2, 2, memory, 0, 0},  // PULSE of CSMP
    Operator{"gaussn", 4, 4, memory, 0, 0},  // GAUSS of CSMP and DESIRE: step, seed, mean, deviation
    Operator{"unifn", 4, 4, memory, 0, 0},   // RNDGEN of CSMP, ran of DESIRE: step, seed, low, high
    Operator{"ou", 3, 3, random, 0, 0},
    Operator{"gauss", 2, 2, random, 0, 0},
    Operator{"unif", 2, 2, random, 0, 0},
    // of time
    Operator{"step", 1, 1},
    Operator{"ramp", 1, 1},
    Operator{"pulse", 3, 3},
    Operator{"harm", 3, 3},
    // with corners
    Operator{"bound", 3, 3},
    Operator{"dead", 3, 3},
    Operator{"qntzr", 2, 2},
    Operator{"rsw", 3, 3},
    Operator{"lsw", 3, 3},
    Operator{"isw", 3, 3},
    Operator{"fcnsw", 4, 4},
    Operator{"compar", 2, 2},
    Operator{"swtch", 1, 1},
    Operator{"lim", 1, 1},
    Operator{"sat", 1, 1},
    Operator{"sat01", 1, 1},
    Operator{"deadz", 1, 1},
    Operator{"deadc", 1, 1},
    Operator{"comp", 3, 3},
    Operator{"sgn", 1, 1},
    // as in Fortran
    Operator{"sin", 1, 1},
    Operator{"cos", 1, 1},
    Operator{"tan", 1, 1},
    Operator{"asin", 1, 1},
    Operator{"acos", 1, 1},
    Operator{"atan", 1, 2},
    Operator{"atan2", 2, 2},
    Operator{"sinh", 1, 1},
    Operator{"cosh", 1, 1},
    Operator{"tanh", 1, 1},
    Operator{"exp", 1, 1},
    Operator{"log", 1, 1},
    Operator{"ln", 1, 1},
    Operator{"alog", 1, 1},
    Operator{"log10", 1, 1},
    Operator{"alog10", 1, 1},
    Operator{"sqrt", 1, 1},
    Operator{"abs", 1, 1},
    Operator{"sign", 2, 2},
    Operator{"mod", 2, 2},
    Operator{"amod", 2, 2},
    Operator{"int", 1, 1},
    Operator{"ifix", 1, 1},
    Operator{"aint", 1, 1},
    Operator{"nint", 1, 1},
    Operator{"anint", 1, 1},
    Operator{"float", 1, 1},
    Operator{"real", 1, 1},
    Operator{"dble", 1, 1},
    Operator{"max", 2, many},
    Operator{"min", 2, many},
    Operator{"amax1", 2, many},
    Operator{"amin1", 2, many},
    Operator{"max0", 2, many},
    Operator{"min0", 2, many},
    Operator{"dim", 2, 2, plain},
};

}  // namespace

std::span<const Operator> operators() { return operator_table; }

const Operator* find_operator(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const Operator*> map;
    for (const Operator& item : operator_table) map.emplace(item.name, &item);
    return map;
  }();
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

}  // namespace orrery::cssl
