// SPDX-License-Identifier: Apache-2.0
// BusCreator, BusExtractor, BusAssignment, BusConstant, the ports of super blocks for buses, and their tags.
#include "blocks/bus_operations/bus_operations.h"

#include <fmt/format.h>

#include <algorithm>

#include "blocks/routing/routing.h"

namespace orrery::blocks {
namespace {

const ParameterSpec names_spec = {"names", "'a,b'",
                                  "names of the signals, separated by commas; a.b is the signal b of the bus a"};
const ParameterSpec bus_port_spec = {"port", "1", "number of the port"};

void list_constants(const Parameters& p, const Value& value, const std::string& before,
                    std::vector<std::pair<std::string, Value>>& numbers) {
  for (std::size_t k = 0; k < value.items.size(); ++k) {
    const std::string name = before + value.names[k];
    const Value& item = value.items[k];
    if (item.is_list() && item.names.size() == item.items.size() && !item.items.empty()) {
      list_constants(p, item, name + ".", numbers);
    } else if (item.is_number() && item.size() > 0) {
      numbers.emplace_back(name, item);
    } else {
      p.fail("value", fmt::format("the field {} is neither a number nor a struct", name));
    }
  }
}

void declare_bus_constant(Ports& p) { p.output("bus").activation_inputs(0); }

}  // namespace

std::vector<std::string> bus_signals(const Parameters& parameters, bool dotted) {
  std::vector<std::string> names(1);
  for (const char c : parameters.text("names")) {
    if (c == ',') {
      names.emplace_back();
    } else if (c != ' ') {
      names.back() += c;
    }
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string& name = names[k];
    const bool has_dots = name.find('.') != std::string::npos;
    if (name.empty() || name.front() == '.' || name.back() == '.' || name.find("..") != std::string::npos)
      parameters.fail("names", fmt::format("name {} of '{}' is empty", k + 1, parameters.text("names")),
                      "write 'speed,torque': names with commas between them");
    if (has_dots && !dotted)
      parameters.fail("names", fmt::format("{} is no name: dots lead into buses within a bus", name));
    if (!std::count(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(k), name)) continue;
    parameters.fail("names", fmt::format("{} is there twice", name), "give each signal a name of its own");
  }
  return names;
}

void list_bus_constants(const Parameters& parameters, std::vector<std::pair<std::string, Value>>& numbers) {
  const Value& value = parameters.value("value");
  if (!value.is_list() || value.names.size() != value.items.size() || value.items.empty())
    parameters.fail("value", "must be a struct of numbers", "write struct('speed', 1, 'torque', [2;3])");
  list_constants(parameters, value, "", numbers);
}

const BlockType bus_creator = {
    .name = "BusCreator",
    .palette = "BusOperations",
    .summary = "Joins signals to a bus, each under a name.",
    .description =
        "The signals may be of any size and type, and buses themselves. A bus is a link with many signals: at run time "
        "nothing of it is left.",
    .icon = {.inputs = {"{names,#}"}},
    .parameters = {names_spec},
    .role = Role::bus_creator,
    .ports =
        [](Ports& p) {
          const auto count = static_cast<int>(bus_signals(p.parameters(), false).size());
          p.input_each(count, "u", any_type).output("bus").activation_inputs(0);
        },
};

const BlockType bus_extractor = {
    .name = "BusExtractor",
    .palette = "BusOperations",
    .summary = "Takes signals out of a bus by their names.",
    .description = "A name may be that of a bus within the bus, which is then a bus at the output.",
    .icon = {.outputs = {"{names,#}"}},
    .parameters = {names_spec},
    .role = Role::bus_extractor,
    .ports =
        [](Ports& p) {
          p.input("bus").activation_inputs(0);
          for (const std::string& name : bus_signals(p.parameters(), true)) p.output(name, {-3, -4}, ElementType(-2));
        },
};

const BlockType bus_assignment = {
    .name = "BusAssignment",
    .palette = "BusOperations",
    .summary = "A bus with other signals under some of its names.",
    .description = "Input 1 is the bus; the others take the places of the signals that are named.",
    .icon = {.text = ":=", .inputs = {"", "{names,#-1}"}},
    .parameters = {{"names", "'a'", names_spec.about}},
    .role = Role::bus_assignment,
    .ports =
        [](Ports& p) {
          const auto count = static_cast<int>(bus_signals(p.parameters(), true).size());
          p.input("bus", {-3, -4}, ElementType(-2)).input_each(count, "u", any_type);
          p.output("y", {-3, -4}, ElementType(-2)).activation_inputs(0);
        },
};

const BlockType bus_constant = {
    .name = "BusConstant",
    .palette = "BusOperations",
    .summary = "A bus of constants: the fields of a struct, structs in it being buses in the bus.",
    .icon = {.text = "struct"},
    .parameters = {{"value", "struct('a',1,'b',2)", "struct of numbers and structs"}},
    .role = Role::bus_constant,
    .ports = declare_bus_constant,
};

const BlockType bus_input = {
    .name = "BusInput",
    .palette = "BusOperations",
    .summary = "An input of the super block around this diagram that carries a bus.",
    .description = "An Input does the same; this one says so. On the top diagram there are no buses.",
    .parameters = {bus_port_spec, {"each", "'whole'", "as for Input: what a copy of the diagram reads", {"whole"}}},
    .role = Role::diagram_input,
    .ports = [](Ports& p) { p.output("y").activation_inputs(0); },
};

const BlockType bus_output = {
    .name = "BusOutput",
    .palette = "BusOperations",
    .summary = "An output of the super block around this diagram that carries a bus.",
    .description = "An Output does the same; this one says so. On the top diagram there are no buses.",
    .parameters = {bus_port_spec},
    .role = Role::diagram_output,
    .ports = [](Ports& p) { p.input("u").activation_inputs(0); },
};

const BlockType set_bus_signal = {
    .name = "SetBusSignal",
    .palette = "BusOperations",
    .summary = "Gives a bus a name, under which GetBusSignal blocks find it without a link.",
    .description = "As SetSignal, which can do it too.",
    .icon = {.text = "⟨{tag}⟩"},
    .parameters = {tag_spec(), visibility_spec()},
    .role = Role::set_signal,
    .ports = [](Ports& p) { p.input("u").activation_inputs(0); },
};

const BlockType get_bus_signal = {
    .name = "GetBusSignal",
    .palette = "BusOperations",
    .summary = "The bus that the SetBusSignal of the same name receives.",
    .icon = {.text = "⟨{tag}⟩"},
    .parameters = {tag_spec()},
    .role = Role::get_signal,
    .ports = [](Ports& p) { p.output("y").activation_inputs(0); },
};

const BlockType bus_signal_scoping = {
    .name = "BusSignalScoping",
    .palette = "BusOperations",
    .summary = "Bounds the name of a SetBusSignal to this diagram and those inside it.",
    .icon = {.text = "⟨{tag}⟩ ↓"},
    .parameters = {tag_spec()},
    .role = Role::scope_signal,
    .ports = [](Ports& p) { p.activation_inputs(0); },
};

}  // namespace orrery::blocks
