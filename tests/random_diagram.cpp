// SPDX-License-Identifier: Apache-2.0
// The generator of random models.
#include "random_diagram.h"

namespace orrery::tests {

using program::Scalar;
using program::Type;

namespace {

bool is_number(const Type& t) { return t.scalar != Scalar::boolean; }
bool is_ordered_number(const Type& t) { return is_number(t) && t.scalar != Scalar::c128; }
bool is_real(const Type& t) { return t.scalar == Scalar::f64; }
bool is_any(const Type&) { return true; }

}  // namespace

RandomDiagram::RandomDiagram(std::uint64_t seed, bool memories)
    : state_(seed * 2654435761u + 1), diagram_(fmt::format("random_{}.orr", seed)) {
  for (int k = 1 + below(3); k > 0; --k) add_clock();
  for (int k = 2 + below(3); k > 0; --k) add_source();
  using Adder = void (RandomDiagram::*)();
  static const std::vector<Adder> adders = {
      &RandomDiagram::add_event_block, &RandomDiagram::add_event_loop, &RandomDiagram::add_conditional,
      &RandomDiagram::add_detector,    &RandomDiagram::add_source,     &RandomDiagram::add_unary,
      &RandomDiagram::add_unary,       &RandomDiagram::add_function,   &RandomDiagram::add_binary,
      &RandomDiagram::add_binary,      &RandomDiagram::add_routing,    &RandomDiagram::add_discrete,
      &RandomDiagram::add_discrete,    &RandomDiagram::add_continuous, &RandomDiagram::add_continuous,
      &RandomDiagram::add_tagged,      &RandomDiagram::add_sink};
  for (int k = 6 + below(14); k > 0; --k) (this->*one_of(adders))();
  close_inputs();
  choose_settings();
  // With numbers of their own, so that the rest of a model is the same without them.
  state_ = seed * 40503u + 7;
  for (int k = memories ? below(3) : 0; k > 0; --k) add_memory();
}

// The upper bits of a linear congruential generator (Knuth's constants): the same on every machine.
int RandomDiagram::below(int count) {
  state_ = state_ * 6364136223846793005u + 1442695040888963407u;
  return static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(count));
}

Type RandomDiagram::random_type() {
  static const std::vector<Scalar> scalars = {Scalar::f64, Scalar::f64, Scalar::f64,  Scalar::f64,    Scalar::f64,
                                              Scalar::f64, Scalar::i8,  Scalar::i16,  Scalar::i32,    Scalar::u8,
                                              Scalar::u16, Scalar::u32, Scalar::c128, Scalar::boolean};
  Type type{one_of(scalars), 1, 1};
  if (chance(35)) type.rows = 1 + below(4);
  if (chance(20)) type.cols = 1 + below(4);
  return type;
}

std::string RandomDiagram::number(Scalar scalar) {
  static const std::vector<std::string> numbers = {"0",  "1",   "2",     "3",    "7",    "-1",
                                                   "-5", "0.5", "-0.75", "1.25", "-2.5", "0.1"};
  const int kinds = program::is_floating(scalar) ? 12 : program::lowest_value(scalar) < 0 ? 7 : 5;
  return numbers[static_cast<std::size_t>(below(kinds))];
}

std::string RandomDiagram::reals(int rows, int cols, Scalar scalar) {
  if (rows == 1 && cols == 1) return number(scalar);
  std::string text = "[";
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) text += (j > 0 ? " " : "") + number(scalar);
    if (i + 1 < rows) text += "; ";
  }
  return text + "]";
}

std::string RandomDiagram::matrix(Type type) {
  const std::string text = reals(type.rows, type.cols);
  if (type.scalar == Scalar::f64) return text;
  if (type.scalar == Scalar::c128) return fmt::format("{} + ({})*i", text, chance(50) ? "0.5" : "-2");
  return fmt::format("{}({})", program::name_of(type.scalar), text);
}

RandomDiagram::Signal RandomDiagram::signal(const std::string& block, Type type, int port) {
  signals_.push_back({block, port, type});
  return signals_.back();
}

