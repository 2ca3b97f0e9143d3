// SPDX-License-Identifier: Apache-2.0
// EnableInput and IncludeDiagram, and the blocks that the compiler puts in the place of super blocks.
#include "blocks/diagram_ports/diagram_ports.h"
#include "blocks/unit_body.h"

namespace orrery::blocks {
namespace {

bool by_columns(const Parameters& p) { return p.flag("columns"); }

// All parts of an input have one size; those of a matrix by elements are counted column by column.
void refine_parts(Ports& p, Port whole, bool is_input) {
  const int count = p.parameters().integer("count");
  if (by_columns(p.parameters()) || whole.rows <= 0 || whole.cols <= 0) return;
  if (whole.rows * whole.cols != count) {
    p.fail("the " + std::string(is_input ? "input" : "output") + " has " + std::to_string(whole.rows * whole.cols) +
           " elements, but the super block is there for " + std::to_string(count));
  }
}

}  // namespace

const BlockType enable_input = {
    .name = "EnableInput",
    .palette = "Ports",
    .summary = "An input of the super block around this diagram that says whether its blocks run.",
    .description =
        "All blocks of the diagram, and of those inside it, run only while the input is positive (or true); else "
        "states "
        "stand still, memories and outputs keep their values, and events do nothing there. In continuous time the "
        "instants of change are located. Several of them must all be positive. The value can be read inside.",
    .parameters = {{"port", "1", "number of the port"}},
    .role = Role::diagram_condition,
    .ports = [](Ports& p) { p.output("y", scalar_size).activation_inputs(0); },
};

const BlockType include_diagram = {
    .name = "IncludeDiagram",
    .palette = "Ports",
    .summary = "A super block whose diagram is a model file.",
    .description =
        "The ports are those of the top diagram of the file, the parameters besides file those of its mask. Its "
        "initialization and context are run inside; its simulation settings have no meaning here. A file that is "
        "included "
        "several times is read once. The path is relative to the folder of the file that includes.",
    .parameters = {{"file", "''", "path of the model file"}},
    .role = Role::include,
    .ports = [](Ports& p) { p.activation_inputs(0); },
};

const BlockType unit_activation = {
    .name = "SuperBlock",
    .ports = [](Ports& p) { p.activation_inputs(1); },
};

const BlockType part_splitter = {
    .name = "SuperBlock",
    .parameters = {{"count", "1", "number of parts"}, {"columns", "0", "1: columns, 0: elements"}},
    .ports =
        [](Ports& p) {
          const int count = p.parameters().integer("count");
          const bool columns = by_columns(p.parameters());
          p.input("u", columns ? Size{-1, count} : Size{-1, -2});
          for (int k = 1; k <= count; ++k) p.output("y" + std::to_string(k), columns ? Size{-1, 1} : scalar_size);
        },
    .refine = [](Ports& p) { refine_parts(p, p.in(1), true); },
    .build =
        [](Block& b) {
          const bool columns = by_columns(b.parameters());
          const std::int64_t rows = columns ? b.in().rows() : 1;
          for (int k = 1; k <= b.output_count(); ++k) {
            std::vector<Expr> elements;
            for (std::int64_t r = 0; r < rows; ++r) elements.push_back(b.in()[(k - 1) * rows + r]);
            b.out(k, stack(b.out_type(k), elements));
          }
        },
};

const BlockType part_joiner = {
    .name = "SuperBlock",
    .parameters = {{"count", "1", "number of parts"}, {"columns", "0", "1: columns, 0: elements"}},
    .ports =
        [](Ports& p) {
          const int count = p.parameters().integer("count");
          const bool columns = by_columns(p.parameters());
          for (int k = 1; k <= count; ++k) p.input("u" + std::to_string(k), columns ? Size{-1, 1} : scalar_size);
          p.output("y", columns ? Size{-1, count} : Size{count, 1});
        },
    .build =
        [](Block& b) {
          std::vector<Expr> elements;
          for (const Expr& u : b.inputs()) {
            for (std::int64_t k = 0; k < u.size(); ++k) elements.push_back(u[k]);
          }
          b.out(1, stack(b.out_type(), elements));
        },
};

const BlockType run_condition = {
    .name = "EnableInput",
    .ports = [](Ports& p) { p.input("u", scalar_size).output("y", scalar_size, Scalar::boolean); },
    .refine = only_ordered,
    .build = [](Block& b) { b.out(1, b.in().scalar_type() == Scalar::boolean ? b.in() : b.in() > 0.0); },
};

const BlockType unit_clock = {
    .name = "EventInput",
    .activation = Activation::always,
    .ports = [](Ports& p) { p.activation_inputs(0).activation_outputs(1); },
    .build =
        [](Block& b) {
          b.clock(1, {1, 1}, {0, 1});
        },
};

const BlockType unit_argument = {
    .name = "Input",
    .ports = [](Ports& p) { p.output("y").activation_inputs(1); },
    .build = [](Block& b) { b.out(1, b.memory("argument", b.fill(b.out_type(), 0))); },
};

const BlockType unit_result = {
    .name = "Output",
    .ports = [](Ports& p) { p.input("u"); },
    .build =
        [](Block& b) {
          const Variable result = b.memory("result", b.fill(b.in().type(), 0));
          b.on_activation().set(result, b.in());
        },
};

const BlockType shared_unit = {
    .name = "SuperBlock",
    .ports = [](Ports&) {},
    .refine = [](Ports& p) { p.parameters().unit()->refine(p); },
    .build = [](Block& b) { b.parameters().unit()->build(b); },
};

}  // namespace orrery::blocks
