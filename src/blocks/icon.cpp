// SPDX-License-Identifier: Apache-2.0
// Fills the holes of an icon with the parameters of an instance.
#include "blocks/icon.h"

#include <cctype>

#include "blocks/block.h"

namespace orrery::blocks {
namespace {

constexpr std::size_t longest_hole = 14;  // characters: longer parameters are cut

std::string without_quotes(const std::string& text) {
  const bool quoted = text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

std::string cut(const std::string& text) {
  if (text.size() <= longest_hole) return text;
  std::size_t length = longest_hole - 1;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;  // within a character
  return text.substr(0, length) + "…";
}

// The items of "[1, a+b 3]" or "3"; nothing where it is not so simple.
std::vector<std::string> coefficients(std::string text) {
  if (!text.empty() && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  std::vector<std::string> items(1);
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == ',') {
      if (!items.back().empty()) items.emplace_back();
    } else if (c == ';' || c == '[' || c == '(' || c == '\'') {
      return {};
    } else {
      items.back() += c;
    }
  }
  if (items.back().empty()) items.pop_back();
  return items;
}

std::string superscript(std::size_t power) {
  constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  if (power < 2) return "";
  std::string text;
  for (const char c : std::to_string(power)) text += digits[c - '0'];
  return text;
}

std::string polynomial(const std::string& text, std::string_view variable) {
  const std::vector<std::string> items = coefficients(text);
  if (items.empty() || items.size() > 4) return cut(text) + (items.size() > 4 ? "" : "(" + std::string(variable) + ")");
  std::string result;
  for (std::size_t k = 0; k < items.size(); ++k) {
    const std::size_t power = items.size() - 1 - k;
    std::string factor = items[k];
    if (factor == "0" && items.size() > 1) continue;
    const bool negative = factor.front() == '-';
    if (negative) factor = factor.substr(1);
    const bool sum = factor.find_first_of("+-") != std::string::npos;
    if (sum) factor = "(" + factor + ")";
    if (factor == "1" && power > 0) factor.clear();
    result += result.empty() ? (negative ? "−" : "") : (negative ? " − " : " + ");
    result += factor;
    if (power > 0) result += std::string(variable) + superscript(power);
  }
  return result.empty() ? "0" : result;
}

// Item `number`, from 1, of a text with commas; nothing where there is none.
std::string item_of(const std::string& text, int number) {
  std::size_t from = 0;
  for (; number > 1 && from != std::string::npos; --number) {
    const std::size_t comma = text.find(',', from);
    from = comma == std::string::npos ? comma : comma + 1;
  }
  if (number < 1 || from == std::string::npos) return "";
  from = std::min(text.find_first_not_of(' ', from), text.size());
  return cut(text.substr(from, text.find(',', from) - from));
}

// What stands in a hole; port: 1-based for labels, 0 elsewhere.
std::string in_hole(const std::string& hole, int port, const IconSubject& subject) {
  if (const std::size_t bar = hole.find('|'); bar != std::string::npos) {
    return polynomial(subject.text_of(hole.substr(0, bar)), std::string_view(hole).substr(bar + 1));
  }
  if (const std::size_t comma = hole.find(",#"); comma != std::string::npos) {
    const bool later = hole.ends_with("-1");  // the first port has none
    return item_of(without_quotes(subject.text_of(hole.substr(0, comma))), later ? port - 1 : port);
  }
  if (port == 0 || hole.back() != '#') return cut(without_quotes(subject.text_of(hole)));
  const std::string written = subject.text_of(hole.substr(0, hole.size() - 1));
  const std::string text = without_quotes(written);
  if (text.size() == written.size()) return "+";  // a number of ports, all alike
  const auto at = static_cast<std::size_t>(port - 1);
  return at < text.size() ? text.substr(at, 1) : "";
}

std::string filled(const std::string& text, int port, const IconSubject& subject) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t close = text[at] == '{' ? text.find('}', at) : std::string::npos;
    if (close != std::string::npos && close > at + 1) {
      result += in_hole(text.substr(at + 1, close - at - 1), port, subject);
      at = close;
    } else if (text[at] == '#' && port > 0) {
      result += std::to_string(port);
    } else {
      result += text[at];
    }
  }
  return result;
}

std::vector<std::string> labels(const std::vector<std::string>& declared, int ports, const IconSubject& subject) {
  std::vector<std::string> result;
  if (declared.empty()) return result;
  for (int port = 1; port <= ports; ++port) {
    const std::size_t k = std::min(static_cast<std::size_t>(port - 1), declared.size() - 1);
    result.push_back(filled(declared[k], port, subject));
  }
  return result;
}

}  // namespace

Icon icon_of(const BlockType& type, const IconSubject& subject) {
  Icon icon = type.icon;
  if (icon.empty()) icon.text = type.name;
  icon.text = filled(icon.text, 0, subject);
  icon.numerator = filled(icon.numerator, 0, subject);
  icon.denominator = filled(icon.denominator, 0, subject);
  icon.inputs = labels(icon.inputs, subject.inputs, subject);
  icon.outputs = labels(icon.outputs, subject.outputs, subject);
  icon.activations = labels(icon.activations, subject.activation_inputs, subject);
  icon.events = labels(icon.events, subject.activation_outputs, subject);
  return icon;
}

IconSubject default_subject(const BlockType& type) {
  IconSubject subject;
  subject.text_of = [&type](std::string_view name) -> std::string {
    for (const ParameterSpec& spec : type.parameters) {
      if (spec.name == name) return spec.value;
    }
    return "";
  };
  return subject;
}

}  // namespace orrery::blocks
