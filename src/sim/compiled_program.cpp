// SPDX-License-Identifier: Apache-2.0
// From procedures to code.
#include "sim/compiled_program.h"

#include <algorithm>
#include <string>
#include <utility>

#include "passes/needed_loops.h"
#include "program/variables.h"

namespace orrery::sim {

// Procedures and layout: everything but machine code.
CompiledProgram::CompiledProgram(program::Program program)
    : program_(std::move(program)), cut_(passes::make_procedures(program_)), layout_(program::lay_out(program_)) {
  for (std::size_t k = 0; k < program_.loops.size(); ++k) {
    LoopCode& loop = loops_.emplace_back();
    static_cast<passes::LoopProcedures&>(loop) = cut_.loops[k];
    for (program::SlotId unknown : program_.loops[k].unknowns) {
      for (std::int64_t e = 0; e < program_.slots[unknown].type.size(); ++e) {
        loop.offsets.push_back(layout_.offset[unknown] + static_cast<std::uint32_t>(8 * e));
      }
    }
    for (const program::Surface& mode : program_.loops[k].modes) {
      loop.conditions.push_back({layout_.offset[mode.mode], mode.settled != program::no_expr, mode.strict});
    }
  }
  native::reserve_workspace(program_, cut_.all, layout_);
}

CompiledProgram::CompiledProgram(std::shared_ptr<const CompiledProgram> base, program::Program program)
    : program_(std::move(program)),
      cut_(base->cut_),
      layout_(base->layout_),
      loops_(base->loops_),
      options_(base->options_),
      code_(base->code_),
      base_(base->base_ ? base->base_ : base) {}

// A probe on what events write shows their rows; on what is computed, the rows of all that it is computed from.
void CompiledProgram::add_probes(const std::vector<std::uint32_t>& signals) {
  std::vector<bool> shown(program_.slots.size(), false);
  for (const std::uint32_t index : signals) {
    const program::Variable& signal = program_.variables[index];
    program::Probe probe;
    probe.name = variable_name(program_, signal);
    probe.unit = variable_unit(program_, signal);
    probe.slot = signal.slot;
    probe.origin = signal.origin;
    shown[signal.slot] = shown[signal.slot] || signal.value == program::no_expr;
    const program::ExprId value[] = {signal.value};
    const passes::LoopNeeds needs = passes::needed_loops(program_, value, program::Loop::continuous);
    for (const program::SlotId slot : needs.slots) shown[slot] = true;
    probe.continuous = signal.value != program::no_expr;
    cut_.continuous_probes = cut_.continuous_probes || probe.continuous;
    program_.probes.push_back(std::move(probe));
    for (const std::uint32_t loop : needs.loops) {
      if (std::find(cut_.always_loops.begin(), cut_.always_loops.end(), loop) == cut_.always_loops.end())
        cut_.always_loops.push_back(loop);
    }
  }
  std::sort(cut_.always_loops.begin(), cut_.always_loops.end());
  for (std::size_t k = 0; k < program_.sources.size(); ++k) {
    const program::Table& table = program_.sources[k].table;
    const auto shows = [&](program::SlotId slot) { return static_cast<bool>(shown[slot]); };
    const bool assigned =
        std::any_of(table.assigns.begin(), table.assigns.end(), [&](const auto& a) { return shows(a.slot); });
    const bool called = std::any_of(table.calls.begin(), table.calls.end(), [&](const auto& c) {
      return std::any_of(c.results.begin(), c.results.end(), shows);
    });
    if (!assigned && !called) continue;
    cut_.tables[k].shows = true;
    cut_.tables[k].shows_when = 0;
  }
}

// The loop that an unknown of continuous time belongs to, and those before it, which it may read.
void CompiledProgram::add_loops_of(program::SlotId unknown, std::vector<std::uint32_t>& loops) const {
  for (const std::uint32_t k : cut_.continuous_loops) {
    const auto& unknowns = program_.loops[k].unknowns;
    if (std::find(unknowns.begin(), unknowns.end(), unknown) == unknowns.end()) continue;
    for (const std::uint32_t earlier : cut_.continuous_loops) {
      if (earlier <= k) loops.push_back(earlier);
    }
  }
}

SignalCode CompiledProgram::code_of(const std::vector<std::uint32_t>& signals, Diagnostics& diagnostics) const {
  SignalCode result;
  program::Procedure procedure{"signals", {}};
  std::vector<program::ExprId> values;
  for (const std::uint32_t index : signals) {
    const program::Variable& signal = program_.variables[index];
    if (signal.kind == program::VariableKind::unknown) add_loops_of(signal.slot, result.loops);
    if (signal.value == program::no_expr) continue;
    procedure.stores.push_back(
        {program::Store::Target::slot, signal.slot, signal.value, program::no_expr, signal.origin});
    values.push_back(signal.value);
  }
  if (values.empty()) return result;
  for (const std::uint32_t loop : passes::needed_loops(program_, values, program::Loop::continuous).loops)
    result.loops.push_back(loop);
  native::CompileOptions options = options_;
  options.second_tier = options.wait_for_second = false;
  program::Layout layout = layout_;
  layout.workspace = 0;  // what lies in memory was measured for other procedures: temporaries go on the stack
  result.code = native::compile(program_, layout, {std::move(procedure)}, options, diagnostics);
  return result;
}

std::shared_ptr<const CompiledProgram> CompiledProgram::with_probes(std::shared_ptr<const CompiledProgram> base,
                                                                    const std::vector<std::uint32_t>& signals,
                                                                    Diagnostics& diagnostics) {
  program::Program program = base->program_;
  const std::shared_ptr<CompiledProgram> compiled(new CompiledProgram(base, std::move(program)));
  std::vector<std::uint32_t> all = base->added_signals_;
  all.insert(all.end(), signals.begin(), signals.end());
  compiled->added_signals_ = all;
  compiled->add_probes(signals);
  const int errors = diagnostics.error_count();
  compiled->added_ = compiled->code_of(all, diagnostics);
  return diagnostics.error_count() > errors ? nullptr : compiled;
}

const SignalCode* CompiledProgram::signal(std::uint32_t index, Diagnostics& diagnostics) const {
  if (base_) return base_->signal(index, diagnostics);
  const std::lock_guard lock(signals_mutex_);
  if (const auto known = signals_.find(index); known != signals_.end()) return &known->second;
  const int errors = diagnostics.error_count();
  SignalCode made = code_of({index}, diagnostics);
  if (diagnostics.error_count() > errors) return nullptr;
  return &signals_.emplace(index, std::move(made)).first->second;
}

std::string CompiledProgram::text_of(program::Program program) {
  const CompiledProgram compiled(std::move(program));
  return native::emit_c(compiled.program_, compiled.layout_, compiled.cut_.all);
}

std::shared_ptr<const CompiledProgram> CompiledProgram::create(program::Program program,
                                                               const native::CompileOptions& options,
                                                               Diagnostics& diagnostics) {
  const std::shared_ptr<CompiledProgram> compiled(new CompiledProgram(std::move(program)));
  compiled->options_ = options;
  compiled->code_ = native::compile(compiled->program_, compiled->layout_, compiled->cut_.all, options, diagnostics);
  return compiled->code_ ? compiled : nullptr;
}

// On a copy of the Program, so that the one which runs share does not grow.
void CompiledProgram::make_jacobian() const {
  program::Program program = program_;
  passes::StateJacobian made = passes::make_state_jacobian(program, cut_);
  jacobian_.pattern = std::move(made.matrix.pattern);
  jacobian_.rates = std::move(made.rates);
  if (made.matrix.exact) {
    jacobian_.code =
        native::compile(program, layout_, {std::move(made.matrix.procedure)}, options_, jacobian_diagnostics_);
    if (!jacobian_.code) return;
  }
  jacobian_ready_.store(&jacobian_, std::memory_order_release);
}

const JacobianCode* CompiledProgram::jacobian(Diagnostics& diagnostics) const {
  if (base_) return base_->jacobian(diagnostics);
  std::call_once(jacobian_once_, [this] { make_jacobian(); });
  const JacobianCode* made = known_jacobian();
  if (made == nullptr) {
    for (const Diagnostic& diagnostic : jacobian_diagnostics_.all()) diagnostics.add(diagnostic);
  }
  return made;
}

void CompiledProgram::request_second_tier() const {
  code_->request_second_tier();
  const JacobianCode* jacobian = known_jacobian();
  if (jacobian != nullptr && jacobian->code) jacobian->code->request_second_tier();
}

void CompiledProgram::poll() const {
  code_->poll();
  const JacobianCode* jacobian = known_jacobian();
  if (jacobian != nullptr && jacobian->code) jacobian->code->poll();
}

}  // namespace orrery::sim
