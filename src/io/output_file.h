// SPDX-License-Identifier: Apache-2.0
// A file that appears when it is complete: until then it is written beside its place, as NAME.<process>.part.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/fleeting_file.h"
#include "io/line_guard.h"

namespace orrery::io {

// Opening tells at once whether the place can be written, so that a long run does not end in a disappointment. "-" is
// the standard output; devices and pipes are written directly. Without commit() or give_up() nothing is left behind,
// unless the process is killed: then the part file stays, with all that was flushed, until a later file of the same
// name is complete.
class OutputFile {
 public:
  static std::optional<OutputFile> open(const std::string& path, Diagnostics& diagnostics);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  void write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= buffer_size) flush();
  }
  // For what is written piece by piece: append, then call written() at a place where the file may end.
  std::string& buffer() { return buffer_; }
  bool written() { return buffer_.size() < buffer_size ? error_ == 0 : flush(); }
  // Everything so far goes to the file. False: that, or an earlier write, has failed.
  bool flush();
  int error() const { return error_; }  // errno of the first failure, or 0
  void fail(int error) { error_ = error_ == 0 ? error : error_; }

  // The part file that a killed process leaves has whole lines only, if what is flushed has. Not worth it for the last.
  void guard_lines(bool on) { guarded_ = on; }
  // Texts of tables that a spreadsheet would take for formulas (= + - @ at their start) get an apostrophe before them.
  void disarm_formulas(bool on) { disarms_formulas_ = on; }
  bool disarms_formulas() const { return disarms_formulas_; }
  // What goes to a device or pipe is kept in a file of its own until commit(): it can still be taken back.
  void hold();
  // Forgets all that was written. False: some of it is out already.
  bool rewind();
  // For a library that writes the file itself, by name; empty: it cannot be, see error().
  std::string place_to_write();

  // Makes the file appear. False, and a diagnostic, when that or any write before it failed.
  [[nodiscard]] bool commit(Diagnostics& diagnostics);
  // Instead of commit(), where a write has failed: what could be written stays in the part file, which the diagnostic
  // names; `what` tells how much that is ("the 4096 rows up to t = 2"), empty: nothing that is worth keeping.
  void give_up(const std::string& what, Diagnostics& diagnostics);
  const std::string& path() const { return path_; }

 private:
  static constexpr std::size_t buffer_size = 1 << 18;

  OutputFile() = default;
  bool write_all(int descriptor, std::string_view text);
  void copy_held();

  std::string path_;                      // as the user wrote it
  std::string target_;                    // behind symbolic links
  std::string temporary_;                 // empty: written directly
  std::string held_;                      // where that is kept which goes to a device in the end
  std::optional<FleetingFile> fleeting_;  // until the first write
  std::string buffer_;
  bool guarded_ = false;
  bool disarms_formulas_ = false;
  std::unique_ptr<LineGuard> guard_;  // from the first write on
  int descriptor_ = -1;
  int direct_ = -1;          // while it is held: what is written in the end
  std::size_t bytes_ = 0;    // that reached the file
  bool given_away_ = false;  // a library writes it
  int error_ = 0;            // errno of the first failure
};

// The whole text at once.
[[nodiscard]] bool write_file(const std::string& path, std::string_view text, Diagnostics& diagnostics);
// The whole file; nothing, and a diagnostic, when it cannot be read or is larger than anything that makes sense;
// devices and pipes have no size and may give less.
inline constexpr std::size_t largest_file = std::size_t{2} << 30, largest_stream = std::size_t{256} << 20;
std::optional<std::string> read_file(const std::string& path, Diagnostics& diagnostics);

}  // namespace orrery::io