RandomDiagram::Signal RandomDiagram::any_signal(const std::function<bool(const Type&)>& suits) {
  std::vector<Signal> candidates;
  for (const Signal& s : signals_) {
    if (suits(s.type)) candidates.push_back(s);
  }
  return candidates.empty() ? scalar_of(Scalar::f64) : one_of(candidates);
}

// An existing signal, or one made of another by conversion, or a constant.
RandomDiagram::Signal RandomDiagram::of_type(Type type) {
  std::vector<Signal> candidates;
  for (const Signal& s : signals_) {
    if (s.type == type) candidates.push_back(s);
  }
  if (!candidates.empty() && chance(90)) return one_of(candidates);
  if (type.is_scalar() && !signals_.empty()) {
    const Signal from = element_of(one_of(signals_));
    const std::string block = diagram_.add("DataTypeConversion", {{"type", fmt::format("'{}'", name_of(type.scalar))}});
    drive(block, 1, from);
    return signal(block, type);
  }
  const Signal constant = signal(diagram_.add("Constant", {{"value", matrix(type)}}), type);
  if (type.scalar != Scalar::f64) return constant;
  const std::string block = diagram_.add("Product");
  drive(block, 1, scalar_of(Scalar::f64));
  drive(block, 2, constant);
  return signal(block, type);
}

RandomDiagram::Signal RandomDiagram::element_of(Signal s) {
  if (s.type.is_scalar()) return s;
  const int count = static_cast<int>(s.type.size());
  if (s.type.cols > 1) {
    const std::string column = diagram_.add("Mux", {{"inputs", "1"}});
    drive(column, 1, s);
    s = signal(column, {s.type.scalar, count, 1});
  }
  const std::string block = diagram_.add("Demux", {{"sizes", count == 2 ? "[1 1]" : fmt::format("[1 {}]", count - 1)}});
  drive(block, 1, s);
  signal(block, {s.type.scalar, count - 1, 1}, 2);
  return signal(block, s.type.element());
}

RandomDiagram::Signal RandomDiagram::limited(Signal s, const std::string& limit) {
  const std::string block = diagram_.add("Saturation", {{"lower", "-" + limit}, {"upper", limit}});
  drive(block, 1, s);
  return signal(block, s.type);
}

void RandomDiagram::add_clock() {
  static const std::vector<std::string> periods = {"0.1", "0.15", "1/3", "0.25", "1/7", "0.2", "3/40"};
  static const std::vector<std::string> offsets = {"0", "0", "0.05", "1/6", "0.4"};
  const std::string type = chance(70) ? "SampleClock" : "EventClock";
  const std::string block = diagram_.add(type, {{"period", one_of(periods)}, {"offset", one_of(offsets)}});
  events_.push_back({block, 1, type == "SampleClock"});
}

void RandomDiagram::add_event_block() {
  static const std::vector<std::string> types = {"ReSampleClock",          "FrequencyDivider",  "EventUnion",
                                                 "ActivationIntersection", "EventDelay",        "EventGenerate",
                                                 "InitialEvent",           "ExtractActivation", "AlwaysActivate"};
  const std::string& type = one_of(types);
  DiagramBuilder::Texts parameters;
  if (type == "ReSampleClock" || type == "FrequencyDivider") {
    parameters = {{"factor", chance(50) ? "2" : "3"}, {"phase", chance(50) ? "0" : "1"}};
  } else if (type == "EventDelay") {
    parameters = {{"delay", chance(50) ? "0.07" : "0"}};
  } else if (type == "EventGenerate") {
    parameters = {{"times", "[0.3 0.45 1.1]"}};
  }
  const Event first = one_of(events_);
  const bool periodic = type == "ReSampleClock";
  if (periodic && !first.periodic) return;
  const std::string block = diagram_.add(type, parameters);
  if (type == "ExtractActivation") {
    drive(block, 1, any_signal(is_any));
  } else if (type != "EventGenerate" && type != "InitialEvent" && type != "AlwaysActivate") {
    activate(block, 1, first);
    if (type == "EventUnion" || type == "ActivationIntersection") activate(block, 2, one_of(events_));
  }
  events_.push_back({block, 1, periodic});
}

