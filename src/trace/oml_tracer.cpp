// SPDX-License-Identifier: Apache-2.0
// Runs expressions and P functions on signals.
#include "trace/oml_tracer.h"

#include <fmt/format.h>

#include "blocks/parameters.h"
#include "oml/convert.h"
#include "oml/error.h"
#include "trace/oml_values.h"
#include "trace/parameter_value.h"
#include "trace/signal_functions.h"
#include "trace/signal_value.h"

namespace orrery::trace {
namespace {

using blocks::BlockFields;
using oml::Value;
using oml::Values;
using program::Expr;
using program::Graph;

Expr checked_expr(const Value& value, Graph& graph, const std::string& what) {
  try {
    return to_expr(value, graph);
  } catch (const oml::OmlError& error) {
    throw blocks::ParameterError{{}, what + error.message, {}};
  }
}

Value cell_of(const std::vector<Expr>& signals) {
  Value cell = Value::cell(oml::Dims(1, static_cast<oml::Index>(signals.size())));
  for (std::size_t k = 0; k < signals.size(); ++k) {
    if (signals[k]) cell.edit_cell()[static_cast<oml::Index>(k)] = SignalValue::wrap(signals[k]);
  }
  return cell;
}

std::vector<Expr> signals_of(const Value* cell, const char* name, Graph& graph) {
  std::vector<Expr> signals;
  if (cell == nullptr || (cell->is_empty() && !cell->is_cell())) return signals;
  if (!cell->is_cell()) throw blocks::ParameterError{{}, fmt::format("block.{} must stay a cell", name), {}};
  for (oml::Index k = 0; k < cell->numel(); ++k) {
    const Value& item = cell->cell()[k];
    const bool unset = item.is_none() || (item.is_empty() && !item.is_cell());
    signals.push_back(unset ? Expr{} : checked_expr(item, graph, fmt::format("block.{}{{{}}}: ", name, k + 1)));
  }
  return signals;
}

// While texts run on the signals of a graph. Where that is not the graph of the Program that is being compiled, only
// sizes matter and parameters are their numbers.
class Tracing {
 public:
  Tracing(ParameterHome& home, Graph& graph, const Place& place, oml::Interpreter& interpreter)
      : interpreter_(interpreter),
        on_signals_(std::exchange(interpreter.on_signals, true)),
        space_(home.space),
        graph_(graph),
        paused_(std::exchange(home.space.paused, &graph != &home.space.graph())),
        program_(std::exchange(interpreter.extension<TracedProgram>().program,
                               &graph == &home.space.graph() ? &home.space.program() : nullptr)) {
    where_ = std::exchange(space_.where, [place] { return place; });
    graph_where_ = std::exchange(graph.where, [place, &interpreter] {
      Place here = place;
      const int line = interpreter.current_frame().line;
      const oml::Function* function = interpreter.current_frame().function;
      const std::string text = function != nullptr ? fmt::format("function {}", function->name) : "its text";
      if (line > 0) here.port = fmt::format("line {} of {}", line, text);
      return here;
    });
  }
  ~Tracing() {
    interpreter_.extension<TracedProgram>().program = program_;
    space_.paused = paused_;
    space_.where = std::move(where_);
    graph_.where = std::move(graph_where_);
    interpreter_.on_signals = on_signals_;
  }
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

 private:
  oml::Interpreter& interpreter_;
  bool on_signals_;
  program::ParameterSpace& space_;
  Graph& graph_;
  bool paused_;
  program::Program* program_;
  std::function<Place()> graph_where_;
  std::function<Place()> where_;
};

}  // namespace

std::string undefined_message(const std::string& name) {
  return fmt::format("no variable and no function is called {}", name);
}

// Where in the text it went wrong; the compiler adds the block and the parameter.
void OmlTracer::refuse(const Diagnostics& found, const oml::Environment& scope) const {
  if (found.all().empty()) throw blocks::ParameterError{{}, "has no value", {}};
  const Diagnostic& d = found.all().front();
  std::string place;
  if (d.place.line > 0) place = fmt::format("line {}, column {}: ", d.place.line, d.place.column);
  if (d.code == "oml-undefined") {
    throw blocks::ParameterError{
        {}, place + undefined_message(d.place.port), name_help_(scope, d.place.port), "undefined-name"};
  }
  if (d.code == "needs-consent" || d.code == "script-limit") {
    throw blocks::ParameterError{{}, place + d.message, d.help, d.code};
  }
  throw blocks::ParameterError{{}, place + d.message, d.help};
}

Expr OmlTracer::trace(std::string_view text, std::span<const blocks::NamedSignal> signals, Graph& graph) const {
  const Tracing tracing(*home_, graph, place_, interpreter_);
  const auto inner = interpreter_.make_environment(scope_);
  for (const blocks::NamedSignal& signal : signals) inner->set(signal.name, SignalValue::wrap(signal.value));
  // Line breaks are blanks in an expression (Activate, 2.3).
  std::string line(text);
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  Diagnostics found;
  const auto value = interpreter_.evaluate(inner, line, found);
  if (!value) refuse(found, *inner);
  return checked_expr(*value, graph, "");
}

BlockFields OmlTracer::call(std::string_view text, int flag, const BlockFields& fields,
                            const program::Value& parameters, Graph& graph) const {
  const Tracing tracing(*home_, graph, place_, interpreter_);
  Value block = Value::structure();
  oml::StructArray& s = block.edit_structure();
  s.set("io", cell_of(fields.io));
  s.set("params", parameters.is_list() && parameters.items.empty() ? Value::structure() : to_oml(parameters, home_));
  s.set("state", cell_of(fields.state));
  s.set("nevprt", fields.nevprt ? SignalValue::wrap(fields.nevprt) : Value(0.0));
  s.set("x", cell_of(fields.x));
  s.set("t", fields.t ? SignalValue::wrap(fields.t) : Value(0.0));
  Values out;
  const auto inner = interpreter_.make_environment(scope_);
  const oml::RunResult result = interpreter_.call_text(inner, text, {std::move(block), Value(flag)}, out);
  if (!result.ok) refuse(result.diagnostics, *inner);
  if (out.empty() || !out[0].is_struct() || out[0].structure_ref().dims.numel() != 1) {
    throw blocks::ParameterError{{}, "the function must return the struct `block`", "function block = f(block, flag)"};
  }
  const oml::StructArray& returned = out[0].structure_ref();
  BlockFields left;
  left.io = signals_of(returned.get("io"), "io", graph);
  left.state = signals_of(returned.get("state"), "state", graph);
  left.x = signals_of(returned.get("x"), "x", graph);
  return left;
}

}  // namespace orrery::trace
