// SPDX-License-Identifier: Apache-2.0
// Files that results stream to: rows as CSV or HDF5, the event ledger as CSV.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "io/mtsf.h"
#include "io/output_file.h"
#include "sim/sink.h"

namespace orrery::api {

// What a file has become.
struct FileOutcome {
  std::string path;
  std::size_t rows = 0, columns = 0;
  bool whole = false;  // it is there, up to the last row
};

// How far a file has come: what was handed over, and what is in it for sure.
struct FileProgress {
  FileOutcome outcome;
  double last_time = 0;

  void begin(std::size_t columns);
  void add(std::size_t rows, double time);
  void note_flushed();
  // Keeps the file, or says what is in the part that could be written, as "the 12 rows up to t = 3".
  [[nodiscard]] bool end(io::OutputFile& file, bool good, const char* what, Diagnostics& diagnostics);

 private:
  std::size_t flushed_rows_ = 0;
  double flushed_time_ = 0;
};

// One line for each row; both sides of a jump are two of the same time. A signal without a value has an empty cell.
class CsvSink final : public sim::Sink {
 public:
  // With `every_run`, the rows of all runs that End blocks ask for, with the number of the run behind the time.
  explicit CsvSink(io::OutputFile file, bool every_run = false) : file_(std::move(file)), every_run_(every_run) {
    progress_.outcome.path = file_.path();
  }

  [[nodiscard]] bool begin(const sim::StreamHead& head) override;
  [[nodiscard]] bool rows(const sim::Block& block) override;
  void flush() override;
  [[nodiscard]] bool end(const sim::Report& report, Diagnostics& diagnostics) override;
  const FileOutcome& outcome() const { return progress_.outcome; }

 private:
  io::OutputFile file_;
  bool every_run_;
  int run_ = 0;
  FileProgress progress_;
};

// HDF5 in the layout MTSF (docs/results.md).
class MtsfSink final : public sim::Sink {
 public:
  explicit MtsfSink(io::OutputFile file) : file_(std::move(file)) { progress_.outcome.path = file_.path(); }

  [[nodiscard]] bool begin(const sim::StreamHead& head) override;
  [[nodiscard]] bool rows(const sim::Block& block) override;
  void flush() override;
  [[nodiscard]] bool end(const sim::Report& report, Diagnostics& diagnostics) override;
  const FileOutcome& outcome() const { return progress_.outcome; }

 private:
  bool note(bool good);

  io::OutputFile file_;
  std::unique_ptr<io::MtsfStream> stream_;
  FileProgress progress_;
};

// One line per activation: time, cause, block, port, left, right, restarted. Left and right are the values of the
// surface on both sides of a crossing, empty for other causes. With `every_run` the number of the run comes second.
class LedgerFile final : public sim::LedgerSink {
 public:
  explicit LedgerFile(io::OutputFile file, bool every_run = false) : file_(std::move(file)), every_run_(every_run) {
    progress_.outcome.path = file_.path();
  }

  [[nodiscard]] bool begin(const program::Program& program) override;
  [[nodiscard]] bool events(std::span<const sim::LedgerEntry> entries) override;
  void flush() override;
  [[nodiscard]] bool end(const sim::Report& report, Diagnostics& diagnostics) override;
  const FileOutcome& outcome() const { return progress_.outcome; }

 private:
  io::OutputFile file_;
  bool every_run_;
  int run_ = 0;
  const program::Program* program_ = nullptr;
  FileProgress progress_;
};

// A file of rows and what becomes of it.
struct RowsFile {
  std::unique_ptr<sim::Sink> file;
  std::unique_ptr<sim::Sink> sink;  // where rows go in: to the file, thinned out
  const FileOutcome* outcome = nullptr;
};

// HDF5 where the name ends with .mtsf, .h5 or .hdf5, else CSV. Of the rows every so many are written, and the last.
// Nothing, and a diagnostic, when the file cannot be made.
std::optional<RowsFile> open_rows_file(const std::string& path, Diagnostics& diagnostics, std::size_t every = 1,
                                       bool disarm_formulas = false, bool every_run = false);

}  // namespace orrery::api
