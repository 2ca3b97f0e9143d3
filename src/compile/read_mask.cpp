// SPDX-License-Identifier: Apache-2.0
// The mask of a super block: values from outside, kinds and conditions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compile/flattening.h"
#include "model/closest_name.h"

namespace orrery::compile {

using model::BlockInstance;
using model::MaskParameter;

namespace {

Place place_of_value(Place block, const BlockInstance& instance, const std::string& name) {
  block.port = "parameter " + name;
  const model::Parameter* given = instance.find_parameter(name);
  if (given != nullptr && given->line > 0) block.line = given->line;
  return block;
}

bool is_truth(const Value& value) {
  return value.is_scalar() && !value.is_complex() && (value.scalar() == 0 || value.scalar() == 1);
}

}  // namespace

// The parameters of a super block are those of its mask; their texts belong to the diagram around it.
std::vector<GivenVariable> Flattening::mask_values(const Level& level, const BlockInstance& instance,
                                                   const std::vector<MaskParameter>& mask, std::uint32_t file) {
  const bool includes = file != level.file || blocks::role_of(instance.type) == blocks::Role::include;
  std::vector<std::string_view> names;
  names.reserve(mask.size());
  for (const MaskParameter& parameter : mask) names.push_back(parameter.name);
  for (const model::Parameter& given : instance.parameters) {
    if (std::find(names.begin(), names.end(), given.name) != names.end()) continue;
    if (includes && given.name == "file") continue;
    const std::string hint = model::did_you_mean(given.name, names);
    diagnostics_.error("unknown-parameter", place_of_value(place(level, instance), instance, given.name),
                       "the mask of the super block has no such parameter",
                       !hint.empty()  ? hint
                       : mask.empty() ? "add it to the \"mask\" of the diagram, or remove the value"
                                      : fmt::format("it has: {}", fmt::join(names, ", ")));
  }
  std::vector<GivenVariable> values;
  for (const MaskParameter& parameter : mask) {
    const model::Parameter* given = instance.find_parameter(parameter.name);
    const Place where = place_of_value(place(level, instance), instance, parameter.name);
    if (given == nullptr && parameter.value.empty()) {
      diagnostics_.error("missing-parameter", where, "the super block needs a value for this parameter",
                         "give one in its \"parameters\", or a \"default\" in its mask");
      continue;
    }
    values.push_back({parameter.name, given != nullptr ? given->value : parameter.value, where});
  }
  return values;
}

// Inside, where the parameters are variables.
void Flattening::check_mask(const Level& level, const BlockInstance& instance, const std::vector<MaskParameter>& mask) {
  for (const MaskParameter& parameter : mask) {
    const Place where = place_of_value(place(level, instance), instance, parameter.name);
    if (!parameter.kind.empty()) {
      Diagnostics ignored;  // without a value it has been reported
      const auto value = evaluator_.evaluate(parameter.name, where, ignored);
      if (!value) continue;
      const bool is_choice = value->is_text() && std::find(parameter.choices.begin(), parameter.choices.end(),
                                                           value->text) != parameter.choices.end();
      if (parameter.kind == "choice" && !is_choice) {
        diagnostics_.error(
            "bad-choice", where,
            fmt::format("{} is not one of the choices", value->is_text() ? "'" + value->text + "'" : describe(*value)),
            fmt::format("choose one of '{}'", fmt::join(parameter.choices, "', '")));
      }
      if (parameter.kind == "check" && !is_truth(*value)) {
        diagnostics_.error("bad-parameter", where, fmt::format("must be true or false, but is {}", describe(*value)));
      }
    }
    if (parameter.valid.empty()) continue;
    const auto good = evaluator_.evaluate(parameter.valid, where, diagnostics_);
    if (!good) continue;
    if (!good->is_number() || good->is_complex() || good->is_empty()) {
      diagnostics_.error("bad-parameter", where,
                         fmt::format("the condition '{}' of the mask is no truth value", parameter.valid));
    } else if (std::any_of(good->real.begin(), good->real.end(), [](double x) { return x == 0 || x != x; })) {
      diagnostics_.error(
          "bad-parameter", where,
          parameter.message.empty() ? fmt::format("the mask wants {}", parameter.valid) : parameter.message,
          fmt::format("the mask of the super block wants {}", parameter.valid));
    }
  }
}

// A file that others include can be run by itself, with the defaults of its mask.
void Flattening::set_root_mask() {
  for (const MaskParameter& parameter : model_.root.mask) {
    const Place where{model_.file, parameter.line, 0, {}, "parameter " + parameter.name};
    if (parameter.value.empty()) {
      diagnostics_.error("missing-parameter", where, "the mask of the model gives no value for this parameter",
                         "add a \"default\", or run a model that includes this file");
      continue;
    }
    Place script = where;
    script.port = "initialization";
    evaluator_.run({fmt::format("{} = {};", parameter.name, parameter.value)}, script, diagnostics_);
  }
  BlockInstance self;
  self.name = "";
  Level outside;
  if (diagnostics_.error_count() == 0) check_mask(outside, self, model_.root.mask);
}

}  // namespace orrery::compile
