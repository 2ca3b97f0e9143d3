// SPDX-License-Identifier: Apache-2.0
// A Program as machine code: its procedures and the layout of a run's memory. Made once, shared by all its runs.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/diagnostic.h"
#include "native/code.h"
#include "passes/make_procedures.h"
#include "program/procedure.h"
#include "program/program.h"

namespace orrery::sim {

using TableCode = passes::TableProcedure;

// A loop and where its unknowns lie, element by element.
struct LoopCode : passes::LoopProcedures {
  struct Mode {
    std::uint32_t offset = 0;
    bool held = false, strict = false;
  };
  std::vector<std::uint32_t> offsets = {};  // bytes; empty: the compiler has solved it
  std::vector<Mode> conditions = {};        // of Loop::modes
};

// Derivatives for implicit solvers (passes::StateJacobian) as code.
struct JacobianCode {
  passes::Sparsity pattern;
  std::vector<int> rates;
  std::shared_ptr<native::Code> code;  // nothing: there is no rule for some operation, the pattern is all there is
  native::Function function() const { return code ? code->function(0) : nullptr; }
};

// Computes one of Program::variables into its slot.
struct SignalCode {
  std::shared_ptr<native::Code> code;  // nothing: events write the slot
  std::vector<std::uint32_t> loops;    // to be solved before
};

// Nothing in it changes after it was made, except that code is replaced by faster code for the same, and that the
// Jacobian and the code of single signals are added when somebody asks for them first. Any number of runs on any
// threads may use it at the same time; none waits for another but while these are made.
class CompiledProgram {
 public:
  // Nothing when native compilation failed.
  static std::shared_ptr<const CompiledProgram> create(program::Program program, const native::CompileOptions& options,
                                                       Diagnostics& diagnostics);
  // The C text of its procedures, for people.
  static std::string text_of(program::Program program);

  // The same model that also records these of its signals: nothing is compiled but what computes them. The Program is
  // copied, the code shared.
  static std::shared_ptr<const CompiledProgram> with_probes(std::shared_ptr<const CompiledProgram> base,
                                                            const std::vector<std::uint32_t>& signals,
                                                            Diagnostics& diagnostics);

  const program::Program& program() const { return program_; }
  const program::Layout& layout() const { return layout_; }
  const native::Code& code() const { return *code_; }
  // Made when it is asked for first; nullptr, and diagnostics, when that failed.
  const JacobianCode* jacobian(Diagnostics& diagnostics) const;
  // What has been made of it; nullptr: nothing yet.
  const JacobianCode* known_jacobian() const {
    return base_ ? base_->known_jacobian() : jacobian_ready_.load(std::memory_order_acquire);
  }
  // The code of one signal; nullptr, and diagnostics, when it could not be made.
  const SignalCode* signal(std::uint32_t index, Diagnostics& diagnostics) const;
  // The machine's C compiler works in the background; poll() takes over what is ready.
  void request_second_tier() const;
  void poll() const;

