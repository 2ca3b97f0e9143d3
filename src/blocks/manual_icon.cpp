// SPDX-License-Identifier: Apache-2.0
// Frame, texts, fraction and curves of an icon as SVG.
#include "blocks/manual_icon.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace orrery::blocks {
namespace {

constexpr double width = 110, height = 70, margin = 12;

std::string escaped_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else {
      result += c;
    }
  }
  return result;
}

std::size_t letters_in(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Centred, in letters that fit the frame.
std::string text_at(const std::string& text, double y, double largest) {
  const double fitting = (width - 2 * margin) / (0.6 * static_cast<double>(std::max<std::size_t>(letters_in(text), 1)));
  return fmt::format("<text x=\"{}\" y=\"{:.1f}\" font-size=\"{:.1f}\" text-anchor=\"middle\">{}</text>", width / 2, y,
                     std::min(fitting, largest), escaped_text(text));
}

std::string polyline(const IconLine& line) {
  std::string points;
  for (const IconPoint& p : line.points) {
    points += fmt::format("{:.1f},{:.1f} ", 2 * margin + p.x * (width - 4 * margin),
                          height - margin - p.y * (height - 2 * margin));
  }
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"{}\"{}/>", points,
                     line.thin ? 0.8 : 1.8, line.dashed ? " stroke-dasharray=\"3 2\"" : "");
}

std::string port_marks(int count, double x, const std::vector<std::string>& labels, bool left) {
  std::string result;
  for (int k = 0; k < count && count <= 8; ++k) {
    const double y = height * (k + 1) / (count + 1);
    result += fmt::format("<path d=\"M{:.1f} {:.1f}l6 3l-6 3z\" fill=\"currentColor\"/>", x, y - 3);
    if (labels.empty()) continue;
    result += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"8\" text-anchor=\"{}\">{}</text>",
                          left ? 10.0 : width - 10, y + 3, left ? "start" : "end",
                          escaped_text(labels[static_cast<std::size_t>(k)]));
  }
  return result;
}

}  // namespace

std::string icon_svg(const BlockType& type, int inputs, int outputs) {
  IconSubject subject = default_subject(type);
  subject.inputs = inputs;
  subject.outputs = outputs;
  const Icon icon = icon_of(type, subject);
  std::string out = fmt::format(
      "<svg class=\"icon\" viewBox=\"-8 -2 {} {}\" width=\"{}\" height=\"{}\" fill=\"currentColor\" "
      "font-family=\"sans-serif\"><rect width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"currentColor\" rx=\"3\"/>",
      width + 16, height + 4, width + 16, height + 4, width, height);
  for (const IconLine& line : icon.lines) out += polyline(line);
  if (!icon.denominator.empty()) {
    out += text_at(icon.numerator, height / 2 - 6, 16) + text_at(icon.denominator, height / 2 + 18, 16);
    out += fmt::format("<path d=\"M{} {}h{}\" stroke=\"currentColor\"/>", margin, height / 2, width - 2 * margin);
  } else if (!icon.text.empty()) {
    std::vector<std::string> lines;
    std::istringstream text(icon.text);
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    double y = height / 2 + 6 - 9 * (static_cast<double>(lines.size()) - 1);
    for (const std::string& line : lines) {
      out += text_at(line, y, 18);
      y += 18;
    }
  }
  out += port_marks(inputs, -7, icon.inputs, true) + port_marks(outputs, width, icon.outputs, false);
  return out + "</svg>";
}

}  // namespace orrery::blocks
