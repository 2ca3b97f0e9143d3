// SPDX-License-Identifier: Apache-2.0
// Rates, residuals and outputs are differentiated together by states, inputs and unknowns.
#include "analyse/differentiation.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "analyse/linearise.h"
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

double number_at(const std::byte* at) {
  double value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

Index size_of(const Program& program, const std::vector<SlotId>& slots) {
  Index size = 0;
  for (const SlotId slot : slots) size += program.slots[slot].type.size();
  return size;
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

Differentiation::Differentiation(const sim::CompiledProgram& compiled, const LinearRequest& request)
    : Differentiation(
          compiled,
          [&] {
            std::vector<SlotId> columns = request.states;
            columns.insert(columns.end(), request.inputs.begin(), request.inputs.end());
            return columns;
          }(),
          [&](Program& program) { return rates_and_outputs(program, request); }, program::Loop::continuous) {}

Differentiation::Differentiation(const sim::CompiledProgram& compiled, const std::vector<SlotId>& columns,
                                 const Rows& make_rows, std::int32_t source)
    : program_(compiled.program()), layout_(compiled.layout()) {
  layout_.workspace = 0;  // what lies in memory was measured for other procedures: temporaries go on the stack
  rows_ = make_rows(program_);
  loops_ = passes::needed_loops(program_, rows_, source).loops;
  for (const SlotId slot : columns) add_offsets(slot);
  kept_rows_ = rows();
  kept_columns_ = this->columns();
  for (const std::uint32_t k : loops_) {
    const program::Loop& loop = program_.loops[k];
    for (const SlotId slot : loop.unknowns) add_offsets(slot);
    rows_.insert(rows_.end(), loop.residuals.begin(), loop.residuals.end());
  }
}

void Differentiation::add_offsets(SlotId slot) {
  columns_.push_back(slot);
  for (std::int64_t k = 0; k < program_.slots[slot].type.size(); ++k)
    offsets_.push_back(layout_.offset[slot] + static_cast<std::uint32_t>(8 * k));
}

bool Differentiation::compile(Diagnostics& diagnostics) {
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

std::vector<double> Differentiation::values(double t, std::byte* memory, std::int64_t tick) const {
  std::vector<double> result(static_cast<std::size_t>(rows()));
  code_->function(0)(t, reinterpret_cast<const double*>(memory), result.data(), memory, tick);
  return result;
}

std::vector<double> Differentiation::column_values(const std::byte* memory) const {
  std::vector<double> result;
  for (const std::uint32_t offset : offsets_) result.push_back(number_at(memory + offset));
  return result;
}

void Differentiation::set_columns(std::byte* memory, const std::vector<double>& values) const {
  for (std::size_t k = 0; k < values.size(); ++k) std::memcpy(memory + offsets_[k], &values[k], sizeof(double));
}

bool Differentiation::reads(Index column) const {
  return pattern_.column_start[column] < pattern_.column_start[column + 1];
}

Index Differentiation::rows() const {
  Index count = 0;
  for (const ExprId row : rows_) count += program_.graph.type(row).size();
  return count;
}

RealMatrix Differentiation::exact(double t, std::byte* memory, std::int64_t tick) const {
  std::vector<double> entries(pattern_.nonzeros());
  code_->function(1)(t, reinterpret_cast<const double*>(memory), entries.data(), memory, tick);
  RealMatrix result(rows(), columns());
  for (Index c = 0; c < result.cols; ++c) {
    for (auto i = pattern_.column_start[c]; i < pattern_.column_start[c + 1]; ++i)
      result(pattern_.row[i], c) = entries[static_cast<std::size_t>(i)];
  }
  return result;
}

// Central differences at h, h/2 and h/4, extrapolated (Romberg): the error is of order h^6.
RealMatrix Differentiation::differences(double t, std::byte* memory, std::int64_t tick) const {
  RealMatrix result(rows(), columns());
  for (Index c = 0; c < result.cols; ++c) {
    std::byte* place = memory + offsets_[static_cast<std::size_t>(c)];
    const double value = number_at(place);
    const double h = std::ldexp(1.0, std::ilogb(std::max(std::abs(value), 1.0)) - 8);
    const auto slope = [&](double step) {
      const double right = value + step, left = value - step;
      std::memcpy(place, &right, sizeof right);
      std::vector<double> difference = values(t, memory, tick);
      std::memcpy(place, &left, sizeof left);
      const std::vector<double> before = values(t, memory, tick);
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

}  // namespace orrery::analyse
