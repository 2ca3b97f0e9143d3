// SPDX-License-Identifier: Apache-2.0
// The large matrix of the model, from which the unknowns of its loops then go.
#include "analyse/linearise.h"

#include <algorithm>
#include <cmath>

#include "analyse/differentiation.h"
#include "passes/needed_loops.h"

namespace orrery::analyse {
namespace {

using math::Index;
using math::RealMatrix;
using program::Program;
using program::SlotId;

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
