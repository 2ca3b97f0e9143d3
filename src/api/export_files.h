// SPDX-License-Identifier: Apache-2.0
// The files of exporter blocks: each gets the rows of its own block.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/consent.h"
#include "sim/sink.h"

namespace orrery::api {

// An error at the place of each exporter, where the model may not write files.
bool may_export(const program::Program& program, const Consent& consent, const std::string& file,
                Diagnostics& diagnostics);

class ExportFiles {
 public:
  ~ExportFiles();
  // Nothing, and a diagnostic, when one of the files cannot be made.
  static std::unique_ptr<ExportFiles> open(const program::Program& program, Diagnostics& diagnostics);
  // To be given all columns of the run.
  std::vector<sim::Sink*> sinks() const;
  // Makes the files appear; again and again is once.
  void end(const sim::Report& report, Diagnostics& diagnostics);

 private:
  struct Piece {
    std::unique_ptr<sim::Sink> file, rows;
  };
  ExportFiles() = default;

  std::vector<Piece> pieces_;
  bool ended_ = false;
};

}  // namespace orrery::api
