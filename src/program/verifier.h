// SPDX-License-Identifier: Apache-2.0
// One look at a Program that collects what is wrong with it; verify.h is the way in.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "program/program.h"

namespace orrery::program {

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program), graph_(program.graph) {}
  std::vector<std::string> run();

 private:
  template <class... Args>
  void problem(fmt::format_string<Args...> format, Args&&... arguments) {
    problems_.push_back(fmt::format(format, std::forward<Args>(arguments)...));
  }

  // verify.cpp
  std::string slot_text(SlotId id) const;
  bool exists(ExprId id, const std::string& where);
  void check_expression(ExprId id, Type type, const std::string& where);
  void check_guard(ExprId guard, const std::string& where);
  void check_origin(OriginId origin, const std::string& where);
  void check_slots();
  void check_clocks();
  void check_start();
  void check_start_system();
  void check_slot_kind(SlotId id, SlotKind kind, const std::string& where);
  void check_probes();
  void check_variables();

  // verify_expressions.cpp
  void check_nodes();
  void check_call(ExprId id);
  void check_past(ExprId id);
  void check_foreign(ExprId id);

  // verify_tables.cpp
  bool disjoint(ExprId a, ExprId b) const;
  bool differ_by_constant(ExprId x, ExprId y) const;
  std::vector<ExprId> conjuncts(ExprId guard) const;
  void check_assigns(const std::vector<Assign>& assigns, const std::string& where);
  void check_source(std::size_t i);
  void check_message(const std::string& text, const std::vector<ExprId>& values, const std::string& where);
  void check_calls(const std::vector<Call>& calls, const std::string& where);

  // verify_motion.cpp
  void check_continuous();
  void check_loops();
  void check_loop_mode(const Surface& mode, const std::string& where);
  void check_surfaces();
  void check_histories();
  void check_bound(ExprId bound, const std::string& where);
  void check_corners();
  ExprId without_bounds(ExprId id) const;

  const Program& program_;
  const Graph& graph_;
  std::vector<std::string> problems_;
};

}  // namespace orrery::program
