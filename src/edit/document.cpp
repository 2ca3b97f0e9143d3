// SPDX-License-Identifier: Apache-2.0
// Transactions: applied, checked, written to the journal, undone.
#include "edit/document.h"

#include "base/check.h"
#include "model/check_diagram.h"
#include "model/items.h"

namespace orrery::edit {
namespace {

// Names and link ends of a diagram and of all below it.
void check_all(const model::Diagram& diagram, const std::string& file, const std::string& path,
               Diagnostics& diagnostics) {
  model::check_diagram(diagram, file, path, diagnostics);
  for (const model::BlockInstance& block : diagram.blocks) {
    if (block.diagram) check_all(*block.diagram, file, path + "/" + block.name, diagnostics);
  }
}

}  // namespace

const model::Model& Edit::model() const { return document_.model_; }

const model::Diagram& Edit::diagram(std::string_view path) const {
  const model::Diagram* found = diagram_at(document_.model_, path);
  ORRERY_CHECK(found != nullptr);
  return *found;
}

void Edit::apply_now(Operation operation) {
  if (failed_) return;
  auto inverse = edit::apply(document_.model_, operation, diagnostics_);
  if (!inverse) {
    failed_ = true;
    return;
  }
  made_.operations.push_back(std::move(operation));
  made_.inverses.insert(made_.inverses.begin(), std::move(*inverse));
}

void Edit::splice(const std::string& at, const char* list, std::size_t index, std::size_t remove,
                  std::vector<std::string> insert) {
  apply_now({Operation::Kind::splice, at, list, index, remove, std::move(insert)});
}

void Edit::set(const std::string& at, const char* field, std::string value) {
  apply_now({Operation::Kind::set, at, field, 0, 0, {std::move(value)}});
}

void Edit::fail(const std::string& block, std::string message, std::string help) {
  Place place;
  place.file = document_.model_.file;
  place.block = block;
  diagnostics_.error("bad-edit", std::move(place), std::move(message), std::move(help));
  failed_ = true;
}

Document::Document(model::Model model) : model_(std::move(model)) {}

std::string Document::text() const { return model::write(model_); }

bool Document::run(const std::vector<Operation>& operations) {
  Diagnostics ignored;
  for (const Operation& operation : operations) {
    if (!apply(model_, operation, ignored)) return false;
  }
  return true;
}

bool Document::check(Diagnostics& diagnostics) const {
  Diagnostics found;
  check_all(model_.root, model_.file, "", found);
  for (const Diagnostic& diagnostic : found.all()) {
    if (diagnostic.severity == Severity::error) diagnostics.add(diagnostic);
  }
  return !found.has_errors();
}

bool Document::perform(const std::string& label, const std::function<void(Edit&)>& command, Diagnostics& diagnostics,
                       const std::string& merge) {
  Edit edit(*this, diagnostics);
  const int errors = diagnostics.error_count();
  command(edit);
  edit.made_.label = label;
  const bool good = !edit.failed_ && diagnostics.error_count() == errors && check(diagnostics);
  if (!good) {
    ORRERY_CHECK(run(edit.made_.inverses));
    return false;
  }
  if (edit.made_.operations.empty()) return true;
  const bool joins = !merge.empty() && merge == merge_ && !done_.empty();
  if (!journal_.append({JournalEntry::Kind::perform, edit.made_, joins})) {
    ORRERY_CHECK(run(edit.made_.inverses));
    Place place;
    place.file = journal_.path();
    diagnostics.error("file-unwritable", std::move(place), "the change cannot be written to the journal",
                      "make room on the disk");
    return false;
  }
  if (joins) {
    Transaction& last = done_.back();
    last.label = label;
    last.operations.insert(last.operations.end(), edit.made_.operations.begin(), edit.made_.operations.end());
    last.inverses.insert(last.inverses.begin(), edit.made_.inverses.begin(), edit.made_.inverses.end());
  } else {
    done_.push_back(std::move(edit.made_));
  }
  merge_ = merge;
  undone_.clear();
  ++revision_;
  return true;
}

bool Document::attempt(const std::function<void(Edit&)>& command, const Look& look, Diagnostics& diagnostics) {
  Edit edit(*this, diagnostics);
  const int errors = diagnostics.error_count();
  command(edit);
  const bool good = !edit.failed_ && diagnostics.error_count() == errors;
  if (good) look(edit.made_.operations);
  ORRERY_CHECK(run(edit.made_.inverses));
  return good;
}

bool Document::undo() {
  if (done_.empty() || !journal_.append({JournalEntry::Kind::undo, {}})) return false;
  ORRERY_CHECK(run(done_.back().inverses));
  undone_.push_back(std::move(done_.back()));
  done_.pop_back();
  merge_.clear();
  ++revision_;
  return true;
}

bool Document::redo() {
  if (undone_.empty() || !journal_.append({JournalEntry::Kind::redo, {}})) return false;
  ORRERY_CHECK(run(undone_.back().operations));
  done_.push_back(std::move(undone_.back()));
  undone_.pop_back();
  merge_.clear();
  ++revision_;
  return true;
}

bool Document::keep_journal(const std::string& path, Diagnostics& diagnostics) {
  return journal_.begin(path, model_.file, text(), diagnostics);
}

bool Document::continue_journal(const std::string& path, Diagnostics& diagnostics) {
  const auto content = Journal::read(path);
  std::vector<JournalEntry> entries;
  for (const Transaction& transaction : done_) entries.push_back({JournalEntry::Kind::perform, transaction});
  for (std::size_t k = undone_.size(); k > 0; --k) entries.push_back({JournalEntry::Kind::perform, undone_[k - 1]});
  for (std::size_t k = 0; k < undone_.size(); ++k) entries.push_back({JournalEntry::Kind::undo});
  return content && journal_.begin(path, content->file, content->text, diagnostics, entries);
}

bool Document::saved(Diagnostics& diagnostics) {
  return !journal_.open() || journal_.begin(journal_.path(), model_.file, text(), diagnostics);
}

// A journal may have been damaged in any way: what does not fit ends the replay.
bool Document::replay(const JournalEntry& entry) {
  switch (entry.kind) {
    case JournalEntry::Kind::undo: return undo();
    case JournalEntry::Kind::redo: return redo();
    case JournalEntry::Kind::perform: break;
  }
  Diagnostics ignored;
  const Transaction& wanted = entry.transaction;
  constexpr const char* joined = "joined";  // any key: only that it is the same matters
  if (entry.joins) merge_ = joined;
  return perform(
      wanted.label,
      [&](Edit& edit) {
        for (const Operation& operation : wanted.operations) edit.apply_now(operation);
      },
      ignored, entry.joins ? joined : "");
}

std::optional<Document> Document::recover(const std::string& journal, Diagnostics& diagnostics) {
  const auto content = Journal::read(journal);
  if (!content) {
    Place place;
    place.file = journal;
    diagnostics.error("no-journal", std::move(place), "there is no journal of unsaved edits",
                      "nothing was lost: open the model itself");
    return std::nullopt;
  }
  auto model = model::parse(content->text, content->file, diagnostics);
  if (!model) return std::nullopt;
  Document document(std::move(*model));
  for (const JournalEntry& entry : content->entries) {
    if (!document.replay(entry)) break;
  }
  return document;
}

}  // namespace orrery::edit
