// SPDX-License-Identifier: Apache-2.0
// Names to slots, and a run to the point.
#include "api/linear_question.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "api/linearisation_points.h"
#include "api/oml_evaluator.h"
#include "api/prepare.h"
#include "base/check.h"
#include "model/closest_name.h"
#include "sim/recorder.h"

namespace orrery::api {
namespace {

using math::Index;
using program::Program;
using program::SlotId;

void append(std::vector<std::string>& names, const std::string& name, const program::Type& type) {
  for (std::string& element : sim::element_names(name, type)) names.push_back(std::move(element));
}

// Ports of a super block by their numbers, in the order that was asked for.
bool choose_ports(const std::vector<std::string>& asked, const std::vector<std::string>& points, const Place& place,
                  const char* kind, std::vector<LinearPort>& ports, Diagnostics& diagnostics) {
  std::vector<std::size_t> numbers;
  for (const std::string& text : asked) {
    std::size_t number = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end.ptr != text.data() + text.size() || number < 1 || number > points.size() || points[number - 1].empty()) {
      diagnostics.error("no-such-port", place, fmt::format("the super block has no {} {}", kind, text),
                        fmt::format("give numbers of ports, from 1 to {}", points.size()));
      return false;
    }
    numbers.push_back(number);
  }
  if (asked.empty()) {
    for (std::size_t k = 1; k <= points.size(); ++k) {
      if (!points[k - 1].empty()) numbers.push_back(k);
    }
  }
  for (const std::size_t number : numbers) ports.push_back({fmt::format("{} {}", kind, number), points[number - 1]});
  return true;
}

void choose_names(const std::vector<std::string>& asked, const std::vector<std::string>& all,
                  std::vector<LinearPort>& ports) {
  for (const std::string& name : asked.empty() ? all : asked)
    ports.push_back({name.starts_with('/') ? name : "/" + name, name});
}

// Blocks whose memory, changed by events, stands in the rates or outputs: a linear model of continuous time would miss
// what they do.
bool refuse_samples(const Program& program, const analyse::SampleTimes& samples, Diagnostics& diagnostics) {
  std::set<std::string> blocks;
  for (const SlotId slot : samples.memories) blocks.insert(program.origins[program.slots[slot].origin].path);
  if (blocks.empty()) return true;
  diagnostics.error("discrete-part", {program.origins[0].path, 0, 0, *blocks.begin(), {}},
                    fmt::format("events change what rates and outputs depend on: {}", fmt::join(blocks, ", ")),
                    "look at a super block without them, or take what they left as constant (--hold)");
  return false;
}

bool run_until(sim::Simulation& run, const LinearisationRequest& request, double start, Diagnostics& diagnostics) {
  const double at = request.at.value_or(start);
  sim::End end = run.step();
  if (end == sim::End::paused && at > start) end = run.run_exactly(at);
  if (end == sim::End::paused || (end == sim::End::reached_stop && run.time() >= at)) return true;
  if (end == sim::End::failed || end == sim::End::interrupted) return false;
  diagnostics.error("not-linearisable", {request.run.file, 0, 0, {}, {}},
                    fmt::format("the run ends at t = {}, before the time of the linear model", run.time()),
                    "give an earlier time");
  return false;
}

}  // namespace

LinearQuestion::LinearQuestion(const Program& program, Diagnostics& diagnostics)
    : program_(program), names_(program), diagnostics_(diagnostics), errors_(diagnostics.error_count()) {}

bool LinearQuestion::ask(const std::vector<LinearPort>& inputs, const std::vector<LinearPort>& outputs) {
  for (std::size_t k = 0; k < program_.states.size(); ++k) {
    const SlotId slot = program_.states[k];
    if (program_.slots[slot].kind == program::SlotKind::state) linear_.states.push_back(slot);
  }
  for (const LinearPort& port : inputs) add_input(port);
  for (const LinearPort& port : outputs) add_output(port);
  return diagnostics_.error_count() == errors_;
}

analyse::LinearRequest LinearQuestion::with_points() const {
  analyse::LinearRequest all = linear_;
  for (const Point& point : points_) {
    all.outputs.push_back(*names_.find(input_paths_[point.input]));
    all.cuts.push_back({linear_.inputs[point.input], point.closed});
  }
  return all;
}

std::vector<std::string> LinearQuestion::names_of(const std::vector<SlotId>& slots) const {
  std::vector<std::string> names;
  for (const SlotId slot : slots) {
    const program::Slot& at = program_.slots[slot];
    append(names, program_.origins[at.origin].path + "." + at.name, at.type);
  }
  return names;
}

