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

// Of ports or elements; 0 where it makes no sense.
int count_of(const Json& json) {
  constexpr double most = 1e6;
  const double x = json.is_number() ? json.get<double>() : 0;
  return x > 0 && x <= most ? static_cast<int>(x) : 0;
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
  const int rows = count_of(part(json, "rows")), cols = count_of(part(json, "cols"));
  const Json& data = json["data"];
  if (data.size() != static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols)) return std::nullopt;
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
    const Json& ports = part(block, "ports");
    if (!ports.is_array() || ports.size() != 4) continue;
    known.ports = {count_of(ports[0]), count_of(ports[1]), count_of(ports[2]), count_of(ports[3])};
    const Json& values = part(block, "values");
    if (values.is_object()) {
      for (const auto& [name, value] : values.items()) {
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
    if (!block.is_object()) continue;
    block.erase("ports");
    if (!block.contains("values") || !block["values"].is_object()) continue;
    for (auto& [name, value] : block["values"].items()) {
      if (!value.is_object()) continue;
      value.erase("data");
      value.erase("string");
    }
  }
  return shown;
}

}  // namespace orrery::server
