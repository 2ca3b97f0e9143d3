// SPDX-License-Identifier: Apache-2.0
// Prints a description.
#include "fmi/info.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fmi/load_binary.h"
#include "io/number_text.h"
#include "io/text_table.h"

namespace orrery::fmi {
namespace {

std::string joined(const std::vector<std::string>& words, const char* separator = ", ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

std::vector<std::string> abilities(const Interface& interface) {
  std::vector<std::string> words;
  const auto add = [&](bool has, const char* word) {
    if (has) words.emplace_back(word);
  };
  add(interface.needs_execution_tool, "needs its tool");
  add(interface.only_once_per_process, "one instance per process");
  add(interface.variable_step, "variable steps");
  add(interface.interpolates_inputs, "interpolates inputs");
  add(interface.event_mode, "event mode");
  add(interface.early_return, "may return early");
  add(interface.intermediate_update, "intermediate update");
  add(interface.get_set_state, "saves and restores its state");
  add(interface.serialize_state, "serialises its state");
  add(interface.directional_derivatives, "directional derivatives");
  add(interface.adjoint_derivatives, "adjoint derivatives");
  return words;
}

std::string sizes(const Description& description, const Variable& variable) {
  std::string text;
  for (const Dimension& dimension : variable.dimensions) {
    Variable one;
    one.dimensions = {dimension};
    text += fmt::format("{}{}", text.empty() ? "[" : ",", element_count(description, one));
  }
  return text.empty() ? text : text + "]";
}

std::vector<std::string> dependency_names(const Description& description, const Unknown& unknown) {
  std::vector<std::string> names;
  for (const std::size_t k : *unknown.dependencies) names.push_back(description.variables[k].name);
  return names;
}

std::string optional_number(const std::optional<double>& value) { return value ? io::number_text(*value) : ""; }

nlohmann::json json_of(const std::optional<double>& value) { return value ? nlohmann::json(*value) : nlohmann::json(); }

std::string variable_table(const Description& description) {
  io::TextTable table{{"variable", "type", "causality", "variability", "start", "unit", "description"}, {}, {}};
  for (const Variable& v : description.variables) {
    std::string start = joined(v.start, " ");
    if (start.size() > 24) start = start.substr(0, 21) + "...";
    table.rows.push_back({v.name, name_of(v.type) + sizes(description, v), name_of(v.causality), name_of(v.variability),
                          start, v.unit, v.description});
  }
  return io::to_text(table, "  ");
}

std::string dependency_lines(const Description& description) {
  std::string text;
  for (const auto& [title, list] :
       {std::pair("output", &description.outputs), {"derivative", &description.derivatives}}) {
    for (const Unknown& unknown : *list) {
      const std::string& name = description.variables[unknown.variable].name;
      const std::string on = !unknown.dependencies           ? "all inputs and states"
                             : unknown.dependencies->empty() ? "nothing"
                                                             : joined(dependency_names(description, unknown));
      text += fmt::format("  {} {} depends on {}\n", title, name, on);
    }
  }
  return text;
}

std::string enumeration_lines(const Description& description) {
  std::string text;
  for (const TypeDefinition& type : description.types) {
    if (type.items.empty()) continue;
    std::vector<std::string> items;
    for (const auto& [name, value] : type.items) items.push_back(fmt::format("{} = {}", value, name));
    text += fmt::format("  {}: {}\n", type.name, joined(items));
  }
  return text.empty() ? text : "\nEnumerations\n" + text;
}

nlohmann::json json_of(const Variable& v, const Description& d) {
  nlohmann::json item{{"name", v.name},
                      {"type", name_of(v.type)},
                      {"reference", v.reference},
                      {"causality", name_of(v.causality)},
                      {"variability", name_of(v.variability)},
                      {"start", v.start},
                      {"unit", v.unit},
                      {"description", v.description}};
  if (v.initial != Initial::unspecified) item["initial"] = name_of(v.initial);
  if (!v.display_unit.empty()) item["display_unit"] = v.display_unit;
  if (!v.declared_type.empty()) item["declared_type"] = v.declared_type;
  if (!v.dimensions.empty()) item["elements"] = element_count(d, v);
  if (v.alias != Alias::none) item["alias"] = v.alias == Alias::negated ? "negated" : "alias";
  if (v.state_of != no_index) item["derivative_of"] = d.variables[v.state_of].name;
  if (v.min) item["min"] = *v.min;
  if (v.max) item["max"] = *v.max;
  if (v.nominal) item["nominal"] = *v.nominal;
  if (v.clock) item["clock"] = v.clock->interval_variability;
  return item;
}

nlohmann::json units_of(const Description& d) {
  nlohmann::json units = nlohmann::json::array();
  for (const Unit& unit : d.units) {
    nlohmann::json item{{"name", unit.name}, {"factor", unit.factor}, {"offset", unit.offset}};
    item["exponents"] = nlohmann::json::object();
    for (const auto& [base, exponent] : unit.exponents) item["exponents"][base] = exponent;
    item["display_units"] = unit.display_units;
    units.push_back(std::move(item));
  }
  return units;
}

nlohmann::json types_of(const Description& d) {
  nlohmann::json types = nlohmann::json::array();
  for (const TypeDefinition& type : d.types) {
    nlohmann::json item{{"name", type.name}, {"kind", type.kind}, {"unit", type.unit}};
    if (type.min) item["min"] = *type.min;
    if (type.max) item["max"] = *type.max;
    if (type.nominal) item["nominal"] = *type.nominal;
    for (const auto& [name, value] : type.items) item["items"].push_back({{"name", name}, {"value", value}});
    types.push_back(std::move(item));
  }
  return types;
}

}  // namespace

std::string info_text(const Description& d, const Archive& archive) {
  io::TextTable table;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) table.rows.push_back({name, value});
  };
  add("model", d.model_name);
  add("standard", name_of(d.version));
  add("description", d.description);
  add("made by", d.generation_tool);
  add("made at", d.generation_time);
  add("author", d.author);
  add("version", d.model_version);
  add("license", d.license);
  for (const Kind kind : {Kind::model_exchange, Kind::co_simulation, Kind::scheduled_execution}) {
    const Interface* interface = d.interface(kind);
    if (interface == nullptr) continue;
    const std::vector<std::string> words = abilities(*interface);
    add(name_of(kind), interface->model_identifier + (words.empty() ? "" : ": " + joined(words)));
  }
  add("platforms", joined(platforms(archive)));
  add("states", fmt::format("{}, {} event indicators", d.states, d.indicators));
  add("start", optional_number(d.experiment.start));
  add("stop", optional_number(d.experiment.stop));
  add("step", optional_number(d.experiment.step));
  add("tolerance", optional_number(d.experiment.tolerance));
  add("log", joined(d.log_categories));
  return io::to_text(table) + fmt::format("\n{} variables\n", d.variables.size()) + variable_table(d) +
         enumeration_lines(d) + (d.version == Version::fmi1 ? "\nDependencies on inputs\n" : "\nDependencies\n") +
         dependency_lines(d);
}

