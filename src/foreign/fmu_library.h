// SPDX-License-Identifier: Apache-2.0
// The FMUs of a model: described for its blocks, opened for its runs.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/consent.h"
#include "blocks/foreign_model.h"
#include "foreign/fmu_interface.h"
#include "program/foreign_kinds.h"

namespace orrery::foreign {

class FmuLibrary final : public blocks::ForeignModels {
 public:
  // Paths are relative to the folder of the model file. Descriptions are read where the consent lets files be read.
  FmuLibrary(const std::string& model_file, Consent consent);

  std::shared_ptr<const blocks::ForeignModel> fmu(const blocks::ForeignRequest& request) const override;
  std::unique_ptr<program::ForeignInstance> open(const program::ForeignObject& object, const program::ForeignRun& run,
                                                 const Place& place, Diagnostics& diagnostics) const;

 private:
  std::shared_ptr<const FmuInterface> interface_of(const FmuSettings& settings) const;
  // False, and a diagnostic, when another block writes to one of its files.
  bool has_files_of_its_own(const program::ForeignObject& object, const FmuSettings& settings, const Place& place,
                            Diagnostics& diagnostics) const;

  std::string folder_;
  Consent consent_;
  mutable std::mutex mutex_;
  // What was read once, by its settings: blocks ask several times.
  mutable std::map<std::vector<std::pair<std::string, std::string>>, std::shared_ptr<const FmuInterface>> known_;
  // Files of FMUs of which a process can have one instance only, and the block that has it in this one.
  mutable std::map<std::string, program::OriginId> alone_;
  mutable std::map<std::string, program::OriginId>
      written_;  // files of results and logs, and the block that writes them
};

// FMUs among the kinds of foreign code of a run.
program::ForeignKind fmu_kind(std::shared_ptr<const FmuLibrary> library);

}  // namespace orrery::foreign
