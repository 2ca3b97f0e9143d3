// SPDX-License-Identifier: Apache-2.0
// Shapes of flag blocks as texts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "blocks/custom_blocks/flag_block.h"

namespace orrery::blocks {
namespace {

std::string numbers_text(const std::vector<double>& values) { return fmt::format("{}", fmt::join(values, " ")); }

std::string matrix_text(const FlagMatrix& m) {
  if (m.is_text) return "text " + m.text;
  return fmt::format("{} {} {} {} {} {}", name_of(m.type.scalar), m.type.rows, m.type.cols, m.feedthrough ? 1 : 0,
                     numbers_text(m.real), numbers_text(m.imag));
}

double read_double(std::istringstream& in) {
  std::string word;
  in >> word;
  return std::strtod(word.c_str(), nullptr);
}

FlagMatrix read_matrix(const std::string& text) {
  FlagMatrix m;
  if (text.starts_with("text ")) {
    m.is_text = true;
    m.text = text.substr(5);
    return m;
  }
  std::istringstream in(text);
  std::string type;
  int feedthrough = 1;
  in >> type >> m.type.rows >> m.type.cols >> feedthrough;
  for (int code = 0; code <= static_cast<int>(Scalar::boolean); ++code) {
    if (type == name_of(static_cast<Scalar>(code))) m.type.scalar = static_cast<Scalar>(code);
  }
  m.feedthrough = feedthrough != 0;
  std::vector<double> all;
  while (!(in >> std::ws).eof()) all.push_back(read_double(in));
  const auto size = static_cast<std::size_t>(m.type.size());
  if (all.size() >= size) m.real.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
  if (all.size() == 2 * size) m.imag.assign(all.begin() + static_cast<std::ptrdiff_t>(size), all.end());
  return m;
}

std::vector<double> read_numbers(const std::string& text) {
  std::vector<double> values;
  std::istringstream in(text);
  while (!(in >> std::ws).eof()) values.push_back(read_double(in));
  return values;
}

}  // namespace

FlagSettings to_settings(const FlagShape& shape) {
  FlagSettings list;
  for (const FlagMatrix& m : shape.inputs) list.emplace_back("input", matrix_text(m));
  for (const FlagMatrix& m : shape.outputs) list.emplace_back("output", matrix_text(m));
  for (const FlagMatrix& m : shape.oz) list.emplace_back("oz", matrix_text(m));
  for (const FlagMatrix& m : shape.opar) list.emplace_back("opar", matrix_text(m));
  list.emplace_back("rpar", numbers_text(shape.rpar));
  list.emplace_back("ipar", numbers_text(shape.ipar));
  list.emplace_back("x0", numbers_text(shape.x0));
  list.emplace_back("xd0", numbers_text(shape.xd0));
  list.emplace_back("z0", numbers_text(shape.z0));
  list.emplace_back("xproperties", numbers_text({shape.xproperties.begin(), shape.xproperties.end()}));
  list.emplace_back("counts", fmt::format("{} {} {} {} {}", shape.activations, shape.events, shape.surfaces,
                                          shape.modes, shape.constraints));
  if (shape.implicit) list.emplace_back("implicit", "1");
  if (shape.jacobian) list.emplace_back("jacobian", "1");
  if (shape.projects) list.emplace_back("projects", "1");
  return list;
}

FlagShape from_settings(const FlagSettings& settings) {
  FlagShape shape;
  for (const auto& [name, text] : settings) {
    if (name == "input") shape.inputs.push_back(read_matrix(text));
    if (name == "output") shape.outputs.push_back(read_matrix(text));
    if (name == "oz") shape.oz.push_back(read_matrix(text));
    if (name == "opar") shape.opar.push_back(read_matrix(text));
    if (name == "rpar") shape.rpar = read_numbers(text);
    if (name == "ipar") shape.ipar = read_numbers(text);
    if (name == "x0") shape.x0 = read_numbers(text);
    if (name == "xd0") shape.xd0 = read_numbers(text);
    if (name == "z0") shape.z0 = read_numbers(text);
    if (name == "implicit") shape.implicit = true;
    if (name == "jacobian") shape.jacobian = true;
    if (name == "projects") shape.projects = true;
    if (name == "xproperties") {
      for (double mark : read_numbers(text)) shape.xproperties.push_back(static_cast<int>(mark));
    }
    if (name == "counts") {
      std::istringstream in(text);
      in >> shape.activations >> shape.events >> shape.surfaces >> shape.modes >> shape.constraints;
    }
  }
  return shape;
}

}  // namespace orrery::blocks
