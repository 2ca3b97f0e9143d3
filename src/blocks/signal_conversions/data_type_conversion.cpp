// SPDX-License-Identifier: Apache-2.0
// DataTypeConversion.
#include "blocks/signal_conversions/signal_conversions.h"

namespace orrery::blocks {
namespace {

Scalar type_of(const Parameters& parameters) {
  for (int code = 0; code <= static_cast<int>(Scalar::boolean); ++code) {
    if (parameters.text("type") == name_of(static_cast<Scalar>(code))) return static_cast<Scalar>(code);
  }
  parameters.fail("type", "'" + parameters.text("type") + "' is not an element type");
}

}  // namespace

const BlockType data_type_conversion = {
    .name = "DataTypeConversion",
    .palette = "SignalConversions",
    .summary = "Converts its input to another element type.",
    .description =
        "A double becomes an integer by dropping its fraction; what is too large, integers as well, becomes the "
        "largest number of the type, NaN becomes 0. A complex number gives its real part. Whatever is not 0 is true.",
    .parameters = {{"type",
                    "'double'",
                    "element type of the output",
                    {"double", "complex", "int8", "int16", "int32", "uint8", "uint16", "uint32", "boolean"}}},
    .ports = [](Ports& p) { p.input("u").output("y", {}, type_of(p.parameters())); },
    .build = [](Block& b) { b.out(1, b.in().as(b.out_type().scalar)); },
};

}  // namespace orrery::blocks
