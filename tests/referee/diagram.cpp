// SPDX-License-Identifier: Apache-2.0
// A small hybrid diagram written as a model.
#include "diagram.h"

#include <fmt/format.h>

#include <utility>

namespace orrery::referee {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

std::string text_of(double value) { return fmt::format("{}", value); }

// Two words for a positive and a negative number, and a third one for zero.
std::string direction(double a, const char* up, const char* down) {
  return fmt::format("'{}'", a > 0 ? up : a < 0 ? down : "both");
}

// The same block where time has another beginning and another unit. Time itself and the rates of integrals are
// changed by blocks of their own.
Block in_frame(Block block, const TimeFrame& frame) {
  switch (block.kind) {
    case Kind::sine:
      block.c -= block.b / frame.unit * frame.start;
      block.b /= frame.unit;
      break;
    case Kind::step: block.a = frame.start + frame.unit * block.a; break;
    case Kind::event_generate:
      block.b = frame.start + frame.unit * (block.b > block.a ? block.b : block.a);
      block.a = frame.start + frame.unit * block.a;
      break;
    case Kind::sample_clock:
    case Kind::event_clock:
      block.a *= frame.unit;
      block.b *= frame.unit;
      break;
    case Kind::event_delay: block.a *= frame.unit; break;
    default: break;
  }
  return block;
}

bool is_integral(Kind kind) { return kind == Kind::integral || kind == Kind::reset_integral; }

std::pair<const char*, Texts> type_of(const Block& block) {
  const std::string a = text_of(block.a), b = text_of(block.b), c = text_of(block.c);
  switch (block.kind) {
    case Kind::constant: return {"Constant", {{"value", a}}};
    case Kind::time: return {"Time", {}};
    case Kind::sine: return {"SineWaveGenerator", {{"amplitude", a}, {"frequency", b}, {"phase", c}}};
    case Kind::step: return {"StepGenerator", {{"time", a}, {"before", b}, {"after", c}}};
    case Kind::gain: return {"Gain", {{"k", a}}};
    case Kind::sum:
      return {"Sum", {{"signs", fmt::format("'{}{}'", block.a < 0 ? '-' : '+', block.b < 0 ? '-' : '+')}}};
    case Kind::product: return {"Product", {}};
    case Kind::bias: return {"Bias", {{"bias", a}}};
    case Kind::abs: return {"Abs", {}};
    case Kind::max: return {"MaxMin", {{"function", "'max'"}}};
    case Kind::min: return {"MaxMin", {{"function", "'min'"}}};
    case Kind::saturation: return {"Saturation", {{"lower", a}, {"upper", b}}};
    case Kind::deadzone: return {"Deadzone", {{"lower", a}, {"upper", b}}};
    case Kind::sign: return {"Sign", {}};
    case Kind::greater: return {"RelationalOp", {{"operator", "'>'"}}};
    case Kind::greater_equal: return {"RelationalOp", {{"operator", "'>='"}}};
    case Kind::floor: return {"MathFunc", {{"function", "'floor'"}}};
    case Kind::abs_loop:
    case Kind::sat_loop: return {"Sum", {{"signs", "'+-'"}}};
    case Kind::switch2: return {"Switch2", {{"threshold", a}}};
    case Kind::integral:
      if (block.b < block.c) return {"Integral", {{"x0", a}, {"lower", b}, {"upper", c}}};
      return {"Integral", {{"x0", a}}};
    case Kind::reset_integral: return {"Integral", {{"x0", a}, {"reset", "'activation'"}}};
    case Kind::sample_hold: return {"SampleHold", {}};
    case Kind::discrete_delay: return {"DiscreteDelay", {{"z0", a}}};
    case Kind::counter: return {"Counter", {}};
    case Kind::sample_clock: return {"SampleClock", {{"period", a}, {"offset", b}}};
    case Kind::event_clock: return {"EventClock", {{"period", a}, {"offset", b}}};
    case Kind::event_delay: return {"EventDelay", {{"delay", a}}};
    case Kind::event_generate:
      return {"EventGenerate", {{"times", block.b > block.a ? fmt::format("[{} {}]", a, b) : a}, {"outputs", "'one'"}}};
    case Kind::zero_cross: return {"ZeroCross", {{"direction", direction(block.a, "up", "down")}}};
    case Kind::edge_trigger: return {"EdgeTrigger", {{"edge", direction(block.a, "rising", "falling")}}};
    case Kind::if_then_else: return {"IfThenElse", {}};
    case Kind::event_union: return {"EventUnion", {}};
  }
  return {"", {}};
}

}  // namespace

