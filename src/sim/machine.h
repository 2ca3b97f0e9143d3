// SPDX-License-Identifier: Apache-2.0
// A Program as machine code: its procedures, the layout of a run's memory, and where results of a table are found.
#pragma once

#include <memory>
#include <vector>

#include "base/diagnostic.h"
#include "native/code.h"
#include "passes/build_jacobian.h"
#include "program/procedure.h"
#include "program/program.h"

namespace orrery::sim {

// A source's table as the loop sees it. After its function ran, y holds for each schedule a flag and a delay, then a
// flag for each action, then for each call a flag and its arguments.
struct TableCode {
  std::size_t procedure = 0;
  bool critical = false;
  bool shows = false;          // recorded signals can change: both sides are kept
  std::size_t shows_when = 0;  // … if this procedure gives a number other than 0 before the event; 0: at each event
  bool quiet = true;           // no schedules, actions and calls
  bool reads_states = false;
  std::vector<std::uint32_t> loops = {};  // solved before it
};

// A loop of the Program: procedures and where its unknowns lie, element by element.
struct LoopCode {
  std::size_t residual = 0;
  std::size_t jacobian = 0;  // only where exact: by the unknowns, in the order of the pattern
  bool exact = true;
  passes::Sparsity pattern = {};
  std::vector<std::uint32_t> offsets = {};  // bytes; empty: the compiler has solved it
};

class Machine {
 public:
  // Adds nodes to the program's graph. Nothing when native compilation failed.
  static std::unique_ptr<Machine> create(program::Program& program, const native::CompileOptions& options,
                                         Diagnostics& diagnostics);
  // The C text of its procedures, for people. Adds nodes to the program's graph, too.
  static std::string text_of(program::Program& program);
  // Compiles exact derivatives, for implicit solvers. Without a rule for some operation only the pattern is made. Where
  // there are loops of continuous time, rows and columns go on behind the states with their residuals and unknowns.
  bool add_jacobian(Diagnostics& diagnostics);

  const program::Program& program() const { return *program_; }
  const program::Layout& layout() const { return layout_; }
  const native::Code& code() const { return *code_; }
  void request_second_tier();
  void poll();
  std::size_t state_count() const { return state_count_; }  // doubles in the solver's vector
  std::size_t output_size() const { return output_size_; }  // of the largest y of a table

  native::Function derivatives() const { return code_->function(0); }
  native::Function surfaces() const { return code_->function(1); }
  native::Function always() const { return code_->function(2); }
  native::Function jacobian() const { return jacobian_code_ ? jacobian_code_->function(0) : nullptr; }
  const passes::Sparsity& pattern() const { return pattern_; }
  native::Function function(std::size_t procedure) const { return code_->function(procedure); }
  // What is computed from parameters when a run starts.
  void run_start(double t, std::byte* memory) const;
  const std::vector<LoopCode>& loops() const { return loops_; }
  // Loops to be solved before the procedures of continuous time.
  const std::vector<std::uint32_t>& derivative_loops() const { return derivative_loops_; }
  const std::vector<std::uint32_t>& surface_loops() const { return surface_loops_; }
  const std::vector<std::uint32_t>& always_loops() const { return always_loops_; }
  // Numbers that stay zero, and the moves of all states to where they should be (Program::projections); nullptr: none.
  native::Function invariants() const { return invariants_ == 0 ? nullptr : code_->function(invariants_); }
  native::Function projections() const { return projections_ == 0 ? nullptr : code_->function(projections_); }
  // For each surface its rate and its change with each parameter; nullptr: no sensitivities.
  native::Function surface_tangents() const { return tangents_ == 0 ? nullptr : code_->function(tangents_); }
  std::size_t invariant_count() const { return invariant_count_; }
  const std::vector<std::uint32_t>& kept_loops() const { return kept_loops_; }
  // All loops of continuous time: what a DAE solver takes over, element by element, behind the states.
  const std::vector<std::uint32_t>& continuous_loops() const { return continuous_loops_; }
  // By state: the number of the unknown of these loops that is its derivative, as it stands; -1: none.
  const std::vector<int>& rates() const { return rates_; }
  const TableCode& table(std::size_t source) const { return tables_[source]; }
  native::Function table_function(std::size_t source) const { return code_->function(tables_[source].procedure); }
  // The numbers that are held (program::Surface): slots, in the order in which settled() gives what they settle at.
  const std::vector<program::SlotId>& held() const { return held_; }
  native::Function settled() const { return code_->function(settled_); }
  // First and second rate of each surface along the solution, not a number where there is no rule, and the size of the
  // terms it is made of; nullptr: no surfaces.
  native::Function surface_rates() const { return surface_rates_ == 0 ? nullptr : code_->function(surface_rates_); }
  bool is_affine(std::size_t surface) const { return affine_[surface]; }
  bool has_rate(std::size_t surface) const { return has_rate_[surface]; }
  bool has_continuous_probes() const { return continuous_probes_; }

 private:
  void prepare(program::Program& program);
  void make_procedures(program::Program& program);
  void make_loops(program::Program& program);
  void make_kept(program::Program& program);
  void make_surfaces(program::Program& program);
  void find_rates();

  program::Program* program_ = nullptr;
  program::Layout layout_;
  std::vector<program::Procedure> procedures_;
  std::vector<TableCode> tables_;
  std::vector<LoopCode> loops_;
  std::vector<std::uint32_t> derivative_loops_, surface_loops_, always_loops_, continuous_loops_, kept_loops_;
  // Procedures; 0: there is none.
  std::size_t start_ = 0, start_count_ = 0;  // of the start: the first, and how many
  std::size_t invariants_ = 0, projections_ = 0, tangents_ = 0, surface_rates_ = 0, settled_ = 0;
  std::size_t invariant_count_ = 0;
  native::CompileOptions options_;
  std::unique_ptr<native::Code> code_;
  std::unique_ptr<native::Code> jacobian_code_;
  passes::Sparsity pattern_;
  std::vector<int> rates_;
  std::vector<program::SlotId> held_;
  std::vector<bool> affine_, has_rate_;  // by surface
  std::size_t state_count_ = 0;
  std::size_t output_size_ = 0;
  bool continuous_probes_ = false;
};

}  // namespace orrery::sim
