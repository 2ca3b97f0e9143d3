// SPDX-License-Identifier: Apache-2.0
// The graphs that a program asks for (GRAPH of DARE-P, dispt and dispxy of DESIRE, PRTPLT of CSMP), run after run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/chart.h"
#include "sim/sink.h"

namespace orrery::api {

// Curves over the time, or over another variable.
struct ProgramGraph {
  std::string x;  // empty: the time
  std::vector<std::string> y;
  bool table = false;  // numbers instead of curves
};

// Of a program in a text language; empty for others, and where nothing is asked for.
std::vector<ProgramGraph> graphs_of_program(const std::string& file);

class GraphSink final : public sim::Sink {
 public:
  explicit GraphSink(std::vector<ProgramGraph> graphs) : graphs_(std::move(graphs)) {}

  // Called when rows have come, for those who watch the run.
  std::function<void()> on_rows;

  [[nodiscard]] bool begin(const sim::StreamHead& head) override;
  [[nodiscard]] bool rows(const sim::Block& block) override;
  // A panel for each graph, with the curves of all runs. It refers to this object.
  io::Chart chart() const;
  // LIST of DARE-P, PRINT of CSMP, type of DESIRE: the rows of the last run, thinned out where there are many.
  std::string tables(std::size_t most_rows) const;
  bool empty() const { return graphs_.empty(); }
  bool draws() const;

 private:
  // One run: the time and the columns that graphs show, thinned out evenly where there are too many rows.
  struct DrawnRun {
    std::vector<std::string> names;
    std::vector<std::vector<double>> columns;  // [0] is the time
    std::size_t every = 1, skipped = 0;
  };
  std::vector<ProgramGraph> graphs_;
  std::string title_;
  std::vector<DrawnRun> runs_;
  std::vector<std::size_t> taken_;  // columns of the rows, for columns 1, 2, … of the run
};

}  // namespace orrery::api
