// SPDX-License-Identifier: Apache-2.0
// Keeping what graphs show.
#include "api/graph_sink.h"

#include <fmt/format.h>

#include <algorithm>

#include "cssl/languages.h"
#include "model/read_text.h"
#include "sim/options.h"

namespace orrery::api {
namespace {

constexpr std::size_t most_kept_rows = 1 << 15;
constexpr std::size_t most_drawn_runs = 20;

}  // namespace

std::vector<ProgramGraph> graphs_of_program(const std::string& file) {
  const cssl::Language* language = cssl::language_of_file(file);
  if (language == nullptr) return {};
  Diagnostics told;  // by whoever runs it
  const auto text = model::read_text(file, told);
  const auto program = text ? cssl::read(*language, *text, file, told) : std::nullopt;
  std::vector<ProgramGraph> graphs;
  if (!program) return graphs;
  for (const cssl::Graph& graph : program->graphs) graphs.push_back({graph.x, graph.y, graph.table});
  return graphs;
}

bool GraphSink::begin(const sim::StreamHead& head) {
  title_ = head.options.name;
  taken_.clear();
  DrawnRun run;
  run.columns.resize(1);
  const auto is_shown = [&](const std::string& name) {
    return std::any_of(graphs_.begin(), graphs_.end(), [&](const ProgramGraph& graph) {
      return graph.x == name || std::find(graph.y.begin(), graph.y.end(), name) != graph.y.end();
    });
  };
  for (std::size_t k = 0; k < head.columns.size(); ++k) {
    if (!is_shown(head.columns[k].name)) continue;
    taken_.push_back(k);
    run.names.push_back(head.columns[k].name);
    run.columns.emplace_back();
  }
  if (runs_.size() == most_drawn_runs) runs_.erase(runs_.begin());
  runs_.push_back(std::move(run));
  return true;
}

bool GraphSink::rows(const sim::Block& block) {
  DrawnRun& run = runs_.back();
  for (std::size_t row = 0; row < block.rows(); ++row) {
    if (++run.skipped < run.every) continue;
    run.skipped = 0;
    run.columns[0].push_back(block.time[row]);
    for (std::size_t k = 0; k < taken_.size(); ++k) run.columns[k + 1].push_back(block.row(row)[taken_[k]]);
    if (run.columns[0].size() < most_kept_rows) continue;
    run.every *= 2;
    for (std::vector<double>& column : run.columns) {
      for (std::size_t k = 0; 2 * k < column.size(); ++k) column[k] = column[2 * k];
      column.resize(column.size() / 2);
    }
  }
  if (on_rows) on_rows();
  return true;
}

io::Chart GraphSink::chart() const {
  io::Chart chart{title_, {}};
  for (const ProgramGraph& graph : graphs_) {
    if (graph.table) continue;
    io::Panel panel;
    panel.own_axis = true;
    panel.x_label = graph.x.empty() ? "t" : graph.x;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const DrawnRun& run = runs_[r];
      const auto column_of = [&](const std::string& name) -> const std::vector<double>* {
        const auto found = std::find(run.names.begin(), run.names.end(), name);
        return found == run.names.end() ? nullptr
                                        : &run.columns[static_cast<std::size_t>(found - run.names.begin()) + 1];
      };
      const std::vector<double>* x = graph.x.empty() ? &run.columns[0] : column_of(graph.x);
      for (const std::string& name : graph.y) {
        const std::vector<double>* y = column_of(name);
        if (x == nullptr || y == nullptr) continue;
        io::Curve curve;
        curve.name = runs_.size() > 1 ? fmt::format("{}, run {}", name, r + 1) : name;
        curve.time = x->data();
        curve.value = y->data();
        curve.count = y->size();
        panel.curves.push_back(std::move(curve));
      }
    }
    if (!panel.curves.empty()) chart.panels.push_back(std::move(panel));
  }
  return chart;
}

bool GraphSink::draws() const {
  return std::any_of(graphs_.begin(), graphs_.end(), [](const ProgramGraph& graph) { return !graph.table; });
}

std::string GraphSink::tables(std::size_t most_rows) const {
  std::string text;
  if (runs_.empty()) return text;
  const DrawnRun& run = runs_.back();
  for (const ProgramGraph& graph : graphs_) {
    if (!graph.table) continue;
    std::vector<const std::vector<double>*> columns{&run.columns[0]};
    text += fmt::format("\n{:>14}", "t");
    for (const std::string& name : graph.y) {
      const auto found = std::find(run.names.begin(), run.names.end(), name);
      if (found == run.names.end()) continue;
      columns.push_back(&run.columns[static_cast<std::size_t>(found - run.names.begin()) + 1]);
      text += fmt::format(" {:>14}", name);
    }
    text += "\n";
    const std::size_t rows = run.columns[0].size(),
                      every = (rows + most_rows - 1) / std::max<std::size_t>(most_rows, 1);
    for (std::size_t row = 0; row < rows; row += every) {
      if (row + every >= rows) row = rows - 1;  // the last one is shown
      for (std::size_t k = 0; k < columns.size(); ++k)
        text += fmt::format("{}{:>14.8g}", k == 0 ? "" : " ", (*columns[k])[row]);
      text += "\n";
    }
  }
  return text;
}

}  // namespace orrery::api
