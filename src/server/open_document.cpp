// SPDX-License-Identifier: Apache-2.0
// Opening, saving, recovering, and who answers which request.
#include "server/open_document.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "api/trust.h"
#include "edit/commands.h"
#include "model/items.h"

namespace orrery::server {
namespace {

constexpr std::size_t largest_model = 256UL << 20;

Json tree_of(const model::Diagram& diagram, const std::string& path, const std::string& name) {
  Json node{{"path", path.empty() ? "/" : path},
            {"name", name},
            {"blocks", diagram.blocks.size()},
            {"masked", !diagram.mask.empty()},
            {"children", Json::array()}};
  for (const model::BlockInstance& block : diagram.blocks) {
    if (block.diagram) node["children"].push_back(tree_of(*block.diagram, path + "/" + block.name, block.name));
  }
  return node;
}

}  // namespace

void OpenDocument::shut_down() {
  if (!queue_) return;
  queue_->post([this] {
    ++worker_number_;
    dropping_ = true;
    worker_.reset();
    ++tool_number_;
    tool_.reset();
  });
  queue_->finish();
}

std::string OpenDocument::model_path() const {
  return surroundings_.root.absolute(path_ ? *path_ : "untitled" + std::to_string(number_) + ".orr");
}

bool OpenDocument::open(const DocumentSource& source, Diagnostics& diagnostics) {
  std::string text = source.text;
  path_ = source.path;
  const std::string file = model_path();
  const bool from_file = path_ && !source.create;
  if (from_file) {
    const auto read = surroundings_.root.read(*path_, largest_model, diagnostics);
    if (!read) return false;
    text = *read;
    disk_text_ = disk_told_ = text;
  }
  model::Model model;
  model.file = file;
  model.name = source.name.empty() ? std::filesystem::path(file).stem().string() : source.name;
  if (!text.empty()) {
    auto parsed = model::parse(text, file, diagnostics);
    if (!parsed) return false;
    model = std::move(*parsed);
  }
  document_.emplace(std::move(model));
  saved_text_ = from_file ? document_->text() : "";
  dirty_ = !from_file && !text.empty();
  Diagnostics ignored;
  if (from_file) allowed_ = api::trusted(file, trust_note_, ignored);
  const std::string journal = edit::journal_path(file);
  const auto content = path_ ? edit::Journal::read(journal) : std::nullopt;
  if (content && !content->entries.empty()) {
    recovery_ = journal;  // it stays as it is until somebody has decided
  } else if (!begin_journal(diagnostics)) {
    return false;
  }
  start_worker();
  check();
  return true;
}

bool OpenDocument::begin_journal(Diagnostics& diagnostics) {
  return document_->keep_journal(edit::journal_path(model_path()), diagnostics);
}

Json OpenDocument::description() {
  const auto& done = document_->history();
  const auto& undone = document_->undone();
  Json json{{"doc", number_},
            {"path", path_ ? Json(*path_) : Json()},
            {"name", document_->model().name},
            {"revision", revision()},
            {"dirty", dirty_},
            {"read_only", path_ && !disk_text_.empty() && !surroundings_.root.writable(*path_)},
            {"diagrams", Json::array({diagram_tree()})},
            {"undo", done.empty() ? Json() : Json(done.back().label)},
            {"redo", undone.empty() ? Json() : Json(undone.back().label)},
            {"allowed", Json::array()}};
  for (int k = 0; k < capability_count; ++k) {
    if (allowed_.has(static_cast<Capability>(k))) json["allowed"].push_back(name_of(static_cast<Capability>(k)));
  }
  if (!needs_.empty()) json["needs"] = parse_json(needs_)["needs"];
  if (!recovery_.empty()) {
    if (const auto content = edit::Journal::read(recovery_)) {
      Json labels = Json::array();
      for (const edit::JournalEntry& entry : content->entries) {
        labels.push_back(entry.kind == edit::JournalEntry::Kind::undo   ? "undo"
                         : entry.kind == edit::JournalEntry::Kind::redo ? "redo"
                                                                        : entry.transaction.label);
      }
      json["recovery"] = {{"edits", content->entries.size()}, {"labels", std::move(labels)}};
    }
  }
  return json;
}

Json OpenDocument::diagram_tree() const { return tree_of(document_->model().root, "", document_->model().name); }

void OpenDocument::answer(const Asked& asked, const Json& ok) {
  if (asked.id.empty()) return;
  asked.tab->send("{\"id\":" + asked.id + ",\"ok\":" + dump(ok) + "}");
}

void OpenDocument::refuse(const Asked& asked, const Diagnostics& diagnostics) {
  const Json all = diagnostics_json(diagnostics);
  const Json first = all.empty() ? diagnostic_json(make_error("failed", "it did not work")) : all[0];
  asked.tab->send("{\"id\":" + (asked.id.empty() ? "null" : asked.id) + ",\"error\":" + dump(first) +
                  ",\"errors\":" + dump(all) + "}");
}

void OpenDocument::refuse(const Asked& asked, const Diagnostic& diagnostic) {
  Diagnostics diagnostics;
  diagnostics.add(diagnostic);
  refuse(asked, diagnostics);
}

void OpenDocument::push(const Json& message, int except) {
  const std::string text = dump(message);
  for (auto& [number, view] : views_) {
    if (number != except) view.tab->send(text);
  }
}

const std::map<std::string, OpenDocument::Handler>& OpenDocument::handlers() {
  static const std::map<std::string, Handler> list = {
      {"open", &OpenDocument::do_document},
      {"save", &OpenDocument::do_save},
      {"save_as", &OpenDocument::do_save_as},
      {"revert", &OpenDocument::do_revert},
      {"recover", &OpenDocument::do_recover},
      {"view", &OpenDocument::do_view},
      {"edit", &OpenDocument::do_edit},
      {"undo", &OpenDocument::do_undo},
      {"redo", &OpenDocument::do_redo},
      {"history", &OpenDocument::do_history},
      {"select", &OpenDocument::do_select},
      {"inspect", &OpenDocument::do_inspect},
      {"diagram", &OpenDocument::do_diagram},
      {"copy", &OpenDocument::do_copy},
      {"find", &OpenDocument::do_find},
      {"diff", &OpenDocument::do_diff},
      {"evaluate", &OpenDocument::do_evaluate},
      {"complete", &OpenDocument::do_complete},
      {"help", &OpenDocument::do_help},
      {"schedule", &OpenDocument::do_schedule},
      {"linearise", &OpenDocument::do_linearise},
      {"execute", &OpenDocument::do_execute},
      {"console", &OpenDocument::do_console},
      {"interrupt", &OpenDocument::do_interrupt},
      {"consent", &OpenDocument::do_consent},
      {"tool", &OpenDocument::do_tool},
      {"tool_stop", &OpenDocument::do_tool_stop},
      {"restart_worker", &OpenDocument::do_restart_worker},
      {"run", &OpenDocument::do_run},
      {"pause", &OpenDocument::do_control},
      {"resume", &OpenDocument::do_control},
      {"step", &OpenDocument::do_control},
      {"stop", &OpenDocument::do_control},
      {"runs", &OpenDocument::do_runs},
      {"pin", &OpenDocument::do_pin},
      {"forget", &OpenDocument::do_forget},
      {"watch", &OpenDocument::do_watch},
      {"acknowledge", &OpenDocument::do_acknowledge},
      {"unwatch", &OpenDocument::do_unwatch},
      {"values", &OpenDocument::do_values},
      {"explain", &OpenDocument::do_explain},
  };
  return list;
}

void OpenDocument::handle(const TabRef& tab, const Json& request) {
  const Asked asked{tab, request.contains("id") && !request["id"].is_null() ? dump(request["id"]) : std::string()};
  if (!document_) return refuse(asked, make_error("no-such-document", "the document is closed", "open it again"));
  const std::string what = text_field(request, "do");
  const auto found = handlers().find(what);
  if (found == handlers().end()) return refuse(asked, make_error("bad-request", "there is no request " + what));
  View& view = views_[tab->number];
  if (!view.tab) {
    view.tab = tab;
    push({{"on", "tabs"}, {"doc", number_}, {"tabs", views_.size()}});
  }
  try {
    (this->*found->second)(asked, request);
  } catch (const nlohmann::json::exception& error) {
    refuse(asked, make_error("bad-request", std::string("a field is of the wrong type: ") + error.what()));
  }
}

void OpenDocument::gone(int tab) {
  std::erase_if(watches_, [&](const auto& item) { return item.second.tab->number == tab; });
  if (views_.erase(tab) > 0) push({{"on", "tabs"}, {"doc", number_}, {"tabs", views_.size()}});
}

void OpenDocument::do_document(const Asked& asked, const Json& /*request*/) {
  answer(asked, description());
  for (const std::string* text : {&problems_, &shown_facts_, &needs_}) {
    if (!text->empty()) asked.tab->send(*text);
  }
}

bool OpenDocument::save_to(const std::string& path, bool force, Diagnostics& diagnostics) {
  if (!is_model_name(path)) {
    diagnostics.add(make_error("bad-name", path + " is no name of a model", "end the name with .orr"));
    return false;
  }
  const bool same = path_ && *path_ == path;
  const bool exists = surroundings_.root.exists(path);
  if (exists && !same && !force) {
    diagnostics.add(make_error("file-exists", path + " is there already", "choose another name, or replace it"));
    return false;
  }
  if (exists && same && !force) {
    Diagnostics ignored;
    const auto now = surroundings_.root.read(path, largest_model, ignored);
    if (now && *now != disk_text_) {
      diagnostics.add(make_error("changed-on-disk", path + " has been changed by another program",
                                 "reload it, compare, or save all the same"));
      return false;
    }
  }
  const std::string text = document_->text();
  if (!surroundings_.root.write(path, text, !exists, diagnostics)) return false;
  const std::string old_journal = edit::journal_path(model_path());
  path_ = path;
  document_->set_file(model_path());
  disk_text_ = disk_told_ = saved_text_ = text;
  dirty_ = false;
  std::error_code ignored;
  if (!same) {
    if (!begin_journal(diagnostics)) return false;
    std::filesystem::remove(old_journal, ignored);
    ++worker_number_;
    start_worker();
    check();
  } else if (!document_->saved(diagnostics)) {
    return false;
  }
  push({{"on", "saved"}, {"doc", number_}, {"path", path}, {"revision", revision()}});
  return true;
}

bool OpenDocument::may_change(const Asked& asked) {
  if (recovery_.empty()) return true;
  refuse(asked, make_error("recovery-waiting", "edits that were not saved wait for a decision",
                           "restore them, or forget them, first"));
  return false;
}

void OpenDocument::do_save(const Asked& asked, const Json& request) {
  if (!may_change(asked)) return;
  Diagnostics diagnostics;
  if (!path_) return refuse(asked, make_error("no-file", "the model has no file yet", "save it under a name"));
  if (!save_to(*path_, flag_field(request, "force"), diagnostics)) return refuse(asked, diagnostics);
  answer(asked, {{"path", *path_}, {"revision", revision()}});
}

void OpenDocument::do_save_as(const Asked& asked, const Json& request) {
  if (!may_change(asked)) return;
  Diagnostics diagnostics;
  if (!save_to(text_field(request, "path"), flag_field(request, "force"), diagnostics))
    return refuse(asked, diagnostics);
  answer(asked, {{"path", *path_}, {"revision", revision()}});
}

// As one change that can be undone: all lists and fields as they are in the file.
void OpenDocument::do_revert(const Asked& asked, const Json& /*request*/) {
  if (!may_change(asked)) return;
  Diagnostics diagnostics;
  if (!path_) return refuse(asked, make_error("no-file", "the model has no file yet"));
  const auto text = surroundings_.root.read(*path_, largest_model, diagnostics);
  auto model = text ? model::parse(*text, model_path(), diagnostics) : std::nullopt;
  if (!model) return refuse(asked, diagnostics);
  const auto replace = [&](edit::Edit& edit) {
    const auto texts = [](const auto& list) {
      std::vector<std::string> items;
      for (const auto& item : list) items.push_back(model::item_text(item));
      return items;
    };
    const model::Diagram& root = edit.diagram("");
    const model::Diagram& wanted = model->root;
    edit.splice("", "links", 0, root.links.size(), {});
    edit.splice("", "mask", 0, root.mask.size(), texts(wanted.mask));
    edit.splice("", "blocks", 0, root.blocks.size(), texts(wanted.blocks));
    edit.splice("", "links", 0, 0, texts(wanted.links));
    edit.splice("", "notes", 0, root.notes.size(), texts(wanted.notes));
    edit.splice("", "layout", 0, root.layout.size(), texts(wanted.layout));
    edit.splice("", "bends", 0, root.bends.size(), texts(wanted.bends));
    edit.set("", "context", model::lines_text(wanted.context));
    edit.set("", "initialization", model::lines_text(model->initialization));
    edit.set("", "simulation", model::settings_text(model->settings));
    edit::set_model_text(edit, false, model->name);
    edit::set_model_text(edit, true, model->about);
  };
  if (!document_->perform("Revert to the file", replace, diagnostics)) return refuse(asked, diagnostics);
  disk_text_ = disk_told_ = *text;
  saved_text_ = model::write(*model);
  dirty_ = document_->text() != saved_text_;
  changed("Revert to the file", 0, Json::array());
  answer(asked, description());
}

void OpenDocument::do_recover(const Asked& asked, const Json& request) {
  Diagnostics diagnostics;
  if (recovery_.empty()) return refuse(asked, make_error("no-journal", "there are no edits to recover"));
  if (flag_field(request, "take")) {
    auto recovered = edit::Document::recover(recovery_, diagnostics);
    if (!recovered) return refuse(asked, diagnostics);
    base_revision_ = revision() + 1;
    recovered->set_file(model_path());
    // The journal goes on where it was: what was recovered is not written anew.
    document_.emplace(std::move(*recovered));
    if (!document_->continue_journal(recovery_, diagnostics)) return refuse(asked, diagnostics);
  } else if (!begin_journal(diagnostics)) {
    return refuse(asked, diagnostics);
  }
  recovery_.clear();
  dirty_ = document_->text() != saved_text_;
  changed("Recovered", 0, Json::array());
  answer(asked, description());
}

void OpenDocument::forget_journal() {
  if (!recovery_.empty()) return;  // nobody has decided about it
  std::error_code ignored;
  std::filesystem::remove(edit::journal_path(model_path()), ignored);
}

// Edits are in the journal at once, which a killed process leaves behind; now they are on the disk as well.
void OpenDocument::sync_journal() {
  if (!document_ || journal_synced_ == revision()) return;
  journal_synced_ = revision();
  const int descriptor = ::open(edit::journal_path(model_path()).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

void OpenDocument::look_at_disk() {
  sync_journal();
  if (!document_ || !path_ || disk_text_.empty()) return;
  Diagnostics ignored;
  const bool there = surroundings_.root.exists(*path_);
  const auto now = there ? surroundings_.root.read(*path_, largest_model, ignored) : std::nullopt;
  if (there && !now) return;
  const std::string state = now ? *now : std::string();
  if (state == disk_told_) return;
  disk_told_ = state;
  if (now && *now == disk_text_) return;
  push({{"on", "disk"}, {"doc", number_}, {"path", *path_}, {"state", now ? "changed" : "removed"}});
}

}  // namespace orrery::server
