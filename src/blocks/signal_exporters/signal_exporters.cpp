// SPDX-License-Identifier: Apache-2.0
// ToCSV, ToText, ToMat, ToHDF: their inputs are recorded as those of a Scope, and go to files of their own.
#include "blocks/signal_exporters/signal_exporters.h"

#include <fmt/format.h>

#include <cctype>

namespace orrery::blocks {
namespace {

using Format = program::ExportFile::Format;

constexpr const char* export_description =
    "A row has the time and the elements of all inputs. Without activation links a row is written whenever an input "
    "may "
    "change, in continuous time at every accepted step; with them at each activation. The model must be allowed to "
    "write "
    "files: `--allow write`. The file appears when the run ends.";

std::vector<ParameterSpec> export_specs(std::vector<ParameterSpec> special) {
  std::vector<ParameterSpec> specs = {
      {"file", "''", "name of the file, as a script would write it: relative to the folder in which the program runs"},
      {"inputs", "1", "number of inputs"},
      {"names", "''", "names of the signals, separated by commas"}};
  specs.insert(specs.end(), special.begin(), special.end());
  return specs;
}

void export_ports(Ports& p) { p.input_each(p.parameters().count("inputs"), "u", any_type); }

void build_export(Block& b, program::ExportFile file) {
  file.file = b.text("file");
  if (file.file.empty()) b.fail("file", "must be the name of a file");
  std::vector<std::string> names(1);
  for (const char c : b.text("names")) {
    if (c == ',') {
      names.emplace_back();
    } else if (c != ' ') {
      names.back() += c;
    }
  }
  if (names.size() > static_cast<std::size_t>(b.input_count()))
    b.fail("names", fmt::format("gives {} names for {} inputs", names.size(), b.input_count()));
  names.resize(static_cast<std::size_t>(b.input_count()));
  for (int k = 1; k <= b.input_count(); ++k) {
    const std::string& name = names[static_cast<std::size_t>(k - 1)];
    b.record(name.empty() ? fmt::format("u{}", k) : name, b.in(k));
  }
  b.record_event(1);
  b.export_to(std::move(file));
}

}  // namespace

const BlockType to_csv = {
    .name = "ToCSV",
    .palette = "SignalExporters",
    .summary = "Writes its inputs to a file of comma-separated values.",
    .description = export_description,
    .icon = {.text = "→ CSV"},
    .parameters = export_specs({}),
    .role = Role::exporter,
    .ports = export_ports,
    .build = [](Block& b) { build_export(b, {}); },
};

const BlockType to_text_file = {
    .name = "ToText",
    .palette = "SignalExporters",
    .summary = "Writes its inputs to a text file, a line of numbers for each row.",
    .description = export_description,
    .icon = {.text = "→ text"},
    .parameters = export_specs(
        {{"separator", "' '", "what stands between two numbers"}, {"header", "0", "1: the first line has the names"}}),
    .role = Role::exporter,
    .ports = export_ports,
    .build =
        [](Block& b) {
          program::ExportFile file;
          file.format = Format::text;
          file.separator = b.text("separator");
          file.header = b.flag("header");
          if (file.separator.empty()) b.fail("separator", "must not be empty");
          build_export(b, std::move(file));
        },
};

const BlockType to_mat = {
    .name = "ToMat",
    .palette = "SignalExporters",
    .summary = "Writes its inputs to a MAT file: a matrix whose first column is the time.",
    .description = std::string(export_description) + "\n\nThe rows are kept in memory until then.",
    .icon = {.text = "→ MAT"},
    .parameters = export_specs({{"variable", "'x'", "name of the matrix in the file"}}),
    .role = Role::exporter,
    .ports = export_ports,
    .build =
        [](Block& b) {
          program::ExportFile file;
          file.format = Format::mat;
          file.variable = b.text("variable");
          bool good = !file.variable.empty() && std::isalpha(static_cast<unsigned char>(file.variable[0])) != 0;
          for (const char c : file.variable)
            good = good && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_');
          if (!good) b.fail("variable", fmt::format("'{}' is not the name of a variable", file.variable));
          build_export(b, std::move(file));
        },
};

const BlockType to_hdf = {
    .name = "ToHDF",
    .palette = "SignalExporters",
    .summary = "Writes its inputs to an HDF5 file in the layout MTSF.",
    .description = export_description,
    .icon = {.text = "→ HDF"},
    .parameters = export_specs({}),
    .role = Role::exporter,
    .ports = export_ports,
    .build =
        [](Block& b) {
          program::ExportFile file;
          file.format = Format::hdf5;
          build_export(b, std::move(file));
        },
};

}  // namespace orrery::blocks
