// SPDX-License-Identifier: Apache-2.0
// Automaton: control modes, each with its own implicit differential equations (Activate, chapter 17).

#include "blocks/dynamical/dynamical.h"

namespace orrery::blocks {
namespace {

// Parameters as numbers: modes and states count from 0 here.
struct Modes {
  int modes = 0;
  int states = 0;
  int initial = 0;
  std::vector<std::vector<int>> jumps;          // by mode: destinations
  std::vector<std::vector<bool>> differential;  // by mode and state
  std::vector<int> used;                        // by mode: how many states it has
};

void read_jumps(const Parameters& p, Modes& modes) {
  const Value& jumps = p.matrix("jumps");
  if (jumps.rows != modes.modes) p.fail("jumps", "has one row for each mode, filled up with zeros");
  const std::vector<double>& data = p.reals("jumps");
  for (int i = 0; i < modes.modes; ++i) {
    for (int j = 0; j < jumps.cols; ++j) {
      const double to = data[static_cast<std::size_t>(j * jumps.rows + i)];
      if (to == 0) break;
      if (to != static_cast<int>(to) || to < 1 || to > modes.modes) {
        p.fail("jumps", "names modes by their numbers, from 1 to the number of modes");
      }
      modes.jumps[static_cast<std::size_t>(i)].push_back(static_cast<int>(to) - 1);
    }
  }
}

void read_properties(const Parameters& p, Modes& modes) {
  const Value& marks = p.matrix("xproperties");
  const bool one = marks.rows == 1 && marks.cols == 1;
  if (!one && (marks.cols != modes.states || (marks.rows != 1 && marks.rows != modes.modes))) {
    p.fail("xproperties", "is one number, a row with one for each state, or a matrix with a row for each mode");
  }
  const std::vector<double>& data = p.reals("xproperties");
  for (int i = 0; i < modes.modes; ++i) {
    for (int j = 0; j < modes.states; ++j) {
      const double mark = one ? data[0] : data[static_cast<std::size_t>(j * marks.rows + (marks.rows == 1 ? 0 : i))];
      if (mark != 1 && mark != -1) p.fail("xproperties", "holds +1 (differential) or -1 (algebraic)");
      modes.differential[static_cast<std::size_t>(i)].push_back(mark > 0);
    }
  }
}

Modes read_modes(const Parameters& p) {
  Modes modes;
  modes.modes = p.count("modes");
  modes.states = static_cast<int>(p.matrix("x0").size());
  p.reals("x0");
  modes.initial = p.integer("initial_mode") - 1;
  if (modes.initial < 0 || modes.initial >= modes.modes) p.fail("initial_mode", "is the number of a mode, from 1");
  modes.jumps.resize(static_cast<std::size_t>(modes.modes));
  modes.differential.resize(static_cast<std::size_t>(modes.modes));
  read_jumps(p, modes);
  read_properties(p, modes);
  const std::vector<double>& used = p.reals("states");
  if (used.size() != 1 && static_cast<int>(used.size()) != modes.modes) {
    p.fail("states", "is 0 or has one number for each mode");
  }
  for (int i = 0; i < modes.modes; ++i) {
    const double count = used[used.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    if (count != static_cast<int>(count) || count < 0 || count > modes.states) {
      p.fail("states", "counts the states of a mode: no more than x0 has");
    }
    modes.used.push_back(count == 0 ? modes.states : static_cast<int>(count));
  }
  return modes;
}

class AutomatonBuild {
 public:
  explicit AutomatonBuild(Block& b) : b_(b), modes_(read_modes(b.parameters())) {}

  void run() {
    const Type type{Scalar::f64, modes_.states, 1};
    const Expr x0 = b_.parameter("x0", type);
    mode_ = b_.memory("mode", b_.constant(modes_.initial + 1));
    const Variable previous = b_.memory("previous", b_.constant(modes_.initial + 1));
    const Variable x = b_.state("x", x0);
    const Variable v = b_.unknown("v", initial_guess(x0));
    const Expr zero = b_.constant(0);
    std::vector<ExprId> values, rates, residuals;
    for (int j = 0; j < modes_.states; ++j) {
      const Expr differential = in_modes(
          [&](std::size_t i) { return j < modes_.used[i] && modes_.differential[i][static_cast<std::size_t>(j)]; });
      const Expr present = in_modes([&](std::size_t i) { return j < modes_.used[i]; });
      values.push_back(select(differential || !present, x[j], v[j]).id());
      rates.push_back(select(differential, v[j], zero).id());
      residuals.push_back(residual(j, v[j]).id());
    }
    const Expr value = stack(values, modes_.states), rate = stack(rates, modes_.states);
    b_.der(x, rate);
    b_.equation(v, stack(residuals, modes_.states));
    b_.out(1, stack({mode_.id(), previous.id()}, 2));
    std::vector<ExprId> both = values;
    both.insert(both.end(), rates.begin(), rates.end());
    b_.out(2, stack(both, 2 * modes_.states));
    jump(x, v, value, previous);
  }

 private:
  Expr stack(const std::vector<ExprId>& elements, int rows) {
    return {&b_.graph(), b_.graph().stack({Scalar::f64, rows, 1}, elements)};
  }
  Expr is_mode(std::size_t i) { return mode_ == static_cast<double>(i + 1); }

  // True in the modes that `holds` names.
  template <class Holds>
  Expr in_modes(Holds holds) {
    Expr result = b_.constant(0, Scalar::boolean);
    bool all = true;
    for (std::size_t i = 0; i < modes_.jumps.size(); ++i) {
      if (holds(i)) result = result || is_mode(i);
      all = all && holds(i);
    }
    return all ? b_.constant(1, Scalar::boolean) : result;
  }

  // Algebraic states are searched for from x0, derivatives from 0.
  Expr initial_guess(Expr x0) {
    std::vector<ExprId> guess;
    const auto initial = static_cast<std::size_t>(modes_.initial);
    for (int j = 0; j < modes_.states; ++j) {
      guess.push_back(modes_.differential[initial][static_cast<std::size_t>(j)] ? b_.constant(0).id() : x0[j].id());
    }
    return stack(guess, modes_.states);
  }

  // Equation j of the mode that is active; a state that a mode does not have is left alone.
  Expr residual(int j, Expr v) {
    Expr result = v;
    for (std::size_t i = modes_.jumps.size(); i-- > 0;) {
      const Expr own = j < modes_.used[i] ? b_.in(static_cast<int>(i) + 1)[j] : v;
      result = i + 1 == modes_.jumps.size() ? own : select(is_mode(i), own, result);
    }
    return result;
  }

  void jump(const Variable& x, const Variable& v, Expr value, const Variable& previous) {
    for (std::size_t i = 0; i < modes_.jumps.size(); ++i) {
      Expr taken = b_.constant(0, Scalar::boolean);
      for (std::size_t j = 0; j < modes_.jumps[i].size(); ++j) {
        const auto to = static_cast<std::size_t>(modes_.jumps[i][j]);
        const Expr function = b_.in(static_cast<int>(i) + 1)[2 * modes_.states + static_cast<int>(j)];
        // Zero is not positive yet: a mode may be entered where its own jump function is exactly zero.
        const Trigger positive = b_.while_positive(select(is_mode(i), function, b_.constant(-1)));
        const Trigger crossed = positive.when(!taken);
        taken = taken || positive.condition();
        const Expr reset = reset_to(to, value);
        crossed.set(previous, mode_).set(mode_, b_.constant(static_cast<double>(to + 1))).set(x, reset);
        crossed.set(v, guess_in(to, reset)).emit(1);
      }
    }
  }

  Expr reset_to(std::size_t to, Expr value) {
    std::vector<ExprId> reset;
    for (int k = 0; k < modes_.states; ++k) {
      const Expr own = b_.in(static_cast<int>(to) + 1)[modes_.states + k];
      reset.push_back((k < modes_.used[to] ? own : value[k]).id());
    }
    return stack(reset, modes_.states);
  }

  Expr guess_in(std::size_t to, Expr reset) {
    std::vector<ExprId> guess;
    for (int k = 0; k < modes_.states; ++k) {
      guess.push_back(modes_.differential[to][static_cast<std::size_t>(k)] ? b_.constant(0).id() : reset[k].id());
    }
    return stack(guess, modes_.states);
  }

  Block& b_;
  Modes modes_;
  Variable mode_;
};

}  // namespace

const BlockType automaton = {
    .name = "Automaton",
    .palette = "Dynamical",
    .summary = "A hybrid automaton: modes with differential equations of their own, and jumps between them.",
    .description =
        "With N states and M modes there are M inputs. Input i belongs to mode i and is a column of 2 N + Z numbers: N "
        "residuals 0 = F(dx/dt, x, ...) that hold in this mode, N values the states take when the automaton enters it, "
        "and Z jump functions, one for each destination listed in row i of jumps. When a jump function of the active "
        "mode becomes positive the automaton changes to that destination and the activation output fires. It does not "
        "stay "
        "in a mode with a positive jump function: one that is positive at the start, or where its mode is entered, is "
        "followed in the same instant. Of several the first in the row is taken.\n\n"
        "Output 1 is the active mode and the one before, output 2 the states and their derivatives. The property of a "
        "state in a mode is +1 where it is differential and -1 where it is algebraic: then its residual determines the "
        "state itself.\n\n"
        "Modes may have different numbers of states: a mode with n of them uses the first n; the others, and their "
        "residuals, do not count there and keep their values.",
    .icon = {.text = "automaton"},
    .parameters = {{"modes", "1", "number of modes M"},
                   {"initial_mode", "1", "where it begins"},
                   {"x0", "0", "initial values of the N states"},
                   {"xproperties", "1", "+1 or -1: one number, one for each state, or a row for each mode"},
                   {"jumps", "0", "row i: the modes to which mode i jumps, filled up with zeros"},
                   {"states", "0", "how many states each mode has; 0: all of them"}},
    .activation = Activation::always,
    .ports =
        [](Ports& p) {
          const Modes modes = read_modes(p.parameters());
          for (std::size_t i = 0; i < modes.jumps.size(); ++i) {
            const int rows = 2 * modes.states + static_cast<int>(modes.jumps[i].size());
            p.input("mode" + std::to_string(i + 1), {rows, 1}, Scalar::f64);
          }
          p.output("mode", {2, 1}, Scalar::f64).output("x", {2 * modes.states, 1}, Scalar::f64);
          p.activation_outputs(1);
        },
    .build = [](Block& b) { AutomatonBuild(b).run(); },
};

}  // namespace orrery::blocks
