// SPDX-License-Identifier: Apache-2.0
#include "export/fmu_files.h"

#include <fmt/format.h>

#include "export/export_texts.h"

namespace orrery::code_export {
namespace {

// What goes with an exported model is under the licence of exported models; the headers are ours.
std::string free_text(std::string text) {
  return "/* SPDX-License-Identifier: MIT-0 */" + text.substr(text.find('\n'));
}

}  // namespace

FmuFiles fmu_files(FmuPlan plan, std::string (*hash)(std::string_view)) {
  FmuFiles files;
  const bool two = plan.version == 2;
  std::string content;
  const auto add = [&](const std::string& name, const std::string& text) {
    if (name.ends_with(".c")) files.compiled.push_back(name);
    files.sources.push_back({name, text});
    content += text;
  };
  const auto add_model = [&](const CModel* model) {
    if (model == nullptr) return;
    add(model->name + ".h", model->header);
    add(model->name + ".c", model->source);
  };
  add_model(plan.exchange);
  if (plan.cosimulation != plan.exchange) add_model(plan.cosimulation);
  add_model(plan.scheduled);
  for (const ExportedFile& file : runtime_files()) add(file.name, file.text);
  add("orrery_fmi.h", text_of_orrery_fmi_h);
  add("orrery_fmi.c", text_of_orrery_fmi_c);
  add("orrery_fmi_jacobian.c", text_of_orrery_fmi_jacobian_c);
  add(two ? "orrery_fmi2.c" : "orrery_fmi3.c", two ? text_of_orrery_fmi2_c : text_of_orrery_fmi3_c);
  add(two ? "fmi2.h" : "fmi3.h", free_text(two ? text_of_fmi2_h : text_of_fmi3_h));
  plan.token = fmt::format("{{{}}}", hash(content));
  const std::vector<FmuVariable> variables = list_fmu_variables(plan.first(), plan.shape());
  add("fmu.c", fmu_tables_text(plan, variables));
  files.description = fmu_description_text(plan, variables, files.compiled);
  files.icon = fmu_icon_text(plan, variables);
  files.variables = variables;
  if (!two) files.sources.push_back({"buildDescription.xml", fmu_build_text(plan, files.compiled)});
  return files;
}

}  // namespace orrery::code_export