std::string info_json(const Description& d, const Archive& archive) {
  using nlohmann::json;
  json root{{"file", archive.path()},
            {"standard", d.version_text},
            {"model", d.model_name},
            {"token", d.token},
            {"description", d.description},
            {"tool", d.generation_tool},
            {"made_at", d.generation_time},
            {"author", d.author},
            {"version", d.model_version},
            {"copyright", d.copyright},
            {"license", d.license},
            {"log_categories", d.log_categories},
            {"platforms", platforms(archive)},
            {"states", d.states},
            {"event_indicators", d.indicators}};
  root["experiment"] = {{"start", json_of(d.experiment.start)},
                        {"stop", json_of(d.experiment.stop)},
                        {"step", json_of(d.experiment.step)},
                        {"tolerance", json_of(d.experiment.tolerance)}};
  root["interfaces"] = json::object();
  for (const Kind kind : {Kind::model_exchange, Kind::co_simulation, Kind::scheduled_execution}) {
    if (const Interface* interface = d.interface(kind)) {
      root["interfaces"][name_of(kind)] = {{"identifier", interface->model_identifier},
                                           {"abilities", abilities(*interface)}};
    }
  }
  root["variables"] = json::array();
  for (const Variable& v : d.variables) root["variables"].push_back(json_of(v, d));
  root["units"] = units_of(d);
  root["types"] = types_of(d);
  for (const auto& [title, list] : {std::pair("outputs", &d.outputs), {"derivatives", &d.derivatives}}) {
    root[title] = json::array();
    for (const Unknown& unknown : *list) {
      json item{{"name", d.variables[unknown.variable].name}};
      item["dependencies"] = unknown.dependencies ? json(dependency_names(d, unknown)) : json();
      if (!unknown.dependency_kinds.empty()) item["kinds"] = unknown.dependency_kinds;
      root[title].push_back(std::move(item));
    }
  }
  // Names in other encodings than the file says must not end in an exception.
  return root.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace orrery::fmi
