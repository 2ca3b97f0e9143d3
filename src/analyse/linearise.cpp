// SPDX-License-Identifier: Apache-2.0
// Rates, residuals and outputs are differentiated together by states, unknowns and inputs; then the unknowns go.
#include "analyse/linearise.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>

#include "native/code.h"
#include "passes/build_jacobian.h"
#include "passes/needed_loops.h"

namespace orrery::analyse {
namespace {

using math::Index;
using math::RealMatrix;
using program::ExprId;
using program::no_expr;
using program::Program;
using program::SlotId;

ExprId output_value(Program& program, std::uint32_t index) {
  const program::Variable& variable = program.variables[index];
  if (variable.value != no_expr) return variable.value;
  for (const program::Assign& assign : program.always) {
    if (assign.slot == variable.slot && assign.guard == no_expr) return assign.value;
  }
  return program.read(variable.slot);
}

std::vector<ExprId> rates_and_outputs(Program& program, const LinearRequest& request) {
  std::vector<ExprId> rows;
  for (const SlotId slot : request.states) {
    const auto at = std::find(program.states.begin(), program.states.end(), slot) - program.states.begin();
    rows.push_back(program.derivatives[static_cast<std::size_t>(at)]);
  }
  for (const std::uint32_t index : request.outputs) rows.push_back(output_value(program, index));
  return rows;
}

// The elements of the model's one large matrix: rows are rates, outputs and residuals; columns are states, inputs and
// unknowns.
class Differentiation {
 public:
  Differentiation(const sim::CompiledProgram& compiled, const LinearRequest& request)
      : program_(compiled.program()), layout_(compiled.layout()) {
    layout_.workspace = 0;  // what lies in memory was measured for other procedures: temporaries go on the stack
    rows_ = rates_and_outputs(program_, request);
    loops_ = passes::needed_loops(program_, rows_, program::Loop::continuous).loops;
    columns_ = request.states;
    columns_.insert(columns_.end(), request.inputs.begin(), request.inputs.end());
    kept_rows_ = count_rows();
    kept_columns_ = count_columns();
    for (const std::uint32_t k : loops_) {
      const program::Loop& loop = program_.loops[k];
      columns_.insert(columns_.end(), loop.unknowns.begin(), loop.unknowns.end());
      rows_.insert(rows_.end(), loop.residuals.begin(), loop.residuals.end());
    }
  }

  // False: the code could not be made; see the diagnostics.
  bool compile(Diagnostics& diagnostics) {
    passes::Jacobian jacobian = passes::build_jacobian(program_, columns_, rows_);
    exact_ = jacobian.exact;
    pattern_ = std::move(jacobian.pattern);
    program::Procedure values{"values", {}};
    std::uint32_t next = 0;
    for (const ExprId row : rows_) {
      values.stores.push_back({program::Store::Target::output, next, row, no_expr, 0});
      next += static_cast<std::uint32_t>(program_.graph.type(row).size());
    }
    std::vector<program::Procedure> procedures;
    procedures.push_back(std::move(values));
    if (exact_) procedures.push_back(std::move(jacobian.procedure));
    native::CompileOptions options;
    options.second_tier = false;
    code_ = native::compile(program_, layout_, procedures, options, diagnostics);
    return code_ != nullptr;
  }

  // At the point the memory is at, all loops solved; memory is as it was when this returns.
  RealMatrix matrix(double t, std::byte* memory) const { return exact_ ? exact(t, memory) : differences(t, memory); }
  std::vector<double> values(double t, std::byte* memory) const {
    std::vector<double> result(static_cast<std::size_t>(count_rows()));
    code_->function(0)(t, reinterpret_cast<const double*>(memory), result.data(), memory, 0);
    return result;
  }
  // Of the columns that are kept.
  std::vector<double> column_values(const std::byte* memory) const {
    std::vector<double> result;
    for (const std::uint32_t offset : offsets()) result.push_back(read(memory + offset));
    result.resize(static_cast<std::size_t>(kept_columns_));
    return result;
  }

