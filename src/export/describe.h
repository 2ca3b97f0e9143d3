// SPDX-License-Identifier: Apache-2.0
// The description of an exported model as C: the tables of orrery_rt.h.
#pragma once

#include <string>

#include "export/c_model.h"

namespace orrery::code_export {

struct Description {
  const CModel& model;
  const ExportSettings& settings;
  const std::vector<bool>& recorded;
  const native::MemberNames& names;
  const program::Layout& layout;
  int solver = 0;
};

std::vector<CVariable> list_variables(const program::Program& program, const native::MemberNames& names);
std::string describe(const Description& what);
// The cells that a run needs, as C (ORR_WORK).
std::string work_text(const Description& what);
}  // namespace orrery::code_export
