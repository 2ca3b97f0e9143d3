// SPDX-License-Identifier: Apache-2.0
// From procedures to code.
#include "sim/compiled_program.h"

#include <utility>

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
  }
  native::reserve_workspace(program_, cut_.all, layout_);
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
