// SPDX-License-Identifier: Apache-2.0
// Icons of the library's blocks, from their declarations and the values of their parameters.
#include "picture/icon_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace orrery::picture {
namespace {

using Curve = std::vector<Point>;

// The text of a parameter as it is shown: its value when that is known, else what is written.
std::string shown(const model::BlockInstance& block, const BlockFacts& facts, std::string_view parameter) {
  if (const program::Value* value = facts.find(parameter)) return value_text(*value);
  if (const model::Parameter* given = block.find_parameter(parameter)) return given->value;
  if (const blocks::BlockType* type = blocks::find_type(block.type)) {
    for (const blocks::ParameterSpec& spec : type->parameters) {
      if (spec.name == parameter) return spec.value;
    }
  }
  return "?";
}

std::string superscript(int n) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(n)) text += digits[c - '0'];
  return text;
}

// "0.5 s + 1"; empty when it is too long to be read.
std::string polynomial(const program::Value& value, const std::string& variable) {
  if (!value.is_number() || value.is_complex() || value.real.empty() || (value.rows != 1 && value.cols != 1)) return {};
  std::string text;
  const int degree = static_cast<int>(value.real.size()) - 1;
  if (degree > 5) return {};
  for (int k = degree; k >= 0; --k) {
    const double c = value.real[static_cast<std::size_t>(degree - k)];
    if (c == 0 && !(k == 0 && text.empty())) continue;
    if (!text.empty())
      text += c < 0 ? " − " : " + ";
    else if (c < 0)
      text += "−";
    const double size = std::abs(c);
    if (size != 1 || k == 0) text += value_text(program::Value::number(size)) + (k > 0 ? " " : "");
    if (k > 0) text += variable + (k > 1 ? superscript(k) : "");
  }
  return text;
}

IconForm transfer(const BlockFacts& facts, const std::string& variable) {
  IconForm form;
  form.fraction = true;
  for (const char* part : {"num", "den"}) {
    const program::Value* value = facts.find(part);
    std::string text = value == nullptr ? "" : polynomial(*value, variable);
    if (text.empty()) text = fmt::format("{}({})", part, variable);
    form.lines.push_back(std::move(text));
  }
  return form;
}

IconForm curve_form(const std::vector<Curve>& curves) {
  IconForm form;
  for (const Curve& curve : curves) {
    const bool level = curve.size() == 2 && (curve[0].x == curve[1].x || curve[0].y == curve[1].y);
    form.curves.push_back({curve, level && curves.size() > 1 && &curve != &curves.back()});
  }
  return form;
}

Curve sampled(double (*f)(double)) {
  Curve curve;
  for (int k = 0; k <= 24; ++k) curve.push_back({k / 24.0, f(k / 24.0)});
  return curve;
}

const Curve axis_x = {{0, 0.5}, {1, 0.5}};
const Curve axis_y = {{0.5, 0}, {0.5, 1}};

struct CurveIcon {
  const char* type;
  std::vector<Curve> curves;
};

