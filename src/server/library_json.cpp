// SPDX-License-Identifier: Apache-2.0
// Read off the declarations of the library; icons are drawn by the code that draws diagrams.
#include "server/library_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/library_texts.h"
#include "api/model_functions.h"
#include "api/new_block.h"
#include "api/oml_evaluator.h"
#include "blocks/block.h"
#include "blocks/book_names.h"
#include "edit/command_text.h"
#include "model/settings.h"
#include "oml/interpreter.h"
#include "picture/make_scene.h"
#include "server/json.h"
#include "server/scene_json.h"
#include "solve/integrator.h"

namespace orrery::server {
namespace {

Json type_json(const blocks::BlockType& type) {
  Json json{{"name", type.name}, {"palette", type.palette}, {"summary", type.summary}};
  // One block on a sheet of its own.
  model::Diagram sheet;
  model::BlockInstance block;
  block.name = type.name;
  block.type = type.name;
  if (type.name == "SuperBlock") block.diagram = std::make_unique<model::Diagram>();
  sheet.blocks.push_back(std::move(block));
  const picture::Scene scene = picture::make_scene(sheet, "", {});
  const picture::SceneBlock& drawn = scene.blocks.front();
  int counts[4] = {};
  std::vector<picture::ScenePort> ports = drawn.ports;
  for (picture::ScenePort& port : ports) {
    ++counts[(port.activation ? 2 : 0) + (port.output ? 1 : 0)];
    port.at.x -= drawn.box.x;
    port.at.y -= drawn.box.y;
  }
  std::vector<picture::Mark> marks = drawn.icon;
  for (picture::Mark& mark : marks) {
    mark.at.x -= drawn.box.x;
    mark.at.y -= drawn.box.y;
    for (model::Point& point : mark.points) point = {point.x - drawn.box.x, point.y - drawn.box.y};
  }
  json["family"] = family_name(drawn.family);
  json["shape"] = shape_name(drawn.shape);
  Json parameters = Json::array();
  for (const blocks::ParameterSpec& spec : type.parameters) {
    Json item{{"name", spec.name}, {"value", spec.value}, {"about", spec.about}};
    if (!spec.choices.empty()) item["choices"] = spec.choices;
    if (spec.verbatim) item["code"] = true;
    if (const char* skeleton = api::block_skeleton(type.name); spec.verbatim && skeleton != nullptr)
      item["skeleton"] = skeleton;
    parameters.push_back(std::move(item));
  }
  json["parameters"] = std::move(parameters);
  json["ports"] = {{"in", counts[0]}, {"out", counts[1]}, {"event_in", counts[2]}, {"event_out", counts[3]}};
  json["box"] = {0, 0, drawn.box.width, drawn.box.height};
  json["marks"] = parse_json(marks_json(marks));
  json["port_marks"] = parse_json(ports_json(ports));
  Diagnostics ignored;
  if (const auto page = api::block_page(type.name, ignored)) json["page"] = *page;
  if (type.name == "SuperBlock") json["super"] = true;
  return json;
}

std::string make_library() {
  Json types = Json::array(), palettes = Json::array(), settings = Json::array(), solvers = Json::array();
  for (const blocks::BlockType* type : blocks::library()) {
    types.push_back(type_json(*type));
    if (std::find(palettes.begin(), palettes.end(), Json(type->palette)) == palettes.end())
      palettes.push_back(type->palette);
  }
  if (blocks::find_type("SuperBlock") == nullptr) {
    blocks::BlockType super;
    super.name = "SuperBlock";
    super.palette = "Diagram ports";
    super.summary = "A diagram in a block.";
    types.push_back(type_json(super));
  }
  for (const model::SettingInfo& info : model::setting_table()) {
    constexpr const char* kinds[] = {"number", "flag", "word"};
    Json item{{"name", std::string(info.name)},
              {"type", kinds[static_cast<int>(info.type)]},
              {"default", std::string(info.default_text)},
              {"about", std::string(info.about)},
              {"unit", std::string(info.unit)},
              {"choices", Json::array()}};
    for (const std::string_view choice : info.choices) item["choices"].push_back(std::string(choice));
    settings.push_back(std::move(item));
  }
  for (const solve::SolverInfo& info : solve::solvers())
    solvers.push_back(
        {{"name", info.name}, {"about", info.title}, {"summary", info.summary}, {"fixed_step", info.fixed_step}});
  Json functions = Json::array(), commands = Json::array();
  oml::InterpreterOptions options;
  options.families = api::model_families();
  oml::Interpreter interpreter(options);
  for (const oml::BuiltinFamily& family : interpreter.families()) {
    for (const oml::Builtin& builtin : family) {
      const std::string_view help = builtin.help;
      functions.push_back({{"name", builtin.name}, {"summary", std::string(help.substr(0, help.find('\n')))}});
    }
  }
  for (const edit::CommandInfo& command : edit::command_list())
    commands.push_back({{"usage", command.usage}, {"about", command.about}});
  const Json keywords = {"if",        "else",  "elseif",     "end",      "for",      "while", "switch", "case",
                         "otherwise", "break", "continue",   "return",   "function", "try",   "catch",  "global",
                         "do",        "until", "persistent", "classdef", "true",     "false"};
  return dump({{"version", ORRERY_VERSION},
               {"types", std::move(types)},
               {"palettes", std::move(palettes)},
               {"settings", std::move(settings)},
               {"solvers", std::move(solvers)},
               {"keywords", keywords},
               {"functions", std::move(functions)},
               {"commands", std::move(commands)}});
}

}  // namespace

const std::string& library_json() {
  static const std::string text = make_library();
  return text;
}

}  // namespace orrery::server