void RandomDiagram::add_event_loop() {
  const std::string first = diagram_.add("EventGenerate", {{"times", chance(50) ? "0" : "0.2"}});
  const std::string both = diagram_.add("EventUnion");
  const std::string delay = diagram_.add("EventDelay", {{"delay", chance(50) ? "0.11" : "0.3"}});
  diagram_.event(first, 1, both, 1);
  diagram_.event(delay, 1, both, 2);
  diagram_.event(both, 1, delay, 1);
  events_.push_back({both, 1, false});
}

void RandomDiagram::add_conditional() {
  const bool two = chance(60);
  static const std::vector<Scalar> scalars = {Scalar::f64, Scalar::f64, Scalar::i32, Scalar::boolean};
  const Signal condition = scalar_of(one_of(scalars));
  const std::string block =
      two ? diagram_.add("IfThenElse") : diagram_.add("SwitchCase", {{"cases", "3"}, {"base", "0"}});
  drive(block, 1, condition);
  if (chance(70)) activate(block, 1, one_of(events_));
  for (int port = 1; port <= (two ? 2 : 3); ++port) events_.push_back({block, port, false});
}

void RandomDiagram::add_detector() {
  static const std::vector<std::string> types = {"ZeroCross", "EdgeTrigger", "EventVariableDelay",
                                                 "EventDelayedChannel"};
  const std::string& type = one_of(types);
  const Signal s = scalar_of(type == "EdgeTrigger" && chance(30) ? Scalar::boolean : Scalar::f64);
  const std::string block = diagram_.add(type);
  drive(block, 1, s);
  if (type.starts_with("Event")) activate(block, 1, one_of(events_));
  events_.push_back({block, 1, false});
}

void RandomDiagram::add_source() {
  static const std::vector<std::string> types = {"Constant", "Constant", "SineWaveGenerator", "StepGenerator",
                                                 "Ramp",     "Time",     "Sawtooth",          "SquareWaveGenerator",
                                                 "Random",   "Counter"};
  const std::string& type = one_of(types);
  const Type scalar;
  if (type == "Constant") {
    const Type t = random_type();
    signal(diagram_.add(type, {{"value", matrix(t)}}), t);
  } else if (type == "SineWaveGenerator") {
    signal(diagram_.add(type, {{"frequency", chance(50) ? "3" : "7.5"}, {"phase", number()}}), scalar);
  } else if (type == "StepGenerator" || type == "Ramp") {
    const char* when = type == "Ramp" ? "start" : "time";
    const std::string block = diagram_.add(type, {{when, chance(50) ? "0.4" : "0.85"}});
    events_.push_back({block, 1, false});
    signal(block, scalar);
  } else if (type == "Sawtooth" || type == "SquareWaveGenerator") {
    const std::string block =
        diagram_.add(type, {{"period", chance(50) ? "0.3" : "1/3"}, {"start", chance(50) ? "0" : "0.1"}});
    events_.push_back({block, 1, false});
    signal(block, scalar);
  } else if (type == "Random") {
    static const std::vector<std::string> laws = {"'uniform'", "'normal'", "'exponential'"};
    const Type t{Scalar::f64, 1 + below(3), 1};
    const std::string block = diagram_.add(type, {{"distribution", one_of(laws)},
                                                  {"a", reals(t.rows, 1, Scalar::u8)},  // not negative, and below b
                                                  {"b", "8"},
                                                  {"seed", number(Scalar::i32)}});
    if (chance(85)) activate(block, 1, one_of(events_));
    signal(block, t);
  } else if (type == "Counter") {
    const std::string block = diagram_.add(type, {{"to", chance(50) ? "inf" : "4"}});
    activate(block, 1, one_of(events_));
    signal(block, scalar);
  } else {
    signal(diagram_.add(type), scalar);
  }
}

