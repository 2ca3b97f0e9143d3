// SPDX-License-Identifier: Apache-2.0
// modelDescription.xml and its kin.
#include "export/fmu_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "export/fmu_units.h"
#include "export/member_names.h"

namespace orrery::code_export {
namespace {

std::string escaped(const std::string& text) { return escape_markup(text); }

std::string attribute(const char* name, const std::string& value) {
  return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, escaped(value));
}

bool is_real(program::Scalar scalar, int version) {
  return scalar == program::Scalar::f64 || (version == 2 && scalar == program::Scalar::u32);
}

const char* type_name(program::Scalar scalar, int version) {
  using program::Scalar;
  if (version == 2) return is_real(scalar, 2) ? "Real" : scalar == Scalar::boolean ? "Boolean" : "Integer";
  switch (scalar) {
    case Scalar::i8: return "Int8";
    case Scalar::i16: return "Int16";
    case Scalar::i32: return "Int32";
    case Scalar::u8: return "UInt8";
    case Scalar::u16: return "UInt16";
    case Scalar::u32: return "UInt32";
    case Scalar::boolean: return "Boolean";
    default: return "Float64";
  }
}

std::string start_text(const FmuVariable& v, int version) {
  std::string text;
  for (int e = 0; e < v.count(); ++e) {  // row by row
    const double value = v.start[static_cast<std::size_t>(e / v.cols + e % v.cols * v.rows)];
    const std::string one = v.scalar == program::Scalar::boolean ? (value != 0 ? "true" : "false")
                            : is_real(v.scalar, version)         ? fmt::format("{}", value)
                                                                 : fmt::format("{:.0f}", value);
    text += (text.empty() ? "" : " ") + one;
  }
  return text;
}

const char* causality_of(const FmuVariable& v) {
  switch (v.role) {
    case FmuRole::time: return "independent";
    case FmuRole::parameter: return "parameter";
    case FmuRole::input:
    case FmuRole::activation:
    case FmuRole::trigger:
    case FmuRole::ticks:
    case FmuRole::pending: return "input";
    default: return v.output ? "output" : "local";
  }
}

const char* variability_of(const FmuVariable& v) {
  if (v.role == FmuRole::parameter) return "fixed";
  return v.continuous ? "continuous" : "discrete";
}

bool has_start(const FmuVariable& v) {
  return v.role == FmuRole::parameter || v.role == FmuRole::input || v.role == FmuRole::activation;
}

bool is_initial_unknown(const FmuVariable& v) {
  return v.output || v.role == FmuRole::state || v.role == FmuRole::derivative;
}

class Writer {
 public:
  Writer(const FmuPlan& plan, const std::vector<FmuVariable>& variables, const std::vector<std::string>& sources)
      : plan_(plan), variables_(variables), sources_(sources), two_(plan.version == 2) {}

  std::string text() {
    out_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    out_ += fmt::format(
        "<fmiModelDescription fmiVersion=\"{}\" modelName=\"{}\" {}=\"{}\"{}{} variableNamingConvention=\"flat\"",
        two_ ? "2.0" : "3.0", escaped(plan_.name), two_ ? "guid" : "instantiationToken", escaped(plan_.token),
        attribute("description", plan_.about), attribute("generationTool", plan_.tool));
    if (two_ && plan_.exchange != nullptr)
      out_ += fmt::format(" numberOfEventIndicators=\"{}\"", plan_.exchange->program.surfaces.size());
    out_ += ">\n";
    interfaces();
    units();
    out_ +=
        "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n    <Category name=\"logStatusWarning\"/>\n"
        "    <Category name=\"logAll\"/>\n  </LogCategories>\n";
    experiment();
    model_variables();
    structure();
    return out_ + "</fmiModelDescription>\n";
  }

