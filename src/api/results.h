// SPDX-License-Identifier: Apache-2.0
// Results for people and files: CSV of signals and events, charts, tables.
#pragma once

#include <string>

#include "api/session.h"
#include "io/chart.h"
#include "io/output_file.h"

namespace orrery::api {

// One line (or row, in files named .mtsf, .h5, .hdf5) per recorded row; both sides of a jump are two of the same time.
// False, and a diagnostic, when that kind of file cannot be made here.
bool write_recording(const RunResult& result, io::OutputFile& file, Diagnostics& diagnostics);
// One line per activation: time, cause, block, port, left, right, restarted. Left and right are the values of the
// surface on both sides of a crossing, empty for other causes.
void write_ledger(const RunResult& result, io::OutputFile& file);
// One panel per sink. The chart refers to the result's recording.
io::Chart chart_of(const RunResult& result);
// Final, smallest and largest value of every signal.
std::string value_table(const RunResult& result, std::size_t most_rows);
// What `--stats` prints. write_seconds: spent on output files by the caller.
// The algebraic loops and implicit equations of the model: path, unknowns, and how they were solved.
std::string loops_text(const RunResult& result);
std::string statistics_text(const RunResult& result, double write_seconds);

}  // namespace orrery::api
