// SPDX-License-Identifier: Apache-2.0
// A collection of FMUs run one by one and compared with reference results: what is asked, and what came out.
#pragma once

#include <string>
#include <vector>

#include "fmi/find_fmus.h"
#include "io/compare_series.h"

namespace CLI {
class App;
}

namespace orrery::cli {

struct CrosscheckArguments {
  std::string report;  // HTML file
  double tolerance = 0.02, share = 0.99, tube = 0;
  double time_limit = 60;      // seconds of a run
  double memory_limit = 4096;  // megabytes of a run; 0: unlimited
  int jobs = 1;                // runs side by side
  int at_least = -1;           // so many have to agree; -1: all that have a reference
  std::string only;            // part of the path of the FMUs that are run
  std::string input_point;     // as --input-at of run
  bool safe = false;
  std::string program = {};  // that runs an FMU; empty: this one
};

enum class Verdict { agrees, differs, no_reference, failed, out_of_time, crashed, unusable };
const char* name_of(Verdict verdict);

struct CrosscheckRow {
  fmi::CollectedRun run;
  Verdict verdict = Verdict::failed;
  double seconds = 0;
  std::string message = {};                        // why it failed
  std::vector<io::ColumnComparison> columns = {};  // of the reference
  io::TimeSeries reference = {}, results = {};     // where they differ
};

std::string crosscheck_page(const std::string& folder, const io::CompareRule& rule,
                            const std::vector<CrosscheckRow>& rows);

void add_crosscheck_options(CLI::App& command, CrosscheckArguments& arguments);

}  // namespace orrery::cli
