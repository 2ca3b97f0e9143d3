// SPDX-License-Identifier: Apache-2.0
// Values of parameters as JSON and back; large matrices are only described.
#include "server/facts_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace orrery::server {
namespace {

constexpr std::size_t most_elements = 64;

Json value_json(const program::Value& value) {
  Json json;
  json["type"] = value.is_text() ? "string" : value.is_list() ? "cell" : program::name_of(value.type);
  json["rows"] = value.is_text() ? 1 : value.rows;
  json["cols"] = value.is_text() ? static_cast<int>(value.text.size()) : value.cols;
  json["text"] = picture::value_text(value);
  if (value.is_text()) {
    json["string"] = value.text.substr(0, 1000);
  } else if (value.is_number() && value.imag.empty() && value.real.size() <= most_elements) {
    Json data = Json::array();
    for (const double x : value.real) data.push_back(number_json(x));
    json["data"] = std::move(data);
  }
  return json;
}

double number_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const std::string text = json.is_string() ? json.get<std::string>() : "";
  return text == "Inf" ? HUGE_VAL : text == "-Inf" ? -HUGE_VAL : std::nan("");
}

std::optional<program::Value> value_of_json(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  if (json.contains("string")) return program::Value::string(text_field(json, "string"));
  if (!json.contains("data") || !json["data"].is_array()) return std::nullopt;
  const int rows = static_cast<int>(number_field(json, "rows", 0)),
            cols = static_cast<int>(number_field(json, "cols", 0));
  const Json& data = json["data"];
  if (rows < 0 || cols < 0 || data.size() != static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols))
    return std::nullopt;
  const program::Scalar type = text_field(json, "type") == "boolean" ? program::Scalar::boolean : program::Scalar::f64;
  program::Value value = program::Value::matrix(rows, cols, 0, type);
  for (std::size_t k = 0; k < data.size(); ++k) value.real[k] = number_of(data[k]);
  return value;
}

}  // namespace

Json facts_json(const api::ModelFacts& facts) {
  Json all = Json::object();
  for (const auto& [path, known] : facts.blocks) {
    Json block;
    block["ports"] = {known.ports.inputs, known.ports.outputs, known.ports.activation_inputs,
                      known.ports.activation_outputs};
    if (const auto found = facts.inputs.find(path); found != facts.inputs.end()) block["in"] = found->second;
    if (const auto found = facts.outputs.find(path); found != facts.outputs.end()) block["out"] = found->second;
    if (const auto found = facts.timing.find(path); found != facts.timing.end()) {
      if (!found->second.clock.empty()) block["clock"] = found->second.clock;
      if (found->second.order > 0) block["order"] = found->second.order;
    }
    Json values = Json::object();
    for (const auto& [name, value] : known.values) values[name] = value_json(value);
    block["values"] = std::move(values);
    all[path] = std::move(block);
  }
  return all;
}

picture::Facts facts_of_json(const Json& facts) {
  picture::Facts all;
  if (!facts.is_object()) return all;
  for (const auto& [path, block] : facts.items()) {
    picture::BlockFacts known;
    if (!block.is_object() || !block.contains("ports") || block["ports"].size() != 4) continue;
    const Json& ports = block["ports"];
    known.ports = {ports[0].get<int>(), ports[1].get<int>(), ports[2].get<int>(), ports[3].get<int>()};
    if (block.contains("values")) {
      for (const auto& [name, value] : block["values"].items()) {
        if (auto read = value_of_json(value)) known.values.emplace_back(name, std::move(*read));
      }
    }
    all.emplace(path, std::move(known));
  }
  return all;
}

Json shown_facts(const Json& facts) {
  Json shown = facts;
  for (auto& [path, block] : shown.items()) {
    block.erase("ports");
    if (!block.contains("values")) continue;
    for (auto& [name, value] : block["values"].items()) {
      value.erase("data");
      value.erase("string");
    }
  }
  return shown;
}

}  // namespace orrery::server
