// SPDX-License-Identifier: Apache-2.0
// A small hybrid diagram written as a model.
#include "diagram.h"

#include <fmt/format.h>

#include <algorithm>
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
    case Kind::fixed_delay:
    case Kind::event_delay: block.a *= frame.unit; break;
    case Kind::rate_limiter:
      block.a /= frame.unit;
      block.b /= frame.unit;
      break;
    default: break;
  }
  return block;
}

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
    case Kind::slider: return {"Integral", {{"x0", b}}};
    case Kind::automaton: return {"Automaton", {{"modes", "2"}, {"x0", "0"}, {"jumps", "[2;1]"}}};
    case Kind::fixed_delay: return {"FixedDelay", {{"T", a}, {"init", b}}};
    case Kind::hysteresis: return {"Hysteresis", {{"on", a}, {"off", b}}};
    case Kind::backlash: return {"Backlash", {{"gap", a}, {"y0", b}}};
    case Kind::rate_limiter: return {"RateLimiter", {{"upper", a}, {"lower", b}}};
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

class ModelWriter {
 public:
  ModelWriter(const Diagram& diagram, const TimeFrame& frame) : diagram_(diagram), frame_(frame) {
    model_.file = "referee.orr";
    model_.name = "referee";
  }
  model::Model take() { return std::move(model_); }

  void add(const std::string& name, const char* type, const Texts& parameters) {
    model::BlockInstance made;
    made.name = name;
    made.type = type;
    for (const auto& [key, value] : parameters) made.parameters.push_back({key, value, 0});
    model_.root.blocks.push_back(std::move(made));
  }
  void link(bool activation, const std::string& from, int port, const std::string& to, int to_port) {
    model::Link made;
    made.activation = activation;
    made.from = {from, port};
    made.to.push_back({to, to_port});
    model_.root.links.push_back(std::move(made));
  }
  void write(int b);

 private:
  bool has_other_time() const { return frame_.start != 0 || frame_.unit != 1; }
  const Block& block(int b) const { return diagram_.blocks[static_cast<std::size_t>(b)]; }
  // From what drives input i of a block.
  void link_input(int b, int i, const std::string& to, int to_port) {
    const int from = block(b).inputs[static_cast<std::size_t>(i)];
    link(false, (block(from).kind == Kind::automaton ? "x_" : "") + name_of(diagram_, from), 1, to, to_port);
  }
  // In front of an integral: its rate counts in another unit of time.
  std::string add_rate(const std::string& name) {
    if (!has_other_time()) return name;
    add("rate_" + name, "Gain", {{"k", fmt::format("1/{}", frame_.unit)}});
    link(false, "rate_" + name, 1, name, 1);
    return "rate_" + name;
  }
  void close_loop(const Block& block, const std::string& name);
  void write_slider(int b, const std::string& name);
  void write_automaton(int b, const std::string& name);

  const Diagram& diagram_;
  const TimeFrame& frame_;
  model::Model model_;
};

// y = u - a |y| and the like.
void ModelWriter::close_loop(const Block& block, const std::string& name) {
  const bool cut = block.kind == Kind::sat_loop;
  add("bend_" + name, cut ? "Saturation" : "Abs", cut ? Texts{{"lower", "-1"}, {"upper", "1"}} : Texts{});
  add("back_" + name, "Gain", {{"k", text_of(block.a)}});
  link(false, name, 1, "bend_" + name, 1);
  link(false, "bend_" + name, 1, "back_" + name, 1);
  link(false, "back_" + name, 1, name, 2);
}

void ModelWriter::write_slider(int b, const std::string& name) {
  const std::string pull = text_of(block(b).a);
  add("gap_" + name, "Sum", {{"signs", "'+-'"}});
  link(false, name, 1, "gap_" + name, 1);
  link_input(b, 1, "gap_" + name, 2);
  add("sum_" + name, "Sum", {{"signs", "'+-'"}});
  link_input(b, 0, "sum_" + name, 1);
  add("pull_" + name, block(b).c > 0 ? "Switch2" : "Gain", block(b).c > 0 ? Texts{} : Texts{{"k", pull}});
  if (block(b).c > 0) {
    add("up_" + name, "Constant", {{"value", pull}});
    add("down_" + name, "Constant", {{"value", "-" + pull}});
    link(false, "up_" + name, 1, "pull_" + name, 1);
    link(false, "gap_" + name, 1, "pull_" + name, 2);
    link(false, "down_" + name, 1, "pull_" + name, 3);
  } else {
    add("sign_" + name, "Sign", {});
    link(false, "gap_" + name, 1, "sign_" + name, 1);
    link(false, "sign_" + name, 1, "pull_" + name, 1);
  }
  link(false, "pull_" + name, 1, "sum_" + name, 2);
  link(false, "sum_" + name, 1, add_rate(name), 1);
}

