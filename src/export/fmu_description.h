// SPDX-License-Identifier: Apache-2.0
// The texts of an FMU that are not the model's C: its description, its table of variables, how it is built.
#pragma once

#include <string>
#include <vector>

#include "export/fmu_variables.h"

namespace orrery::code_export {

struct FmuPlan {
  int version = 2;                       // 2 or 3
  const CModel* exchange = nullptr;      // null: not offered
  const CModel* cosimulation = nullptr;  // may be the same
  const CModel* scheduled = nullptr;     // the only one, where it is there
  bool ticks = false;                    // the importer ticks the sample clocks
  ExportSettings settings;
  std::string name;        // of the model, for people
  std::string identifier;  // of the binary
  std::string about;
  std::string token;  // of the content
  std::string tool;   // "Orrery 0.1.0"

  const CModel& first() const {
    return exchange != nullptr ? *exchange : cosimulation != nullptr ? *cosimulation : *scheduled;
  }
  FmuShape shape() const { return {version == 3, exchange != nullptr, scheduled != nullptr, ticks}; }
};

// Of FMI 2.0 and 3.0.
std::string fmu_description_text(const FmuPlan& plan, const std::vector<FmuVariable>& variables,
                                 const std::vector<std::string>& sources);
// terminalsAndIcons.xml of FMI 3.0: a terminal for each port. `pictures`: icon.png and port.png lie beside it.
std::string fmu_terminals_text(const std::vector<FmuVariable>& variables, bool pictures);
// The icon: a box with the name and the ports.
std::string fmu_icon_text(const FmuPlan& plan, const std::vector<FmuVariable>& variables);
// The page of documentation; `picture`: a drawing of the diagram, or nothing.
std::string fmu_page_text(const FmuPlan& plan, const std::vector<FmuVariable>& variables, const std::string& picture);
// sources/buildDescription.xml of FMI 3.0.
std::string fmu_build_text(const FmuPlan& plan, const std::vector<std::string>& sources);
// sources/fmu.c: which variable is what.
std::string fmu_tables_text(const FmuPlan& plan, const std::vector<FmuVariable>& variables);

}  // namespace orrery::code_export
