// SPDX-License-Identifier: Apache-2.0
// Edits of pages: tried, kept, undone; and the scenes that change with them.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "edit/command_text.h"
#include "picture/make_scene.h"
#include "picture/update_scene.h"
#include "server/open_document.h"
#include "server/scene_json.h"

namespace orrery::server {
namespace {

constexpr std::size_t most_steps_of_edit = 10000;

std::string shown_path(const std::string& diagram) { return diagram.empty() ? "/" : diagram; }

std::string inner_path(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  return path;
}

// Nothing: the field is no list of lists of words.
std::optional<std::vector<std::vector<std::string>>> steps_of(const Json& request) {
  if (!request.contains("steps") || !request["steps"].is_array()) return std::nullopt;
  std::vector<std::vector<std::string>> steps;
  for (const Json& step : request["steps"]) {
    if (!step.is_array() || steps.size() == most_steps_of_edit) return std::nullopt;
    std::vector<std::string> words;
    for (const Json& word : step) {
      if (!word.is_string()) return std::nullopt;
      words.push_back(word.get<std::string>());
    }
    steps.push_back(std::move(words));
  }
  return steps;
}

std::string label_of(const Json& request, const std::vector<std::vector<std::string>>& steps) {
  std::string label = text_field(request, "label");
  if (!label.empty() || steps.empty() || steps[0].empty()) return label.substr(0, 200);
  label = steps[0][0];
  if (steps[0].size() > 1) label += " " + steps[0][1].substr(0, 60);
  return label;
}

// Where the operations of a change are: what undo shows.
std::string diagram_of(const edit::Transaction& transaction) {
  return transaction.operations.empty() ? std::string() : transaction.operations.front().at;
}

// Blocks that stand in the items which operations have put into a list.
Json touched_blocks(const std::vector<edit::Operation>& operations) {
  Json list = Json::array();
  for (const edit::Operation& operation : operations) {
    if (operation.kind != edit::Operation::Kind::splice || operation.field != "blocks") continue;
    for (const std::string& item : operation.insert) {
      const Json block = parse_json(item);
      const std::string name = text_field(block, "name");
      if (!name.empty() && list.size() < 100) list.push_back(operation.at + "/" + name);
    }
  }
  return list;
}

}  // namespace

const picture::Scene& OpenDocument::scene(const std::string& diagram) {
  const auto known = scenes_.find(diagram);
  if (known != scenes_.end()) return known->second;
  const model::Diagram* found = edit::diagram_at(document_->model(), diagram);
  picture::SceneOptions options;
  options.title = document_->model().name + diagram;
  return scenes_[diagram] = found == nullptr ? picture::Scene() : picture::make_scene(*found, diagram, facts_, options);
}

// The kept scene becomes that of the document as it is now; what differs.
std::string OpenDocument::scene_change(const std::string& diagram, bool& exists, const Operations* operations) {
  const model::Diagram* found = edit::diagram_at(document_->model(), diagram);
  exists = found != nullptr;
  if (!exists) {
    scenes_.erase(diagram);
    return "null";
  }
  picture::SceneOptions options;
  options.title = document_->model().name + diagram;
  const auto known = scenes_.find(diagram);
  if (known == scenes_.end()) {
    const picture::Scene none;
    return change_json(none, scene(diagram), {number_, revision(), shown_path(diagram)});
  }
  const SceneHead head{number_, revision(), shown_path(diagram)};
  const auto replaced = operations == nullptr ? std::nullopt : edit::replaced_blocks(*operations, diagram);
  if (replaced) {
    const auto before = picture::update_scene(known->second, *found, diagram, facts_, *replaced, false);
    if (before) return change_json(*before, known->second, head);
  }
  picture::Scene now = picture::remake_scene(known->second, *found, diagram, facts_, false, options);
  std::string change = change_json(known->second, now, head);
  known->second = std::move(now);
  return change;
}

std::string OpenDocument::try_change(const std::string& diagram, const Operations& operations) {
  const model::Diagram* found = edit::diagram_at(document_->model(), diagram);
  if (found == nullptr) return "null";
  const auto known = scenes_.find(diagram);
  if (known == scenes_.end()) return "null";
  picture::SceneOptions options;
  options.title = document_->model().name + diagram;
  const SceneHead head{number_, revision(), shown_path(diagram)};
  if (const auto replaced = edit::replaced_blocks(operations, diagram)) {
    auto before = picture::update_scene(known->second, *found, diagram, facts_, *replaced, true);
    if (before) {
      std::string change = change_json(*before, known->second, head);
      picture::restore(known->second, std::move(*before));
      return change;
    }
  }
  const picture::Scene now = picture::remake_scene(known->second, *found, diagram, facts_, true, options);
  return change_json(known->second, now, head);
}

std::string OpenDocument::changed(const std::string& label, int by, const Json& select, const Operations* operations) {
  const auto& done = document_->history();
  const auto& undone = document_->undone();
  std::string tree = dump(diagram_tree());
  const bool tree_differs = tree != tree_told_;
  // One scene change for each diagram that somebody looks at.
  std::map<std::string, std::string> changes;
  std::string own = "null";
  for (const auto& [number, view] : views_) {
    if (!view.looks) continue;
    if (!changes.contains(view.diagram)) {
      bool exists = false;
      changes[view.diagram] = scene_change(view.diagram, exists, operations);
    }
    if (number == by) own = changes[view.diagram];
  }
  std::erase_if(scenes_, [&](const auto& item) { return !changes.contains(item.first); });
  Json head{{"on", "changed"},
            {"doc", number_},
            {"revision", revision()},
            {"label", label},
            {"dirty", dirty_},
            {"undo", done.empty() ? Json() : Json(done.back().label)},
            {"redo", undone.empty() ? Json() : Json(undone.back().label)},
            {"by", by > 0 ? Json(by) : Json()},
            {"select", select}};
  if (tree_differs) head["diagrams"] = Json::array({parse_json(tree)});
  tree_told_ = std::move(tree);
  const std::string begin = dump(head);
  for (const auto& [number, view] : views_) {
    const bool asks = number == by;
    if (asks && !tree_differs) continue;  // its answer says all
    const std::string change = asks || !view.looks ? "" : ",\"change\":" + changes[view.diagram];
    view.tab->send(begin.substr(0, begin.size() - 1) + change + "}");
  }
  check();  // later: whoever asked hears first
  return own;
}

void OpenDocument::do_view(const Asked& asked, const Json& request) {
  View& view = views_[asked.tab->number];
  const std::string diagram = inner_path(text_field(request, "diagram"));
  if (edit::diagram_at(document_->model(), diagram) == nullptr)
    return refuse(asked, make_error("no-such-diagram", "there is no diagram " + shown_path(diagram)));
  view.diagram = diagram;
  view.looks = true;
  answer(asked, {{"revision", revision()}, {"diagram", shown_path(diagram)}});
}

void OpenDocument::do_edit(const Asked& asked, const Json& request) {
  if (!may_change(asked)) return;
  const auto steps = steps_of(request);
  if (!steps)
    return refuse(asked, make_error("bad-request", "steps must be lists of words", R"(write [["set", "/K", "k=2"]])"));
  if (request.contains("revision") && number_field(request, "revision", -1) != static_cast<double>(revision()))
    return refuse(asked, make_error("stale-revision", "the model has changed meanwhile", "look at it again"));
  Diagnostics diagnostics;
  std::vector<std::string> made;
  const auto command = [&](edit::Edit& edit) { made = edit::run_steps(edit, *steps); };
  const View& view = views_[asked.tab->number];
  const auto reply = [&](const std::string& change) {
    Json names = Json::array(), paths = Json::array();
    for (const std::string& path : made) {
      names.push_back(path.substr(path.rfind('/') + 1));
      paths.push_back(path);
    }
    if (asked.id.empty()) return;
    asked.tab->send(
        "{\"id\":" + asked.id + ",\"ok\":{\"revision\":" + std::to_string(revision()) + ",\"names\":" + dump(names) +
        ",\"select\":" + dump(paths) + ",\"dirty\":" + (dirty_ ? "true" : "false") +
        ",\"undo\":" + (document_->history().empty() ? "null" : dump(Json(document_->history().back().label))) +
        ",\"redo\":" + (document_->undone().empty() ? "null" : dump(Json(document_->undone().back().label))) +
        ",\"change\":" + change + "}}");
  };
  if (text_field(request, "phase") == "try") {
    if (view.looks) scene(view.diagram);
    std::string change = "null";
    const bool good = document_->attempt(
        command,
        [&](const Operations& operations) { change = view.looks ? try_change(view.diagram, operations) : "null"; },
        diagnostics);
    if (!good) return refuse(asked, diagnostics);
    return reply(change);
  }
  const std::size_t before = document_->revision();
  const std::string label = label_of(request, *steps);
  if (!document_->perform(label, command, diagnostics, text_field(request, "merge"))) return refuse(asked, diagnostics);
  if (document_->revision() == before) return reply("null");  // nothing has changed
  dirty_ = true;
  Json select = Json::array();
  for (const std::string& path : made) select.push_back(path);
  // The scene first: the answer should not wait for other pages.
  const std::string change = changed(label, asked.tab->number, select, &document_->history().back().operations);
  reply(change);
}

void OpenDocument::undo_or_redo(const Asked& asked, bool undo) {
  if (!may_change(asked)) return;
  const auto& from = undo ? document_->history() : document_->undone();
  if (from.empty())
    return refuse(asked, make_error("nothing-to-undo", undo ? "there is nothing to undo" : "there is nothing to redo"));
  const edit::Transaction transaction = from.back();
  if (!(undo ? document_->undo() : document_->redo()))
    return refuse(
        asked, make_error("file-unwritable", "the change cannot be written to the journal", "make room on the disk"));
  dirty_ = document_->text() != saved_text_;
  const Operations& operations = undo ? transaction.inverses : transaction.operations;
  const Json select = touched_blocks(operations);
  changed((undo ? "Undo " : "Redo ") + transaction.label, 0, select, &operations);
  const auto label = [](const std::vector<edit::Transaction>& list) {
    return list.empty() ? Json() : Json(list.back().label);
  };
  answer(asked, {{"revision", revision()},
                 {"label", transaction.label},
                 {"diagram", shown_path(diagram_of(transaction))},
                 {"select", select},
                 {"dirty", dirty_},
                 {"undo", label(document_->history())},
                 {"redo", label(document_->undone())}});
}

void OpenDocument::do_undo(const Asked& asked, const Json& /*request*/) { undo_or_redo(asked, true); }
void OpenDocument::do_redo(const Asked& asked, const Json& /*request*/) { undo_or_redo(asked, false); }

void OpenDocument::do_history(const Asked& asked, const Json& /*request*/) {
  Json done = Json::array(), undone = Json::array();
  for (const edit::Transaction& transaction : document_->history()) done.push_back(transaction.label);
  for (const edit::Transaction& transaction : document_->undone()) undone.push_back(transaction.label);
  answer(asked, {{"done", done}, {"undone", undone}});
}

void OpenDocument::do_select(const Asked& asked, const Json& request) {
  selected_ = texts_field(request, "blocks");
  answer(asked, Json::object());
}

}  // namespace orrery::server
