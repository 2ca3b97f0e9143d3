// SPDX-License-Identifier: Apache-2.0
// What a worker tells of figures, and what a page draws.
#include "server/figure_json.h"

#include <nlohmann/json.hpp>

namespace orrery::server {

Json figures_json(const std::vector<api::FigureInfo>& figures) {
  Json all = Json::array();
  for (const api::FigureInfo& figure : figures) {
    Json inputs = Json::array();
    for (const api::FigureInput& input : figure.inputs) inputs.push_back({input.type, input.rows, input.cols});
    all.push_back({{"block", figure.block},
                   {"inputs", std::move(inputs)},
                   {"canvas", figure.canvas},
                   {"colours", figure.colours},
                   {"zoom", figure.zoom}});
  }
  return all;
}

std::vector<api::FigureInfo> figures_of_json(const Json& json) {
  std::vector<api::FigureInfo> figures;
  if (!json.is_array()) return figures;
  for (const Json& item : json) {
    api::FigureInfo figure;
    figure.block = text_field(item, "block");
    for (const Json& input : item["inputs"])
      figure.inputs.push_back({input[0].get<int>(), input[1].get<int>(), input[2].get<int>()});
    figure.canvas = item["canvas"].get<std::array<double, 4>>();
    figure.colours = item["colours"].get<std::vector<std::array<double, 3>>>();
    figure.zoom = item["zoom"].get<double>();
    figures.push_back(std::move(figure));
  }
  return figures;
}

Json objects_json(const std::vector<api::FigureObject>& objects) {
  Json all = Json::array();
  for (const api::FigureObject& object : objects) {
    Json item = Json::array({api::name_of(object.kind)});
    item.push_back(object.colour ? Json(api::colour_text(*object.colour)) : Json());
    for (const double x : object.numbers) item.push_back(x);
    all.push_back(std::move(item));
  }
  return all;
}

}  // namespace orrery::server