int Diagram::add(Kind kind, std::vector<int> inputs, double a, double b, double c) {
  blocks.push_back({kind, a, b, c, std::move(inputs)});
  return static_cast<int>(blocks.size()) - 1;
}

bool has_output(Kind kind) { return kind < Kind::sample_clock; }

std::string name_of(const Diagram& diagram, int block) {
  return fmt::format("{}{}", type_of(diagram.blocks[static_cast<std::size_t>(block)]).first, block);
}

model::Model to_model(const Diagram& diagram, const TimeFrame& frame) {
  model::Model model;
  model.file = "referee.orr";
  model.name = "referee";
  const bool other_time = frame.start != 0 || frame.unit != 1;
  const auto add = [&](const std::string& name, const char* type, const Texts& parameters) {
    model::BlockInstance made;
    made.name = name;
    made.type = type;
    for (const auto& [key, value] : parameters) made.parameters.push_back({key, value, 0});
    model.root.blocks.push_back(std::move(made));
  };
  const auto link = [&](bool activation, const std::string& from, int port, const std::string& to, int to_port) {
    model::Link made;
    made.activation = activation;
    made.from = {from, port};
    made.to.push_back({to, to_port});
    model.root.links.push_back(std::move(made));
  };
  for (int b = 0; b < static_cast<int>(diagram.blocks.size()); ++b) {
    const Block& block = diagram.blocks[static_cast<std::size_t>(b)];
    const std::string name = name_of(diagram, b);
    const auto [type, parameters] = type_of(in_frame(block, frame));
    std::string first_input = name;
    if (other_time && block.kind == Kind::time) {
      add("clock_" + name, type, {});
      add(name, "MathExpression", {{"expression", fmt::format("'(u1-{})/{}'", frame.start, frame.unit)}});
      link(false, "clock_" + name, 1, name, 1);
    } else {
      add(name, type, parameters);
    }
    if (other_time && is_integral(block.kind)) {
      first_input = "rate_" + name;
      add(first_input, "Gain", {{"k", fmt::format("1/{}", frame.unit)}});
      link(false, first_input, 1, name, 1);
    }
    if (block.kind == Kind::abs_loop || block.kind == Kind::sat_loop) {
      const bool cut = block.kind == Kind::sat_loop;
      add("bend_" + name, cut ? "Saturation" : "Abs", cut ? Texts{{"lower", "-1"}, {"upper", "1"}} : Texts{});
      add("back_" + name, "Gain", {{"k", text_of(block.a)}});
      link(false, name, 1, "bend_" + name, 1);
      link(false, "bend_" + name, 1, "back_" + name, 1);
      link(false, "back_" + name, 1, name, 2);
    }
    for (int i = 0; i < static_cast<int>(block.inputs.size()); ++i) {
      const std::string from = name_of(diagram, block.inputs[static_cast<std::size_t>(i)]);
      link(false, from, 1, i == 0 ? first_input : name, i + 1);
    }
  }
  for (const Activation& a : diagram.activations)
    link(true, name_of(diagram, a.from), a.port, name_of(diagram, a.to), a.to_port);
  model.settings.start.text = text_of(frame.start);
  model.settings.stop.text = text_of(frame.start + frame.unit * diagram.stop);
  model.settings.rtol.text = "1e-9";
  model.settings.solver.text = "dopri";
  return model;
}

}  // namespace orrery::referee
