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
#include "io/number_text.h"

namespace orrery::api {
namespace {

using math::Index;
using math::RealMatrix;
using program::Program;

void warn_of_outside(const std::string& block, const std::set<std::string>& reach, Diagnostics& diagnostics) {
  if (reach.empty()) return;
  diagnostics.warning(
      "linearised-outside", {"", 0, 0, block, {}},
      fmt::format("states outside act on the super block other than through its ports: {}", fmt::join(reach, ", ")),
      "they count as constants");
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
  warn_of_outside(prefix.substr(0, prefix.size() - 1), reach, diagnostics);
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

void take(analyse::LinearPoint& point, LinearisedModel& result) {
  result.a = std::move(point.a);
  result.b = std::move(point.b);
  result.c = std::move(point.c);
  result.d = std::move(point.d);
  result.state_values = std::move(point.state_values);
  result.rates = std::move(point.rates);
  result.input_values = std::move(point.input_values);
  result.output_values = std::move(point.output_values);
  result.exact = point.exact;
}

// Names of the instants behind those of inputs or outputs, where a period has several.
std::vector<std::string> at_instants(const std::vector<std::string>& names, const std::vector<double>& instants) {
  if (instants.size() < 2) return names;
  std::vector<std::string> result;
  for (const double instant : instants)
    for (const std::string& name : names) result.push_back(fmt::format("{} at {}", name, io::number_text(instant)));
  return result;
}

bool linearise_samples(const ModelAtPoint& there, const std::string& block, LinearisedModel& result,
                       Diagnostics& diagnostics) {
  const Program& program = there.compiled->program();
  const LinearQuestion& question = *there.question;
  analyse::LinearRequest request = question.with_points();
  std::vector<program::SlotId> outside;
  std::erase_if(request.states, [&](program::SlotId slot) {
    const bool out = !program.origins[program.slots[slot].origin].path.starts_with(there.prefix);
    if (out) outside.push_back(slot);
    return out;
  });
  auto point = analyse::linearise_sampled(*there.compiled, *there.run, request, outside, there.samples, diagnostics);
  if (!point) return false;
  result.states = question.names_of(point->states);
  for (std::string& name : question.names_of(point->memories)) result.states.push_back(std::move(name));
  result.period = point->period;
  if (point->instants.size() > 1) result.instants = point->instants;
  take(point->linear, result);
  result.inputs = at_instants(result.inputs, result.instants);
  result.outputs = at_instants(result.outputs, result.instants);
  const std::vector<double> inputs = result.input_values, outputs = result.output_values;
  for (std::size_t k = 1; k < result.instants.size(); ++k) {
    result.input_values.insert(result.input_values.end(), inputs.begin(), inputs.end());
    result.output_values.insert(result.output_values.end(), outputs.begin(), outputs.end());
  }
  std::set<std::string> reach;
  for (const std::string& name : question.names_of(point->reached_by)) reach.insert(name);
  warn_of_outside(block, reach, diagnostics);
  return true;
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
  LinearisationRequest wanted = request;
  wanted.continuous = request.continuous || request.equilibrium;
  const auto there = run_to_point(std::move(model), wanted, evaluator, diagnostics);
  if (!there) return std::nullopt;
  const LinearQuestion& question = *there->question;
  const sim::CompiledProgram& compiled = *there->compiled;
  sim::Simulation& run = *there->run;
  LinearisedModel result;
  result.time = run.time();
  result.inputs = question.input_names();
  result.outputs = question.output_names();
  if (!there->samples.memories.empty()) {
    if (!linearise_samples(*there, request.block, result, diagnostics)) return std::nullopt;
    warn_of_corners(compiled, run, diagnostics);
    return result;
  }
  std::optional<analyse::RestPoint> rest;
  if (request.equilibrium) {
    rest = rest_of_states(*there, diagnostics);
    if (!rest) return std::nullopt;
  }
  auto point = analyse::linearise(compiled, run, question.with_points(), diagnostics, rest ? &rest->memory : nullptr);
  if (!point) return std::nullopt;
  warn_of_corners(compiled, run, diagnostics);
  result.states = question.state_names();
  take(*point, result);
  if (!request.block.empty()) keep_inner_states(result, there->prefix, diagnostics);
  return result;
}

}  // namespace orrery::api
