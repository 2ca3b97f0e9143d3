// SPDX-License-Identifier: Apache-2.0
// A point of rest as a text for people, and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "api/trim.h"

namespace orrery::api {
namespace {

constexpr double shown_difference = 1e-9;

std::string items_text(const char* title, const std::vector<TrimResult::Item>& items, const char* beside,
                       bool says_kept) {
  if (items.empty()) return {};
  std::string text = fmt::format("{}\n", title);
  std::size_t width = 0;
  for (const auto& item : items) width = std::max(width, item.name.size());
  for (const auto& item : items) {
    text += fmt::format("  {:<{}}  {:>18.12g}", item.name, width, item.value);
    if (says_kept && !item.changed) text += "  kept";
    if (item.matters && std::abs(item.left) > shown_difference) text += fmt::format("  {} {:.6g}", beside, item.left);
    text += '\n';
  }
  return text;
}

nlohmann::ordered_json items_json(const std::vector<TrimResult::Item>& items) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& item : items)
    list.push_back({{"name", item.name}, {"value", item.value}, {"left", item.left}, {"free", item.changed}});
  return list;
}

}  // namespace

std::string trim_text(const TrimResult& result) {
  std::string text = items_text("states", result.states, "moves with", true);
  text += items_text("inputs", result.inputs, "", true);
  text += items_text("variables", result.variables, "", true);
  text += items_text("outputs", result.outputs, "differs by", false);
  text += result.reached
              ? fmt::format("at rest: {} iterations, what is left is {:.3g}\n", result.iterations, result.residual)
              : fmt::format("not at rest: the largest rate or difference left is {:.6g}\n", result.residual);
  return text;
}

std::string trim_json(const TrimResult& result) {
  nlohmann::ordered_json json;
  json["reached"] = result.reached;
  json["residual"] = result.residual;
  json["iterations"] = result.iterations;
  json["time"] = result.time;
  json["states"] = items_json(result.states);
  json["inputs"] = items_json(result.inputs);
  json["variables"] = items_json(result.variables);
  json["outputs"] = items_json(result.outputs);
  return json.dump(1) + "\n";
}

}  // namespace orrery::api
