// SPDX-License-Identifier: Apache-2.0
// Facts that the file of a model gives by itself: literals, and ports declared with them.
#include "picture/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace orrery::picture {
namespace {

using program::Value;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<double> number_literal(std::string_view text) {
  const bool minus = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text == "inf" || text == "Inf") return minus ? -HUGE_VAL : HUGE_VAL;
  if (text == "pi") return minus ? -M_PI : M_PI;
  if (text.empty() || !((text[0] >= '0' && text[0] <= '9') || text[0] == '.')) return std::nullopt;
  double x = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return minus ? -x : x;
}

std::optional<Value> matrix_literal(std::string_view inside) {
  std::vector<std::vector<double>> rows;
  while (true) {
    const std::size_t semicolon = std::min(inside.find(';'), inside.size());
    std::vector<double> row;
    std::string_view items = inside.substr(0, semicolon);
    while (!(items = trimmed(items)).empty()) {
      const std::size_t end = std::min(items.find_first_of(" ,\t"), items.size());
      const auto x = number_literal(items.substr(0, end));
      if (!x) return std::nullopt;
      row.push_back(*x);
      items.remove_prefix(end);
      items = trimmed(items);
      if (!items.empty() && items.front() == ',') items.remove_prefix(1);
    }
    if (!row.empty()) rows.push_back(std::move(row));
    if (semicolon == inside.size()) break;
    inside.remove_prefix(semicolon + 1);
  }
  for (const auto& row : rows) {
    if (row.size() != rows[0].size()) return std::nullopt;
  }
  Value value = Value::matrix(static_cast<int>(rows.size()), rows.empty() ? 0 : static_cast<int>(rows[0].size()));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) value.real[c * rows.size() + r] = rows[r][c];
  }
  return value;
}

// The number of an Input or Output block inside a super block: what it says, or else its rank.
int port_number(const model::BlockInstance& block, int rank) {
  const model::Parameter* port = block.find_parameter("port");
  const auto value = port == nullptr ? std::nullopt : literal_value(port->value);
  if (!value || !value->is_scalar()) return rank;
  const double number = value->scalar();
  return number >= 1 && number <= 1000 ? static_cast<int>(number) : rank;
}

PortCounts ports_inside(const model::Diagram& diagram) {
  PortCounts counts;
  const auto note = [](int& count, const model::BlockInstance& block) {
    count = std::max(count, port_number(block, count + 1));
  };
  for (const model::BlockInstance& block : diagram.blocks) {
    if (block.off || block.diagram) continue;
    switch (blocks::role_of(block.type)) {
      case blocks::Role::diagram_input: note(counts.inputs, block); break;
      case blocks::Role::diagram_output: note(counts.outputs, block); break;
      case blocks::Role::diagram_event_input: note(counts.activation_inputs, block); break;
      case blocks::Role::diagram_event_output: note(counts.activation_outputs, block); break;
      default: break;
    }
  }
  return counts;
}

// Ports as the type declares them; nothing when that needs values that are not known.
std::optional<PortCounts> declared_ports(const blocks::BlockType& type, const BlockFacts& facts) {
  if (type.ports == nullptr || type.foreign || type.traces) return std::nullopt;
  std::vector<Value> values;
  for (const blocks::ParameterSpec& spec : type.parameters) {
    const Value* value = facts.find(spec.name);
    if (value == nullptr) return std::nullopt;
    values.push_back(*value);
  }
  try {
    const blocks::Parameters parameters(&type, std::move(values));
    blocks::Ports ports(parameters);
    type.ports(ports);
    return PortCounts{ports.input_count(), ports.output_count(), ports.activation_input_count(),
                      ports.activation_output_count()};
  } catch (const blocks::ParameterError&) {
    return std::nullopt;
  }
}

std::string number_text(double x) {
  if (std::isinf(x)) return x > 0 ? "∞" : "−∞";
  std::string text = fmt::format("{:.4g}", x);
  if (text[0] == '-') text = "−" + text.substr(1);
  return text;
}

}  // namespace

const Value* BlockFacts::find(std::string_view parameter) const {
  for (const auto& [name, value] : values) {
    if (name == parameter) return &value;
  }
  return nullptr;
}

std::optional<Value> literal_value(std::string_view text) {
  text = trimmed(text);
  if (const auto x = number_literal(text)) return Value::number(*x);
  if (text == "true" || text == "false") return Value::boolean(text == "true");
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front() &&
      text.substr(1, text.size() - 2).find(text.front()) == std::string_view::npos) {
    return Value::string(std::string(text.substr(1, text.size() - 2)));
  }
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    return matrix_literal(text.substr(1, text.size() - 2));
  }
  return std::nullopt;
}

BlockFacts facts_of(const model::BlockInstance& block, const BlockFacts* evaluated) {
  if (evaluated != nullptr) return *evaluated;
  BlockFacts facts;
  if (block.diagram) {
    facts.ports = ports_inside(*block.diagram);
    for (const model::MaskParameter& parameter : block.diagram->mask) {
      const model::Parameter* given = block.find_parameter(parameter.name);
      if (auto value = literal_value(given != nullptr ? given->value : parameter.value)) {
        facts.values.emplace_back(parameter.name, std::move(*value));
      }
    }
    return facts;
  }
  const blocks::BlockType* type = blocks::find_type(block.type);
  if (type == nullptr) return facts;
  for (const blocks::ParameterSpec& spec : type->parameters) {
    const model::Parameter* given = block.find_parameter(spec.name);
    const std::string& text = given != nullptr ? given->value : spec.value;
    if (spec.verbatim) {
      facts.values.emplace_back(spec.name, Value::string(text));
    } else if (auto value = literal_value(text)) {
      facts.values.emplace_back(spec.name, std::move(*value));
    }
  }
  if (const auto ports = declared_ports(*type, facts)) {
    facts.ports = *ports;
    return facts;
  }
  // With values that only an evaluation knows: what the defaults give, which links may add to.
  BlockFacts defaults;
  for (const blocks::ParameterSpec& spec : type->parameters) {
    if (auto value = spec.verbatim ? Value::string(spec.value) : literal_value(spec.value)) {
      defaults.values.emplace_back(spec.name, std::move(*value));
    }
  }
  if (const auto ports = declared_ports(*type, defaults)) facts.ports = *ports;
  return facts;
}

std::string value_text(const Value& value) {
  if (value.is_text()) return value.text;
  if (value.is_list()) return fmt::format("{{{}×{}}}", value.rows, value.cols);
  const auto element = [&](std::size_t k) {
    if (value.imag.empty() || value.imag[k] == 0) return number_text(value.real[k]);
    return fmt::format("{}{}{:.4g}i", number_text(value.real[k]), value.imag[k] < 0 ? "−" : "+",
                       std::abs(value.imag[k]));
  };
  if (value.is_scalar()) return element(0);
  if (value.rows > 4 || value.cols > 4) return fmt::format("[{}×{}]", value.rows, value.cols);
  std::string text = "[";
  for (int r = 0; r < value.rows; ++r) {
    if (r > 0) text += "; ";
    for (int c = 0; c < value.cols; ++c) {
      if (c > 0) text += ' ';
      text += element(static_cast<std::size_t>(c) * static_cast<std::size_t>(value.rows) + static_cast<std::size_t>(r));
    }
  }
  return text + "]";
}

}  // namespace orrery::picture
