// SPDX-License-Identifier: Apache-2.0
// A way out where the conditions of a system of equations do not settle by themselves.
//
// Conditions inside a system belong to it: each choice of them is a smooth system, and one has to be found whose
// solution agrees with it. Taking all conditions as the last solution had them can go round in circles. Here one is
// changed at a time: the one that is wrong by most, and where that leads back, the first that is wrong, which ends for
// every linear complementarity problem with one solution (Murty, Linear Algebra and its Applications 7, 1974). What is
// then left is a bounded search.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "program/program.h"

namespace orrery::sim {

class ModeSearch {
 public:
  using Choice = std::vector<bool>;  // by condition: whether it is taken to hold
  // The values of the conditions (positive where they hold) in the solution for a choice; false: there is none, or more
  // than one.
  using Solve = std::function<bool(const Choice& choice, std::vector<double>& values)>;

  // `rounding`: what values may be off, as far as that is known.
  ModeSearch(std::vector<double> rounding, Solve solve)
      : solve_(std::move(solve)), rounding_(std::move(rounding)), value_(rounding_.size()), size_(rounding_.size()) {}

  // Begins at `first`. The choice found has been solved for last.
  std::optional<Choice> find(const Choice& first);
  // In the solution found: how far a condition may be on the wrong side of zero; 0 where it is beyond that on its side.
  double band(std::size_t condition) const;
  // Whether every choice was tried.
  bool was_complete() const { return complete_; }

  // Of the choice that was nearest to agree with itself: the conditions that do not, with their values.
  struct Conflict {
    std::size_t condition;
    bool held;  // taken to hold
    double value;
  };
  const std::vector<Conflict>& conflicts() const { return conflicts_; }

 private:
  bool try_choice(const Choice& choice);
  bool agrees(const Choice& choice);
  bool descend(Choice choice);
  double noise(std::size_t k) const;
  double wrong(std::size_t k, const Choice& choice) const;
  void note_conflicts(const Choice& choice);

  Solve solve_;
  std::vector<double> rounding_;      // by condition
  std::vector<double> value_, size_;  // by condition: in the last solution, and the largest seen
  double largest_ = 0;                // of all sizes
  Choice found_;
  bool complete_ = false;
  std::vector<Conflict> conflicts_;
};

inline constexpr const char* contradiction_help =
    "let the laws of the two sides meet where they change over, give the condition hysteresis, or read it through a "
    "Memory block";
// "i > 0: taken as true, its two sides are 0.5 apart the other way"
std::string describe(const program::Surface& condition, const ModeSearch::Conflict& conflict);

}  // namespace orrery::sim
