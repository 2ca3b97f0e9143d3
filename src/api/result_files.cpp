// SPDX-License-Identifier: Apache-2.0
// Blocks of rows and events to files.
#include "api/result_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/csv.h"
#include "io/number_text.h"
#include "sim/selection.h"
#include "sim/simulation.h"

namespace orrery::api {
namespace {

// Whether an End block may ask for another run, of which alone the results are wanted.
bool may_restart(const program::Program& program) {
  for (const program::Source& source : program.sources) {
    for (const program::Action& action : source.table.actions) {
      if (action.kind == program::ActionKind::restart) return true;
    }
  }
  return false;
}

io::MtsfVariable variable_of(const sim::Column& column, std::size_t place, const program::Program& program) {
  using Variable = io::MtsfVariable;
  const program::Probe& probe = program.probes[column.probe];
  const program::Scalar scalar = program.slots[probe.slot].type.scalar;
  Variable variable{column.name, {}, probe.unit, place};
  const bool gaps = column.first > 0;  // which only doubles can have
  const bool whole = !gaps && scalar != program::Scalar::f64 && scalar != program::Scalar::c128;
  if (whole && scalar != program::Scalar::u32) variable.type = Variable::Type::integer;  // u32 may be too large
  if (!gaps && scalar == program::Scalar::boolean) variable.type = Variable::Type::boolean;
  variable.causality = Variable::Causality::output;
  if (whole || !probe.continuous) variable.variability = Variable::Variability::discrete;
  return variable;
}

}  // namespace

void FileProgress::begin(std::size_t columns) {
  outcome.rows = flushed_rows_ = 0;
  outcome.columns = columns;
}

void FileProgress::add(std::size_t rows, double time) {
  outcome.rows += rows;
  last_time = time;
}

void FileProgress::note_flushed() {
  flushed_rows_ = outcome.rows;
  flushed_time_ = last_time;
}

bool FileProgress::end(io::OutputFile& file, bool good, const char* what, Diagnostics& diagnostics) {
  if (good && file.error() == 0) {
    outcome.whole = file.commit(diagnostics);
  } else {
    file.give_up(flushed_rows_ == 0
                     ? ""
                     : fmt::format("the {} {} up to t = {}", flushed_rows_, what, io::short_number(flushed_time_, 10)),
                 diagnostics);
  }
  return outcome.whole;
}

bool CsvSink::begin(const sim::StreamHead& head) {
  if (++run_ > 1 && every_run_) return head.columns.size() == progress_.outcome.columns;
  if (may_restart(head.program) && !every_run_) file_.hold();
  file_.guard_lines(true);
  if (!file_.rewind()) return false;
  progress_.begin(head.columns.size());
  std::vector<std::string> names;
  if (every_run_) names.emplace_back("run");
  for (const sim::Column& column : head.columns) names.push_back(column.name);
  io::CsvWriter(file_).header(names);
  return file_.error() == 0;
}

bool CsvSink::rows(const sim::Block& block) {
  const std::size_t width = block.columns.size();
  std::string& text = file_.buffer();
  for (std::size_t row = 0; row < block.rows(); ++row) {
    io::append_number(text, block.time[row]);
    if (every_run_) text += fmt::format(",{}", run_);
    const double* values = block.row(row);
    const std::size_t number = block.first_row + row;
    for (std::size_t k = 0; k < width; ++k) {
      text += ',';
      if (number >= block.columns[k].first) io::append_number(text, values[k]);
    }
    text += '\n';
    progress_.add(1, block.time[row]);
    if (!file_.written()) return false;
    if (text.empty()) progress_.note_flushed();
  }
  return file_.error() == 0;
}

void CsvSink::flush() {
  if (file_.flush()) progress_.note_flushed();
}

bool CsvSink::end(const sim::Report& /*report*/, Diagnostics& diagnostics) {
  file_.guard_lines(false);
  flush();
  return progress_.end(file_, true, "rows", diagnostics);
}

bool MtsfSink::begin(const sim::StreamHead& head) {
  const std::string place = file_.place_to_write();
  if (place.empty()) return false;
  io::MtsfContent content;
  content.model = head.options.name;
  content.tool = "Orrery";
  content.start = head.options.start;
  content.stop = head.options.stop;
  content.relative_tolerance = head.options.tolerance.relative;
  content.numbers_per_row = head.columns.size();
  for (std::size_t k = 0; k < head.columns.size(); ++k) {
    content.variables.push_back(variable_of(head.columns[k], k, head.program));
  }
  progress_.begin(head.columns.size());
  stream_.reset();  // of an earlier run
  stream_ = std::make_unique<io::MtsfStream>(place, std::move(content));
  return true;
}

bool MtsfSink::note(bool good) {
  if (!good && stream_) file_.fail(stream_->error());
  return good;
}

bool MtsfSink::rows(const sim::Block& block) {
  if (!stream_ || !note(stream_->append(block.time, block.values, block.last))) return false;
  if (block.rows() > 0) progress_.add(block.rows(), block.time.back());
  if (block.first_row == 0) progress_.note_flushed();  // the first append flushes
  return true;
}

void MtsfSink::flush() {
  if (stream_ && note(stream_->flush())) progress_.note_flushed();
}

bool MtsfSink::end(const sim::Report& report, Diagnostics& diagnostics) {
  return progress_.end(file_, stream_ && note(stream_->close(report.solver)), "rows", diagnostics);
}

bool LedgerFile::begin(const program::Program& program) {
  program_ = &program;
  if (++run_ > 1 && every_run_) return true;
  if (may_restart(program) && !every_run_) file_.hold();
  file_.guard_lines(true);
  if (!file_.rewind()) return false;
  progress_.begin(0);
  std::vector<std::string> names = {"cause", "block", "port", "left", "right", "restarted"};
  if (every_run_) names.insert(names.begin(), "run");
  io::CsvWriter(file_).header(names);
  return file_.error() == 0;
}

bool LedgerFile::events(std::span<const sim::LedgerEntry> entries) {
  io::CsvWriter csv(file_);
  for (const sim::LedgerEntry& entry : entries) {
    const bool crosses = entry.cause == sim::Cause::crossing || entry.cause == sim::Cause::mode;
    csv.number(entry.time);
    if (every_run_) csv.number(run_);
    csv.text(name_of(entry.cause));
    csv.text(entry.origin == 0 ? "" : program_->origins[entry.origin].path);
    csv.number(entry.port);
    if (crosses) {
      csv.number(entry.left);
      csv.number(entry.right);
    } else {
      csv.text("");
      csv.text("");
    }
    csv.number(entry.restarted ? 1 : 0);
    csv.end_row();
    progress_.add(1, entry.time);
    if (file_.buffer().empty() && file_.error() == 0) progress_.note_flushed();
  }
  return file_.error() == 0;
}

void LedgerFile::flush() {
  if (file_.flush()) progress_.note_flushed();
}

bool LedgerFile::end(const sim::Report& /*report*/, Diagnostics& diagnostics) {
  file_.guard_lines(false);
  flush();
  return progress_.end(file_, true, "events", diagnostics);
}

std::optional<RowsFile> open_rows_file(const std::string& path, Diagnostics& diagnostics, std::size_t every,
                                       bool disarm_formulas, bool every_run) {
  if (!io::can_be_written(path, diagnostics)) return std::nullopt;
  if (every_run && io::is_mtsf_name(path)) {
    diagnostics.error("bad-option", {path, 0, 0, {}, {}}, "the rows of every run go to a CSV file only",
                      "name a file that ends with .csv, or leave out --every-run");
    return std::nullopt;
  }
  auto file = io::OutputFile::open(path, diagnostics);
  if (!file) return std::nullopt;
  file->disarm_formulas(disarm_formulas);
  RowsFile rows;
  if (io::is_mtsf_name(path)) {
    auto sink = std::make_unique<MtsfSink>(std::move(*file));
    rows.outcome = &sink->outcome();
    rows.file = std::move(sink);
  } else {
    auto sink = std::make_unique<CsvSink>(std::move(*file), every_run);
    rows.outcome = &sink->outcome();
    rows.file = std::move(sink);
  }
  rows.sink = std::make_unique<sim::Selection>(*rows.file, nullptr, every);
  return rows;
}

}  // namespace orrery::api