 private:
  void interfaces() {
    const std::string common =
        fmt::format(" modelIdentifier=\"{}\" canGetAndSetFMU{}=\"true\" canSerializeFMU{}=\"true\"", plan_.identifier,
                    two_ ? "state" : "State", two_ ? "state" : "State");
    std::string files;
    if (two_) {
      files = "    <SourceFiles>\n";
      for (const std::string& file : sources_) files += fmt::format("      <File name=\"{}\"/>\n", escaped(file));
      files += "    </SourceFiles>\n";
    }
    const auto element = [&](const char* name, const std::string& more) {
      out_ += two_ ? fmt::format("  <{0}{1}{2}>\n{3}  </{0}>\n", name, common, more, files)
                   : fmt::format("  <{}{}{}/>\n", name, common, more);
    };
    const auto derivatives = [this](const CModel* model) {
      if (!model->jacobian.exact) return "";
      return two_ ? " providesDirectionalDerivative=\"true\""
                  : " providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\"";
    };
    if (plan_.scheduled != nullptr) element("ScheduledExecution", "");
    if (plan_.exchange != nullptr)
      element("ModelExchange",
              derivatives(plan_.exchange) + std::string(two_ ? "" : " needsCompletedIntegratorStep=\"true\""));
    if (plan_.cosimulation == nullptr) return;
    std::string more = derivatives(plan_.cosimulation);
    more += " canHandleVariableCommunicationStepSize=\"true\"";
    more += two_ ? " canInterpolateInputs=\"true\""
                 : " hasEventMode=\"true\" mightReturnEarlyFromDoStep=\"true\" providesIntermediateUpdate=\"true\""
                   " canReturnEarlyAfterIntermediateUpdate=\"true\"";
    if (!two_ && plan_.cosimulation->program.fixed_step && plan_.settings.step > 0)
      more += fmt::format(" fixedInternalStepSize=\"{}\"", plan_.settings.step);
    element("CoSimulation", more);
  }

  void units() {
    std::set<std::string> names;
    for (const FmuVariable& v : variables_) {
      if (!v.unit.empty() && is_real(v.scalar, plan_.version)) names.insert(v.unit);
    }
    if (names.empty()) return;
    out_ += "  <UnitDefinitions>\n";
    for (const std::string& name : names) unit(name);
    out_ += "  </UnitDefinitions>\n";
  }

