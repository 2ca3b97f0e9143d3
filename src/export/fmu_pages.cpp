// SPDX-License-Identifier: Apache-2.0
// What an FMU has for people: terminals, an icon, a page of documentation.
#include <fmt/format.h>

#include <algorithm>

#include "export/fmu_description.h"

namespace orrery::code_export {
namespace {

bool is_input_port(const FmuVariable& v) {
  return v.role == FmuRole::input || v.role == FmuRole::activation || v.role == FmuRole::trigger ||
         v.role == FmuRole::ticks || v.role == FmuRole::pending;
}

// The name of the port whose element the variable is: y of y[2].
std::string port_name(const FmuVariable& v) { return v.name.substr(0, v.name.find('[')); }

// Ports on the left or the right, each once, in order.
std::vector<std::string> ports_of(const std::vector<FmuVariable>& variables, bool inputs) {
  std::vector<std::string> names;
  for (const FmuVariable& v : variables) {
    if (inputs ? !is_input_port(v) : !v.output) continue;
    if (names.empty() || names.back() != port_name(v)) names.push_back(port_name(v));
  }
  return names;
}

constexpr double icon_size = 100;  // from -100 to 100 in both directions

// Of port k of n, counted from the top.
double port_height(std::size_t k, std::size_t n) {
  return icon_size - 2 * icon_size * (static_cast<double>(k) + 1) / (static_cast<double>(n) + 1);
}

std::string side_terminals(const std::vector<FmuVariable>& variables, bool inputs, bool pictures) {
  const std::vector<std::string> names = ports_of(variables, inputs);
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    text += fmt::format("    <Terminal name=\"{}\" matchingRule=\"plug\" terminalKind=\"{}\">\n",
                        escape_markup(names[k]), inputs ? "org.fmi.input" : "org.fmi.output");
    for (const FmuVariable& v : variables) {
      if ((inputs ? is_input_port(v) : v.output) && port_name(v) == names[k])
        text += fmt::format(
            "      <TerminalMemberVariable variableKind=\"signal\" memberName=\"{0}\" variableName=\"{1}\"/>\n",
            escape_markup("value" + v.name.substr(names[k].size())), escape_markup(v.name));
    }
    const double y = port_height(k, names.size()), x = inputs ? -icon_size : icon_size;
    if (pictures)
      text += fmt::format(
          "      <TerminalGraphicalRepresentation x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" iconBaseName=\"port\"/>\n",
          x - 8, y - 8, x + 8, y + 8);
    text += "    </Terminal>\n";
  }
  return text;
}

std::string side_ports(const std::vector<FmuVariable>& variables, bool inputs) {
  const std::vector<std::string> names = ports_of(variables, inputs);
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double y = -port_height(k, names.size()), x = inputs ? -icon_size : icon_size;
    text += fmt::format("<path d=\"M{} {}l8 4-8 4z\" fill=\"#333\"/>", x - (inputs ? 0 : 8), y - 4);
    if (names.size() <= 12)
      text += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"11\" text-anchor=\"{}\">{}</text>",
                          inputs ? x + 12 : x - 12, y + 4, inputs ? "start" : "end", escape_markup(names[k]));
  }
  return text;
}

const char* role_word(const FmuVariable& v) {
  if (is_clock(v.role)) return v.role == FmuRole::fired ? "output clock" : "input clock";
  if (v.output) return "output";
  switch (v.role) {
    case FmuRole::time: return "time";
    case FmuRole::parameter: return "parameter";
    case FmuRole::input:
    case FmuRole::activation: return "input";
    case FmuRole::state: return "state";
    case FmuRole::derivative: return "derivative";
    case FmuRole::indicator: return "event indicator";
    default: return "recorded";
  }
}

}  // namespace

std::string fmu_terminals_text(const std::vector<FmuVariable>& variables, bool pictures) {
  const std::string terminals = side_terminals(variables, true, pictures) + side_terminals(variables, false, pictures);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n"
      "  <GraphicalRepresentation>\n"
      "    <CoordinateSystem x1=\"-100\" y1=\"-100\" x2=\"100\" y2=\"100\" suggestedScalingFactorTo_mm=\"0.1\"/>\n{}"
      "  </GraphicalRepresentation>\n{}</fmiTerminalsAndIcons>\n",
      pictures ? "    <Icon x1=\"-100\" y1=\"-100\" x2=\"100\" y2=\"100\"/>\n" : "",
      terminals.empty() ? "" : "  <Terminals>\n" + terminals + "  </Terminals>\n");
}

std::string fmu_icon_text(const FmuPlan& plan, const std::vector<FmuVariable>& variables) {
  const double fit = std::clamp(230.0 / static_cast<double>(std::max<std::size_t>(plan.name.size(), 1)), 8.0, 24.0);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"200\" viewBox=\"-102 -102 204 204\" "
      "font-family=\"sans-serif\" fill=\"#333\"><rect x=\"-100\" y=\"-100\" width=\"200\" height=\"200\" rx=\"6\" "
      "fill=\"#fff\" stroke=\"#333\" stroke-width=\"2\"/>{}{}<text y=\"{}\" font-size=\"{}\" "
      "text-anchor=\"middle\">{}</text></svg>\n",
      side_ports(variables, true), side_ports(variables, false), -82 + fit / 3, fit, escape_markup(plan.name));
}

std::string fmu_page_text(const FmuPlan& plan, const std::vector<FmuVariable>& variables, const std::string& picture) {
  std::string rows;
  for (const FmuVariable& v : variables) {
    if (v.role == FmuRole::derivative || v.role == FmuRole::indicator) continue;
    const std::string size = v.count() == 1 ? "" : fmt::format("{} × {}", v.rows, v.cols);
    rows += fmt::format("<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        escape_markup(v.name), role_word(v), size, escape_markup(v.unit), escape_markup(v.about));
  }
  std::string kinds;
  const auto kind = [&](const CModel* model, const char* word) {
    if (model != nullptr) kinds += (kinds.empty() ? "" : ", ") + std::string(word);
  };
  kind(plan.exchange, "Model Exchange");
  kind(plan.cosimulation, "Co-Simulation");
  kind(plan.scheduled, "Scheduled Execution");
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>{0}</title>\n"
      "<style>body{{font-family:sans-serif;max-width:60em;margin:2em auto}}td,th{{text-align:left;padding:.1em "
      ".8em}}</style></head><body>\n"
      "<h1>{0}</h1>\n<p>{1}</p>\n{2}"
      "<p>FMI {3}.0: {4}. Solver {5}, from {6} s to {7} s.</p>\n"
      "<table>\n<tr><th>name</th><th>what</th><th>size</th><th>unit</th><th></th></tr>\n{8}</table>\n"
      "<p>Made by {9}. The sources are under MIT-0.</p>\n</body></html>\n",
      escape_markup(plan.name), escape_markup(plan.about), picture, plan.version, kinds,
      escape_markup(plan.settings.solver.empty() ? "auto" : plan.settings.solver), plan.settings.start,
      plan.settings.stop, rows, escape_markup(plan.tool));
}

}  // namespace orrery::code_export
