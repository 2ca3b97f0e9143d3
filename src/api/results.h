// SPDX-License-Identifier: Apache-2.0
// Results for people: tables of values, loops and statistics. Files are in result_files.h, pictures in picture_sink.h.
#pragma once

#include <string>

#include "api/session.h"

namespace orrery::api {

// Final, smallest and largest value of every signal of a recording.
std::string value_table(const RunResult& result, std::size_t most_rows);
// The algebraic loops and implicit equations of the model: path, unknowns, and how they were solved.
std::string loops_text(const RunResult& result);
// The initial equations, block by block: what was sought, from where, what was found.
std::string start_text(const RunResult& result);
// What `--stats` prints.
std::string statistics_text(const RunResult& result);

}  // namespace orrery::api