  void unit(const std::string& name) {
    const std::optional<FmuUnit> known = parse_unit(name);
    if (!known) {
      out_ += fmt::format("    <Unit name=\"{}\"/>\n", escaped(name));
      return;
    }
    static const char* const bases[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    std::string base;
    for (std::size_t k = 0; k < std::size(bases); ++k) {
      if (known->exponents[k] != 0) base += fmt::format(" {}=\"{}\"", bases[k], known->exponents[k]);
    }
    if (known->factor != 1) base += fmt::format(" factor=\"{}\"", known->factor);
    if (known->offset != 0) base += fmt::format(" offset=\"{}\"", known->offset);
    out_ += fmt::format("    <Unit name=\"{}\">\n      <BaseUnit{}/>\n    </Unit>\n", escaped(name), base);
  }

  void experiment() {
    const ExportSettings& s = plan_.settings;
    out_ += fmt::format("  <DefaultExperiment startTime=\"{}\" stopTime=\"{}\" tolerance=\"{}\"", s.start, s.stop,
                        s.relative_tolerance);
    if (s.step > 0) out_ += fmt::format(" stepSize=\"{}\"", s.step);
    out_ += "/>\n";
  }

  void model_variables() {
    out_ += "  <ModelVariables>\n";
    for (std::size_t k = 0; k < variables_.size(); ++k) two_ ? scalar_variable(k) : variable(k);
    out_ += "  </ModelVariables>\n";
  }

  std::string common_attributes(std::size_t k) const {
    const FmuVariable& v = variables_[k];
    std::string text =
        fmt::format(" name=\"{}\" valueReference=\"{}\"{} causality=\"{}\" variability=\"{}\"", escaped(v.name), k,
                    attribute("description", v.about), causality_of(v), variability_of(v));
    // Inputs, parameters and time have the one that is usual; everything else is computed.
    if (!has_start(v) && v.role != FmuRole::time && !is_clock(v.role)) text += " initial=\"calculated\"";
    // What may be asked for or set between the steps of the solver.
    if (!two_ && plan_.cosimulation != nullptr && v.continuous &&
        (v.role == FmuRole::input || v.role == FmuRole::column || v.role == FmuRole::state))
      text += " intermediateUpdate=\"true\"";
    return text;
  }

  std::string value_attributes(std::size_t k) const {
    const FmuVariable& v = variables_[k];
    std::string text;
    if (is_real(v.scalar, plan_.version)) text += attribute("unit", v.unit);
    if (has_start(v)) text += fmt::format(" start=\"{}\"", start_text(v, plan_.version));
    if (v.role == FmuRole::derivative) text += fmt::format(" derivative=\"{}\"", two_ ? v.state + 1 : v.state);
    return text;
  }

  void scalar_variable(std::size_t k) {
    out_ += fmt::format("    <ScalarVariable{}>\n      <{}{}/>\n    </ScalarVariable>\n", common_attributes(k),
                        type_name(variables_[k].scalar, 2), value_attributes(k));
  }

  void clock(std::size_t k) {
    const FmuVariable& v = variables_[k];
    out_ += fmt::format("    <Clock{}", common_attributes(k));
    const bool input = v.role != FmuRole::fired;
    if (input && plan_.scheduled != nullptr)  // ticks come before what was programmed, that before what others trigger
      out_ += fmt::format(" priority=\"{}\"", v.role == FmuRole::ticks     ? 1 + v.index
                                              : v.role == FmuRole::pending ? 10000
                                                                           : 10001 + v.index);
    if (v.role == FmuRole::ticks) {
      const FmuClock clock = list_fmu_clocks(plan_.first().program)[static_cast<std::size_t>(v.index)];
      const auto seconds = [&](std::int64_t n) {
        return static_cast<double>(n) / static_cast<double>(clock.resolution);
      };
      out_ += fmt::format(" intervalVariability=\"constant\" intervalDecimal=\"{}\" shiftDecimal=\"{}\"",
                          seconds(clock.interval), seconds(clock.shift));
      out_ += fmt::format(" supportsFraction=\"true\" resolution=\"{}\" intervalCounter=\"{}\" shiftCounter=\"{}\"/>\n",
                          clock.resolution, clock.interval, clock.shift);
      return;
    }
    out_ += fmt::format(" intervalVariability=\"{}\"/>\n", v.role == FmuRole::pending ? "countdown" : "triggered");
  }

  void variable(std::size_t k) {
    const FmuVariable& v = variables_[k];
    if (is_clock(v.role)) return clock(k);
    const char* type = type_name(v.scalar, 3);
    out_ += fmt::format("    <{}{}{}", type, common_attributes(k), value_attributes(k));
    if (v.count() == 1) {
      out_ += "/>\n";
      return;
    }
    out_ += ">\n";
    const bool matrix = v.rows > 1 && v.cols > 1;
    if (matrix)
      out_ += fmt::format("      <Dimension start=\"{}\"/>\n      <Dimension start=\"{}\"/>\n", v.rows, v.cols);
    if (!matrix) out_ += fmt::format("      <Dimension start=\"{}\"/>\n", v.count());
    out_ += fmt::format("    </{}>\n", type);
  }

  void unknown(const char* element, std::size_t k, bool dependencies) {
    const FmuVariable& v = variables_[k];
    const std::size_t base = two_ ? 1 : 0;
    out_ += two_ ? fmt::format("      <{} index=\"{}\"", element, k + 1)
                 : fmt::format("    <{} valueReference=\"{}\"", element, k);
    if (dependencies && v.depends_known) {
      std::string list;
      for (const std::size_t place : v.depends_on) {
        // Without Model Exchange FMI 2.0 knows no states (2.2.8).
        if (two_ && plan_.exchange == nullptr && variables_[place].role == FmuRole::state) continue;
        list += fmt::format("{}{}", list.empty() ? "" : " ", place + base);
      }
      out_ += fmt::format(" dependencies=\"{}\"", list);
    }
    out_ += "/>\n";
  }

  // `element`: of FMI 3.0; `group`: of FMI 2.0.
  void unknowns(const char* group, const char* element, const auto& wanted, bool dependencies) {
    bool any = false;
    for (std::size_t k = 0; k < variables_.size(); ++k) {
      if (!wanted(variables_[k])) continue;
      if (two_ && !any) out_ += fmt::format("    <{}>\n", group);
      any = true;
      unknown(two_ ? "Unknown" : element, k, dependencies);
    }
    if (two_ && any) out_ += fmt::format("    </{}>\n", group);
  }

  void structure() {
    out_ += "  <ModelStructure>\n";
    const bool exchange = plan_.exchange != nullptr;
    unknowns(
        "Outputs", "Output", [](const FmuVariable& v) { return v.output; }, true);
    unknowns(
        "Derivatives", "ContinuousStateDerivative", [](const FmuVariable& v) { return v.role == FmuRole::derivative; },
        true);
    unknowns(
        "InitialUnknowns", "InitialUnknown",
        [exchange](const FmuVariable& v) {
          return !is_clock(v.role) && (v.output || (exchange && is_initial_unknown(v)));
        },
        false);
    if (!two_)
      unknowns(
          "", "EventIndicator", [](const FmuVariable& v) { return v.role == FmuRole::indicator; }, true);
    out_ += "  </ModelStructure>\n";
  }

  const FmuPlan& plan_;
  const std::vector<FmuVariable>& variables_;
  const std::vector<std::string>& sources_;
  const bool two_;
  std::string out_;
};

}  // namespace

std::string fmu_description_text(const FmuPlan& plan, const std::vector<FmuVariable>& variables,
                                 const std::vector<std::string>& sources) {
  return Writer(plan, variables, sources).text();
}

std::string fmu_build_text(const FmuPlan& plan, const std::vector<std::string>& sources) {
  std::string files;
  for (const std::string& file : sources) files += fmt::format("      <SourceFile name=\"{}\"/>\n", escaped(file));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
      "  <BuildConfiguration modelIdentifier=\"{}\">\n    <SourceFileSet language=\"C99\">\n{}    </SourceFileSet>\n"
      "    <Library name=\"m\" external=\"true\"/>\n  </BuildConfiguration>\n</fmiBuildDescription>\n",
      plan.identifier, files);
}

