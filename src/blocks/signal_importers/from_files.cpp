// SPDX-License-Identifier: Apache-2.0
// FromCSV, FromText, FromMat, FromHDF: samples from files, read by the functions of the scripting language.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blocks/signal_generators/samples.h"
#include "blocks/signal_importers/signal_importers.h"
#include "blocks/tracer.h"

namespace orrery::blocks {
namespace {

struct FileTable {
  std::size_t rows = 0, cols = 0;
  std::vector<double> data;  // column by column
};

std::string quoted_text(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

// What the expression of the block's type reads.
FileTable table_of(const Parameters& p) {
  const std::string& type = p.type()->name;
  if (p.text("file").empty()) p.fail("file", "must be the name of a file");
  if (p.tracer() == nullptr) p.fail("file", "can only be read inside a model");
  const std::string file = quoted_text(p.text("file"));
  std::string call;
  if (type == "FromMat") {
    call = fmt::format("getfield(load({}),{})", file, quoted_text(p.text("variable")));
  } else if (type == "FromHDF") {
    call = fmt::format("hdf5read({},{})", file, quoted_text(p.text("variable")));
  } else {
    const int skip = p.integer("skip");
    if (skip < 0) p.fail("skip", "must not be negative");
    call = type == "FromCSV" ? fmt::format("csvread({},{},0)", file, skip)
                             : fmt::format("dlmread({},{},{},0)", file, quoted_text(p.text("separator")), skip);
  }
  program::Graph scratch;
  try {
    const Expr read = p.tracer()->trace(call, {}, scratch);
    if (!scratch.is_constant(read.id()) || read.scalar_type() == Scalar::c128) p.fail("file", "must hold real numbers");
    FileTable table{static_cast<std::size_t>(read.rows()), static_cast<std::size_t>(read.cols()), {}};
    const auto data = scratch.constant_data(read.id());
    table.data.assign(data.begin(), data.end());
    return table;
  } catch (const ParameterError& error) {
    p.fail("file", error);
  }
}

// Numbers of the columns that are given out, from 0.
std::vector<std::size_t> chosen_columns(const Parameters& p, const FileTable& table) {
  const int time = p.integer("time");
  if (time < 1 || static_cast<std::size_t>(time) > table.cols) {
    p.fail("time", fmt::format("must be from 1 to {}, the number of columns of the file", table.cols));
  }
  std::vector<std::size_t> columns;
  for (const double x : p.reals("columns")) {
    if (!(x >= 1 && x <= static_cast<double>(table.cols)) || x != std::floor(x)) {
      p.fail("columns", fmt::format("must be whole numbers from 1 to {}, the columns of the file", table.cols));
    }
    columns.push_back(static_cast<std::size_t>(x) - 1);
  }
  if (!p.given("columns")) {
    for (std::size_t k = 0; k < table.cols; ++k) {
      if (k + 1 != static_cast<std::size_t>(time)) columns.push_back(k);
    }
  }
  if (columns.empty()) p.fail("columns", "the file has no column besides the times");
  return columns;
}

void file_ports(Ports& p) {
  if (p.parameters().tracer() == nullptr) {  // for the manual: no file has been named
    p.output("y", {-1, 1}, Scalar::f64).activation_outputs(1);
    return;
  }
  const auto count = static_cast<int>(chosen_columns(p.parameters(), table_of(p.parameters())).size());
  p.output("y", {count, 1}, Scalar::f64).activation_outputs(1);
}

void build_from_file(Block& b) {
  const FileTable table = table_of(b.parameters());
  const auto time = static_cast<std::size_t>(b.integer("time") - 1);
  const auto first = table.data.begin() + static_cast<std::ptrdiff_t>(time * table.rows);
  const std::vector<double> times(first, first + static_cast<std::ptrdiff_t>(table.rows));
  SampledChannel channel{b.out_type(), {}};
  const std::vector<std::size_t> columns = chosen_columns(b.parameters(), table);
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (const std::size_t column : columns) channel.data.push_back(table.data[column * table.rows + row]);
  }
  build_samples(b, times, {channel}, sample_rules(b, "file"));
}

std::vector<ParameterSpec> file_specs(std::vector<ParameterSpec> special) {
  std::vector<ParameterSpec> specs = {
      {"file", "''", "name of the file, as a script would write it: relative to the folder in which the program runs"}};
  specs.insert(specs.end(), special.begin(), special.end());
  specs.push_back({"time", "1", "number of the column with the times, which ascend"});
  specs.push_back({"columns", "[]", "numbers of the columns that are given out; []: all others"});
  return sample_specs(std::move(specs));
}

const ParameterSpec skip_spec = {"skip", "0", "number of lines at the beginning that are passed over"};
const char* const file_description =
    "The file is read when the model is compiled. The signal is that of a SignalGenerator: its times are events, at "
    "which the activation output fires.";

}  // namespace

const BlockType from_csv = {
    .name = "FromCSV",
    .palette = "SignalImporters",
    .summary = "A signal from the columns of a file of comma-separated numbers.",
    .description = file_description,
    .icon = {.text = "CSV →"},
    .parameters = file_specs({skip_spec}),
    .activation = Activation::always,
    .ports = file_ports,
    .build = build_from_file,
    .traces = true,
};

const BlockType from_text = {
    .name = "FromText",
    .palette = "SignalImporters",
    .summary = "A signal from the columns of a text file of numbers.",
    .description = file_description,
    .icon = {.text = "text →"},
    .parameters = file_specs({skip_spec, {"separator", "' '", "what stands between two numbers"}}),
    .activation = Activation::always,
    .ports = file_ports,
    .build = build_from_file,
    .traces = true,
};

const BlockType from_mat = {
    .name = "FromMat",
    .palette = "SignalImporters",
    .summary = "A signal from the columns of a matrix in a MAT file.",
    .description = file_description,
    .icon = {.text = "MAT →"},
    .parameters = file_specs({{"variable", "'x'", "name of the matrix in the file"}}),
    .activation = Activation::always,
    .ports = file_ports,
    .build = build_from_file,
    .traces = true,
};

const BlockType from_hdf = {
    .name = "FromHDF",
    .palette = "SignalImporters",
    .summary = "A signal from the columns of a matrix in an HDF5 file.",
    .description = std::string(file_description) +
                   "\n\nThe variable is the path of a matrix of numbers; or, in files of the layout MTSF, which ToHDF "
                   "and `orrery run --out` write, the names of variables with commas between them: the columns are "
                   "then the time and these.",
    .icon = {.text = "HDF →"},
    .parameters = file_specs({{"variable", "'/x'", "path of the matrix, or names of MTSF variables"}}),
    .activation = Activation::always,
    .ports = file_ports,
    .build = build_from_file,
    .traces = true,
};

}  // namespace orrery::blocks
