// SPDX-License-Identifier: Apache-2.0
// Tables of a linear model.
#include "api/linearisation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/number_text.h"
#include "math/decompositions.h"

namespace orrery::api {
namespace {

using math::Index;
using math::RealMatrix;

std::vector<math::Complex> poles_of_rates(const LinearisedModel& model) {
  std::vector<math::Complex> poles = model.a.is_empty() ? std::vector<math::Complex>{} : math::eigenvalues(model.a);
  std::sort(poles.begin(), poles.end(), [](const auto& left, const auto& right) {
    return left.real() != right.real() ? left.real() < right.real() : left.imag() < right.imag();
  });
  return poles;
}

std::string matrix_table(const char* title, const RealMatrix& matrix, const std::vector<std::string>& rows,
                         const std::vector<std::string>& columns) {
  if (matrix.is_empty()) return {};
  std::size_t first = 0;
  for (const std::string& row : rows) first = std::max(first, row.size());
  std::vector<std::size_t> widths;
  for (const std::string& column : columns) widths.push_back(std::max<std::size_t>(column.size(), 12));
  std::string text = fmt::format("\n{}\n{:{}}", title, "", first);
  for (std::size_t k = 0; k < columns.size(); ++k) text += fmt::format("  {:>{}}", columns[k], widths[k]);
  text += '\n';
  for (Index r = 0; r < matrix.rows; ++r) {
    text += fmt::format("{:{}}", rows[static_cast<std::size_t>(r)], first);
    for (Index c = 0; c < matrix.cols; ++c)
      text += fmt::format("  {:>{}}", fmt::format("{:.6g}", matrix(r, c) + 0.0), widths[static_cast<std::size_t>(c)]);
    text += '\n';
  }
  return text;
}

std::string values_table(const char* title, const std::vector<std::string>& names, const std::vector<double>& values) {
  if (names.empty()) return {};
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  std::string text = fmt::format("\n{}\n", title);
  for (std::size_t k = 0; k < names.size(); ++k)
    text += fmt::format("{:{}}  {:>12}\n", names[k], width, fmt::format("{:.6g}", values[k] + 0.0));
  return text;
}

nlohmann::ordered_json to_json(const RealMatrix& matrix) {
  auto rows = nlohmann::ordered_json::array();
  for (Index r = 0; r < matrix.rows; ++r) {
    auto row = nlohmann::ordered_json::array();
    for (Index c = 0; c < matrix.cols; ++c) row.push_back(matrix(r, c));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::string linearised_text(const LinearisedModel& model) {
  std::string text = fmt::format("linear model at t = {}: {} states, {} inputs, {} outputs{}\n",
                                 io::number_text(model.time), model.states.size(), model.inputs.size(),
                                 model.outputs.size(), model.exact ? "" : ", by differences");
  if (model.period > 0) {
    text += fmt::format("sampled every {}: x(k+1) = A x(k) + B u(k), y(k) = C x(k) + D u(k)\n",
                        io::number_text(model.period));
  }
  if (!model.instants.empty())
    text += fmt::format("several rates: inputs and outputs of the {} instants of a step\n", model.instants.size());
  text += values_table("states", model.states, model.state_values);
  text += values_table("inputs", model.inputs, model.input_values);
  text += values_table("outputs", model.outputs, model.output_values);
  text += matrix_table("A", model.a, model.states, model.states);
  text += matrix_table("B", model.b, model.states, model.inputs);
  text += matrix_table("C", model.c, model.outputs, model.states);
  text += matrix_table("D", model.d, model.outputs, model.inputs);
  if (!model.a.is_empty()) text += "\npoles\n";
  for (const math::Complex& pole : poles_of_rates(model)) {
    text += pole.imag() == 0
                ? fmt::format("{:.6g}\n", pole.real())
                : fmt::format("{:.6g} {} {:.6g}i\n", pole.real(), pole.imag() < 0 ? '-' : '+', std::abs(pole.imag()));
  }
  return text;
}

std::string linearised_json(const LinearisedModel& model) {
  nlohmann::ordered_json json;
  json["time"] = model.time;
  json["exact"] = model.exact;
  if (model.period > 0) json["period"] = model.period;
  if (!model.instants.empty()) json["instants"] = model.instants;
  json["states"] = model.states;
  json["inputs"] = model.inputs;
  json["outputs"] = model.outputs;
  json["A"] = to_json(model.a);
  json["B"] = to_json(model.b);
  json["C"] = to_json(model.c);
  json["D"] = to_json(model.d);
  json["x"] = model.state_values;
  json["rates"] = model.rates;
  json["u"] = model.input_values;
  json["y"] = model.output_values;
  auto poles = nlohmann::ordered_json::array();
  for (const math::Complex& pole : poles_of_rates(model)) poles.push_back({pole.real(), pole.imag()});
  json["poles"] = std::move(poles);
  return json.dump(1) + "\n";
}

}  // namespace orrery::api