  bool is_exact() const { return exact_; }
  Index kept_rows() const { return kept_rows_; }
  Index kept_columns() const { return kept_columns_; }
  const std::vector<std::uint32_t>& loops() const { return loops_; }

 private:
  static double read(const std::byte* at) {
    double value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }

  Index count_rows() const {
    Index count = 0;
    for (const ExprId row : rows_) count += program_.graph.type(row).size();
    return count;
  }
  Index count_columns() const { return static_cast<Index>(offsets().size()); }
  std::vector<std::uint32_t> offsets() const {
    std::vector<std::uint32_t> result;
    for (const SlotId slot : columns_) {
      for (std::int64_t k = 0; k < program_.slots[slot].type.size(); ++k)
        result.push_back(layout_.offset[slot] + static_cast<std::uint32_t>(8 * k));
    }
    return result;
  }

  RealMatrix exact(double t, std::byte* memory) const {
    std::vector<double> entries(pattern_.nonzeros());
    code_->function(1)(t, reinterpret_cast<const double*>(memory), entries.data(), memory, 0);
    RealMatrix result(count_rows(), count_columns());
    for (Index c = 0; c < result.cols; ++c) {
      for (auto i = pattern_.column_start[c]; i < pattern_.column_start[c + 1]; ++i)
        result(pattern_.row[i], c) = entries[static_cast<std::size_t>(i)];
    }
    return result;
  }

  // Central differences at h, h/2 and h/4, extrapolated (Romberg): the error is of order h^6.
  RealMatrix differences(double t, std::byte* memory) const {
    const std::vector<std::uint32_t> at = offsets();
    RealMatrix result(count_rows(), count_columns());
    for (Index c = 0; c < result.cols; ++c) {
      std::byte* place = memory + at[static_cast<std::size_t>(c)];
      const double value = read(place);
      const double h = std::ldexp(1.0, std::ilogb(std::max(std::abs(value), 1.0)) - 8);
      const auto slope = [&](double step) {
        const double right = value + step, left = value - step;
        std::memcpy(place, &right, sizeof right);
        std::vector<double> difference = values(t, memory);
        std::memcpy(place, &left, sizeof left);
        const std::vector<double> before = values(t, memory);
        for (std::size_t r = 0; r < difference.size(); ++r) difference[r] = (difference[r] - before[r]) / (2 * step);
        return difference;
      };
      const std::vector<double> wide = slope(h), middle = slope(h / 2), narrow = slope(h / 4);
      std::memcpy(place, &value, sizeof value);
      for (Index r = 0; r < result.rows; ++r) {
        const auto k = static_cast<std::size_t>(r);
        const double first = (4 * middle[k] - wide[k]) / 3, second = (4 * narrow[k] - middle[k]) / 3;
        result(r, c) = (16 * second - first) / 15;
      }
    }
    return result;
  }

