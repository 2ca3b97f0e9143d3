// SPDX-License-Identifier: Apache-2.0
// What pages ask of a model without changing or running it.
#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "blocks/block.h"
#include "edit/commands.h"
#include "edit/compare.h"
#include "edit/diff_picture.h"
#include "model/fields.h"
#include "model/items.h"
#include "picture/make_scene.h"
#include "picture/svg.h"
#include "server/open_document.h"
#include "server/scene_json.h"

namespace orrery::server {
namespace {

Json mask_json(const model::MaskParameter& parameter) {
  Json json{{"name", parameter.name}};
  const std::pair<const char*, const std::string*> fields[] = {
      {"prompt", &parameter.prompt},   {"default", &parameter.value}, {"kind", &parameter.kind},
      {"visible", &parameter.visible}, {"valid", &parameter.valid},   {"message", &parameter.message}};
  for (const auto& [name, text] : fields) {
    if (!text->empty()) json[name] = *text;
  }
  if (!parameter.choices.empty()) json["choices"] = parameter.choices;
  return json;
}

Json parameter_json(const model::BlockInstance& block, const std::string& name, const std::string& fallback) {
  const model::Parameter* given = block.find_parameter(name);
  return {{"name", name},
          {"text", given != nullptr ? given->value : fallback},
          {"given", given != nullptr},
          {"default", fallback}};
}

Json parameters_json(const model::BlockInstance& block, const blocks::BlockType* type) {
  Json list = Json::array();
  std::vector<std::string> known;
  if (block.diagram) {
    for (const model::MaskParameter& parameter : block.diagram->mask) {
      Json item = parameter_json(block, parameter.name, parameter.value);
      item["prompt"] = parameter.prompt.empty() ? parameter.name : parameter.prompt;
      item["kind"] = parameter.kind;
      if (!parameter.choices.empty()) item["choices"] = parameter.choices;
      known.push_back(parameter.name);
      list.push_back(std::move(item));
    }
  } else if (type != nullptr) {
    for (const blocks::ParameterSpec& spec : type->parameters) {
      Json item = parameter_json(block, spec.name, spec.value);
      item["about"] = spec.about;
      if (!spec.choices.empty()) item["choices"] = spec.choices;
      if (spec.verbatim) item["code"] = true;
      known.push_back(spec.name);
      list.push_back(std::move(item));
    }
  }
  for (const model::Parameter& parameter : block.parameters) {
    if (std::find(known.begin(), known.end(), parameter.name) == known.end())
      list.push_back({{"name", parameter.name}, {"text", parameter.value}, {"given", true}, {"unknown", true}});
  }
  return list;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Looks through all texts of a model.
class Search {
 public:
  Search(const Json& request, Json& matches) : wanted_(lower_case(text_field(request, "text"))), matches_(matches) {
    for (const std::string& kind : texts_field(request, "kinds")) kinds_.push_back(kind);
  }

  void walk(const model::Diagram& diagram, const std::string& path) {
    for (std::size_t k = 0; k < diagram.context.size(); ++k)
      look("context", path, "", "", diagram.context[k], static_cast<int>(k) + 1);
    for (const model::Note& note : diagram.notes) look("note", path, "", "", note.text, 0);
    for (const model::Link& link : diagram.links) look("signal", path, path + "/" + link.from.block, "", link.name, 0);
    for (const model::BlockInstance& block : diagram.blocks) {
      const std::string own = path + "/" + block.name;
      look("block", path, own, "", block.name, 0);
      look("type", path, own, "", block.type, 0);
      look("about", path, own, "", block.about, 0);
      for (const model::Parameter& parameter : block.parameters) {
        look("parameter", path, own, parameter.name, parameter.value, 0);
        look("parameter", path, own, parameter.name, parameter.name, 0);
      }
      if (block.diagram) walk(*block.diagram, own);
    }
  }
  std::size_t total() const { return total_; }

  void look(const char* kind, const std::string& diagram, const std::string& block, const std::string& parameter,
            const std::string& text, int line) {
    if (wanted_.empty() || text.empty()) return;
    if (!kinds_.empty() && std::find(kinds_.begin(), kinds_.end(), kind) == kinds_.end()) return;
    const std::size_t at = lower_case(text).find(wanted_);
    if (at == std::string::npos) return;
    ++total_;
    if (matches_.size() >= 500) return;
    Json match{{"kind", kind},
               {"diagram", diagram.empty() ? "/" : diagram},
               {"text", text},
               {"from", at},
               {"to", at + wanted_.size()}};
    if (!block.empty()) match["block"] = block;
    if (!parameter.empty()) match["parameter"] = parameter;
    if (line > 0) match["line"] = line;
    matches_.push_back(std::move(match));
  }

 private:
  std::string wanted_;
  std::vector<std::string> kinds_;
  Json& matches_;
  std::size_t total_ = 0;
};

}  // namespace

const model::BlockInstance* block_at(const model::Model& model, const std::string& path) {
  const edit::BlockPath parts = edit::block_path(path);
  const model::Diagram* diagram = edit::diagram_at(model, parts.diagram);
  if (diagram == nullptr) return nullptr;
  const auto found = std::find_if(diagram->blocks.begin(), diagram->blocks.end(),
                                  [&](const model::BlockInstance& block) { return block.name == parts.name; });
  return found == diagram->blocks.end() ? nullptr : &*found;
}

void OpenDocument::do_inspect(const Asked& asked, const Json& request) {
  const std::string path = text_field(request, "block");
  const model::BlockInstance* block = block_at(document_->model(), path);
  if (block == nullptr) return refuse(asked, make_error("no-such-block", "there is no block " + path));
  const blocks::BlockType* type = blocks::find_type(block->type);
  Json json{{"path", path},
            {"name", block->name},
            {"type", block->type},
            {"about", block->about},
            {"off", block->off},
            {"super", block->diagram != nullptr},
            {"masked", block->diagram && !block->diagram->mask.empty()},
            {"activation", block->activation == model::Activation::by_type
                               ? std::string("default")
                               : std::string(model::activation_names[static_cast<int>(block->activation)])},
            {"icon", block->icon},
            {"executed", std::find(executed_.begin(), executed_.end(), path) != executed_.end()},
            {"palette", type != nullptr ? type->palette : ""},
            {"summary", type != nullptr ? type->summary : ""},
            {"parameters", parameters_json(*block, type)}};
  const edit::BlockPath parts = edit::block_path(path);
  for (const model::LayoutItem& item : edit::diagram_at(document_->model(), parts.diagram)->layout) {
    if (item.block != block->name) continue;
    constexpr const char* flows[] = {"right", "left", "up", "down"};
    json["layout"] = {item.x, item.y, item.width, item.height};
    json["flow"] = flows[static_cast<int>(item.flow)];
  }
  const auto facts = facts_.find(path);
  if (facts != facts_.end()) {
    for (Json& parameter : json["parameters"]) {
      const program::Value* value = facts->second.find(text_field(parameter, "name"));
      if (value == nullptr) continue;
      parameter["value"] = {{"type", value->is_text() ? "string" : program::name_of(value->type)},
                            {"rows", value->is_text() ? 1 : value->rows},
                            {"cols", value->is_text() ? static_cast<int>(value->text.size()) : value->cols},
                            {"text", picture::value_text(*value)}};
    }
  }
  answer(asked, std::move(json));
}

void OpenDocument::do_diagram(const Asked& asked, const Json& request) {
  std::string path = text_field(request, "diagram");
  while (path.ends_with('/')) path.pop_back();
  const model::Model& model = document_->model();
  const model::Diagram* diagram = edit::diagram_at(model, path);
  if (diagram == nullptr) return refuse(asked, make_error("no-such-diagram", "there is no diagram " + path));
  Json mask = Json::array(), notes = Json::array();
  for (const model::MaskParameter& parameter : diagram->mask) mask.push_back(mask_json(parameter));
  for (const model::Note& note : diagram->notes)
    notes.push_back({{"text", note.text}, {"box", {note.x, note.y, note.width, note.height}}});
  Json json{{"diagram", path.empty() ? "/" : path},
            {"context", diagram->context},
            {"mask", std::move(mask)},
            {"atomic", diagram->atomic},
            {"for_each", std::string(model::for_each_names[static_cast<int>(diagram->for_each)])},
            {"count", diagram->count},
            {"program", diagram->program},
            {"notes", std::move(notes)},
            {"blocks", diagram->blocks.size()}};
  if (path.empty()) {
    json["initialization"] = model.initialization;
    json["name"] = model.name;
    json["about"] = model.about;
    Json settings = Json::object();
    for (const model::SettingInfo& info : model::setting_table())
      settings[std::string(info.name)] = (model.settings.*info.text).text;
    json["settings"] = std::move(settings);
  }
  answer(asked, std::move(json));
}

void OpenDocument::do_copy(const Asked& asked, const Json& request) {
  std::vector<edit::BlockPath> blocks;
  for (const std::string& path : texts_field(request, "blocks")) blocks.push_back(edit::block_path(path));
  Diagnostics diagnostics;
  const std::string text = edit::copy(document_->model(), blocks, diagnostics);
  if (diagnostics.has_errors()) return refuse(asked, diagnostics);
  answer(asked, {{"text", text}});
}

void OpenDocument::do_find(const Asked& asked, const Json& request) {
  Json matches = Json::array();
  Search search(request, matches);
  const model::Model& model = document_->model();
  for (std::size_t k = 0; k < model.initialization.size(); ++k)
    search.look("initialization", "", "", "", model.initialization[k], static_cast<int>(k) + 1);
  search.walk(model.root, "");
  answer(asked, {{"matches", std::move(matches)}, {"total", search.total()}});
}

void OpenDocument::do_diff(const Asked& asked, const Json& request) {
  Diagnostics diagnostics;
  const std::string with = text_field(request, "with", "file");
  if (with == "file" && !path_) return refuse(asked, make_error("no-file", "the model has no file yet"));
  const std::string path = with == "file" ? *path_ : with;
  const auto text = surroundings_.root.read(path, std::size_t{256} << 20, diagnostics);
  const auto other = text ? model::parse(*text, surroundings_.root.absolute(path), diagnostics) : std::nullopt;
  if (!other) return refuse(asked, diagnostics);
  const auto differences = edit::compare(*other, document_->model(), {flag_field(request, "layout")});
  Json diagrams = Json::array();
  for (const edit::Difference& difference : differences) {
    const std::size_t slash = difference.what == "block" ? difference.path.rfind('/') : std::string::npos;
    std::string at = slash == std::string::npos ? difference.path : difference.path.substr(0, slash);
    if (at.empty()) at = "/";
    if (std::find(diagrams.begin(), diagrams.end(), Json(at)) == diagrams.end()) diagrams.push_back(at);
  }
  answer(asked, {{"differences", parse_json(edit::differences_json(differences))},
                 {"diagrams", std::move(diagrams)},
                 {"svg", edit::diff_svg({&*other, {}, path}, {&document_->model(), facts_, "now"}, differences)}});
}

void OpenDocument::http(const HttpRequest& request, const HttpReply& reply) {
  const auto field = [&](const char* name) {
    const auto found = request.query.find(name);
    return found == request.query.end() ? std::string() : found->second;
  };
  const auto fail = [&](unsigned status, const Diagnostic& diagnostic) {
    reply({status, "application/json", dump({{"error", diagnostic_json(diagnostic)}})});
  };
  if (!document_) return fail(404, make_error("no-such-document", "the document is closed"));
  if (request.path == "/samples") return reply(samples(request));
  if (request.path == "/events") return reply(event_rows(request));
  if (request.path == "/animation" || request.path == "/animation.svg") return reply(animation(request));
  if (request.path.starts_with("/results/")) return reply(result_file(request));
  if (request.path == "/text") return reply({200, "text/plain; charset=utf-8", document_->text()});
  std::string diagram = field("diagram");
  while (diagram.ends_with('/')) diagram.pop_back();
  if (edit::diagram_at(document_->model(), diagram) == nullptr)
    return fail(404, make_error("no-such-diagram", "there is no diagram " + diagram));
  const bool looked_at = std::any_of(views_.begin(), views_.end(), [&](const auto& item) {
    return item.second.looks && item.second.diagram == diagram;
  });
  const std::string shown = diagram.empty() ? "/" : diagram;
  if (request.path == "/scene")
    reply({200, "application/json", scene_json(scene(diagram), {number_, revision(), shown})});
  if (request.path == "/picture.svg") {
    const picture::Theme theme = field("theme") == "dark" ? picture::Theme::dark : picture::Theme::light;
    reply({200, "image/svg+xml", picture::svg(scene(diagram), theme)});
  }
  if (!looked_at) scenes_.erase(diagram);
}

}  // namespace orrery::server
