// SPDX-License-Identifier: Apache-2.0
// A model that is being edited: transactions, undo without limit, and a journal that survives the process.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "edit/journal.h"
#include "edit/operation.h"

namespace orrery::edit {

class Document;

// One transaction while it is made. Changes take effect at once; a command that fails is taken back as a whole.
class Edit {
 public:
  explicit Edit(Document& document, Diagnostics& diagnostics) : document_(document), diagnostics_(diagnostics) {}

  const model::Model& model() const;
  const model::Diagram& diagram(std::string_view path) const;  // must exist
  void splice(const std::string& at, const char* list, std::size_t index, std::size_t remove,
              std::vector<std::string> insert);
  void set(const std::string& at, const char* field, std::string value);
  void apply(const Operation& operation) { apply_now(operation); }
  // Reports a mistake of whoever asked; the transaction will be taken back.
  void fail(const std::string& block, std::string message, std::string help = {});
  bool failed() const { return failed_; }
  Diagnostics& diagnostics() { return diagnostics_; }

 private:
  friend class Document;
  void apply_now(Operation operation);

  Document& document_;
  Diagnostics& diagnostics_;
  Transaction made_;
  bool failed_ = false;
};

class Document {
 public:
  explicit Document(model::Model model);

  const model::Model& model() const { return model_; }
  std::string text() const;
  std::size_t revision() const { return revision_; }  // counts every change, undo and redo

  // Runs a command as one transaction. False, and diagnostics, when it failed: then nothing has changed.
  // A `merge` that is not empty and was that of the change before makes both one step of undo.
  bool perform(const std::string& label, const std::function<void(Edit&)>& command, Diagnostics& diagnostics,
               const std::string& merge = {});
  // The same to look at only: what it would be is shown to `look`, with the operations that made it, then all is as
  // before, and nothing is written.
  using Look = std::function<void(const std::vector<Operation>&)>;
  bool attempt(const std::function<void(Edit&)>& command, const Look& look, Diagnostics& diagnostics);
  // False: there is nothing to undo (redo).
  bool undo();
  bool redo();
  std::size_t undo_count() const { return done_.size(); }
  std::size_t redo_count() const { return undone_.size(); }
  const std::vector<Transaction>& history() const { return done_; }
  const std::vector<Transaction>& undone() const { return undone_; }
  // Another file from now on; where it is saved is not part of what can be undone.
  void set_file(std::string file) { model_.file = std::move(file); }

  // From now on every change is written to this journal before it counts.
  [[nodiscard]] bool keep_journal(const std::string& path, Diagnostics& diagnostics);
  // After recover(): the journal goes on where it was, torn parts left out.
  [[nodiscard]] bool continue_journal(const std::string& path, Diagnostics& diagnostics);
  // Saved: the journal begins anew.
  [[nodiscard]] bool saved(Diagnostics& diagnostics);
  // The document as a journal says it was; nothing when there is no usable journal.
  static std::optional<Document> recover(const std::string& journal, Diagnostics& diagnostics);

 private:
  friend class Edit;
  bool run(const std::vector<Operation>& operations);
  bool replay(const JournalEntry& entry);
  bool check(Diagnostics& diagnostics) const;

  model::Model model_;
  std::vector<Transaction> done_, undone_;
  std::string merge_;  // of the last change
  std::size_t revision_ = 0;
  Journal journal_;
};

}  // namespace orrery::edit