void RandomDiagram::add_unary() {
  static const std::vector<std::string> types = {
      "Gain", "Bias", "Power", "Abs", "Sign", "Saturation", "Deadzone", "DataTypeConversion", "MatrixGain"};
  const std::string& type = one_of(types);
  const bool ordered = type == "Sign" || type == "Saturation" || type == "Deadzone";
  const Signal s = any_signal(type == "DataTypeConversion" ? is_any
                              : type == "MatrixGain"       ? is_real
                              : ordered                    ? is_ordered_number
                                                           : is_number);
  Type out = s.type;
  DiagramBuilder::Texts parameters;
  const bool whole = chance(30);
  const std::string value = reals(whole ? out.rows : 1, whole ? out.cols : 1, out.scalar);
  if (type == "Gain") parameters = {{"k", value}};
  if (type == "Bias") parameters = {{"bias", value}};
  if (type == "Power") parameters = {{"power", chance(50) ? "2" : "3"}};
  if (type == "Saturation" || type == "Deadzone") {
    parameters = {{"lower", out.scalar == Scalar::f64 ? "-0.5" : "1"}, {"upper", chance(50) ? "1" : "3"}};
  }
  if (type == "Abs" && out.scalar == Scalar::c128) out.scalar = Scalar::f64;
  if (type == "DataTypeConversion") {
    out.scalar = random_type().scalar;
    parameters = {{"type", fmt::format("'{}'", name_of(out.scalar))}};
  } else if (type == "MatrixGain") {
    out.rows = 1 + below(4);
    parameters = {{"K", reals(out.rows, s.type.rows)}};
    if (out.rows == 1 && s.type.rows == 1) out = s.type;
  }
  const std::string block = diagram_.add(type, parameters);
  drive(block, 1, s);
  signal(block, out);
}

// The functions are given arguments from where they are defined.
void RandomDiagram::add_function() {
  struct Choice {
    const char* block;
    const char* function;
    const char* limit;  // of the absolute value
    double shift;       // negative: the argument is not made positive
  };
  static const std::vector<Choice> choices = {
      {"MathFunc", "exp", "3", -1},    {"MathFunc", "log", "50", 0.1},  {"MathFunc", "log10", "50", 0.1},
      {"MathFunc", "sqrt", "9", 0},    {"MathFunc", "square", "9", -1}, {"MathFunc", "reciprocal", "9", 0.5},
      {"MathFunc", "floor", "9", -1},  {"MathFunc", "round", "9", -1},  {"MathFunc", "trunc", "9", -1},
      {"TrigFunc", "sin", "9", -1},    {"TrigFunc", "cos", "9", -1},    {"TrigFunc", "tan", "1", -1},
      {"TrigFunc", "asin", "0.9", -1}, {"TrigFunc", "acos", "0.9", -1}, {"TrigFunc", "atan", "9", -1},
      {"TrigFunc", "sinh", "3", -1},   {"TrigFunc", "tanh", "9", -1},   {"TrigFunc", "acosh", "9", 1.5},
      {"TrigFunc", "asinh", "9", -1},  {"TrigFunc", "atanh", "0.9", -1}};
  const Choice& choice = one_of(choices);
  Signal s = limited(any_signal(is_real), choice.limit);
  if (s.type.scalar != Scalar::f64) return;
  if (choice.shift >= 0) {
    const std::string positive = diagram_.add("Abs");
    drive(positive, 1, s);
    const std::string shifted = diagram_.add("Bias", {{"bias", fmt::format("{}", choice.shift)}});
    drive(shifted, 1, signal(positive, s.type));
    s = signal(shifted, s.type);
  }
  const std::string block = diagram_.add(choice.block, {{"function", fmt::format("'{}'", choice.function)}});
  drive(block, 1, s);
  signal(block, s.type);
}

