// SPDX-License-Identifier: Apache-2.0
// The list of cases, and what is said of blocks that are not driven port by port.
#include "library_cases.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "blocks/example_model.h"
#include "blocks/manual.h"
#include "notation.h"

namespace orrery::tests {
namespace {

using program::Scalar;

// They end or repeat runs, stand for equations, or need partners.
const std::set<std::string> shown_by_example = {"End",
                                                "RepeatActivation",
                                                "Constraint",
                                                "Invariant",
                                                "InitialEquation",
                                                "ImplicitDerivative",
                                                "LoopBreaker",
                                                "Automaton",
                                                "Assertion",
                                                "Message",
                                                "VariableDelay",
                                                "ProjectedIntegral",
                                                "RealTime",
                                                "SetSignal",
                                                "EventVariableDelay",
                                                "EventDelayedChannel",
                                                "GetSignal",
                                                "SyncTag"};

// Files: what the exporters write, the importers read. {} is the folder.
const std::map<std::string, std::string> written_models = {
    {"ToCSV",
     "stop 1\nw: SineWaveGenerator\nc: SampleClock period=0.1\nt: ToCSV file='{}/x.csv'\nw:1 -> t:1\nc:1 => t:1"},
    {"ToText",
     "stop 1\nw: SineWaveGenerator\nc: SampleClock period=0.1\nt: ToText file='{}/x.txt'\nw:1 -> t:1\nc:1 => t:1"},
    {"ToMat",
     "stop 1\nw: SineWaveGenerator\nc: SampleClock period=0.1\nt: ToMat file='{}/x.mat'\nw:1 -> t:1\nc:1 => t:1"},
    {"ToHDF",
     "stop 1\nw: SineWaveGenerator\nc: SampleClock period=0.1\nt: ToHDF file='{}/x.h5' names='w'\nw:1 -> t:1\nc:1 => "
     "t:1"},
    {"FromCSV", "stop 1.5\nf: FromCSV file='{}/x.csv' skip=1\no: Scope\nf:1 -> o:1"},
    {"FromText", "stop 1.5\nf: FromText file='{}/x.txt'\no: Scope\nf:1 -> o:1"},
    {"FromMat", "stop 1.5\nf: FromMat file='{}/x.mat'\no: Scope\nf:1 -> o:1"},
    {"FromHDF", "stop 1.5\nf: FromHDF file='{}/x.h5' variable='w'\no: Scope\nf:1 -> o:1"},
};

// Code and models of others: not a matter of parameters alone.
const std::map<std::string, const char*> tested_elsewhere = {
    {"FMU", "tests/fmu_block_test.cpp"},
    {"CCustomBlock", "tests/custom_block_test.cpp"},
    {"CppBlock", "tests/user_block_test.cpp"},
    {"IncludeDiagram", "tests/super_block_test.cpp"},
};

std::string folder_of_files() {
  const auto folder = std::filesystem::path(cache_of_this_process()) / "library_files";
  std::filesystem::create_directories(folder);
  return folder.string();
}

std::string with_folder(std::string text) {
  const std::size_t at = text.find("{}");
  return text.replace(at, 2, folder_of_files());
}

// The file that an importer reads, written once.
void write_file_for(const std::string& importer) {
  static std::set<std::string> written;
  if (!importer.starts_with("From") || !written.insert(importer).second) return;
  run_model(diagram(with_folder(written_models.at("To" + importer.substr(4)))), {});
}

}  // namespace

std::string LibraryCase::name() const {
  std::string text = type->name;
  for (const auto& [parameter, value] : given) text += " " + parameter + "=" + value;
  return text;
}

std::vector<LibraryCase> library_cases() {
  std::vector<LibraryCase> cases;
  for (const blocks::BlockType* type : blocks::library()) {
    cases.push_back({type});
    for (const blocks::ParameterSpec& spec : type->parameters) {
      for (const std::string& choice : spec.choices) {
        if ("'" + choice + "'" != spec.value) cases.push_back({type, {{spec.name, "'" + choice + "'"}}});
      }
    }
  }
  return cases;
}

Way way_of(const blocks::BlockType& type) {
  if (tested_elsewhere.contains(type.name)) return Way::elsewhere;
  const bool plain = type.build != nullptr && type.ports != nullptr && type.role == blocks::Role::ordinary;
  const bool alone = type.palette != "Ports" && type.palette != "CoSimulation" && type.palette != "CustomBlocks";
  return plain && alone && !type.foreign && !shown_by_example.contains(type.name) && !written_models.contains(type.name)
             ? Way::driven
             : Way::example;
}

std::optional<PortList> ports_of(const LibraryCase& c, api::OmlEvaluator& evaluator) {
  std::vector<program::Value> values;
  for (const blocks::ParameterSpec& spec : c.type->parameters) {
    std::string text = spec.value;
    for (const auto& [name, value] : c.given) {
      if (name == spec.name) text = value;
    }
    Diagnostics ignored;
    auto value = spec.verbatim ? program::Value::string(text) : evaluator.evaluate(text, {}, ignored);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  const blocks::Parameters parameters(c.type, values);
  blocks::Ports ports(parameters);
  c.type->ports(ports);
  PortList list;
  list.inputs.assign(ports.inputs().begin(), ports.inputs().end());
  list.outputs = ports.output_count();
  list.activation_inputs = ports.activation_input_count();
  list.activation_outputs = ports.activation_output_count();
  return list;
}

program::Type usual_type(const blocks::BlockType& type, const blocks::Port& port, int number) {
  const bool table = type.name.starts_with("LookupTable") && type.name.ends_with("_port");
  const bool flat = type.name == "LookupTable2D_port";
  int rows = type.name == "CrossProduct" ? 3 : 1, cols = flat && number == 5 ? 2 : 1;
  if (table && number > (flat ? 2 : 1)) rows = number == 4 ? 2 : 3;
  return {port.type < 0 ? Scalar::f64 : static_cast<Scalar>(port.type), port.rows > 0 ? port.rows : rows,
          port.cols > 0 ? port.cols : cols};
}

void set_parameters(model::Diagram& diagram, const std::string& type, const DiagramBuilder::Texts& given) {
  for (model::BlockInstance& block : diagram.blocks) {
    if (block.diagram) set_parameters(*block.diagram, type, given);
    if (block.type != type) continue;
    for (const auto& [name, value] : given) {
      std::erase_if(block.parameters, [&name = name](const auto& parameter) { return parameter.name == name; });
      block.parameters.push_back({name, value, 0});
    }
  }
}

std::optional<model::Model> example_of(const LibraryCase& c, api::OmlEvaluator& evaluator) {
  std::optional<model::Model> model;
  const auto written = written_models.find(c.type->name);
  if (written != written_models.end()) {
    write_file_for(c.type->name);
    model = diagram(with_folder(written->second));
  } else {
    model = blocks::example_model(*c.type, [&](std::string_view text) {
      Diagnostics ignored;
      return evaluator.evaluate(text, {}, ignored);
    });
  }
  if (model) set_parameters(model->root, c.type->name, c.given);
  return model;
}

}  // namespace orrery::tests
