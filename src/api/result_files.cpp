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

const char* name_of(sim::Cause cause) {
  switch (cause) {
    case sim::Cause::initial: return "initial";
    case sim::Cause::clock: return "clock";
    case sim::Cause::programmed: return "programmed";
    case sim::Cause::crossing: return "crossing";
    case sim::Cause::mode: return "mode";
    case sim::Cause::step: return "step";
  }
  return "";
}

// Whether an End block may ask for another run, of which alone the results are wanted.
bool may_restart(const program::Program& program) {
  for (const program::Source& source : program.sources) {
    for (const program::Action& action : source.table.actions) {
      if (action.kind == program::ActionKind::restart) return true;
    }
  }
  return false;
}

// The end of a file that could not be written.
void give_up(io::OutputFile& file, std::size_t rows, const char* what, double time, Diagnostics& diagnostics) {
  file.give_up(rows == 0 ? "" : fmt::format("the {} {} up to t = {}", rows, what, io::short_number(time, 10)),
               diagnostics);
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

bool CsvSink::begin(const sim::StreamHead& head) {
  if (may_restart(head.program)) file_.hold();
  file_.guard_lines(true);
  if (!file_.rewind()) return false;
  outcome_.rows = flushed_rows_ = 0;
  outcome_.columns = head.columns.size();
  std::vector<std::string> names;
  for (const sim::Column& column : head.columns) names.push_back(column.name);
  io::CsvWriter(file_).header(names);
  return file_.error() == 0;
}

bool CsvSink::rows(const sim::Block& block) {
  const std::size_t width = block.columns.size();
  std::string& text = file_.buffer();
  for (std::size_t row = 0; row < block.rows(); ++row) {
    io::append_number(text, block.time[row]);
    const double* values = block.row(row);
    const std::size_t number = block.first_row + row;
    for (std::size_t k = 0; k < width; ++k) {
      text += ',';
      if (number >= block.columns[k].first) io::append_number(text, values[k]);
    }
    text += '\n';
    ++outcome_.rows;
    last_time_ = block.time[row];
    if (!file_.written()) return false;
    if (text.empty()) note_flushed(last_time_);
  }
  return file_.error() == 0;
}

void CsvSink::note_flushed(double time) {
  flushed_rows_ = outcome_.rows;
  flushed_time_ = time;
}

void CsvSink::flush() {
  if (file_.flush()) note_flushed(last_time_);
}

bool CsvSink::end(const sim::Report& /*report*/, Diagnostics& diagnostics) {
  file_.guard_lines(false);
  flush();
  if (file_.error() == 0) {
    outcome_.whole = file_.commit(diagnostics);
  } else {
    give_up(file_, flushed_rows_, "rows", flushed_time_, diagnostics);
  }
  return outcome_.whole;
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
  outcome_.rows = flushed_rows_ = 0;
  outcome_.columns = head.columns.size();
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
  outcome_.rows += block.rows();
  if (block.rows() > 0) last_time_ = block.time.back();
  if (block.first_row == 0) flushed_rows_ = outcome_.rows, flushed_time_ = last_time_;  // the first append flushes
  return true;
}

void MtsfSink::flush() {
  if (!stream_ || !note(stream_->flush())) return;
  flushed_rows_ = outcome_.rows;
  flushed_time_ = last_time_;
}

bool MtsfSink::end(const sim::Report& report, Diagnostics& diagnostics) {
  if (stream_ && note(stream_->close(report.solver)) && file_.error() == 0) {
    outcome_.whole = file_.commit(diagnostics);
  } else {
    give_up(file_, flushed_rows_, "rows", flushed_time_, diagnostics);
  }
  return outcome_.whole;
}

bool LedgerFile::begin(const program::Program& program) {
  if (may_restart(program)) file_.hold();
  file_.guard_lines(true);
  if (!file_.rewind()) return false;
  program_ = &program;
  outcome_.rows = flushed_rows_ = 0;
  io::CsvWriter(file_).header({"cause", "block", "port", "left", "right", "restarted"});
  return file_.error() == 0;
}

bool LedgerFile::events(std::span<const sim::LedgerEntry> entries) {
  io::CsvWriter csv(file_);
  for (const sim::LedgerEntry& entry : entries) {
    const bool crosses = entry.cause == sim::Cause::crossing || entry.cause == sim::Cause::mode;
    csv.number(entry.time);
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
    ++outcome_.rows;
    if (file_.buffer().empty() && file_.error() == 0) flushed_rows_ = outcome_.rows;
  }
  return file_.error() == 0;
}

void LedgerFile::flush() {
  if (file_.flush()) flushed_rows_ = outcome_.rows;
}

bool LedgerFile::end(const sim::Report& report, Diagnostics& diagnostics) {
  file_.guard_lines(false);
  flush();
  if (file_.error() == 0) {
    outcome_.whole = file_.commit(diagnostics);
  } else {
    give_up(file_, flushed_rows_, "events", report.time, diagnostics);
  }
  return outcome_.whole;
}

std::optional<RowsFile> open_rows_file(const std::string& path, Diagnostics& diagnostics, std::size_t every) {
  if (!io::can_be_written(path, diagnostics)) return std::nullopt;
  auto file = io::OutputFile::open(path, diagnostics);
  if (!file) return std::nullopt;
  RowsFile rows;
  if (io::is_mtsf_name(path)) {
    auto sink = std::make_unique<MtsfSink>(std::move(*file));
    rows.outcome = &sink->outcome();
    rows.file = std::move(sink);
  } else {
    auto sink = std::make_unique<CsvSink>(std::move(*file));
    rows.outcome = &sink->outcome();
    rows.file = std::move(sink);
  }
  rows.sink = std::make_unique<sim::Selection>(*rows.file, nullptr, every);
  return rows;
}

}  // namespace orrery::api