void RandomDiagram::add_binary() {
  static const std::vector<std::string> types = {"Sum", "Product", "MaxMin", "RelationalOp", "LogicalOp", "Switch2"};
  const std::string& type = one_of(types);
  const bool any = type == "LogicalOp" || type == "Switch2";
  const bool ordered = type == "MaxMin" || type == "RelationalOp";
  const Signal a = any_signal(any ? is_any : ordered ? is_ordered_number : is_number);
  const Signal b = of_type(chance(30) && type != "Switch2" ? a.type.element() : a.type);
  DiagramBuilder::Texts parameters;
  Type out = a.type;
  if (type == "Sum") parameters = {{"signs", chance(50) ? "'+-'" : "'-+'"}};
  if (type == "MaxMin") parameters = {{"function", chance(50) ? "'max'" : "'min'"}};
  if (type == "RelationalOp") {
    static const std::vector<std::string> operators = {"'<'", "'<='", "'>'", "'>='", "'=='", "'~='"};
    parameters = {{"operator", one_of(operators)}};
  } else if (type == "LogicalOp") {
    static const std::vector<std::string> operators = {"'AND'", "'OR'", "'XOR'", "'NAND'", "'NOR'"};
    parameters = {{"operator", one_of(operators)}};
  }
  if (type == "RelationalOp" || type == "LogicalOp") out.scalar = Scalar::boolean;
  const Signal criterion = type == "Switch2" ? scalar_of(chance(50) ? Scalar::boolean : Scalar::f64) : b;
  const std::string block = diagram_.add(type, parameters);
  drive(block, 1, a);
  drive(block, 2, criterion);
  if (type == "Switch2") drive(block, 3, b);
  signal(block, out);
}

void RandomDiagram::add_routing() {
  const Signal a = any_signal(is_any);
  if (chance(40)) {
    const Signal b = of_type(a.type);
    const std::string block = diagram_.add("SelectInput");
    drive(block, 1, a);
    drive(block, 2, b);
    if (chance(80)) {
      activate(block, 1, one_of(events_));
      activate(block, 2, one_of(events_));
    }
    signal(block, a.type);
  } else if (a.type.size() <= 4) {
    const Signal b = of_type(a.type.element());
    const std::string block = diagram_.add("Mux");
    drive(block, 1, a);
    drive(block, 2, b);
    signal(block, {a.type.scalar, static_cast<int>(a.type.size()) + 1, 1});
  } else {
    element_of(a);
  }
}

void RandomDiagram::add_discrete() {
  static const std::vector<std::string> types = {"DiscreteDelay",   "Memory",         "SampleHold",
                                                 "DiscrStateSpace", "DiscrTransFunc", "DiscreteIntegral"};
  const std::string& type = one_of(types);
  const bool own_event = chance(85);
  std::string block;
  if (type == "SampleHold") {
    const Signal s = any_signal(is_any);
    block = diagram_.add(type);
    drive(block, 1, s);
    signal(block, s.type);
  } else if (type == "DiscrStateSpace" || type == "DiscrTransFunc") {
    const bool space = type == "DiscrStateSpace";
    block = space ? diagram_.add(
                        type, {{"A", "[0.5 0.1; -0.2 0.7]"}, {"B", "[1; 0.5]"}, {"C", "[1 -1]"}, {"x0", reals(2, 1)}})
                  : diagram_.add(type, {{"num", "[0.5 0.25]"}, {"den", "[1 -0.9 0.2]"}});
    open(block, 1, Type{});
    signal(block, Type{});
  } else {
    const Type t = type == "DiscreteIntegral" ? Type{Scalar::f64, 1 + below(3), 1} : random_type();
    DiagramBuilder::Texts parameters = {{"z0", matrix(t)}};
    if (type == "DiscreteIntegral") parameters.push_back({"T", "0.1"});
    block = diagram_.add(type, parameters);
    open(block, 1, t);
    signal(block, t);
  }
  if (own_event) activate(block, 1, one_of(events_));
}