  Program program_;  // a copy: differentiating makes its graph grow
  program::Layout layout_;
  std::vector<ExprId> rows_;
  std::vector<SlotId> columns_;
  std::vector<std::uint32_t> loops_;
  Index kept_rows_ = 0, kept_columns_ = 0;  // without residuals and unknowns
  passes::Sparsity pattern_;
  bool exact_ = true;
  std::unique_ptr<native::Code> code_;
};

// What is left of the matrix when the unknowns have followed states and inputs: f_x - f_z g_z^-1 g_x. False: g_z is
// singular.
bool eliminate_unknowns(RealMatrix& matrix, Index rows, Index columns) {
  const Index unknowns = matrix.cols - columns, residuals = matrix.rows - rows;
  RealMatrix kept = block(matrix, 0, rows, 0, columns);
  if (unknowns > 0) {
    bool singular = false;
    const RealMatrix moves = math::solve(block(matrix, rows, residuals, columns, unknowns),
                                         block(matrix, rows, residuals, 0, columns), singular);
    if (singular) return false;
    kept = kept - block(matrix, 0, rows, columns, unknowns) * moves;
  }
  matrix = std::move(kept);
  return true;
}

Index size_of(const Program& program, const std::vector<SlotId>& slots) {
  Index size = 0;
  for (const SlotId slot : slots) size += program.slots[slot].type.size();
  return size;
}

}  // namespace

std::optional<LinearPoint> linearise(const sim::CompiledProgram& compiled, sim::Simulation& run,
                                     const LinearRequest& request, Diagnostics& diagnostics) {
  Differentiation model(compiled, request);
  if (!model.compile(diagnostics)) return std::nullopt;
  RealMatrix matrix;
  std::vector<double> rows, columns;
  const Place place{compiled.program().origins[0].path, 0, 0, {}, {}};
  const bool solved = run.at_point(model.loops(), [&](double t, std::byte* memory) {
    rows = model.values(t, memory);
    columns = model.column_values(memory);
    matrix = model.matrix(t, memory);
  });
  if (solved && !std::all_of(matrix.data.begin(), matrix.data.end(), [](double x) { return std::isfinite(x); })) {
    diagnostics.error("not-linearisable", place, "a derivative is infinite or not a number at this point",
                      "linearise at another time or with other start values");
    return std::nullopt;
  }
  if (!solved || !eliminate_unknowns(matrix, model.kept_rows(), model.kept_columns())) {
    diagnostics.error("not-linearisable", place,
                      solved ? "the algebraic loops of the model do not determine their unknowns at this point"
                             : "the algebraic loops of the model have no solution at this point",
                      "linearise at another time, or see `orrery run --explain-loops`");
    return std::nullopt;
  }
  const Index states = size_of(compiled.program(), request.states), inputs = matrix.cols - states;
  const Index outputs = matrix.rows - states;
  LinearPoint point;
  point.exact = model.is_exact();
  point.a = block(matrix, 0, states, 0, states);
  point.b = block(matrix, 0, states, states, inputs);
  point.c = block(matrix, states, outputs, 0, states);
  point.d = block(matrix, states, outputs, states, inputs);
  point.state_values.assign(columns.begin(), columns.begin() + states);
  point.input_values.assign(columns.begin() + states, columns.end());
  point.rates.assign(rows.begin(), rows.begin() + states);
  point.output_values.assign(rows.begin() + states, rows.begin() + states + outputs);
  return point;
}

std::vector<SlotId> written_by_events(const Program& program, const LinearRequest& request) {
  Program copy = program;
  const std::vector<SlotId> read =
      passes::needed_loops(copy, rates_and_outputs(copy, request), program::Loop::continuous).slots;
  std::vector<bool> is_read(program.slots.size(), false), found = is_read;
  for (const SlotId slot : read) {
    const program::SlotKind kind = program.slots[slot].kind;
    is_read[slot] = kind == program::SlotKind::discrete || kind == program::SlotKind::signal;
  }
  std::vector<bool> is_outside(program.sources.size(), false);  // who runs the model fires it
  for (const program::InputPort& port : program.inputs) {
    if (port.source != program::no_source) is_outside[port.source] = true;
  }
  const auto note = [&](SlotId slot) { found[slot] = found[slot] || is_read[slot]; };
  for (std::size_t k = 1; k < program.sources.size(); ++k) {
    if (is_outside[k]) continue;
    for (const program::Assign& assign : program.sources[k].table.assigns) note(assign.slot);
    for (const program::Call& call : program.sources[k].table.calls) {
      for (const SlotId slot : call.results) note(slot);
    }
  }
  std::vector<SlotId> result;
  for (SlotId slot = 0; slot < found.size(); ++slot) {
    if (found[slot]) result.push_back(slot);
  }
  return result;
}

}  // namespace orrery::analyse
