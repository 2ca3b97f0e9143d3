// SPDX-License-Identifier: Apache-2.0
// Choosing the rows and columns of exporter blocks, and writing them.
#include "api/export_files.h"

#include <algorithm>

#include "api/result_files.h"
#include "io/number_text.h"
#include "oml/builtins/mat_files.h"
#include "oml/error.h"
#include "program/program.h"
#include "sim/simulation.h"

namespace orrery::api {
namespace {

using Format = program::ExportFile::Format;

Place place_of(const program::Program& program, program::OriginId origin) {
  const program::Origin& block = program.origins[origin];
  return {program.origins[0].path, block.line, 0, block.path, "parameter file"};
}

// The columns of one block, at the rows that belong to it: all where continuous time reaches it, else those of its
// activations, of which the recording has a count.
class RowsOfBlock final : public sim::Sink {
 public:
  RowsOfBlock(sim::Sink& to, program::OriginId origin) : to_(to), origin_(origin) {}

  bool begin(const sim::StreamHead& head) override {
    kept_.clear();
    columns_.clear();
    count_ = SIZE_MAX;
    continuous_ = false;
    rows_ = 0;
    before_ = 0;
    const std::string prefix = head.program.origins[origin_].path + ".";
    for (std::size_t c = 0; c < head.columns.size(); ++c) {
      const program::Probe& probe = head.program.probes[head.columns[c].probe];
      if (probe.origin != origin_) continue;
      if (probe.counts) {
        count_ = c;
        continue;
      }
      kept_.push_back(c);
      sim::Column column = head.columns[c];
      if (column.name.starts_with(prefix)) column.name.erase(0, prefix.size());
      column.first = 0;
      columns_.push_back(std::move(column));
      continuous_ = continuous_ || probe.continuous;
    }
    return to_.begin({head.program, head.options, columns_});
  }

  bool rows(const sim::Block& block) override {
    time_.clear();
    phase_.clear();
    values_.clear();
    for (std::size_t row = 0; row < block.rows(); ++row) {
      const double* values = block.row(row);
      bool taken = continuous_ || count_ == SIZE_MAX;
      if (!taken) taken = values[count_] != before_ && !(values[count_] != values[count_]);
      if (count_ != SIZE_MAX) before_ = values[count_];
      if (!taken) continue;
      time_.push_back(block.time[row]);
      phase_.push_back(block.phase[row]);
      for (const std::size_t c : kept_) values_.push_back(values[c]);
    }
    sim::Block mine{columns_, rows_, time_, phase_, values_.data(), block.last};
    rows_ += time_.size();
    return to_.rows(mine);
  }

  void flush() override { to_.flush(); }
  bool end(const sim::Report& report, Diagnostics& diagnostics) override { return to_.end(report, diagnostics); }

 private:
  sim::Sink& to_;
  program::OriginId origin_;
  std::vector<std::size_t> kept_;
  std::vector<sim::Column> columns_;
  std::size_t count_ = SIZE_MAX, rows_ = 0;
  bool continuous_ = false;
  double before_ = 0;
  std::vector<double> time_, values_;
  std::vector<sim::Phase> phase_;
};

class TextSink final : public sim::Sink {
 public:
  TextSink(io::OutputFile file, std::string separator, bool header)
      : file_(std::move(file)), separator_(std::move(separator)), header_(header) {}

  bool begin(const sim::StreamHead& head) override {
    file_.hold();
    if (!file_.rewind()) return false;
    if (!header_) return true;
    file_.write("time");
    for (const sim::Column& column : head.columns) file_.write(separator_ + column.name);
    file_.write("\n");
    return file_.error() == 0;
  }
  bool rows(const sim::Block& block) override {
    for (std::size_t row = 0; row < block.rows(); ++row) {
      std::string& text = file_.buffer();
      io::append_number(text, block.time[row]);
      for (std::size_t c = 0; c < block.columns.size(); ++c) {
        text += separator_;
        io::append_number(text, block.row(row)[c]);
      }
      text += '\n';
      if (!file_.written()) return false;
    }
    return true;
  }
  void flush() override { static_cast<void>(file_.flush()); }
  bool end(const sim::Report&, Diagnostics& diagnostics) override { return file_.commit(diagnostics); }

