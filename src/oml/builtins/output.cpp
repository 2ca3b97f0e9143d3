// SPDX-License-Identifier: Apache-2.0
// Showing values and messages: disp, printf, error, warning.
#include <algorithm>

#include "oml/builtins/families.h"
#include "oml/builtins/printf_format.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

void disp(Call& c) {
  const std::string text = display_text("", c[0], c.oml.format);
  if (c.nargout > 0) return c.ret(Value::text(text));
  c.oml.show("", c[0]);
}

void display(Call& c) { c.oml.show(c.variable_name(0), c[0]); }

std::string formatted(const Call& c, int first) {
  const std::string format = c.text(first);
  return format_printf(format, std::span<const Value>(c.args).subspan(static_cast<std::size_t>(first) + 1));
}

void print(Call& c) { c.oml.write(formatted(c, 0)); }
void puts(Call& c) { c.oml.write(c.text(0)); }

void string_print(Call& c) { c.ret(Value::text(formatted(c, 0))); }

// An identifier such as "Control:place" before the format.
bool is_identifier(const std::string& s) {
  return s.find(':') != std::string::npos && s.find_first_of(" \t\n%") == std::string::npos && s.back() != ':';
}

OmlError make_error(Call& c) {
  if (c[0].is_struct()) {
    const StructArray& s = c[0].structure_ref();
    const Value* m = s.get("message");
    OmlError e(m == nullptr ? "unspecified error" : to_string(*m));
    const Value* id = s.get("identifier");
    if (id != nullptr && id->is_text()) e.identifier = to_string(*id);
    return e;
  }
  const std::string first = c.text(0);
  if (c.count() > 1 && !first.empty() && is_identifier(first) && c[1].is_text()) {
    OmlError e(c.count() > 2 ? formatted(c, 1) : c.text(1));
    e.identifier = first;
    return e;
  }
  return OmlError(c.count() > 1 ? formatted(c, 0) : first);
}

void error(Call& c) {
  OmlError e = make_error(c);
  if (e.message.empty()) return;
  if (e.message.rfind("Error: ", 0) == 0) e.message.erase(0, 7);
  Frame& f = c.oml.current_frame();
  e.located = true;  // so that the builtin's name stays out of the text
  e.line = f.line;
  e.column = f.column;
  if (f.file != nullptr) e.file = *f.file;
  if (f.function != nullptr) e.function = f.function->name;
  throw e;
}

void error_message_only(Call& c) {
  OmlError e = make_error(c);
  if (e.message.empty()) return;
  if (e.message.rfind("Error: ", 0) == 0) e.message.erase(0, 7);
  e.located = true;
  e.message_only = true;
  throw e;
}

void warn(Call& c, bool located) {
  if (c[0].is_struct()) {
    // A state that warning returned before.
    const StructArray& s = c[0].structure_ref();
    if (s.get("identifier") == nullptr || s.get("state") == nullptr) fail_argument(1, "must be a state of warning");
    const std::string id = to_string(*s.get("identifier"));
    std::erase_if(c.oml.warning_states, [&](const auto& x) { return x.first == id; });
    c.oml.warning_states.emplace_back(id, to_string(*s.get("state")));
    return;
  }
  const std::string first = c.text(0);
  if (first == "on" || first == "off" || first == "error" || first == "query") {
    const std::string id = c.count() > 1 ? c.text(1) : "all";
    auto& states = c.oml.warning_states;
    if (c.nargout > 0 || first == "query") {
      std::string state = "on";
      for (const auto& [name, value] : states)
        if (name == id || name == "all") state = value;
      Value old = Value::structure();
      old.edit_structure().set("identifier", Value::text(id));
      old.edit_structure().set("state", Value::text(state));
      c.ret(old);
      if (first == "query") return;
    }
    std::erase_if(states, [&](const auto& s) { return s.first == id; });
    states.emplace_back(id, first);
    return;
  }
  int at = 0;
  std::string id;
  if (c.count() > 1 && is_identifier(first) && c[1].is_text()) {
    id = first;
    at = 1;
  }
  for (const auto& [name, state] : c.oml.warning_states) {
    if (state == "off" && (name == id || name == "all")) return;
  }
  c.oml.warn(c.count() > at + 1 ? formatted(c, at) : process_escapes(c.text(at)), located);
}

