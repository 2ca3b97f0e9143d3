// SPDX-License-Identifier: Apache-2.0
// Values cross between the interpreter and the compiler here, and nowhere else.
#include "api/oml_evaluator.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "api/signal_value.h"
#include "base/rational.h"
#include "blocks/parameters.h"
#include "oml/convert.h"
#include "oml/error.h"

namespace orrery::api {
namespace {

using compile::Value;
using program::Scalar;

std::optional<Scalar> scalar_of(oml::NumClass number) {
  switch (number) {
    case oml::NumClass::f64: return Scalar::f64;
    case oml::NumClass::i8: return Scalar::i8;
    case oml::NumClass::i16: return Scalar::i16;
    case oml::NumClass::i32: return Scalar::i32;
    case oml::NumClass::u8: return Scalar::u8;
    case oml::NumClass::u16: return Scalar::u16;
    case oml::NumClass::u32: return Scalar::u32;
    default: return std::nullopt;
  }
}

oml::NumClass class_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::i8: return oml::NumClass::i8;
    case Scalar::i16: return oml::NumClass::i16;
    case Scalar::i32: return oml::NumClass::i32;
    case Scalar::u8: return oml::NumClass::u8;
    case Scalar::u16: return oml::NumClass::u16;
    case Scalar::u32: return oml::NumClass::u32;
    default: return oml::NumClass::f64;
  }
}

// Nothing for what a parameter cannot be: functions, structs, arrays of more than two dimensions.
std::optional<Value> from_oml(const oml::Value& v) {
  if (v.is_number()) return Value::number(v.number());
  if (v.is_text_row()) return Value::string(oml::to_string(v));
  if (v.is_cell()) {
    Value list = Value::list({});
    for (oml::Index k = 0; k < v.numel(); ++k) {
      auto item = from_oml(v.cell()[k]);
      if (!item) return std::nullopt;
      list.items.push_back(std::move(*item));
    }
    list.rows = static_cast<int>(v.dims().rows());
    list.cols = static_cast<int>(v.dims().cols());
    return list;
  }
  if (!v.is_arithmetic() || v.dims().count() > 2) return std::nullopt;
  const bool logical = v.is_logical();
  const oml::Value numbers = oml::boxed(oml::full(oml::to_numeric(v)));
  const auto rows = static_cast<int>(numbers.dims().rows());
  const auto cols = static_cast<int>(numbers.dims().cols());
  if (numbers.kind() == oml::Kind::complex) {
    Value z = Value::matrix(rows, cols, 0, Scalar::c128);
    z.imag.assign(z.real.size(), 0.0);
    for (std::size_t k = 0; k < z.real.size(); ++k) {
      z.real[k] = numbers.complex().data[k].real();
      z.imag[k] = numbers.complex().data[k].imag();
    }
    return z;
  }
  if (numbers.kind() != oml::Kind::real) return std::nullopt;
  const auto scalar = logical ? std::optional(Scalar::boolean) : scalar_of(numbers.num_class());
  if (!scalar) return std::nullopt;
  Value matrix = Value::matrix(rows, cols, 0, *scalar);
  for (std::size_t k = 0; k < matrix.real.size(); ++k) matrix.real[k] = numbers.real().data[k];
  return matrix;
}

oml::Value to_oml(const Value& v) {
  if (v.is_text()) return oml::Value::text(v.text);
  if (v.is_list()) {
    oml::Value cell = oml::Value::cell(oml::Dims(v.rows, v.cols));
    for (std::size_t k = 0; k < v.items.size(); ++k) cell.edit_cell()[static_cast<oml::Index>(k)] = to_oml(v.items[k]);
    return cell;
  }
  const oml::Dims dims(v.rows, v.cols);
  if (v.is_complex()) {
    oml::Value z = oml::Value::complex_zeros(dims);
    for (std::size_t k = 0; k < v.real.size(); ++k) z.edit_complex()[static_cast<oml::Index>(k)] = v.at(k);
    return z;
  }
  if (v.is_scalar() && v.type == Scalar::f64) return oml::Value(v.scalar());
  oml::Value matrix = oml::Value::real_uninitialised(dims, class_of(v.type));
  for (std::size_t k = 0; k < v.real.size(); ++k) matrix.edit_real()[static_cast<oml::Index>(k)] = v.real[k];
  return v.type == Scalar::boolean ? oml::to_logical(matrix) : matrix;
}

