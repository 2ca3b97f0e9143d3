// SPDX-License-Identifier: Apache-2.0
// Reads the head of a model description: version, interfaces, default experiment.
#include "fmi/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fmi/description_reader.h"
#include "fmi/number_list.h"

namespace orrery::fmi {
namespace {

constexpr int most_warnings = 50;  // one file with ten thousand mistakes is one bad file

constexpr const char* type_names[] = {"Float32", "Float64", "Int8",   "UInt8",       "Int16",
                                      "UInt16",  "Int32",   "UInt32", "Int64",       "UInt64",
                                      "Boolean", "String",  "Binary", "Enumeration", "Clock"};
constexpr const char* causality_names[] = {
    "parameter", "calculatedParameter", "structuralParameter", "input", "output", "local", "independent", "dependent"};
constexpr const char* variability_names[] = {"constant", "fixed", "tunable", "discrete", "continuous"};
constexpr const char* initial_names[] = {"", "exact", "approx", "calculated"};

}  // namespace

const char* name_of(Type type) { return type_names[static_cast<int>(type)]; }
const char* name_of(Causality causality) { return causality_names[static_cast<int>(causality)]; }
const char* name_of(Variability variability) { return variability_names[static_cast<int>(variability)]; }
const char* name_of(Initial initial) { return initial_names[static_cast<int>(initial)]; }
const char* name_of(Version version) {
  return version == Version::fmi1 ? "FMI 1.0" : version == Version::fmi2 ? "FMI 2.0" : "FMI 3.0";
}
const char* name_of(Kind kind) {
  return kind == Kind::model_exchange  ? "Model Exchange"
         : kind == Kind::co_simulation ? "Co-Simulation"
                                       : "Scheduled Execution";
}

std::optional<Kind> kind_named(std::string_view word) {
  if (word == "me") return Kind::model_exchange;
  if (word == "cs") return Kind::co_simulation;
  if (word == "se") return Kind::scheduled_execution;
  return std::nullopt;
}

const Interface* Description::interface(Kind kind) const {
  const auto& wanted = kind == Kind::model_exchange  ? model_exchange
                       : kind == Kind::co_simulation ? co_simulation
                                                     : scheduled_execution;
  return wanted ? &*wanted : nullptr;
}

Kind Description::preferred_kind() const {
  return model_exchange ? Kind::model_exchange : co_simulation ? Kind::co_simulation : Kind::scheduled_execution;
}

const Variable* Description::find(std::string_view name) const {
  const auto found = by_name.find(std::string(name));
  return found == by_name.end() ? nullptr : &variables[found->second];
}

std::uint64_t element_count(const Description& description, const Variable& variable) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;  // beyond any array that could be stored
  std::uint64_t count = 1;
  for (const Dimension& dimension : variable.dimensions) {
    std::uint64_t size = dimension.size;
    if (dimension.variable) {
      const auto found = description.by_reference.find(*dimension.variable);
      if (found == description.by_reference.end()) return 0;
      const Variable& source = description.variables[found->second];
      size = source.start.empty() ? 0 : parse_natural(source.start[0]).value_or(0);
    }
    if (size != 0 && count > most / size) return most;
    count *= size;
  }
  return count;
}

DescriptionReader::DescriptionReader(std::string_view xml, const std::string& file, Diagnostics& diagnostics)
    : xml_(xml), file_(file), diagnostics_(diagnostics) {
  for (std::size_t k = 0; k < xml.size(); ++k) {
    if (xml[k] == '\n') line_ends_.push_back(k);
  }
}

int DescriptionReader::line_at(std::ptrdiff_t offset) const {
  if (offset < 0) return 0;
  const auto before = std::lower_bound(line_ends_.begin(), line_ends_.end(), static_cast<std::size_t>(offset));
  return 1 + static_cast<int>(before - line_ends_.begin());
}

Place DescriptionReader::place(pugi::xml_node node) const {
  return {file_ + "/modelDescription.xml", line_at(node.offset_debug()), 0, {}, {}};
}

void DescriptionReader::warn(const char* code, pugi::xml_node node, std::string message) {
  if (++warnings_ > most_warnings) return;
  diagnostics_.warning(code, place(node), std::move(message));
}

std::string DescriptionReader::text(pugi::xml_node node, const char* name) const {
  return node.attribute(name).as_string();
}

