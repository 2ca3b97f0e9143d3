// SPDX-License-Identifier: Apache-2.0
// Names to slots, a run to the point, the matrices, and the loops opened at LinearisationPoint blocks.
#include "api/linearise.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "analyse/linearise.h"
#include "api/linearisation_points.h"
#include "api/oml_evaluator.h"
#include "api/prepare.h"
#include "blocks/block.h"
#include "fmi/surroundings.h"
#include "model/closest_name.h"
#include "program/variables.h"
#include "sim/recorder.h"

namespace orrery::api {
namespace {

using math::Index;
using math::RealMatrix;
using program::Program;
using program::SlotId;

// One input or output of the linear model.
struct Port {
  std::string name;  // in the results
  std::string path;  // of the block in the Program
};

class Question {
 public:
  Question(const Program& program, const LinearisationRequest& request, Diagnostics& diagnostics)
      : program_(program), names_(program), request_(request), diagnostics_(diagnostics) {}

  // False: something cannot be found, or is not a double.
  bool ask(const std::vector<Port>& inputs, const std::vector<Port>& outputs) {
    for (std::size_t k = 0; k < program_.states.size(); ++k) {
      const SlotId slot = program_.states[k];
      if (program_.slots[slot].kind == program::SlotKind::state) linear_.states.push_back(slot);
    }
    for (const Port& port : inputs) add_input(port);
    for (const Port& port : outputs) add_output(port);
    return diagnostics_.error_count() == errors_;
  }

  const analyse::LinearRequest& request() const { return linear_; }
  // The inputs that are points open loops: which of the inputs they are.
  const std::vector<std::size_t>& points() const { return points_; }
  // The same with the signals at the points behind the outputs.
  analyse::LinearRequest with_points() const {
    analyse::LinearRequest all = linear_;
    for (const std::size_t k : points_) all.outputs.push_back(*names_.find(input_paths_[k]));
    return all;
  }
  std::vector<std::string> state_names() const {
    std::vector<std::string> names;
    for (const SlotId slot : linear_.states) {
      const program::Slot& at = program_.slots[slot];
      append(names, program_.origins[at.origin].path + "." + at.name, at.type);
    }
    return names;
  }
  const std::vector<std::string>& input_names() const { return input_names_; }
  const std::vector<std::string>& output_names() const { return output_names_; }
  std::vector<Index> point_columns() const {
    std::vector<Index> columns;
    Index next = 0;
    for (std::size_t k = 0; k < linear_.inputs.size(); ++k) {
      const Index size = program_.slots[linear_.inputs[k]].type.size();
      if (std::find(points_.begin(), points_.end(), k) != points_.end())
        for (Index e = 0; e < size; ++e) columns.push_back(next + e);
      next += size;
    }
    return columns;
  }

 private:
  static void append(std::vector<std::string>& names, const std::string& name, const program::Type& type) {
    for (std::string& element : sim::element_names(name, type)) names.push_back(std::move(element));
  }
  Place place(std::string block) const { return {program_.origins[0].path, 0, 0, std::move(block), {}}; }

  void add_input(const Port& port) {
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
      points_.push_back(linear_.inputs.size());
    }
    if (found == program::no_slot || program_.slots[found].type.scalar != program::Scalar::f64) {
      diagnostics_.error("no-such-input", place("/" + bare),
                         "this is no input of doubles that a linear model could have",
                         "inputs are Input blocks of the top diagram and LinearisationPoint blocks");
      return;
    }
    input_paths_.push_back("/" + bare);
    linear_.inputs.push_back(found);
    append(input_names_, port.name, program_.slots[found].type);
  }

  void add_output(const Port& port) {
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

  const Program& program_;
  program::VariableNames names_;
  const LinearisationRequest& request_;
  Diagnostics& diagnostics_;
  int errors_ = diagnostics_.error_count();
  analyse::LinearRequest linear_;
  std::vector<std::size_t> points_;
  std::vector<std::string> input_paths_, input_names_, output_names_;
};

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

// Ports of a super block by their numbers, in the order that was asked for.
bool choose_ports(const std::vector<std::string>& asked, const std::vector<std::string>& points, const Place& place,
                  const char* kind, std::vector<Port>& ports, Diagnostics& diagnostics) {
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
                  std::vector<Port>& ports) {
  for (const std::string& name : asked.empty() ? all : asked)
    ports.push_back({name.starts_with('/') ? name : "/" + name, name});
}

// Blocks whose memory, changed by events, stands in the rates or outputs: a linear model would miss what they do.
bool report_events(const Program& program, const analyse::LinearRequest& request, const std::string& prefix,
                   Diagnostics& diagnostics) {
  std::set<std::string> blocks;
  for (const SlotId slot : analyse::written_by_events(program, request)) {
    const std::string& path = program.origins[program.slots[slot].origin].path;
    if (path.starts_with(prefix)) blocks.insert(path);
  }
  if (blocks.empty()) return true;
  diagnostics.error("discrete-part", {program.origins[0].path, 0, 0, *blocks.begin(), {}},
                    fmt::format("events change what the linear model depends on: {}", fmt::join(blocks, ", ")),
                    "linearise a super block without them, or take what they left as constant (--hold)");
  return false;
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

bool run_to_point(sim::Simulation& run, const LinearisationRequest& request, double start, Diagnostics& diagnostics) {
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

std::optional<LinearisedModel> linearise(const LinearisationRequest& request, Diagnostics& diagnostics) {
  const fmi::Surroundings surroundings;
  auto model = open_model(request.run.file, diagnostics);
  if (!model) return std::nullopt;
  return linearise(std::move(*model), request, nullptr, diagnostics);
}

std::optional<LinearisedModel> linearise(model::Model model, const LinearisationRequest& request,
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

  std::vector<Port> inputs, outputs;
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
  Question question(program, request, diagnostics);
  if (!question.ask(inputs, outputs)) return std::nullopt;
  if (!request.hold) {
    analyse::LinearRequest inner = question.request();
    std::erase_if(inner.states,
                  [&](SlotId slot) { return !program.origins[program.slots[slot].origin].path.starts_with(prefix); });
    if (!report_events(program, inner, prefix, diagnostics)) return std::nullopt;
  }
  const auto run = sim::Simulation::create(compiled, options, diagnostics);
  if (!run || !run_to_point(*run, request, options.start, diagnostics)) return std::nullopt;
  auto point = analyse::linearise(*compiled, *run, question.with_points(), diagnostics);
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