namespace {

// Of one body: its clocks and the columns that count its output clocks, in their order.
std::string clock_tables_text(const FmuPlan& plan, const CModel& model, const std::vector<FmuVariable>& mine,
                              const std::string& kind) {
  std::string clocks, fired;
  if (plan.ticks) {
    for (const FmuClock& clock : list_fmu_clocks(model.program))
      clocks += fmt::format("    {{{}, {}, {}, {}u, {}u, {}u}},\n", clock.source, clock.first, clock.stride,
                            clock.interval, clock.shift, clock.resolution);
  }
  for (const FmuVariable& v : mine) {
    if (v.role == FmuRole::fired) fired += fmt::format("{}, ", v.index);
  }
  return fmt::format(
      "static const orr_fmi_clock {0}_clocks[] = {{\n{1}    {{0, 0, 1, 1, 0, 1}}}};\n"
      "static const int {0}_fired[] = {{{2}0}};\n",
      kind, clocks, fired);
}

}  // namespace

std::string fmu_tables_text(const FmuPlan& plan, const std::vector<FmuVariable>& variables) {
  std::string text =
      "/* SPDX-License-Identifier: MIT-0 */\n/* Which value reference is which variable. */\n#include "
      "\"orrery_fmi.h\"\n\n";
  const auto body = [&](const CModel* model, const std::string& kind) {
    if (model == nullptr)
      return fmt::format("const orr_fmi_body orr_fmi_{} = {{NULL, NULL, NULL, NULL, NULL}};\n", kind);
    const auto mine = list_fmu_variables(*model, plan.shape());
    const bool differentiable = model->jacobian.exact && model != plan.scheduled;
    const std::string jacobian =
        differentiable ? fmu_jacobian_text(model->jacobian, model->name, kind + "_jacobian") : std::string();
    return fmt::format(
        "#include \"{0}.h\"\n{1}{2}{5}"
        "const orr_fmi_body orr_fmi_{3} = {{&{0}_model, {3}_variables, {4}, {3}_clocks, {3}_fired}};\n",
        model->name, fmu_table_text(variables, mine, kind + "_variables"), jacobian, kind,
        differentiable ? "&" + kind + "_jacobian" : "NULL", clock_tables_text(plan, *model, mine, kind));
  };
  text += body(plan.exchange, "exchange");
  text += body(plan.cosimulation, "cosimulation");
  text += body(plan.scheduled, "scheduled");
  const auto count = [&](FmuRole role) { return std::ranges::count(variables, role, &FmuVariable::role); };
  text +=
      fmt::format("const int orr_fmi_clocks = {}, orr_fmi_fired = {};\n", count(FmuRole::ticks), count(FmuRole::fired));
  return text + fmt::format("const unsigned orr_fmi_variables = {};\nconst char *const orr_fmi_token = {};\n",
                            variables.size(), quoted(plan.token));
}

}  // namespace orrery::code_export