  std::size_t state_count() const { return cut_.state_count; }  // doubles in the solver's vector
  std::size_t output_size() const { return cut_.output_size; }  // of the largest y of a table
  native::Function derivatives() const { return code_->function(passes::Procedures::derivatives); }
  native::Function surfaces() const { return code_->function(passes::Procedures::surfaces); }
  native::Function always() const { return code_->function(passes::Procedures::always); }
  native::Function function(std::size_t procedure) const { return code_->function(procedure); }
  // What is computed from parameters when a run starts.
  void run_start(double t, std::byte* memory) const {
    const auto* x = reinterpret_cast<const double*>(memory);
    for (std::size_t k = 0; k < cut_.start_count; ++k) code_->function(cut_.start + k)(t, x, nullptr, memory, 0);
  }
  const std::vector<LoopCode>& loops() const { return loops_; }
  // What is solved then (program::StartSystem).
  const std::vector<std::uint32_t>& start_loops() const { return cut_.start_loops; }
  native::Function guesses() const { return optional(cut_.guesses); }
  native::Function start_checks() const { return optional(cut_.checks); }
  void take_found(double t, std::byte* memory) const {
    const auto* x = reinterpret_cast<const double*>(memory);
    for (std::size_t k = 0; k < cut_.found_count; ++k) code_->function(cut_.found + k)(t, x, nullptr, memory, 0);
  }
  const std::vector<passes::ModeSystem>& mode_systems() const { return cut_.mode_systems; }
  // The parts of passes::Procedures; nullptr where there is no such procedure.
  const std::vector<std::uint32_t>& derivative_loops() const { return cut_.derivative_loops; }
  const std::vector<std::uint32_t>& surface_loops() const { return cut_.surface_loops; }
  const std::vector<std::uint32_t>& always_loops() const { return cut_.always_loops; }
  // What is computed besides `always`, for probes that were added; nullptr: nothing.
  native::Function added() const { return added_.code ? added_.code->function(0) : nullptr; }
  const std::vector<std::uint32_t>& kept_loops() const { return cut_.kept_loops; }
  const std::vector<std::uint32_t>& sampled_loops() const { return cut_.sampled_loops; }
  const std::vector<std::uint32_t>& assertion_loops() const { return cut_.assertion_loops; }
  const std::vector<std::uint32_t>& continuous_loops() const { return cut_.continuous_loops; }
  native::Function invariants() const { return optional(cut_.invariants); }
  native::Function projections() const { return optional(cut_.projections); }
  native::Function histories() const { return optional(cut_.histories); }
  native::Function history_starts() const { return optional(cut_.history_starts); }
  native::Function history_bounds() const { return optional(cut_.history_bounds); }
  std::size_t history_count() const { return cut_.history_count; }  // numbers that are kept
  const std::vector<std::uint32_t>& history_loops() const { return cut_.history_loops; }
  const std::vector<std::vector<std::uint8_t>>& smoothing() const { return cut_.smoothing; }
  native::Function assertions() const { return optional(cut_.assertions); }
  native::Function tried_assertions() const { return code_->function(cut_.assertions + 1); }
  native::Function assertion_values() const { return code_->function(cut_.assertions + 2); }
  native::Function surface_tangents() const { return optional(cut_.surface_tangents); }
  native::Function surface_rates() const { return optional(cut_.surface_rates); }
  native::Function sampled() const { return optional(cut_.sampled); }
  bool has_partial_derivatives() const { return cut_.partial; }
  bool shows_partial() const { return cut_.partial_shown; }
  native::Function settled() const { return optional(cut_.settled); }
  std::size_t invariant_count() const { return cut_.invariant_count; }
  const std::vector<program::SlotId>& held() const { return cut_.held; }
  const TableCode& table(std::size_t source) const { return cut_.tables[source]; }
  native::Function table_function(std::size_t source) const { return code_->function(cut_.tables[source].procedure); }
  bool is_affine(std::size_t surface) const { return cut_.affine[surface]; }
  bool has_rate(std::size_t surface) const { return cut_.has_rate[surface]; }
  bool has_continuous_probes() const { return cut_.continuous_probes; }

 private:
  explicit CompiledProgram(program::Program program);
  CompiledProgram(std::shared_ptr<const CompiledProgram> base, program::Program program);
  SignalCode code_of(const std::vector<std::uint32_t>& signals, Diagnostics& diagnostics) const;
  void add_loops_of(program::SlotId unknown, std::vector<std::uint32_t>& loops) const;
  void add_probes(const std::vector<std::uint32_t>& signals);
  native::Function optional(std::size_t procedure) const {
    return procedure == 0 ? nullptr : code_->function(procedure);
  }
  void make_jacobian() const;

  program::Program program_;
  passes::Procedures cut_;
  program::Layout layout_;
  std::vector<LoopCode> loops_;
  native::CompileOptions options_;
  std::shared_ptr<native::Code> code_;
  std::shared_ptr<const CompiledProgram> base_;  // of one with added probes
  std::vector<std::uint32_t> added_signals_;
  SignalCode added_;

  mutable std::mutex signals_mutex_;
  mutable std::map<std::uint32_t, SignalCode> signals_;
  mutable std::once_flag jacobian_once_;
  mutable JacobianCode jacobian_;
  mutable Diagnostics jacobian_diagnostics_;
  mutable std::atomic<const JacobianCode*> jacobian_ready_ = nullptr;
};

}  // namespace orrery::sim