void RandomDiagram::add_continuous() {
  const int kind = below(5);
  const Type vector{Scalar::f64, 1 + below(3), 1 + below(2)};
  if (kind == 0) {
    const std::string block = diagram_.add("Integral", {{"x0", reals(vector.rows, vector.cols)}});
    open(block, 1, vector);
    signal(block, vector);
  } else if (kind == 1) {
    const std::string block = diagram_.add("Integral", {{"x0", "0.25"}, {"lower", "-0.5"}, {"upper", "0.75"}});
    open(block, 1, Type{});
    signal(block, Type{});
  } else if (kind == 2) {
    const std::string block = diagram_.add("Integral", {{"x0", number()}, {"reset", "'activation'"}});
    open(block, 1, Type{});
    open(block, 2, Type{});
    activate(block, 1, one_of(events_));
    signal(block, Type{});
  } else if (kind == 3) {
    const std::string block = diagram_.add("ContTransFunc", {{"num", "[1 2]"}, {"den", "[1 0.6 4]"}});
    open(block, 1, Type{});
    signal(block, Type{});
  } else {
    const std::string block = diagram_.add(
        "JumpStateSpace", {{"A", "[0 1; -9 -0.5]"}, {"B", "[0; 1]"}, {"C", "[1 0; 0 1]"}, {"x0", reals(2, 1)}});
    open(block, 1, Type{});
    open(block, 2, {Scalar::f64, 2, 1});
    activate(block, 1, one_of(events_));
    signal(block, {Scalar::f64, 2, 1});
  }
}

// What remembers in continuous time too, sometimes with events besides.
void RandomDiagram::add_memory() {
  const int kind = below(5);
  if (kind < 3) {
    const Signal s = any_signal(is_real);
    if (s.type.scalar != Scalar::f64) return;
    const std::string block =
        kind == 0   ? diagram_.add("Hysteresis", {{"on", "0.5"}, {"off", chance(50) ? "0.5" : "-0.5"}})
        : kind == 1 ? diagram_.add("Backlash", {{"gap", chance(20) ? "0" : "0.5"}, {"y0", number()}})
                    : diagram_.add("RateLimiter", {{"upper", chance(50) ? "1" : "inf"}, {"lower", "-2"}});
    drive(block, 1, s);
    if (chance(15)) activate(block, 1, one_of(events_));
    drive(diagram_.add("Scope"), 1, signal(block, s.type));
    return;
  }
  const std::string block = diagram_.add(kind == 3 ? "SRFlipFlop" : "DLatch");
  drive(block, 1, scalar_of(chance(50) ? Scalar::boolean : Scalar::f64));
  drive(block, 2, scalar_of(chance(50) ? Scalar::boolean : Scalar::f64));
  drive(diagram_.add("Scope"), 1, signal(block, Type{}));
}

void RandomDiagram::add_tagged() {
  const Signal s = any_signal(is_any);
  const std::string tag = fmt::format("'tag {}'", diagram_.model().root.blocks.size());
  drive(diagram_.add("SetSignal", {{"tag", tag}}), 1, s);
  signal(diagram_.add("GetSignal", {{"tag", tag}}), s.type);
}

void RandomDiagram::add_sink() {
  const int kind = below(4);
  if (kind == 3) {
    activate(diagram_.add("EventScope"), 1, one_of(events_));
    return;
  }
  const Signal s = any_signal(is_any);
  const std::string block = diagram_.add(kind == 0 ? "Scope" : kind == 1 ? "Display" : "SignalOut");
  drive(block, 1, s);
  if (chance(40)) activate(block, 1, one_of(events_));
}

// What drives a state is limited, so that few models run away.
void RandomDiagram::close_inputs() {
  for (const Open& input : open_) {
    const Signal s = of_type(input.type);
    const bool limit = input.type.scalar == Scalar::f64;
    drive(input.block, input.port, limit ? limited(s, "4") : s);
  }
}

void RandomDiagram::choose_settings() {
  static const std::vector<std::string> solvers = {"", "", "dopri", "dopri", "cash-karp", "rk4", "cvode-bdf-newton"};
  model::Settings& settings = diagram_.model().settings;
  settings.stop.text = "1.2";
  settings.rtol.text = "1e-5";
  settings.solver.text = one_of(solvers);
  if (settings.solver.text == "rk4") settings.step.text = "0.03";
}

}  // namespace orrery::tests