const std::vector<CurveIcon>& curve_icons() {
  static const std::vector<CurveIcon> icons = {
      {"StepGenerator", {{{0, 0.1}, {0.4, 0.1}, {0.4, 0.9}, {1, 0.9}}}},
      {"Ramp", {{{0, 0.1}, {0.3, 0.1}, {1, 0.9}}}},
      {"SquareWaveGenerator",
       {{{0, 0.1}, {0, 0.9}, {0.3, 0.9}, {0.3, 0.1}, {0.6, 0.1}, {0.6, 0.9}, {0.9, 0.9}, {0.9, 0.1}, {1, 0.1}}}},
      {"Sawtooth", {{{0, 0.1}, {0.33, 0.9}, {0.33, 0.1}, {0.66, 0.9}, {0.66, 0.1}, {1, 0.9}}}},
      {"SineWaveGenerator", {sampled([](double x) { return 0.5 + 0.42 * std::sin(2 * M_PI * x); })}},
      {"Random",
       {{{0, 0.5},
         {0.08, 0.8},
         {0.16, 0.3},
         {0.24, 0.6},
         {0.32, 0.1},
         {0.4, 0.9},
         {0.48, 0.45},
         {0.56, 0.7},
         {0.64, 0.2},
         {0.72, 0.55},
         {0.8, 0.95},
         {0.88, 0.35},
         {1, 0.5}}}},
      {"Saturation", {axis_x, axis_y, {{0, 0.1}, {0.28, 0.1}, {0.72, 0.9}, {1, 0.9}}}},
      {"Deadzone", {axis_x, axis_y, {{0, 0.1}, {0.35, 0.5}, {0.65, 0.5}, {1, 0.9}}}},
      {"Sign", {axis_x, {{0, 0.1}, {0.5, 0.1}, {0.5, 0.9}, {1, 0.9}}}},
      {"ZeroCross",
       {axis_x, sampled([](double x) { return 0.5 - 0.42 * std::sin(2 * M_PI * (x - 0.5)) * (1 - 0.4 * x); })}},
      {"EdgeTrigger", {{{0, 0.1}, {0.5, 0.1}, {0.5, 0.9}, {1, 0.9}}}},
      {"Scope",
       {{{0, 1}, {0, 0}, {1, 0}}, sampled([](double x) { return 0.5 + 0.42 * std::sin(9 * x) * std::exp(-1.5 * x); })}},
      {"EventScope",
       {{{0, 0}, {1, 0}},
        {{0.15, 0}, {0.15, 0.9}},
        {{0.4, 0}, {0.4, 0.6}},
        {{0.55, 0}, {0.55, 0.9}},
        {{0.85, 0}, {0.85, 0.9}}}},
      {"SampleHold",
       {{{0, 0.2}, {0.25, 0.2}, {0.25, 0.6}, {0.5, 0.6}, {0.5, 0.9}, {0.75, 0.9}, {0.75, 0.4}, {1, 0.4}}}},
      {"Switch2", {{{0, 0.85}, {0.3, 0.85}}, {{0, 0.15}, {0.3, 0.15}}, {{0.3, 0.85}, {0.75, 0.5}, {1, 0.5}}}},
  };
  return icons;
}

struct TextIcon {
  const char* type;
  const char*
      text;  // {k}: the value of a parameter; a line feed begins another line; "|" on a line of its own: a fraction
  Shape shape = Shape::box;
};

constexpr TextIcon text_icons[] = {
    {"Gain", "{k}", Shape::triangle},
    {"Product", "×", Shape::circle},
    {"MatrixGain", "{K} u"},
    {"Bias", "u + {bias}"},
    {"Power", "u ^ {power}"},
    {"Abs", "|u|"},
    {"Constant", "{value}"},
    {"Time", "t"},
    {"Integral", "1\n|\ns"},
    {"ProjectedIntegral", "1\n|\ns"},
    {"ContStateSpace", "x' = A x + B u\ny = C x + D u"},
    {"JumpStateSpace", "x' = A x + B u\ny = C x + D u"},
    {"DiscrStateSpace", "x⁺ = A x + B u\ny = C x + D u"},
    {"DiscreteDelay", "1\n|\nz"},
    {"DiscreteIntegral", "{T}\n|\nz − 1"},
    {"Memory", "memory"},
    {"FixedDelay", "delay {T}"},
    {"VariableDelay", "delay ≤ {max}"},
    {"Counter", "count {direction}"},
    {"MathExpression", "{expression}"},
    {"MatrixExpression", "{expression}"},
    {"MathFunc", "{function}"},
    {"TrigFunc", "{function}"},
    {"MaxMin", "{function}"},
    {"RelationalOp", "{operator}"},
    {"LogicalOp", "{operator}"},
    {"SelectInput", "select"},
    {"SetSignal", "[{tag}]", Shape::pill},
    {"GetSignal", "[{tag}]", Shape::pill},
    {"DataTypeConversion", "{type}"},
    {"FromBase", "{name}"},
    {"ToBase", "{name}"},
    {"SignalOut", "{name}"},
    {"Display", "0.000"},
    {"Message", "message"},
    {"Assertion", "assert"},
    {"SampleClock", "{period}", Shape::pill},
    {"EventClock", "{period}", Shape::pill},
    {"ReSampleClock", "÷ {factor}", Shape::pill},
    {"FrequencyDivider", "÷ {factor}", Shape::pill},
    {"InitialEvent", "start", Shape::pill},
    {"FinalEvent", "end", Shape::pill},
    {"AlwaysActivate", "always", Shape::pill},
    {"EventGenerate", "at {times}", Shape::pill},
    {"EventDelay", "delay {delay}", Shape::pill},
    {"EventVariableDelay", "delay u"},
    {"EventDelayedChannel", "delay u"},
    {"EventUnion", "∪", Shape::pill},
    {"ActivationIntersection", "∩", Shape::pill},
    {"IfThenElse", "if u > 0"},
    {"SwitchCase", "case u"},
    {"RepeatActivation", "repeat"},
    {"End", "{action}"},
    {"Input", "{port}", Shape::pill},
    {"Output", "{port}", Shape::pill},
    {"EventInput", "{port}", Shape::pill},
    {"EventOutput", "{port}", Shape::pill},
    {"Mux", "", Shape::bar},
    {"Demux", "", Shape::bar},
};

