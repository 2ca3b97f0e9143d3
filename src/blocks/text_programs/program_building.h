// SPDX-License-Identifier: Apache-2.0
// The state of a program while it becomes the body of a block, for the files of this folder.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "blocks/block.h"
#include "blocks/text_programs/build_program.h"
#include "blocks/text_programs/execute.h"

namespace orrery::blocks::text_programs {

class ProgramBuilding {
 public:
  ProgramBuilding(Block& block, const cssl::Program& program, const TextProgramPorts& ports)
      : b_(block), program_(program), ports_(ports) {}

  void run();

 private:
  using Statement = cssl::Statement;
  using Node = cssl::Node;

  // build_program.cpp: what is known before time moves, and continuous time.
  void read_constants();
  void find_start();
  void run_initial();
  void declare_memories();
  void declare_states();
  void declare_kept();
  void run_derivative();
  void finish_later();
  void declare_state(const Statement& statement, const std::string& name, Expr initial);
  Expr start_value(const std::string& name, const cssl::Declared* declared);
  Expr initially(cssl::NodeId id, Formulas& formulas);
  Execution::Options options(Scope& scope);

  // own_steps.cpp: derivative sections that go in steps of their own.
  void check_part(const Statement& statement) const;
  void build_parts();
  void build_part(int number);
  std::vector<Expr> rates_of(const std::vector<const Statement*>& statements, const std::vector<Expr>& states,
                             Expr time);

  // remember.cpp: operators that have a memory.
  Expr remember(const Node& node, Formulas& formulas);
  // The statement `name = INTEG(…)`, whose state is there, when all names are known.
  void integrate_later(const Node& node, const std::string& name, const Statement& statement);
  void set_rate(const Node& node, const Variable& state, const Statement* statement);
  void limit(const Variable& state, Expr rate, Expr lower, Expr upper);
  void double_integral(const Node& node, const Variable& state, const Statement& statement);
  Expr flip_flop(const Node& node, Formulas& formulas);
  Expr triggered_pulse(const Node& node, Formulas& formulas);
  Expr lead_lag(const Node& node, Formulas& formulas);
  Expr transfer(const Node& node, Formulas& formulas);
  Expr delayed(const Node& node, Formulas& formulas);
  Expr rate_of(const Node& node, Formulas& formulas);
  Expr backlash(const Node& node, Formulas& formulas);
  Expr implicit(const Node& node, Formulas& formulas);
  Expr hold(const Node& node, Formulas& formulas);
  Expr sample(const Node& node);
  Expr noise(const Node& node, Formulas& formulas);  // noise.cpp
  double number_now(cssl::NodeId id, const char* what);
  // In the scope of the derivative section.
  Expr number(cssl::NodeId id) { return formulas_->number(id); }
  std::string fresh(const std::string& stem);
  int new_port() { return ++ports_used_; }
  [[noreturn]] void fail(cssl::Position at, const std::string& message, const std::string& help = {}) const;

  // events.cpp: discrete sections, communication points, records.
  void find_ports();
  void build_start();
  void build_crossings();
  Expr random(const Node& node, Formulas& formulas, Scope& scope);
  void build_discrete(const cssl::Section& section);
  void build_communication();
  void build_terminal();
  void build_outputs();
  void declare_probes();
  void build_rows();
  void end_run(const Trigger& trigger, const std::string& text, bool alone);
  void record(int port, const Scope& values);  // when the event of this output happens
  void add_effects(const Trigger& trigger, const Scope& scope, const std::vector<Effect>& effects, bool alone);
  void set_all(const Trigger& trigger, const Scope& scope);
  std::vector<std::string> recorded_names() const;

  Block& b_;
  const cssl::Program& program_;
  const TextProgramPorts& ports_;
  Scope constants_, initial_{&constants_}, base_{&initial_}, derived_{&base_};
  std::unordered_map<std::string, Variable> variables_;  // states and memories
  std::unordered_set<std::string> states_;
  std::vector<std::string> state_names_;
  std::unordered_map<std::string, Variable> next_values_;  // of states that go in steps of their own: at the next
  std::unordered_map<std::string, Variable> kept_;         // memories of procedural parts of continuous time
  std::vector<std::function<void()>> later_;
  std::vector<Effect> start_effects_, continuous_effects_;
  std::deque<std::vector<std::vector<Statement>>> stages_;  // of discrete sections; effects point into them
  std::unordered_map<std::string, int> section_port_, tick_port_;
  struct ProbeSlot {
    std::string name;
    SlotId slot;
    int element;
  };
  std::vector<ProbeSlot> probes_;
  int ports_used_ = 0;
  int communication_ = 0, after_ = 0, log_ = 0, row_ = 0;
  Variable ended_;  // which ending has come, from 1; 0: none
  std::vector<std::string> endings_;
  Variable count_, from_, due_;   // communication points: how many since `from`, when the next one is
  Formulas* formulas_ = nullptr;  // of the derivative section
  Execution* current_ = nullptr;  // …
  int fresh_ = 0;
  std::int64_t seed_ = 0;
  Expr start_;  // the time at which a run begins
};

}  // namespace orrery::blocks::text_programs