 private:
  io::OutputFile file_;
  std::string separator_;
  bool header_;
};

class MatSink final : public sim::Sink {
 public:
  MatSink(std::string file, std::string variable, Place place)
      : file_(std::move(file)), variable_(std::move(variable)), place_(std::move(place)) {}

  bool begin(const sim::StreamHead& head) override {
    width_ = head.columns.size() + 1;
    values_.clear();
    return true;
  }
  bool rows(const sim::Block& block) override {
    for (std::size_t row = 0; row < block.rows(); ++row) {
      values_.push_back(block.time[row]);
      values_.insert(values_.end(), block.row(row), block.row(row) + block.columns.size());
    }
    return true;
  }
  bool end(const sim::Report&, Diagnostics& diagnostics) override {
    const std::size_t rows = width_ == 0 ? 0 : values_.size() / width_;
    oml::Value matrix = oml::Value::zeros(
        oml::Dims(static_cast<oml::Index>(rows), static_cast<oml::Index>(std::max<std::size_t>(width_, 1))));
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t c = 0; c < width_; ++c)
        matrix.edit_real()[static_cast<oml::Index>(c * rows + row)] = values_[row * width_ + c];
    }
    try {
      oml::write_mat_file(file_, {{variable_, matrix}}, oml::MatVersion::v5, false);
      return true;
    } catch (const oml::OmlError& error) {
      diagnostics.error("output-unwritable", place_, error.message, "choose another file");
      return false;
    }
  }
  bool keeps_rows() const override { return true; }

 private:
  std::string file_, variable_;
  Place place_;
  std::size_t width_ = 0;
  std::vector<double> values_;
};

std::unique_ptr<sim::Sink> open_export(const program::ExportFile& file, const Place& place, Diagnostics& diagnostics) {
  if (file.format == Format::mat) return std::make_unique<MatSink>(file.file, file.variable, place);
  if (file.format == Format::hdf5 && !io::can_be_written(file.file + ".h5", diagnostics)) return nullptr;
  auto output = io::OutputFile::open(file.file, diagnostics);
  if (!output) return nullptr;
  switch (file.format) {
    case Format::csv: return std::make_unique<CsvSink>(std::move(*output));
    case Format::hdf5: return std::make_unique<MtsfSink>(std::move(*output));
    default: return std::make_unique<TextSink>(std::move(*output), file.separator, file.header);
  }
}

}  // namespace

bool may_export(const program::Program& program, const Consent& consent, const std::string& file,
                Diagnostics& diagnostics) {
  if (program.exports.empty() || consent.may(Capability::write)) return true;
  for (const program::ExportFile& target : program.exports) {
    Place place = place_of(program, target.origin);
    place.file = file;
    diagnostics.add(refusal(consent, Capability::write, std::move(place), target.file));
  }
  return false;
}

ExportFiles::~ExportFiles() = default;

std::unique_ptr<ExportFiles> ExportFiles::open(const program::Program& program, Diagnostics& diagnostics) {
  std::unique_ptr<ExportFiles> files(new ExportFiles);
  for (const program::ExportFile& target : program.exports) {
    const Place place = place_of(program, target.origin);
    for (const program::ExportFile& other : program.exports) {
      if (&other == &target) break;
      if (other.file != target.file) continue;
      diagnostics.error("output-unwritable", place, "another block writes " + target.file + " already",
                        "give each exporter a file of its own");
      return nullptr;
    }
    Piece piece;
    piece.file = open_export(target, place, diagnostics);
    if (!piece.file) return nullptr;
    piece.rows = std::make_unique<RowsOfBlock>(*piece.file, target.origin);
    files->pieces_.push_back(std::move(piece));
  }
  return files;
}

std::vector<sim::Sink*> ExportFiles::sinks() const {
  std::vector<sim::Sink*> list;
  for (const Piece& piece : pieces_) list.push_back(piece.rows.get());
  return list;
}

void ExportFiles::end(const sim::Report& report, Diagnostics& diagnostics) {
  if (ended_) return;
  ended_ = true;
  for (const Piece& piece : pieces_) static_cast<void>(piece.rows->end(report, diagnostics));
}

}  // namespace orrery::api
