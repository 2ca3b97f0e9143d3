// SPDX-License-Identifier: Apache-2.0
// Runs of a program whose next one depends on what the one before has left: DESIRE's experiment, CALL RERUN of CSMP.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "cssl/next_run.h"
#include "model/model.h"
#include "sim/simulation.h"
#include "sim/sink.h"

namespace orrery::api {

class ProgramRuns {
 public:
  // Nothing where the model is no program alone, or all its runs are known beforehand.
  static std::unique_ptr<ProgramRuns> of(const model::Model& model);

  // What the next run sets. False: there is none; a mistake is in the diagnostics, as is what the program says.
  bool next(std::vector<compile::Override>& overrides, Diagnostics& diagnostics);
  // Is fed with all rows of each run.
  sim::Sink& rows() { return rows_; }
  void ended(const program::Program& program, const sim::Simulation& simulation);

 private:
  // The last row, and whether what is displayed stays within the scale.
  class LastRow final : public sim::Sink {
   public:
    bool begin(const sim::StreamHead& head) override;
    bool rows(const sim::Block& block) override;

    std::vector<std::string> displayed;
    double scale = 0;
    std::vector<std::string> names;
    std::vector<double> values;
    double time = 0;
    bool left_scale = false;

   private:
    std::vector<std::size_t> watched_;
  };

  explicit ProgramRuns(cssl::Program program) : program_(std::move(program)) {}

  cssl::Program program_;
  std::vector<cssl::RunEnd> ends_;
  LastRow rows_;
};

}  // namespace orrery::api
