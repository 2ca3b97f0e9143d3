// SPDX-License-Identifier: Apache-2.0
// The large matrix of the model, from which the unknowns of its loops then go.
#include "analyse/linearise.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "analyse/differentiation.h"

namespace orrery::analyse {
namespace {

using math::Index;
using math::RealMatrix;
using program::Program;
using program::SlotId;

}  // namespace

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

Index cut_size(const Program& program, const LinearRequest& request) {
  Index size = 0;
  for (const LinearRequest::Cut& cut : request.cuts) size += program.slots[cut.moved].type.size();
  return size;
}

void open_loops(const sim::CompiledProgram& compiled, const LinearRequest& request, const double* signals,
                std::byte* memory) {
  const program::Layout& layout = compiled.layout();
  Index next = 0;
  for (const LinearRequest::Cut& cut : request.cuts) {
    const Index size = compiled.program().slots[cut.moved].type.size();
    std::memcpy(memory + layout.offset[cut.moved], signals + next, sizeof(double) * static_cast<std::size_t>(size));
    const double open = 0;
    std::memcpy(memory + layout.offset[cut.closed], &open, sizeof open);
    next += size;
  }
}

std::optional<LinearPoint> linearise(const sim::CompiledProgram& compiled, sim::Simulation& run,
                                     const LinearRequest& request, Diagnostics& diagnostics,
                                     const std::vector<std::byte>* memory) {
  Differentiation model(compiled, request);
  if (!model.compile(diagnostics)) return std::nullopt;
  RealMatrix matrix;
  std::vector<double> rows, columns;
  const Place place{compiled.program().origins[0].path, 0, 0, {}, {}};
  const bool solved = run.at_point(model.loops(), [&](double t, std::byte* now) {
    std::vector<std::byte> moved;
    if (memory != nullptr) moved = *memory;
    std::byte* at = memory != nullptr ? moved.data() : now;
    rows = model.values(t, at);
    if (!request.cuts.empty()) {
      moved.assign(at, at + compiled.layout().bytes);
      at = moved.data();
      const Index signals = cut_size(compiled.program(), request);
      open_loops(compiled, request, rows.data() + model.kept_rows() - signals, at);
      rows = model.values(t, at);
    }
    columns = model.column_values(at);
    columns.resize(static_cast<std::size_t>(model.kept_columns()));
    matrix = model.matrix(t, at);
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
  const Index outputs = matrix.rows - states - cut_size(compiled.program(), request);
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

}  // namespace orrery::analyse
