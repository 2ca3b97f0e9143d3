// SPDX-License-Identifier: Apache-2.0
// The recording of a run as a file: rows, HDF5, or the picture of a scope.
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/csv.h"
#include "io/mtsf.h"
#include "io/number_text.h"
#include "io/svg_plot.h"
#include "server/open_document.h"
#include "server/run_info.h"

namespace orrery::server {
namespace {

std::string cell(double x) { return std::isnan(x) ? std::string() : io::number_text(x); }

std::string csv_name(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

HttpResponse mtsf_file(const RunRecording& recording, const std::string& name, std::uint32_t number) {
  const std::string file = "run" + std::to_string(number) + ".mtsf";
  io::MtsfContent content;
  content.model = name;
  content.tool = "orrery";
  content.time = recording.time();
  content.start = content.time.empty() ? 0 : content.time.front();
  content.stop = content.time.empty() ? 0 : content.time.back();
  content.numbers_per_row = recording.columns().size();
  for (std::size_t k = 0; k < recording.columns().size(); ++k) {
    io::MtsfVariable variable;
    variable.name = recording.columns()[k].name;
    variable.place = k;
    content.variables.push_back(std::move(variable));
  }
  content.numbers.reserve(recording.rows() * recording.columns().size());
  for (std::size_t row = 0; row < recording.rows(); ++row) {
    for (std::size_t k = 0; k < recording.columns().size(); ++k) content.numbers.push_back(recording.value(row, k));
  }
  Diagnostics diagnostics;
  auto bytes = io::mtsf_bytes(content, file, diagnostics);
  if (!bytes) return {500, "application/json", dump({{"error", diagnostic_json(diagnostics.all().front())}})};
  return {
      200, "application/x-hdf5", std::move(*bytes), {{"Content-Disposition", "attachment; filename=\"" + file + "\""}}};
}

// All curves of `signals` in one panel, the part of the time that the page shows.
HttpResponse picture_file(const RunRecording& recording, const HttpRequest& request, std::uint32_t number) {
  const auto signals = numbers_below(query_text(request, "signals"), recording.columns().size());
  if (!signals || signals->empty())
    return {400, "application/json",
            dump({{"error", diagnostic_json(make_error("bad-request", "signals are numbers of columns"))}})};
  const double from = query_number(request, "from", -INFINITY), to = query_number(request, "to", INFINITY);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < recording.rows(); ++row)
    if (recording.time()[row] >= from && recording.time()[row] <= to) rows.push_back(row);
  std::vector<double> time;
  for (const std::size_t row : rows) time.push_back(recording.time()[row]);
  std::vector<std::vector<double>> values(signals->size());
  io::Panel panel;
  panel.title = query_text(request, "title");
  for (std::size_t k = 0; k < signals->size(); ++k) {
    for (const std::size_t row : rows) values[k].push_back(recording.value(row, (*signals)[k]));
    panel.curves.push_back({recording.columns()[(*signals)[k]].name, time.data(), values[k].data(), time.size()});
  }
  io::Chart chart;
  chart.panels.push_back(std::move(panel));
  return {200,
          "image/svg+xml",
          io::svg_plot(chart),
          {{"Content-Disposition", "attachment; filename=\"run" + std::to_string(number) + ".svg\""}}};
}

}  // namespace

std::optional<std::vector<std::size_t>> numbers_below(const std::string& text, std::size_t count) {
  std::vector<std::size_t> found;
  const char *at = text.data(), *end = at + text.size();
  while (at < end) {
    std::size_t number = 0;
    const auto [stop, status] = std::from_chars(at, end, number);
    if (status != std::errc{} || number >= count || (stop < end && *stop != ',')) return std::nullopt;
    found.push_back(number);
    at = stop + (stop < end);
  }
  return found;
}

HttpResponse OpenDocument::result_file(const HttpRequest& request) {
  const std::string name = request.path.substr(std::string("/results/").size());
  std::uint32_t number = 0;
  const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), number);
  const auto found = status == std::errc{} ? runs_.find(number) : runs_.end();
  if (found == runs_.end()) return no_run();
  const RunRecording& recording = found->second->recording;
  const std::string_view form(end);
  if (form == ".svg") return picture_file(recording, request, number);
  if (form == ".mtsf") return mtsf_file(recording, text_field(found->second->info, "name"), number);
  if (form != ".csv")
    return {
        404, "application/json",
        dump({{"error", diagnostic_json(make_error("bad-request", "results are written as .csv, .mtsf or .svg"))}})};
  std::string text = "time";
  for (const RecordedColumn& column : recording.columns()) text += "," + csv_name(column.name);
  text += "\n";
  for (std::size_t row = 0; row < recording.rows(); ++row) {
    text += io::number_text(recording.time()[row]);
    for (std::size_t column = 0; column < recording.columns().size(); ++column)
      text += "," + cell(recording.value(row, column));
    text += "\n";
  }
  return {200,
          "text/csv; charset=utf-8",
          std::move(text),
          {{"Content-Disposition", "attachment; filename=\"run" + std::to_string(number) + ".csv\""}}};
}

}  // namespace orrery::server