// "ExtractActivation" -> "Extract", "Activation".
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words;
  for (std::size_t k = 0; k < name.size(); ++k) {
    const bool upper = name[k] >= 'A' && name[k] <= 'Z';
    const bool after_lower = k > 0 && name[k - 1] >= 'a' && name[k - 1] <= 'z';
    if (words.empty() || (upper && after_lower)) words.emplace_back();
    words.back() += name[k];
  }
  return words;
}

// Replaces each {name} by what the parameter shows.
std::string filled(std::string_view text, const model::BlockInstance& block, const BlockFacts& facts) {
  std::string result;
  while (true) {
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) return result + std::string(text);
    result += text.substr(0, open);
    result += shown(block, facts, text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
}

IconForm text_form(std::string_view text, const model::BlockInstance& block, const BlockFacts& facts) {
  IconForm form;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line == "|")
      form.fraction = true;
    else if (!line.empty())
      form.lines.push_back(filled(line, block, facts));
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  form.fraction = form.fraction && form.lines.size() == 2;
  return form;
}

IconForm sum_form(const model::BlockInstance& block, const BlockFacts& facts) {
  IconForm form;
  const program::Value* value = facts.find("signs");
  const std::string signs = value != nullptr && value->is_text() ? value->text : "";
  const bool plus = block.type == "Sum";
  form.lines = {plus ? "Σ" : "Π"};
  if (signs.find(plus ? '-' : '/') != std::string::npos) {
    for (const char c : signs)
      form.inputs.push_back(c == '-' ? "−" : c == '*' ? "×" : c == '/' ? "÷" : std::string(1, c));
  }
  form.shape = Shape::circle;
  return form;
}

Shape shape_of(const std::string& type) {
  if (type == "Sum" || type == "Product") return Shape::circle;
  for (const TextIcon& icon : text_icons) {
    if (type == icon.type) return icon.shape;
  }
  return Shape::box;
}

// The value in the words of the language, short: what an icon's polynomials are made of.
std::string literal_text(const program::Value& value) {
  if (value.is_text()) return "'" + value.text + "'";
  if (!value.is_number() || value.is_complex() || value.real.size() > 12) return value_text(value);
  if (value.is_scalar()) return fmt::format("{:.4g}", value.scalar());
  std::string text = "[";
  for (int r = 0; r < value.rows; ++r) {
    for (int c = 0; c < value.cols; ++c) {
      text += fmt::format(
          "{}{:.4g}",
          c > 0   ? " "
          : r > 0 ? "; "
                  : "",
          value.real[static_cast<std::size_t>(c) * static_cast<std::size_t>(value.rows) + static_cast<std::size_t>(r)]);
    }
  }
  return text + "]";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return lines;
}

