// SPDX-License-Identifier: Apache-2.0
// DISPLY, PRINT, RANGE, PLOT: what a run has given.
#include <fmt/format.h>

#include "api/acsl_commands.h"
#include "io/output_file.h"
#include "io/svg_plot.h"
#include "io/terminal_plot.h"

namespace orrery::api {
namespace {

constexpr std::size_t most_printed_rows = 10'000;

}  // namespace

void AcslSession::Commands::table(const std::vector<std::size_t>& wanted, std::size_t every) {
  std::string text = fmt::format("{:>14}", "t");
  for (const std::size_t column : wanted) text += fmt::format(" {:>14}", session.results_.names[column]);
  text += "\n";
  std::size_t shown = 0;
  for (std::size_t row = 0; row < session.results_.rows(); row += every) {
    if (++shown > most_printed_rows) break;
    text += fmt::format("{:>14.8g}", session.results_.time[row]);
    for (const std::size_t column : wanted) text += fmt::format(" {:>14.8g}", session.results_.value(row, column));
    text += "\n";
  }
  session.say_(text);
}

void AcslSession::Commands::print(const Line& line) {
  const Items found = items(line);
  if (!found.good) return;
  if (const auto wanted = columns(line, found.names.empty() ? session.prepared_ : found.names)) table(*wanted, 1);
}

void AcslSession::Commands::display(const Line& line) {
  Items found = items(line);
  if (!found.good) return;
  if (found.names.empty()) {
    for (const auto& [name, value] : session.constants_) found.names.push_back(name);
    for (const std::string& name : session.results_.names) found.names.push_back(name);
  }
  std::string text;
  for (const std::string& name : found.names) {
    const std::size_t column = session.results_.rows() > 0 ? session.results_.column(name) : SIZE_MAX;
    const auto constant = session.constants_.find(name);
    if (column != SIZE_MAX) {
      text += fmt::format("{:>12} = {:.10g}\n", name, session.results_.value(session.results_.rows() - 1, column));
    } else if (constant != session.constants_.end()) {
      text += fmt::format("{:>12} =", name);
      for (const double value : constant->second) text += fmt::format(" {:.10g}", value);
      text += "\n";
    } else if (name == "t" && session.results_.rows() > 0) {
      text += fmt::format("{:>12} = {:.10g}\n", name, session.results_.time.back());
    } else {
      return error(line[0], fmt::format("{} has no value", name), "START runs the model");
    }
  }
  session.say_(text);
}

void AcslSession::Commands::range(const Line& line) {
  const Items found = items(line);
  if (!found.good) return;
  const auto wanted = columns(line, found.names);
  if (!wanted) return;
  std::string text;
  for (const std::size_t column : *wanted) {
    std::size_t least = 0, most = 0;
    for (std::size_t row = 0; row < session.results_.rows(); ++row) {
      if (session.results_.value(row, column) < session.results_.value(least, column)) least = row;
      if (session.results_.value(row, column) > session.results_.value(most, column)) most = row;
    }
    text += fmt::format("{:>12}: {:.10g} at t = {:.8g} to {:.10g} at t = {:.8g}\n", session.results_.names[column],
                        session.results_.value(least, column), session.results_.time[least],
                        session.results_.value(most, column), session.results_.time[most]);
  }
  session.say_(text);
}

// PLOT a, b with 'XAXIS'=x, limits 'XLO' 'XHI' 'LO' 'HI', texts 'XTAG' 'TAG' 'TITLE', 'FILE'='a.svg'.
void AcslSession::Commands::plot(const Line& line) {
  const Items found = items(line);
  if (!found.good) return;
  const auto wanted = columns(line, found.names.empty() ? session.prepared_ : found.names);
  if (!wanted) return;
  const auto text_of = [&](const char* option, const std::string& otherwise) {
    const auto item = found.options.find(option);
    return item != found.options.end() ? item->second : otherwise;
  };
  std::vector<double> x = session.results_.time;
  io::Panel panel;
  panel.x_label = "t";
  if (const auto over = found.options.find("XAXIS"); over != found.options.end()) {
    const auto axis = columns(line, {over->second});
    if (!axis || axis->empty()) return;
    for (std::size_t row = 0; row < x.size(); ++row) x[row] = session.results_.value(row, (*axis)[0]);
    panel.own_axis = true;
    panel.x_label = over->second;
  }
  panel.x_label = text_of("XTAG", panel.x_label);
  panel.y_label = text_of("TAG", {});
  const char* limits[] = {"XLO", "XHI", "LO", "HI"};
  for (std::size_t k = 0; k < 4; ++k) {
    if (const auto limit = number_of(line, found, limits[k])) panel.limits[k] = *limit;
  }
  if (!good && strict) return;
  for (const std::size_t column : *wanted) {
    io::Curve curve;
    curve.name = session.results_.names[column];
    curve.time = x.data();
    curve.value = session.results_.values.data() + column;
    curve.count = x.size();
    curve.stride = session.results_.names.size();
    panel.curves.push_back(std::move(curve));
  }
  if (const auto file = found.options.find("FILE"); file != found.options.end()) {
    io::Chart chart;
    chart.title = text_of("TITLE", session.title_);
    chart.panels.push_back(std::move(panel));
    auto out = io::OutputFile::open(file->second, diagnostics);
    if (out) out->write(io::svg_plot(chart));
    good = out && out->commit(diagnostics) && good;
    return;
  }
  session.say_(io::terminal_plot(panel, {}));
}

}  // namespace orrery::api
