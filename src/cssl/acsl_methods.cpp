// SPDX-License-Identifier: Apache-2.0
// ALGORITHM, NSTEPS, MAXTERVAL and MINTERVAL as the solver, its steps, and sections that go in steps of their own.
#include "cssl/acsl_methods.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::cssl {

// Integration algorithms by number, as solvers.
std::string solver_of_algorithm(int algorithm) {
  switch (algorithm) {
    case 1: return "cvode-adams-functional";
    case 2: return "cvode-bdf-newton";
    case 3: return "euler";
    case 4: return "trapezoidal-explicit";
    case 5: return "rk4";
    case 8: return "dopri";
    case 9: return "dopri";
    case 10: return "daskr";
    default: return {};
  }
}

namespace {

class Methods {
 public:
  Methods(Program& program, GivenControls given, Diagnostics& diagnostics)
      : program_(program), given_(std::move(given)), diagnostics_(diagnostics) {}

  double number_of(const std::string& name) const {
    const Declared* item = program_.find(name);
    return item != nullptr && !item->values.empty() ? item->values[0] : 0;
  }

  // The order of a method with fixed steps; 0: it chooses its steps itself.
  static int fixed_order(int algorithm) { return algorithm == 3 ? 1 : algorithm == 4 ? 2 : algorithm == 5 ? 4 : 0; }

  // The method of the program, or of a derivative section; 0: whatever fits.
  int algorithm_of(const Section& section) const {
    if (!section.own_algorithm.empty()) return static_cast<int>(number_of(section.own_algorithm));
    return given_.algorithm ? static_cast<int>(number_of(program_.roles.algorithm)) : 0;
  }

  // One derivative section: what it says is said of the program. Several with methods or steps of their own: those
  // with variable steps are for the solver, and without any the one with the shortest steps; the others go in their
  // own.
  void run() {
    std::vector<Section*> list;
    for (Section& section : program_.sections) {
      if (section.kind == Section::Kind::derivative) list.push_back(&section);
    }
    const auto own = [](const Section* s) {
      return !s->own_algorithm.empty() || !s->own_steps.empty() || !s->own_largest_step.empty();
    };
    Section* main = nullptr;
    if (list.size() == 1) main = list[0];
    if (list.size() > 1 && std::any_of(list.begin(), list.end(), own)) main = split_parts(list);
    if (main != nullptr) {
      if (!main->own_steps.empty()) program_.roles.steps = main->own_steps;
      if (!main->own_largest_step.empty()) program_.roles.largest_step = main->own_largest_step;
      given_.largest_step = given_.largest_step || !main->own_largest_step.empty();
    }
    const Section none;
    const int algorithm = algorithm_of(main != nullptr ? *main : none);
    program_.solver = solver_of_algorithm(algorithm);
    if (fixed_order(algorithm) > 0) {
      program_.step =
          fmt::format("min({}, {}/{})", program_.roles.largest_step, program_.roles.interval, program_.roles.steps);
    } else {
      if (given_.largest_step) program_.hmax = program_.roles.largest_step;
      if (!given_.smallest_step.empty() && program_.find(given_.smallest_step) != nullptr)
        program_.hmin = given_.smallest_step;
    }
  }

  Section* split_parts(const std::vector<Section*>& list) {
    const auto step_of = [&](const Section* s) {
      const double largest = number_of(s->own_largest_step.empty() ? program_.roles.largest_step : s->own_largest_step);
      const double steps = number_of(s->own_steps.empty() ? program_.roles.steps : s->own_steps);
      return std::min(largest, number_of(program_.roles.interval) / std::max(steps, 1.0));
    };
    Section* main = nullptr;
    for (Section* section : list) {
      if (fixed_order(algorithm_of(*section)) > 0) continue;
      if (main == nullptr) {
        main = section;
      } else if (algorithm_of(*section) != 0 && algorithm_of(*section) != algorithm_of(*main)) {
        program_.source->warning(
            diagnostics_, "other-method", section->at,
            "sections with variable steps are one system for one solver, that of the first of them",
            "give them one ALGORITHM, or fixed steps (3, 4, 5)");
      }
    }
    if (main == nullptr)
      main = *std::min_element(list.begin(), list.end(),
                               [&](const Section* a, const Section* b) { return step_of(a) < step_of(b); });
    for (Section* section : list) {
      const int order = fixed_order(algorithm_of(*section));
      if (section == main || order == 0) continue;
      Part part;
      part.order = order;
      part.steps = section->own_steps.empty() ? program_.roles.steps : section->own_steps;
      part.largest_step = section->own_largest_step.empty() ? program_.roles.largest_step : section->own_largest_step;
      program_.parts.push_back(std::move(part));
      section->part = static_cast<int>(program_.parts.size());
    }
    return main;
  }

 private:
  Program& program_;
  GivenControls given_;
  Diagnostics& diagnostics_;
};

}  // namespace

void choose_methods(Program& program, const GivenControls& given, Diagnostics& diagnostics) {
  Methods(program, given, diagnostics).run();
}

}  // namespace orrery::cssl
