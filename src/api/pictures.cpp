// SPDX-License-Identifier: Apache-2.0
// Evaluates a model as far as that goes and draws its diagrams.
#include "api/pictures.h"

#include "api/model_functions.h"
#include "api/oml_evaluator.h"
#include "api/session.h"
#include "compile/flatten.h"
#include "foreign/fmu_library.h"
#include "model/closest_name.h"
#include "picture/make_scene.h"

namespace orrery::api {
namespace {

void list_diagrams(const model::Diagram& diagram, const std::string& path, std::vector<std::string>& paths) {
  paths.push_back(path.empty() ? "/" : path);
  for (const model::BlockInstance& block : diagram.blocks) {
    if (block.diagram) list_diagrams(*block.diagram, path + "/" + block.name, paths);
  }
}

// "Plant/" -> "/Plant"; the root is empty.
std::string canonical_path(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  if (!path.empty() && !path.starts_with('/')) path.insert(0, "/");
  return path;
}

std::string draw(const model::Model& model, const model::Diagram& diagram, const std::string& path,
                 const picture::Facts& facts, const PictureRequest& request) {
  picture::SceneOptions options;
  options.values = request.values;
  options.title = model.name + path;
  return picture::svg(picture::make_scene(diagram, path, facts, options), request.theme);
}

}  // namespace

picture::Facts picture_facts(const model::Model& model) {
  Diagnostics ignored;
  // Nobody waits long for a picture: without values it is drawn from the declarations.
  constexpr double most_seconds = 5;
  OmlEvaluator evaluator({}, {.seconds = most_seconds, .interrupt = nullptr});
  evaluator.begin_run(1);
  const CurrentModel current(evaluator.interpreter(), model.file);
  if (!model.initialization.empty()) {
    evaluator.run(model.initialization, {model.file, model.initialization_line, 0, {}, "initialization"}, ignored);
  }
  const compile::FlatModel flat = compile::flatten(
      model, evaluator, {std::make_shared<foreign::FmuLibrary>(model.file, evaluator.consent())}, ignored);
  picture::Facts facts;
  for (const compile::FlatBlock& block : flat.blocks) {
    picture::BlockFacts known;
    known.ports = {static_cast<int>(block.inputs.size()), static_cast<int>(block.outputs.size()),
                   block.activation_input_count, block.activation_output_count};
    for (const blocks::ParameterSpec& spec : block.type->parameters) {
      known.values.emplace_back(spec.name, block.parameters.value(spec.name));
    }
    facts.emplace(block.path, std::move(known));
  }
  return facts;
}

std::optional<std::string> picture_of(const PictureRequest& request, Diagnostics& diagnostics) {
  const auto model = open_model(request.file, diagnostics);
  if (!model) return std::nullopt;
  const std::string path = canonical_path(request.diagram);
  const model::Diagram* diagram = picture::find_diagram(*model, path);
  if (diagram == nullptr) {
    std::vector<std::string> paths;
    list_diagrams(model->root, "", paths);
    const std::vector<std::string_view> names(paths.begin(), paths.end());
    std::string help = model::did_you_mean(path, names);
    if (help.empty())
      help = paths.size() == 1 ? "the model has no super blocks" : "name a super block, such as " + paths[1];
    Place place;
    place.file = request.file;
    diagnostics.error("no-such-diagram", std::move(place), "there is no diagram " + path, std::move(help));
    return std::nullopt;
  }
  return draw(*model, *diagram, path, picture_facts(*model), request);
}

std::vector<DiagramPicture> pictures_of(const PictureRequest& request, Diagnostics& diagnostics) {
  std::vector<DiagramPicture> pictures;
  const auto model = open_model(request.file, diagnostics);
  if (!model) return pictures;
  const picture::Facts facts = picture_facts(*model);
  std::vector<std::string> paths;
  list_diagrams(model->root, "", paths);
  for (const std::string& shown : paths) {
    const std::string path = canonical_path(shown);
    const model::Diagram& diagram = *picture::find_diagram(*model, path);
    // A super block that its program fills has nothing to show.
    if (!path.empty() && diagram.blocks.empty() && diagram.notes.empty()) continue;
    pictures.push_back({shown, draw(*model, diagram, path, facts, request)});
  }
  return pictures;
}

}  // namespace orrery::api
