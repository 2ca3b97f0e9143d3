// SPDX-License-Identifier: Apache-2.0
// Mux, Demux, Switch2, SelectInput.
#include "blocks/routing/routing.h"

#include <cmath>
#include <numeric>

namespace orrery::blocks {
namespace {

// Sizes of the outputs of a Demux; a single number n means n outputs of equal size, marked by zeros.
std::vector<int> sizes_of(const Parameters& parameters) {
  const std::vector<double>& sizes = parameters.reals("sizes");
  if (sizes.size() == 1) return std::vector<int>(static_cast<std::size_t>(parameters.count("sizes")), 0);
  std::vector<int> result;
  for (double size : sizes) {
    if (!(size >= 1 && size <= 1e6) || size != std::floor(size)) {
      parameters.fail("sizes", "must be whole numbers from 1 on");
    }
    result.push_back(static_cast<int>(size));
  }
  if (result.empty()) parameters.fail("sizes", "must give the size of at least one output");
  return result;
}

Expr fulfils(Block& b, Expr u) {
  if (u.scalar_type() == Scalar::boolean) return u;
  const std::string& rule = b.text("rule");
  if (std::isnan(b.parameters().now_number("threshold"))) b.fail("threshold", "must not be nan");
  const Expr threshold = b.parameter("threshold", Type{});
  u = u.as(Scalar::f64);
  if (rule == "~=") return u != threshold;
  return rule == ">" ? u > threshold : u >= threshold;
}

}  // namespace

const BlockType mux = {
    .name = "Mux",
    .palette = "Routing",
    .summary = "Stacks the elements of its inputs into one column.",
    .description = "The elements of a matrix are taken column by column.",
    .icon = {.text = "mux", .inputs = {"#"}},
    .parameters = {{"inputs", "2", "number of inputs"}},
    .ports =
        [](Ports& p) {
          p.input_each(p.parameters().count("inputs"), "u").output("y", {-1, 1});
        },
    .refine =
        [](Ports& p) {
          int rows = 0;
          for (const Port& port : p.inputs()) {
            if (port.rows <= 0 || port.cols <= 0) return;
            rows += port.rows * port.cols;
          }
          p.set_output_size(1, rows, 1);
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

const BlockType demux = {
    .name = "Demux",
    .palette = "Routing",
    .summary = "Splits a column into several.",
    .icon = {.text = "demux", .outputs = {"#"}},
    .parameters = {{"sizes", "[1 1]", "length of each output, or one number: so many outputs of equal length"}},
    .ports =
        [](Ports& p) {
          const std::vector<int> sizes = sizes_of(p.parameters());
          const bool equal = sizes[0] == 0;
          p.input("u", {equal ? -1 : std::accumulate(sizes.begin(), sizes.end(), 0), 1});
          for (std::size_t k = 0; k < sizes.size(); ++k) {
            p.output("y" + std::to_string(k + 1), {equal ? -2 : sizes[k], 1});
          }
        },
    .refine =
        [](Ports& p) {
          const int count = p.output_count();
          const int rows = p.in(1).rows;
          if (rows <= 0 && p.out(1).rows > 0 && sizes_of(p.parameters())[0] == 0) {
            p.set_input_size(1, count * p.out(1).rows, 1);
          } else if (rows > 0 && sizes_of(p.parameters())[0] == 0) {
            if (rows % count != 0) return p.fail("the length of the input is no multiple of the number of outputs");
            for (int k = 1; k <= count; ++k) p.set_output_size(k, rows / count, 1);
          }
        },
    .build =
        [](Block& b) {
          std::int64_t next = 0;
          for (int port = 1; port <= b.output_count(); ++port) {
            std::vector<Expr> elements;
            while (std::ssize(elements) < b.out_type(port).size()) elements.push_back(b.in()[next++]);
            b.out(port, stack(b.out_type(port), elements));
          }
        },
};

const BlockType switch2 = {
    .name = "Switch2",
    .palette = "Routing",
    .summary = "Gives input 1 where input 2 fulfils a criterion, input 3 elsewhere.",
    .description =
        "Input 2 is a scalar or of the size of the others. A boolean input 2 is the criterion itself. In "
        "continuous time the instants of change are located.",
    .icon = {.text = "u₂ {rule} {threshold}", .inputs = {"T", "", "F"}},
    .parameters = {{"rule", "'>='", "how input 2 is compared with the threshold", {">=", ">", "~="}},
                   {"threshold", "0", "number"}},
    .ports =
        [](Ports& p) {
          p.input("u1").input("criterion", {-3, -4}, ElementType(-2)).input("u3").output("y");
        },
    .refine =
        [](Ports& p) {
          const Port& c = p.in(2);
          if (c.type == static_cast<int>(Scalar::c128))
            p.fail("the criterion (input 2) is complex, which has no order");
          if (c.rows > 0 && c.cols > 0 && (c.rows != 1 || c.cols != 1)) p.set_output_size(1, c.rows, c.cols);
        },
    .build = [](Block& b) { b.out(1, select(fulfils(b, b.in(2)), b.in(1), b.in(3))); },
};

const BlockType select_input = {
    .name = "SelectInput",
    .palette = "Routing",
    .summary =
        "Copies input k when it is activated through activation input k, and holds it until the next activation.",
    .description =
        "When several activation inputs are active in one instant, the lowest number counts. Without "
        "activation links each input activates the block with the activation of its source.",
    .icon = {.text = "k →", .inputs = {"#"}, .activations = {"#"}},
    .parameters =
        {{"inputs", "2", "number of inputs and of activation inputs"},
         {"priority", "'lowest'", "which of several that are active in one instant counts", {"lowest", "highest"}}},
    .activation = Activation::inherit_per_input,
    .ports =
        [](Ports& p) {
          const int count = p.parameters().count("inputs");
          for (int k = 1; k <= count; ++k) p.input("u" + std::to_string(k));
          p.output("y").activation_inputs(count);
        },
    .build =
        [](Block& b) {
          const bool lowest = b.text("priority") == "lowest";
          const int count = b.input_count();
          Expr y = b.in(lowest ? count : 1);
          for (int n = 2; n <= count; ++n) {
            const int k = lowest ? count + 1 - n : n;
            y = select(b.active(k), b.in(k), y);
          }
          b.out(1, y);
        },
};

}  // namespace orrery::blocks
