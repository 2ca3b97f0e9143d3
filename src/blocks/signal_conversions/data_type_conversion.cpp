// SPDX-License-Identifier: Apache-2.0
// DataTypeConversion, ScalarExpand, Identity.
#include <fmt/format.h>

#include <cmath>

#include "blocks/element_types.h"
#include "blocks/integer_overflow.h"
#include "blocks/signal_conversions/signal_conversions.h"

namespace orrery::blocks {
namespace {

// Rows and columns; -1 where they are not given.
Size size_parameter(const Parameters& p) {
  const std::vector<double>& given = p.reals("size");
  if (given.empty() || given.size() > 2) p.fail("size", "must be rows and columns");
  for (const double x : given) {
    if (x != std::floor(x) || x > 1e6) p.fail("size", "must be whole numbers");
  }
  return {static_cast<int>(given[0]), given.size() == 2 ? static_cast<int>(given[1]) : 1};
}

}  // namespace

const BlockType data_type_conversion = {
    .name = "DataTypeConversion",
    .palette = "SignalConversions",
    .summary = "Converts its input to another element type.",
    .description =
        "A double becomes an integer by dropping its fraction; what is too large, integers as well, becomes the "
        "largest number of the type, NaN becomes 0. A complex number gives its real part. Whatever is not 0 is true. "
        "With overflow 'wrap' integers count modulo 2^n, with 'error' the run fails at the event that gives one that "
        "does not fit.",
    .icon = {.text = "{type}"},
    .parameters = {type_spec("'double'"), overflow_spec()},
    .ports = [](Ports& p) { p.input("u").output("y", {}, element_type_of(p.parameters())); },
    .build = [](Block& b) { b.out(1, Arithmetic(b).convert(b.in(), b.out_type().scalar)); },
};

const BlockType scalar_expand = {
    .name = "ScalarExpand",
    .palette = "SignalConversions",
    .summary = "A matrix, all of whose elements are its scalar input.",
    .icon = {.text = "u → [u]"},
    .parameters = {{"size", "[2 1]", "rows and columns"}},
    .ports =
        [](Ports& p) {
          const Size size = size_parameter(p.parameters());
          if (size.rows < 1 || size.cols < 1) p.parameters().fail("size", "must be numbers from 1 on");
          p.input("u", scalar_size).output("y", size);
        },
    .build =
        [](Block& b) {
          b.out(1, stack(b.out_type(), std::vector<Expr>(static_cast<std::size_t>(b.out_type().size()), b.in())));
        },
};

const BlockType identity = {
    .name = "Identity",
    .palette = "SignalConversions",
    .summary = "Its input as it is; says which size and element type the signal must have.",
    .icon = {.text = "="},
    .parameters = {{"size", "[-1 -1]", "rows and columns; -1: any"}, type_spec("'inherit'", true)},
    .ports =
        [](Ports& p) {
          Size size = size_parameter(p.parameters());
          if (size.rows < 1) size.rows = -1;
          if (size.cols < 1) size.cols = -2;
          const bool any = p.parameters().text("type") == "inherit";
          const ElementType type = any ? same_type : ElementType(element_type_of(p.parameters()));
          p.input("u", size, type).output("y", size, type);
        },
    .build = [](Block& b) { b.out(1, b.in()); },
};

}  // namespace orrery::blocks