void format(Call& c) {
  using Style = DisplayFormat::Style;
  Style style = Style::standard;
  static constexpr std::string_view known[] = {"short", "long",   "e",     "shorte", "longe",
                                               "g",     "shortg", "longg", "loose",  "compact"};
  std::string words;
  for (int k = 0; k < c.count(); ++k) {
    std::string w = c.text(k);
    for (char& ch : w) ch = static_cast<char>(std::tolower(ch));
    if (std::find(std::begin(known), std::end(known), w) == std::end(known))
      fail_argument(k + 1, "must be 'short' or 'long', perhaps with 'e'");
    words += w + " ";
  }
  const bool is_long = words.find("long") != std::string::npos;
  const bool exponent = words == "long e " || words == "short e " || words == "longe " || words == "shorte ";
  if (exponent)
    style = is_long ? Style::long_exponent : Style::short_exponent;
  else if (is_long)
    style = Style::long_fixed;
  else if (words.find("short") != std::string::npos)
    style = Style::short_fixed;
  c.oml.format.style = style;
}

void last_error(Call& c) {
  c.ret(Value::text(c.oml.last_error));
  if (c.has(0)) c.oml.last_error = c.text(0);
}

void last_warning(Call& c) {
  c.ret(Value::text(c.oml.last_warning));
  if (c.has(0)) c.oml.last_warning = c.text(0);
}

void rethrow(Call& c) {
  OmlError e = make_error(c);
  if (e.message.rfind("Error: ", 0) == 0) e.message.erase(0, 7);
  e.builtin = "";
  throw e;
}

void assert_that(Call& c) {
  if (c.count() == 1) {
    if (!is_true(c[0])) fail("assertion failed");
    return;
  }
  if (c[1].is_text() && !c[0].is_text()) {
    if (!is_true(c[0])) fail(formatted(c, 1));
    return;
  }
  const Value tolerances = c.has(2) ? to_real(c[2]) : Value::zeros(Dims(1, 1));
  const bool exact = tolerances.numel() == 1 && tolerances.real()[0] == 0;
  if (exact || !c[0].is_arithmetic()) {
    if (!values_equal(stored(c[0]), stored(c[1]))) fail("assertion failed: the values differ");
    return;
  }
  const Value a = to_complex(full(c[0])), b = to_complex(full(c[1]));
  if (b.numel() != 1 && !(a.dims() == b.dims())) fail("assertion failed: the sizes differ");
  if (tolerances.numel() != 1 && tolerances.numel() != a.numel()) fail_argument(3, "must have the size of the values");
  for (Index i = 0; i < a.numel(); ++i) {
    const double tolerance = tolerances.real()[tolerances.numel() == 1 ? 0 : i];
    const Complex x = a.complex()[i], y = b.complex()[b.numel() == 1 ? 0 : i];
    const double limit = tolerance > 0 ? tolerance : -tolerance * std::abs(y);
    if (x != y && !(std::abs(x - y) <= limit) && !(std::isnan(x.real()) && std::isnan(y.real())))
      fail("assertion failed: the values differ");
  }
}

constexpr Builtin output_table[] = {
    {"disp", 1, 1, disp, "disp(x): shows x without its name.", "any"},
    {"display", 1, 1, display, "display(x): shows x.", "any"},
    {"printf", 1, -1, print,
     "printf(format, data, ...): formatted text on the output; the format is reused until the data run out.",
     "any, ..."},
    {"puts", 1, 1, puts, "puts(text): text on the output as it is.", "word"},
    {"sprintf", 1, -1, string_print, "sprintf(format, data, ...): formatted text as a string.", "any, ..."},
    {"error", 1, -1, error,
     "error(format, data, ...): stops with a message; error(id, format, ...) sets an identifier.", "any, ..."},
    {"errormsgonly", 1, -1, error_message_only,
     "errormsgonly(format, data, ...): stops with a message printed without location.", "any, ..."},
    {"warning", 1, -1, [](Call& c) { warn(c, true); },
     "warning(format, data, ...): prints a warning; warning('off', id) silences one.", "any, ..."},
    {"warningmsgonly", 1, -1, [](Call& c) { warn(c, false); },
     "warningmsgonly(format, data, ...): prints a warning without location.", "any, ..."},
    {"format", 0, 3, format,
     "format short|long|short e|long e: how numbers are shown; format alone restores the default.", "word, ..."},
    {"lasterr", 0, 1, last_error, "lasterr: text of the last error.", "word"},
    {"lastwarn", 0, 1, last_warning, "lastwarn: text of the last warning.", "word"},
    {"rethrow", 1, 1, rethrow, "rethrow(err): raises a caught error again.", "any"},
    {"assert", 1, -1, assert_that,
     "assert(condition, message, ...) or assert(observed, expected, tol): stops when it does not hold; tol may be an "
     "array, "
     "negative ones are relative.",
     "any, ..."},
};

}  // namespace

BuiltinFamily output_builtins() { return output_table; }

}  // namespace orrery::oml
