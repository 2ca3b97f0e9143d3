// SPDX-License-Identifier: Apache-2.0
// Parameters and the start of a run.
#include "sim/start_procedure.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::sim {
namespace {

using program::Parameter;
using program::Program;

const Parameter* find(const Program& program, const std::string& name) {
  const auto same = [&](const Parameter& parameter) { return parameter.name == name; };
  const auto found = std::find_if(program.parameters.begin(), program.parameters.end(), same);
  return found == program.parameters.end() ? nullptr : &*found;
}

}  // namespace

bool check_parameters(const Program& program, const std::vector<ParameterSetting>& settings, Diagnostics& diagnostics) {
  bool ok = true;
  const Place model{program.origins.empty() ? "" : program.origins[0].path, 0, 0, {}, {}};
  for (const ParameterSetting& setting : settings) {
    const Parameter* parameter = find(program, setting.name);
    if (parameter == nullptr) {
      diagnostics.error("unknown-parameter", model, fmt::format("the compiled model has no parameter {}", setting.name),
                        "declare it with exposable, or compile the model to vary it");
      ok = false;
      continue;
    }
    const auto size = static_cast<std::size_t>(program.slots[parameter->slot].type.size());
    if (setting.values.size() != 1 && setting.values.size() != size) {
      diagnostics.error("bad-setting", model,
                        fmt::format("{} has {} elements, not {}", setting.name, size, setting.values.size()));
      ok = false;
    }
    for (const program::NumberUse& use : parameter->fixed_by) {
      diagnostics.error("fixed-parameter", use.place, fmt::format("{} cannot be varied: {}", setting.name, use.reason),
                        "compile the model with the other value");
      ok = false;
    }
  }
  return ok;
}

void set_parameters(const Program& program, const std::vector<ParameterSetting>& settings,
                    const program::Layout& layout, std::byte* memory) {
  for (const ParameterSetting& setting : settings) {
    const Parameter& parameter = *find(program, setting.name);
    const program::Type type = program.slots[parameter.slot].type;
    const int width = byte_size(type.scalar);
    std::byte* at = memory + layout.offset[parameter.slot];
    for (std::int64_t k = 0; k < type.size(); ++k, at += width) {
      write_number(type.scalar, at, setting.values[setting.values.size() == 1 ? 0 : static_cast<std::size_t>(k)]);
    }
    if (parameter.given != program::no_slot) {
      write_number(program::Scalar::boolean, memory + layout.offset[parameter.given], 1);
    }
  }
}

}  // namespace orrery::sim