// ".if c .then a .else b .end" (seed 000, 2.2.1) is a choice that is an expression: If_exp((c), (a), (b)).
std::string with_if_calls(std::string_view text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto starts = [&](std::string_view word) {
      return text.substr(k).starts_with(word) &&
             (k + word.size() == text.size() || !std::isalnum(static_cast<unsigned char>(text[k + word.size()])));
    };
    if (starts(".if")) {
      out += "If_exp((";
      k += 2;
    } else if (starts(".then") || starts(".else")) {
      out += "),(";
      k += 4;
    } else if (starts(".end")) {
      out += "))";
      k += 3;
    } else {
      out += text[k];
    }
  }
  return out;
}

// Most parameters of a large model are plain numbers; they also keep their exact decimal text for clocks.
std::optional<Value> literal_number(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.empty() || text.front() < '.' || text.front() > '9' || !parse_decimal(text)) return std::nullopt;
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  Value value = Value::number(x);
  value.literal = std::string(text);
  return value;
}

// The interpreter's errors as the compiler's: where the text stands in the model, what to do about it.
void relocate(const Diagnostics& from, const Place& place, Diagnostics& to) {
  for (Diagnostic d : from.all()) {
    const int line = d.place.line, column = d.place.column;
    d.place = place;
    if (d.code == "oml-syntax") {
      d.code = "parameter-syntax";
    } else if (d.message.starts_with("Unknown function")) {
      d.code = "undefined-name";
      d.help = "give the name a value in the context or with --set, or check its spelling";
    } else {
      d.code = "parameter-error";
    }
    if (place.port == "context" && line > 0) d.place.line = place.line + line - 1;
    if (column > 0 && line <= 1 && place.port != "context")
      d.notes.push_back(fmt::format("at character {} of the text", column));
    to.add(std::move(d));
  }
}

}  // namespace

// What a context prints goes to standard error, apart from the results; the value of a parameter is not shown.
OmlEvaluator::OmlEvaluator()
    : interpreter_(oml::InterpreterOptions{.output = [this](std::string_view text) {
        if (!evaluating_) std::fwrite(text.data(), 1, text.size(), stderr);
      }}) {
  scopes_.push_back(interpreter_.base());
}

void OmlEvaluator::push_scope() { scopes_.push_back(interpreter_.make_environment(scopes_.back())); }

void OmlEvaluator::pop_scope() { scopes_.pop_back(); }

bool OmlEvaluator::run(const std::vector<std::string>& lines, const Place& place, Diagnostics& diagnostics) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  const oml::RunResult result = interpreter_.run_text_in(scopes_.back(), text);
  relocate(result.diagnostics, place, diagnostics);
  return result.ok;
}

std::optional<Value> OmlEvaluator::evaluate(std::string_view text, const Place& place, Diagnostics& diagnostics) {
  if (auto literal = literal_number(text)) return literal;
  Diagnostics found;
  evaluating_ = true;
  const auto value = interpreter_.evaluate(scopes_.back(), text, found);
  evaluating_ = false;
  relocate(found, place, diagnostics);
  if (!value) {
    if (!found.has_errors()) diagnostics.error("parameter-error", place, fmt::format("'{}' has no value", text));
    return std::nullopt;
  }
  auto converted = from_oml(*value);
  if (!converted) {
    diagnostics.error("parameter-type", place, fmt::format("a {} cannot be a parameter", value->class_name()),
                      "give a number, a matrix, a text or a cell of these");
  }
  return converted;
}

namespace {

class OmlTracer final : public blocks::Tracer {
 public:
  OmlTracer(oml::Interpreter& interpreter, std::shared_ptr<oml::Environment> scope)
      : interpreter_(interpreter), scope_(std::move(scope)) {}

  program::Expr trace(std::string_view text, std::span<const blocks::NamedSignal> signals,
                      program::Graph& graph) const override {
    const auto inner = interpreter_.make_environment(scope_);
    for (const blocks::NamedSignal& signal : signals) inner->set(signal.name, SignalValue::wrap(signal.value));
    Diagnostics found;
    const auto value = interpreter_.evaluate(inner, with_if_calls(text), found);
    if (!value) {
      throw blocks::ParameterError{{}, found.all().empty() ? "has no value" : found.all().front().message, {}};
    }
    try {
      return to_expr(*value, graph);
    } catch (const oml::OmlError& error) {
      throw blocks::ParameterError{{}, error.message, {}};
    }
  }

 private:
  oml::Interpreter& interpreter_;
  std::shared_ptr<oml::Environment> scope_;
};

}  // namespace

std::shared_ptr<const blocks::Tracer> OmlEvaluator::tracer() {
  return std::make_shared<OmlTracer>(interpreter_, scopes_.back());
}

void OmlEvaluator::set(const std::string& name, Value value) { scopes_.back()->set(name, to_oml(value)); }

}  // namespace orrery::api
