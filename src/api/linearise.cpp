// SPDX-License-Identifier: Apache-2.0
// The matrices at the point, and the loops opened at LinearisationPoint blocks.
#include "api/linearise.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>

#include "api/linear_question.h"
#include "api/oml_evaluator.h"
#include "api/trim.h"
#include "fmi/surroundings.h"

namespace orrery::api {
namespace {

using math::Index;
using math::RealMatrix;
using program::Program;

// With the signals w at the points as inputs instead of what moves them: of w = cw x + dw v, where v holds all inputs,
// v at the points follows, and is put into the other equations.
bool open_loops(analyse::LinearPoint& point, const std::vector<Index>& columns) {
  const auto n = static_cast<Index>(columns.size());
  if (n == 0) return true;
  const Index outputs = point.c.rows - n, states = point.a.rows, inputs = point.d.cols;
  const auto pick = [&](const RealMatrix& m) {
    RealMatrix picked(m.rows, n);
    for (Index k = 0; k < n; ++k)
      for (Index r = 0; r < m.rows; ++r) picked(r, k) = m(r, columns[static_cast<std::size_t>(k)]);
    return picked;
  };
  const RealMatrix cw = block(point.c, outputs, n, 0, states), dw = block(point.d, outputs, n, 0, inputs);
  bool singular = false;
  // v = inverse (w - cw x - dw v, without the columns of the points)
  const RealMatrix inverse = math::solve(pick(dw), RealMatrix::identity(n), singular);
  if (singular) return false;
  const auto mend = [&](RealMatrix& by_states, RealMatrix& by_inputs) {
    const RealMatrix by_w = pick(by_inputs) * inverse;
    if (states > 0) by_states = by_states - by_w * cw;
    by_inputs = by_inputs - by_w * dw;
    for (Index k = 0; k < n; ++k)
      for (Index r = 0; r < by_inputs.rows; ++r) by_inputs(r, columns[static_cast<std::size_t>(k)]) = by_w(r, k);
  };
  for (Index k = 0; k < n; ++k)
    point.input_values[static_cast<std::size_t>(columns[static_cast<std::size_t>(k)])] =
        point.output_values[static_cast<std::size_t>(outputs + k)];
  point.c = block(point.c, 0, outputs, 0, states);
  point.d = block(point.d, 0, outputs, 0, inputs);
  point.output_values.resize(static_cast<std::size_t>(outputs));
  if (states > 0) mend(point.a, point.b);
  if (outputs > 0) mend(point.c, point.d);
  return true;
}

// The states of the super block alone. What others still do to it does not go through its ports.
void keep_inner_states(LinearisedModel& model, const std::string& prefix, Diagnostics& diagnostics) {
  std::vector<std::size_t> inner, outer;
  for (std::size_t k = 0; k < model.states.size(); ++k)
    (model.states[k].starts_with(prefix) ? inner : outer).push_back(k);
  const auto at = [](std::size_t k) { return static_cast<Index>(k); };
  RealMatrix a(at(inner.size()), at(inner.size())), b(at(inner.size()), model.b.cols),
      c(model.c.rows, at(inner.size()));
  std::set<std::string> reach;
  for (std::size_t r = 0; r < inner.size(); ++r) {
    for (std::size_t k = 0; k < inner.size(); ++k) a(at(r), at(k)) = model.a(at(inner[r]), at(inner[k]));
    for (Index k = 0; k < b.cols; ++k) b(at(r), k) = model.b(at(inner[r]), k);
    for (const std::size_t k : outer)
      if (std::abs(model.a(at(inner[r]), at(k))) > 1e-12) reach.insert(model.states[k]);
  }
  for (Index r = 0; r < c.rows; ++r) {
    for (std::size_t k = 0; k < inner.size(); ++k) c(r, at(k)) = model.c(r, at(inner[k]));
    for (const std::size_t k : outer)
      if (std::abs(model.c(r, at(k))) > 1e-12) reach.insert(model.states[k]);
  }
  if (!reach.empty()) {
    diagnostics.warning(
        "linearised-outside", {"", 0, 0, prefix.substr(0, prefix.size() - 1), {}},
        fmt::format("states outside act on the super block other than through its ports: {}", fmt::join(reach, ", ")),
        "they count as constants");
  }
  const auto choose = [&](auto& list) {
    std::remove_reference_t<decltype(list)> chosen;
    for (const std::size_t k : inner) chosen.push_back(list[k]);
    list = std::move(chosen);
  };
  choose(model.states);
  choose(model.state_values);
  choose(model.rates);
  model.a = std::move(a);
  model.b = std::move(b);
  model.c = std::move(c);
}

// Corners at the point itself: the linear model holds on one side of them only.
void warn_of_corners(const sim::CompiledProgram& compiled, sim::Simulation& run, Diagnostics& diagnostics) {
  const Program& program = compiled.program();
  if (program.surfaces.empty()) return;
  std::vector<double> values(program.surfaces.size(), 1);
  (void)run.at_point(compiled.surface_loops(), [&](double t, std::byte* memory) {
    compiled.surfaces()(t, reinterpret_cast<const double*>(memory), values.data(), memory, 0);
  });
  for (std::size_t k = 0; k < values.size(); ++k) {
    const program::Surface& surface = program.surfaces[k];
    if (surface.mode == program::no_slot || surface.shown || surface.history != program::no_history) continue;
    if (std::abs(values[k]) > 1e-12) continue;
    diagnostics.warning(
        "linearised-at-corner",
        {program.origins[0].path, program.origins[surface.origin].line, 0, program.origins[surface.origin].path, {}},
        fmt::format("the point lies on a corner ({}): the linear model holds on one side of it",
                    surface.text.empty() ? "a condition changes" : surface.text),
        "move the point a little");
  }
}

}  // namespace

std::optional<LinearisedModel> linearise(const LinearisationRequest& request, Diagnostics& diagnostics) {
  const fmi::Surroundings surroundings;
  auto model = open_model(request.run.file, diagnostics);
  if (!model) return std::nullopt;
  return linearise(std::move(*model), request, nullptr, diagnostics);
}

std::optional<LinearisedModel> linearise(model::Model model, const LinearisationRequest& request,
                                         const std::shared_ptr<OmlEvaluator>& evaluator, Diagnostics& diagnostics) {
  const Place whole{model.file, 0, 0, request.block, {}};
  const auto there = run_to_point(std::move(model), request, evaluator, diagnostics);
  if (!there) return std::nullopt;
  const auto& [prefix, prepared, options, compiled, asked, run] = *there;
  const LinearQuestion& question = *asked;
  std::optional<analyse::RestPoint> rest;
  if (request.equilibrium) {
    rest = rest_of_states(*there, diagnostics);
    if (!rest) return std::nullopt;
  }
  auto point = analyse::linearise(*compiled, *run, question.with_points(), diagnostics, rest ? &rest->memory : nullptr);
  if (!point) return std::nullopt;
  if (!open_loops(*point, question.point_columns())) {
    diagnostics.error("not-linearisable", whole,
                      "an input of the linear model cannot be told from what comes back to it",
                      "linearise at another point");
    return std::nullopt;
  }
  warn_of_corners(*compiled, *run, diagnostics);
  LinearisedModel result;
  result.time = run->time();
  result.states = question.state_names();
  result.inputs = question.input_names();
  result.outputs = question.output_names();
  result.a = std::move(point->a);
  result.b = std::move(point->b);
  result.c = std::move(point->c);
  result.d = std::move(point->d);
  result.state_values = std::move(point->state_values);
  result.rates = std::move(point->rates);
  result.input_values = std::move(point->input_values);
  result.output_values = std::move(point->output_values);
  result.exact = point->exact;
  if (!request.block.empty()) keep_inner_states(result, prefix, diagnostics);
  return result;
}

}  // namespace orrery::api