// Minus signs as print has them; hyphens between letters stay.
std::string typeset(const std::string& line) {
  const auto is_letter = [&](std::size_t at) {
    return at < line.size() && std::isalpha(static_cast<unsigned char>(line[at]));
  };
  std::string text;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const bool hyphen = k > 0 && is_letter(k - 1) && is_letter(k + 1);
    if (line[k] == '-' && !hyphen)
      text += "−";
    else
      text += line[k];
  }
  return text;
}

IconForm declared_form(const blocks::BlockType& type, const model::BlockInstance& block, const BlockFacts& facts,
                       const PortCounts& ports) {
  blocks::IconSubject subject{ports.inputs, ports.outputs, ports.activation_inputs, ports.activation_outputs, {}};
  subject.text_of = [&](std::string_view parameter) {
    const program::Value* value = facts.find(parameter);
    return value != nullptr ? literal_text(*value) : shown(block, facts, parameter);
  };
  const blocks::Icon icon = blocks::icon_of(type, subject);
  IconForm form;
  form.fraction = !icon.denominator.empty();
  form.lines = form.fraction ? std::vector{icon.numerator, icon.denominator} : lines_of(icon.text);
  for (std::string& line : form.lines) line = typeset(line);
  for (const blocks::IconLine& line : icon.lines) {
    IconForm::Curve curve;
    for (const blocks::IconPoint& p : line.points) curve.points.push_back({p.x, p.y});
    curve.faint = line.thin;
    form.curves.push_back(std::move(curve));
  }
  form.inputs = icon.inputs;
  form.outputs = icon.outputs;
  for (auto* list : {&form.inputs, &form.outputs}) {
    for (std::string& label : *list) {
      if (label == "-") label = "−";
      if (label == "*") label = "×";
      if (label == "/") label = "÷";
    }
    // Labels that are all "+" or "×" say nothing.
    const bool dull =
        std::all_of(list->begin(), list->end(), [](const std::string& label) { return label == "+" || label == "×"; });
    if (dull) list->clear();
  }
  return form;
}

IconForm derived_form(const model::BlockInstance& block, const BlockFacts& facts) {
  if (block.type == "Sum" || block.type == "Product") return sum_form(block, facts);
  if (block.type == "ContTransFunc") return transfer(facts, "s");
  if (block.type == "DiscrTransFunc") return transfer(facts, "z");
  for (const CurveIcon& icon : curve_icons()) {
    if (block.type == icon.type) return curve_form(icon.curves);
  }
  for (const TextIcon& icon : text_icons) {
    if (block.type == icon.type) return text_form(icon.text, block, facts);
  }
  IconForm form;
  form.lines = words_of(block.type);
  return form;
}

}  // namespace

Family family_of(const blocks::BlockType* type) {
  if (type == nullptr) return Family::mathematics;
  const std::string& palette = type->palette;
  if (palette == "SignalGenerators") return Family::source;
  if (palette == "SignalViewers") return Family::viewer;
  if (palette == "ActivationOperations") return Family::activation;
  if (type->role == blocks::Role::diagram_event_input || type->role == blocks::Role::diagram_event_output)
    return Family::activation;
  if (palette == "FlipFlops") return Family::discrete;
  if (palette == "Dynamical") {
    return type->activation == blocks::Activation::always ? Family::continuous : Family::discrete;
  }
  return palette == "CoSimulation" ? Family::continuous : Family::mathematics;
}

IconForm icon_form(const model::BlockInstance& block, const BlockFacts& facts, const PortCounts& ports) {
  if (block.diagram) return block.icon.empty() ? IconForm{} : text_form(block.icon, block, facts);
  const blocks::BlockType* type = blocks::find_type(block.type);
  IconForm form =
      type != nullptr && !type->icon.empty() ? declared_form(*type, block, facts, ports) : derived_form(block, facts);
  form.shape = shape_of(block.type);
  if (form.shape == Shape::bar) form.lines.clear();  // there is no room in it
  return form;
}

}  // namespace orrery::picture
