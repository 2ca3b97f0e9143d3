// SPDX-License-Identifier: Apache-2.0
// A file to which every kept change is appended before it counts, so that a killed process loses none of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edit/operation.h"

namespace orrery::edit {

struct Transaction {
  std::string label;
  std::vector<Operation> operations;
  std::vector<Operation> inverses;  // in the order in which they undo
};

struct JournalEntry {
  enum class Kind { perform, undo, redo };
  Kind kind = Kind::perform;
  Transaction transaction = {};  // of perform
  bool joins = false;            // of perform: one step of undo together with the entry before
};

struct JournalContent {
  std::string file;  // the model that is edited
  std::string text;  // as it was when the journal began
  std::vector<JournalEntry> entries;
};

class Journal {
 public:
  Journal() = default;
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  ~Journal();

  bool open() const { return descriptor_ >= 0; }
  const std::string& path() const { return path_; }
  // Replaces what is at the path by an empty journal of this text.
  [[nodiscard]] bool begin(const std::string& path, const std::string& file, const std::string& text,
                           Diagnostics& diagnostics, const std::vector<JournalEntry>& entries = {});
  // One write for each entry: a reader sees the whole of it or, after a crash, a torn last line that does not count.
  bool append(const JournalEntry& entry);
  void close();

  // Nothing when the file is not there or does not begin as a journal. A torn end is left out.
  static std::optional<JournalContent> read(const std::string& path);

 private:
  std::string path_;
  int descriptor_ = -1;
};

// Where the journal of a model is kept: in the user's state folder, by the path of the model.
std::string journal_path(const std::string& model_file);

}  // namespace orrery::edit