void LinearQuestion::add_input(const LinearPort& port) {
  const std::string bare = port.path.starts_with('/') ? port.path.substr(1) : port.path;
  SlotId found = program::no_slot;
  for (const program::InputPort& input : program_.inputs) {
    if (input.name == bare && input.value != program::no_slot) found = input.value;
  }
  for (SlotId slot = 0; slot < program_.slots.size() && found == program::no_slot; ++slot) {
    const program::Slot& at = program_.slots[slot];
    if (at.name != "moved" || program_.origins[at.origin].path != "/" + bare) continue;
    if (program_.origins[at.origin].type != "LinearisationPoint") continue;
    found = slot;
    const auto closed = std::find_if(program_.slots.begin(), program_.slots.end(), [&](const program::Slot& other) {
      return other.origin == at.origin && other.name == "closed";
    });
    ORRERY_CHECK(closed != program_.slots.end());
    points_.push_back({linear_.inputs.size(), static_cast<SlotId>(closed - program_.slots.begin())});
  }
  if (found == program::no_slot || program_.slots[found].type.scalar != program::Scalar::f64) {
    diagnostics_.error("no-such-input", place("/" + bare), "this is no input of doubles that a linear model could have",
                       "inputs are Input blocks of the top diagram and LinearisationPoint blocks");
    return;
  }
  input_paths_.push_back("/" + bare);
  linear_.inputs.push_back(found);
  append(input_names_, port.name, program_.slots[found].type);
}

void LinearQuestion::add_output(const LinearPort& port) {
  const auto found = names_.find(port.path);
  if (!found) {
    std::vector<std::string> names;
    for (const program::Variable& variable : program_.variables) names.push_back(variable_name(program_, variable));
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string guess = model::did_you_mean(port.path, views);
    diagnostics_.error("no-such-output", place(port.path), "the model has no signal of this name",
                       guess.empty() ? "`orrery show variables MODEL` lists them" : guess);
    return;
  }
  const program::Type type = variable_type(program_, program_.variables[*found]);
  if (type.scalar != program::Scalar::f64) {
    diagnostics_.error("no-such-output", place(port.path), "this is no signal of doubles",
                       "outputs of a linear model are doubles");
    return;
  }
  linear_.outputs.push_back(*found);
  append(output_names_, port.name, type);
}

std::optional<ModelAtPoint> run_to_point(model::Model model, const LinearisationRequest& request,
                                         const std::shared_ptr<OmlEvaluator>& evaluator, Diagnostics& diagnostics) {
  apply_request(request.run, model, diagnostics);
  const Place whole{model.file, 0, 0, request.block, {}};
  PortPoints points;
  std::string prefix = "/";
  if (!request.block.empty()) {
    if (!add_port_points(model, request.block, points, diagnostics)) return std::nullopt;
    prefix = (request.block.starts_with('/') ? request.block : "/" + request.block) + "/";
  }
  RunRequest run_request = request.run;
  run_request.keep_signals = true;
  auto prepared =
      evaluator ? prepare(model, run_request, evaluator, diagnostics) : prepare(model, run_request, diagnostics);
  if (!prepared) return std::nullopt;
  sim::RunOptions options = run_options(run_request, prepared->settings);
  options.open_foreign = prepared->open_foreign;
  if (request.at && *request.at < options.start) {
    diagnostics.error("not-linearisable", whole, "the time of the linear model lies before the start",
                      fmt::format("give a time from {} on", options.start));
    return std::nullopt;
  }
  options.stop = std::max(options.stop, request.at.value_or(options.start) + 1);
  options.interrupt = request.run.interrupt;
  const auto compiled = sim::CompiledProgram::create(std::move(prepared->program), options.native, diagnostics);
  if (!compiled) return std::nullopt;
  const Program& program = compiled->program();

  std::vector<LinearPort> inputs, outputs;
  if (!request.block.empty()) {
    if (!choose_ports(request.inputs, points.inputs, whole, "input", inputs, diagnostics) ||
        !choose_ports(request.outputs, points.outputs, whole, "output", outputs, diagnostics))
      return std::nullopt;
  } else {
    std::vector<std::string> all_inputs, all_outputs;
    for (const program::InputPort& port : program.inputs) {
      if (port.value != program::no_slot) all_inputs.push_back(port.name);
    }
    for (const program::OutputPort& port : program.outputs) {
      if (!port.activation) all_outputs.push_back(port.name);
    }
    choose_names(request.inputs, all_inputs, inputs);
    choose_names(request.outputs, all_outputs, outputs);
  }
  auto question = std::make_unique<LinearQuestion>(program, diagnostics);
  if (!question->ask(inputs, outputs)) return std::nullopt;
  analyse::SampleTimes samples;
  if (!request.hold) {
    analyse::LinearRequest inner = question->request();
    std::erase_if(inner.states,
                  [&](SlotId slot) { return !program.origins[program.slots[slot].origin].path.starts_with(prefix); });
    const auto found = analyse::find_sample_times(program, inner, prefix, diagnostics);
    if (!found || (request.continuous && !refuse_samples(program, *found, diagnostics))) return std::nullopt;
    samples = *found;
  }
  auto run = sim::Simulation::create(compiled, options, diagnostics);
  if (!run || !run_until(*run, request, options.start, diagnostics)) return std::nullopt;
  return ModelAtPoint{prefix, std::move(*prepared), options, compiled, std::move(question), std::move(run), samples};
}

}  // namespace orrery::api
