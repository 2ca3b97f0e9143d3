// SPDX-License-Identifier: Apache-2.0
// FormattedString: numbers as the characters of a text.
#include <fmt/format.h>

#include "blocks/signal_conversions/printf_text.h"
#include "blocks/signal_conversions/signal_conversions.h"

namespace orrery::blocks {

std::optional<std::vector<PrintfPiece>> parse_printf(const std::string& text, std::string& wrong) {
  std::vector<PrintfPiece> pieces(1);
  for (std::size_t at = 0; at < text.size(); ++at) {
    PrintfPiece& piece = pieces.back();
    if (text[at] != '%') {
      piece.before += text[at];
      continue;
    }
    if (at + 1 < text.size() && text[at + 1] == '%') {
      piece.before += '%';
      ++at;
      continue;
    }
    const std::size_t last = text.find_first_not_of("-+ #0123456789.", at + 1);
    if (last == std::string::npos || std::string("diouxXceEfFgG").find(text[last]) == std::string::npos) {
      wrong = last == std::string::npos ? "it ends within a conversion"
                                        : fmt::format("%{} is no conversion that can be used here", text[last]);
      return std::nullopt;
    }
    piece.flags = text.substr(at + 1, last - at - 1);
    if (piece.flags.size() > 8) {
      wrong = fmt::format("the width in %{} is too large", piece.flags);
      return std::nullopt;
    }
    piece.conversion = text[last];
    pieces.emplace_back();
    at = last;
  }
  return pieces;
}

namespace {

std::size_t conversions_of(const Parameters& p) {
  std::string wrong;
  const auto pieces = parse_printf(p.text("text"), wrong);
  if (!pieces) p.fail("text", "is not a text for printf: " + wrong, "write 'x = %8.3f, n = %d'");
  return pieces->size() - 1;
}

}  // namespace

const BlockType formatted_string = {
    .name = "FormattedString",
    .palette = "SignalConversions",
    .summary = "A text with the numbers of its inputs in it, as a column of character codes.",
    .description =
        "The text is one of printf: an input for each conversion (d, i, o, u, x, X, c, e, E, f, F, g, G). What is "
        "longer than `length` is cut off, the rest of a shorter one is 0.",
    .icon = {.text = "{text}"},
    .parameters = {{"text", "'%g'", "text with conversions, as printf has them; widths are numbers"},
                   {"length", "32", "number of characters of the output"}},
    .ports =
        [](Ports& p) {
          const int length = p.parameters().count("length");
          const auto count = static_cast<int>(conversions_of(p.parameters()));
          for (int k = 1; k <= count; ++k) p.input("u" + std::to_string(k), scalar_size, ElementType(-100 - k));
          p.output("y", {length, 1}, Scalar::u8);
        },
    .refine = only_ordered,
    .build =
        [](Block& b) {
          program::ForeignObject object;
          object.kind = "formatted_text";
          object.settings = {{"text", b.text("text")}, {"length", std::to_string(b.count("length"))}};
          program::ForeignFunction function{
              "formatted_text", {}, {b.out_type()}, b.foreign_object(std::move(object)), 0};
          std::vector<Expr> values;
          for (const Expr& u : b.inputs()) values.push_back(u.as(Scalar::f64));
          function.arguments.assign(values.size(), Type{});
          b.out(1, b.foreign(b.declare(std::move(function)), values));
        },
};

}  // namespace orrery::blocks