bool DescriptionReader::flag(pugi::xml_node node, const char* name, bool otherwise) {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) return otherwise;
  const std::string_view value = attribute.value();
  if (value == "true" || value == "1") return true;
  if (value == "false" || value == "0") return false;
  warn("fmi-bad-attribute", node, fmt::format("{}=\"{}\" is neither true nor false; ignored", name, value));
  return otherwise;
}

std::optional<double> DescriptionReader::number(pugi::xml_node node, const char* name) {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) return std::nullopt;
  const auto value = parse_real(attribute.value());
  if (!value) {
    warn("fmi-bad-attribute", node, fmt::format("{}=\"{}\" is not a number; ignored", name, attribute.value()));
  }
  return value;
}

std::optional<std::uint64_t> DescriptionReader::natural(pugi::xml_node node, const char* name) {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) return std::nullopt;
  const auto value = parse_natural(attribute.value());
  if (!value) {
    warn("fmi-bad-attribute", node, fmt::format("{}=\"{}\" is not a natural number; ignored", name, attribute.value()));
  }
  return value;
}

std::optional<Description> DescriptionReader::read() {
  const pugi::xml_parse_result parsed = document_.load_buffer(xml_.data(), xml_.size());
  if (!parsed) {
    diagnostics_.error("fmi-bad-xml", {file_ + "/modelDescription.xml", line_at(parsed.offset), 0, {}, {}},
                       fmt::format("the model description is not well-formed XML: {}", parsed.description()));
    return std::nullopt;
  }
  const pugi::xml_node root = document_.child("fmiModelDescription");
  if (!root) {
    diagnostics_.error("fmi-not-a-description", place(document_.document_element()),
                       "the root element is not fmiModelDescription", "is this archive an FMU?");
    return std::nullopt;
  }
  result_.version_text = text(root, "fmiVersion");
  const char first = result_.version_text.empty() ? '\0' : result_.version_text[0];
  if (first < '1' || first > '3') {
    diagnostics_.error("fmi-unknown-version", place(root),
                       fmt::format("fmiVersion=\"{}\" is not one of 1.0, 2.0, 3.0", result_.version_text));
    return std::nullopt;
  }
  result_.version = static_cast<Version>(first - '0');
  read_head(root);
  read_interfaces(root);
  read_experiment(root.child("DefaultExperiment"));
  read_units(root.child("UnitDefinitions"));
  read_types(root.child("TypeDefinitions"));
  read_variables(root.child("ModelVariables"));
  read_structure(root);
  if (warnings_ > most_warnings) {
    diagnostics_.warning("fmi-more-warnings", place(root),
                         fmt::format("{} more warnings about the model description", warnings_ - most_warnings));
  }
  if (!result_.model_exchange && !result_.co_simulation && !result_.scheduled_execution) {
    diagnostics_.error("fmi-no-interface", place(root),
                       "the description offers neither Model Exchange nor Co-Simulation nor Scheduled Execution");
    return std::nullopt;
  }
  return std::move(result_);
}

void DescriptionReader::read_head(pugi::xml_node root) {
  result_.model_name = text(root, "modelName");
  result_.token = text(root, result_.version == Version::fmi3 ? "instantiationToken" : "guid");
  result_.description = text(root, "description");
  result_.author = text(root, "author");
  result_.model_version = text(root, "version");
  result_.copyright = text(root, "copyright");
  result_.license = text(root, "license");
  result_.generation_tool = text(root, "generationTool");
  result_.generation_time = text(root, "generationDateAndTime");
  result_.naming_convention = text(root, "variableNamingConvention");
  result_.states = natural(root, "numberOfContinuousStates").value_or(0);
  result_.indicators = natural(root, "numberOfEventIndicators").value_or(0);
  for (const pugi::xml_node category : root.child("LogCategories").children("Category")) {
    result_.log_categories.push_back(text(category, "name"));
  }
}

