// SPDX-License-Identifier: Apache-2.0
// The groups of measurements, each a list of rows that is printed as it grows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/model.h"
#include "api/run.h"
#include "measure.h"

namespace orrery::bench {

// CPU seconds of Xcos by model; empty where Scilab is not installed.
using Peers = std::map<std::string, double>;
Peers run_xcos();

std::vector<Row> model_rows(const Peers& peers);               // a1 to c2 and what their steps and events cost
std::vector<Row> block_rows();                                 // blocks beside C, blocks that call other code
std::vector<Row> code_rows();                                  // right-hand sides and compilers
std::vector<Row> stiff_rows();                                 // CVODE
std::vector<Row> precision_rows(const std::string& pictures);  // published problems; the folder may be empty
std::vector<Row> scipy_rows();                                 // SciPy at equal error
std::vector<Row> heat_rows();                                  // the heat equation on 100 000 points
std::vector<Row> oml_rows();                                   // scripts beside GNU Octave, algebra beside LAPACK
std::vector<Row> fmu_rows();                                   // FMUs: start, steps, calls into another process
std::vector<Row> equation_rows();                              // a million equations
std::vector<Row> picture_rows();                               // layout and routes of large sheets
std::vector<Row> edit_rows();                                  // edits of large sheets
std::vector<Row> run_rows();                                   // many runs of one compiled model
std::vector<Row> language_rows();                              // programs of text languages beside C
std::vector<Row> sweep_rows();                                 // sweeps on threads and in lanes; gradients of searches
std::vector<Row> start_rows();  // time to the first result, compile time and memory by size

// The command line with these words. Wall time, because that is what somebody waits for; the best of ten, because
// others use the machine.
Row wall_row(const std::string& name, const std::vector<std::string>& words, double goal);

// Compiles a file and takes its first step in this process; prints the cost of each stage. For start_rows().
int measure_start(const std::string& file);

// A compiled model whose runs are made on second-tier code and record nothing unless the settings say so.
struct Compiled {
  api::CompiledModel model;
  api::RunSettings settings;

  api::Run start() const { return model.start(settings); }
  // The names of its states, in the order of the blocks.
  std::vector<std::string> states() const;
};
// With probes on these variables only; without any, on what the model shows.
Compiled compile_model(const api::Model& model, const std::vector<std::string>& probes = {});
// The text of a diagram, with other settings where some are given.
Compiled compile_diagram(const std::string& text, const std::vector<api::Setting>& settings = {},
                         const std::vector<std::string>& probes = {});
// Stops the program when there are errors.
void expect_no_errors(const Diagnostics& diagnostics);

}  // namespace orrery::bench
