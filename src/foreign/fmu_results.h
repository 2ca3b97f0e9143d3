// SPDX-License-Identifier: Apache-2.0
// The variables of an FMU in a file of their own, CSV or MTSF (Activate, 12.5.3 and 12.5.4).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fmi/values.h"
#include "foreign/fmu_interface.h"
#include "io/mtsf.h"
#include "io/output_file.h"

namespace orrery::foreign {

class FmuResults {
 public:
  enum class Why : std::uint8_t { step, state_event, time_event, step_event, external_event, iteration, output };

  // Nothing, and a diagnostic, when the file cannot be written or the settings make no sense.
  static std::unique_ptr<FmuResults> create(const std::string& file, const FmuSettings& settings,
                                            const FmuInterface& interface, const Place& place,
                                            Diagnostics& diagnostics);
  ~FmuResults();

  bool wants(Why why) const { return wanted_[static_cast<std::size_t>(why)]; }
  // A row as the FMU is now; a row like the last one at the same time is not repeated.
  fmi::Status store(fmi::Instance& fmu, double t);

 private:
  FmuResults(const FmuInterface& interface, const std::vector<const fmi::Variable*>& variables);
  std::string cell(const fmi::Reader::Column& column) const;
  void store_line(double t);
  void store_numbers(double t);

  const FmuInterface& interface_;
  fmi::Reader reader_;
  std::unique_ptr<io::OutputFile> file_;
  bool wanted_[7] = {};
  bool names_ = false;
  char separator_ = ',';
  std::vector<double> numbers_;
  std::vector<std::string> texts_;
  std::string last_;                          // line
  std::unique_ptr<io::MtsfContent> content_;  // rows for the end, unless it is CSV
};

}  // namespace orrery::foreign