Interface DescriptionReader::read_capabilities(pugi::xml_node node) {
  const bool is_3 = result_.version == Version::fmi3;
  Interface result;
  result.needs_execution_tool = flag(node, "needsExecutionTool");
  result.only_once_per_process = flag(node, "canBeInstantiatedOnlyOncePerProcess");
  result.no_memory_management = flag(node, "canNotUseMemoryManagementFunctions");
  result.get_set_state = flag(node, is_3 ? "canGetAndSetFMUState" : "canGetAndSetFMUstate");
  result.serialize_state = flag(node, is_3 ? "canSerializeFMUState" : "canSerializeFMUstate");
  result.directional_derivatives =
      flag(node, is_3 ? "providesDirectionalDerivatives" : "providesDirectionalDerivative");
  result.adjoint_derivatives = flag(node, "providesAdjointDerivatives");
  result.step_completion_not_needed =
      is_3 ? !flag(node, "needsCompletedIntegratorStep", true) : flag(node, "completedIntegratorStepNotNeeded");
  result.variable_step = flag(node, "canHandleVariableCommunicationStepSize");
  result.interpolates_inputs = flag(node, "canInterpolateInputs");
  result.output_derivative_order =
      static_cast<int>(std::min<std::uint64_t>(natural(node, "maxOutputDerivativeOrder").value_or(0), 100));
  result.runs_asynchronously = flag(node, "canRunAsynchronuously");  // spelled so by the standard
  result.event_mode = flag(node, "hasEventMode");
  result.early_return = flag(node, "mightReturnEarlyFromDoStep");
  result.intermediate_update = flag(node, "providesIntermediateUpdate");
  result.fixed_internal_step = number(node, "fixedInternalStepSize");
  result.recommended_intermediate_step = number(node, "recommendedIntermediateInputSmoothness");
  for (const pugi::xml_node file : node.child("SourceFiles").children("File")) {
    result.source_files.push_back(text(file, "name"));
  }
  return result;
}

void DescriptionReader::read_identifier(pugi::xml_node node, Interface& interface) {
  std::string& identifier = interface.model_identifier;
  identifier = text(node, "modelIdentifier");
  if (identifier.empty()) {
    warn("fmi-no-identifier", node, fmt::format("{} has no modelIdentifier; modelName is used", node.name()));
    identifier = result_.model_name;
  }
  if (identifier.empty() || identifier.find_first_of("/\\") != std::string::npos || identifier.starts_with('.')) {
    diagnostics_.error("fmi-bad-identifier", place(node),
                       fmt::format("modelIdentifier=\"{}\" cannot be the name of a library", identifier));
    identifier = "invalid";
  }
}

// FMI 1.0: the Implementation element makes it Co-Simulation, otherwise it is Model Exchange. The identifier stands in
// the root element.
void DescriptionReader::read_interface_1(pugi::xml_node root) {
  const pugi::xml_node implementation = root.child("Implementation");
  pugi::xml_node slave = implementation.child("CoSimulation_StandAlone");
  const bool tool = implementation && !slave;
  if (tool) slave = implementation.child("CoSimulation_Tool");
  Interface interface = read_capabilities(slave.child("Capabilities"));
  interface.tool_coupling = interface.needs_execution_tool = tool;
  read_identifier(root, interface);
  (implementation ? result_.co_simulation : result_.model_exchange) = std::move(interface);
}

void DescriptionReader::read_interfaces(pugi::xml_node root) {
  if (result_.version == Version::fmi1) return read_interface_1(root);
  const auto read = [&](const char* name, std::optional<Interface>& target) {
    const pugi::xml_node node = root.child(name);
    if (!node) return;
    target = read_capabilities(node);
    read_identifier(node, *target);
  };
  read("ModelExchange", result_.model_exchange);
  read("CoSimulation", result_.co_simulation);
  read("ScheduledExecution", result_.scheduled_execution);
}

void DescriptionReader::read_experiment(pugi::xml_node node) {
  if (!node) return;
  const auto finite = [&](const char* name) {
    auto value = number(node, name);
    if (value && !std::isfinite(*value)) value.reset();
    return value;
  };
  result_.experiment.start = finite("startTime");
  result_.experiment.stop = finite("stopTime");
  result_.experiment.step = finite("stepSize");
  result_.experiment.tolerance = finite("tolerance");
  // 0 is "undefined" in the files of several tools, and a tolerance of 1 means nothing.
  if (result_.experiment.step && !(*result_.experiment.step > 0)) result_.experiment.step.reset();
  if (result_.experiment.tolerance && !(*result_.experiment.tolerance > 0 && *result_.experiment.tolerance < 0.5)) {
    result_.experiment.tolerance.reset();
  }
}

std::optional<Description> read_description(std::string_view xml, const std::string& file, Diagnostics& diagnostics) {
  return DescriptionReader(xml, file, diagnostics).read();
}

}  // namespace orrery::fmi
