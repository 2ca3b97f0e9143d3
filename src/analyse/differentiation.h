// SPDX-License-Identifier: Apache-2.0
// Rates and outputs of a compiled model as functions of its states, inputs and the unknowns of its loops, with exact
// derivatives: what linear models and points of rest are made of.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/diagnostic.h"
#include "math/matrix.h"
#include "native/code.h"
#include "passes/build_jacobian.h"
#include "sim/compiled_program.h"

namespace orrery::analyse {

struct LinearRequest;

// How many numbers they are together.
math::Index size_of(const program::Program& program, const std::vector<program::SlotId>& slots);

// The elements of the model's one large matrix: rows are rates, outputs and residuals; columns are states, inputs and
// unknowns. What the memory holds is left as it was found.
class Differentiation {
 public:
  Differentiation(const sim::CompiledProgram& compiled, const LinearRequest& request);
  // Of other expressions, made in a copy of the Program: those of the table of `source`, or of continuous time
  // (Loop::continuous).
  using Rows = std::function<std::vector<program::ExprId>(program::Program&)>;
  Differentiation(const sim::CompiledProgram& compiled, const std::vector<program::SlotId>& columns, const Rows& rows,
                  std::int32_t source);

  // False: the code could not be made; see the diagnostics.
  [[nodiscard]] bool compile(Diagnostics& diagnostics);

  // At the point the memory is at; `tick` is that of the clock domain.
  math::RealMatrix matrix(double t, std::byte* memory, std::int64_t tick = 0) const {
    return exact_ ? exact(t, memory, tick) : differences(t, memory, tick);
  }
  std::vector<double> values(double t, std::byte* memory, std::int64_t tick = 0) const;
  // Whether any row reads the column at all, whatever the numbers are.
  bool reads(math::Index column) const;
  std::vector<double> column_values(const std::byte* memory) const;
  void set_columns(std::byte* memory, const std::vector<double>& values) const;

  bool is_exact() const { return exact_; }
  math::Index rows() const;
  math::Index columns() const { return static_cast<math::Index>(offsets_.size()); }
  // Without residuals and unknowns.
  math::Index kept_rows() const { return kept_rows_; }
  math::Index kept_columns() const { return kept_columns_; }
  const std::vector<std::uint32_t>& loops() const { return loops_; }

 private:
  void add_offsets(program::SlotId slot);
  math::RealMatrix exact(double t, std::byte* memory, std::int64_t tick) const;
  math::RealMatrix differences(double t, std::byte* memory, std::int64_t tick) const;

  program::Program program_;  // a copy: differentiating makes its graph grow
  program::Layout layout_;
  std::vector<program::ExprId> rows_;
  std::vector<program::SlotId> columns_;
  std::vector<std::uint32_t> offsets_;  // by column
  std::vector<std::uint32_t> loops_;
  math::Index kept_rows_ = 0, kept_columns_ = 0;
  passes::Sparsity pattern_;
  bool exact_ = true;
  std::shared_ptr<native::Code> code_;
};

// The rates of the states and the outputs of the request as expressions.
std::vector<program::ExprId> rates_and_outputs(program::Program& program, const LinearRequest& request);

// What is left of a matrix when the unknowns have followed states and inputs: f_x - f_z g_z^-1 g_x. False: g_z is
// singular.
[[nodiscard]] bool eliminate_unknowns(math::RealMatrix& matrix, math::Index rows, math::Index columns);
// Opens the loops at the cuts of a request in a memory; `signals` are the values there.
void open_loops(const sim::CompiledProgram& compiled, const LinearRequest& request, const double* signals,
                std::byte* memory);
math::Index cut_size(const program::Program& program, const LinearRequest& request);

}  // namespace orrery::analyse