// Output 2 is the state and its rate; each mode has a column: a residual, the value on entry, a jump function.
void ModelWriter::write_automaton(int b, const std::string& name) {
  const std::string unit = text_of(frame_.unit), a = text_of(block(b).a);
  const std::string columns[2] = {
      fmt::format("'[u1(2)-u2/{};u1(1);u1(1)-({})]'", unit, block(b).b),
      fmt::format("'[u1(2)-(u2-u1(1))/{};{}*u1(1);({})-u1(1)]'", unit, a, block(b).c),
  };
  for (int mode = 1; mode <= 2; ++mode) {
    const std::string law = fmt::format("law{}_{}", mode, name);
    add(law, "MatrixExpression", {{"inputs", "2"}, {"expression", columns[mode - 1]}});
    link(false, name, 2, law, 1);
    link_input(b, mode - 1, law, 2);
    link(false, law, 1, name, mode);
  }
  add("x_" + name, "MatrixExpression", {{"expression", "'u1(1)'"}});
  link(false, name, 2, "x_" + name, 1);
}

void ModelWriter::write(int b) {
  const std::string name = name_of(diagram_, b);
  const auto [type, parameters] = type_of(in_frame(block(b), frame_));
  const Kind kind = block(b).kind;
  if (has_other_time() && kind == Kind::time) {
    add("clock_" + name, type, {});
    add(name, "MathExpression", {{"expression", fmt::format("'(u1-{})/{}'", frame_.start, frame_.unit)}});
    link(false, "clock_" + name, 1, name, 1);
    return;
  }
  add(name, type, parameters);
  if (kind == Kind::slider) return write_slider(b, name);
  if (kind == Kind::automaton) return write_automaton(b, name);
  const bool integrates = kind == Kind::integral || kind == Kind::reset_integral;
  const std::string first_input = integrates ? add_rate(name) : name;
  if (kind == Kind::abs_loop || kind == Kind::sat_loop) close_loop(block(b), name);
  for (int i = 0; i < static_cast<int>(block(b).inputs.size()); ++i)
    link_input(b, i, i == 0 ? first_input : name, i + 1);
}

}  // namespace

int Diagram::add(Kind kind, std::vector<int> inputs, double a, double b, double c) {
  blocks.push_back({kind, a, b, c, std::move(inputs)});
  return static_cast<int>(blocks.size()) - 1;
}

bool has_output(Kind kind) { return kind < Kind::sample_clock; }

bool is_state(Kind kind) {
  return kind == Kind::integral || kind == Kind::reset_integral || kind == Kind::slider || kind == Kind::automaton;
}

std::string name_of(const Diagram& diagram, int block) {
  return fmt::format("{}{}", type_of(diagram.blocks[static_cast<std::size_t>(block)]).first, block);
}

model::Model to_model(const Diagram& diagram, const TimeFrame& frame) {
  ModelWriter writer(diagram, frame);
  for (int b = 0; b < static_cast<int>(diagram.blocks.size()); ++b) writer.write(b);
  for (const Activation& a : diagram.activations)
    writer.link(true, name_of(diagram, a.from), a.port, name_of(diagram, a.to), a.to_port);
  model::Model model = writer.take();
  model.settings.start.text = text_of(frame.start);
  model.settings.stop.text = text_of(frame.start + frame.unit * diagram.stop);
  model.settings.rtol.text = "1e-9";
  model.settings.solver.text = "dopri";
  const bool slides =
      std::ranges::any_of(diagram.blocks, [](const Block& block) { return block.kind == Kind::slider; });
  if (slides) model.settings.sliding.text = "true";
  return model;
}

}  // namespace orrery::referee
