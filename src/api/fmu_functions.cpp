// SPDX-License-Identifier: Apache-2.0
// fmurun and fmuinfo: what `orrery run X.fmu` and `orrery fmu info` do, with values of OML.
#include "api/fmu_functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/fmu_run.h"
#include "api/fmu_settings.h"
#include "api/model_functions.h"
#include "fmi/load_binary.h"
#include "fmi/unpack.h"
#include "io/number_text.h"
#include "model/closest_name.h"
#include "oml/convert.h"
#include "oml/interpreter.h"

namespace orrery::api {
namespace {

using oml::Call;
using oml::Index;
using oml::Value;

// A number, a matrix or a text as the FMU's variables are set: "1 2 3", row by row.
std::string value_text(const Value& value) {
  if (value.is_text()) return oml::to_string(value);
  const Value real = oml::boxed(oml::to_real(value));
  const oml::RealArray& array = real.real();
  std::string text;
  for (Index r = 0; r < array.dims.rows(); ++r) {
    for (Index c = 0; c < array.dims.cols(); ++c) {
      text += (text.empty() ? "" : " ") + io::number_text(array.at(r, c));
    }
  }
  return text;
}

// {'g', 9.81, 'e', 0.7}, or a struct for names that can be fields.
void take_values(const Value& value, fmi::RunOptions& options) {
  if (value.is_struct() && value.structure_ref().dims.numel() == 1) {
    const oml::StructArray& s = value.structure_ref();
    for (const std::string& name : s.keys) options.set.emplace_back(name, value_text(*s.get(name)));
    return;
  }
  if (!value.is_cell() || value.cell().size() % 2 != 0) {
    oml::fail("fmurun: set must be a struct, or a cell of names and values in turn");
  }
  const oml::CellArray& cell = value.cell();
  for (Index k = 0; k + 1 < cell.size(); k += 2) {
    options.set.emplace_back(oml::to_string(cell[k]), value_text(cell[k + 1]));
  }
}

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

// The path of a table, or {{'u1', 'u2'}, [t u1 u2]}.
void take_input(const Value& value, fmi::RunOptions& options) {
  if (value.is_text()) {
    options.input = oml::to_string(value);
    return;
  }
  const bool pair = value.is_cell() && value.cell().size() == 2;
  if (!pair) oml::fail("fmurun: input must be the path of a table, or {names, [time values]}");
  const Value& first = value.cell()[0];
  const std::vector<std::string> names =
      first.is_text() ? std::vector<std::string>{oml::to_string(first)} : oml::text_list(first);
  const Value real = oml::boxed(oml::to_real(value.cell()[1]));
  const oml::RealArray& table = real.real();
  if (table.dims.cols() != static_cast<Index>(names.size()) + 1) {
    oml::fail(fmt::format("fmurun: input has {} names, so the matrix needs {} columns: time and values", names.size(),
                          names.size() + 1));
  }
  options.input = "input";
  options.input_text = "time";
  for (const std::string& name : names) options.input_text += "," + quoted(name);
  for (Index r = 0; r < table.dims.rows(); ++r) {
    for (Index c = 0; c < table.dims.cols(); ++c) {
      options.input_text += (c == 0 ? "\n" : ",") + io::number_text(table.at(r, c));
    }
  }
  options.input_text += "\n";
}

void take_option(const std::string& name, const Value& value, fmi::RunOptions& options) {
  std::optional<double>* number = name == "interval" ? &options.interval : fmu_setting(name, options);
  if (number != nullptr) {
    *number = oml::to_double(value);
    return;
  }
  if (name == "kind") {
    options.kind = fmi::kind_named(oml::to_string(value));
    if (!options.kind) oml::fail("fmurun: kind must be 'me', 'cs' or 'se'");
  } else if (name == "solver") {
    options.solver = oml::to_string(value);
  } else if (name == "variables") {
    options.variables = value.is_text() ? std::vector<std::string>{oml::to_string(value)} : oml::text_list(value);
  } else if (name == "set") {
    take_values(value, options);
  } else if (name == "input") {
    take_input(value, options);
  } else if (name == "input_at") {
    const auto point = fmi::input_point_named(oml::to_string(value));
    if (!point) oml::fail("fmurun: input_at must be 'begin', 'middle' or 'end'");
    options.input_point = *point;
  } else if (name == "log") {
    options.log = oml::to_string(value);
  } else if (name == "safe") {
    options.safe = oml::is_true(value);
  } else {
    std::vector<std::string_view> known = fmu_setting_names();
    known.insert(known.end(), {"interval", "kind", "solver", "variables", "set", "input", "input_at", "log", "safe"});
    const std::string guess = model::did_you_mean(name, known);
    oml::fail("fmurun: there is no option " + name + "; " + (guess.empty() ? "see help fmurun" : guess));
  }
}

fmi::RunOptions options_of(const Call& c) {
  fmi::RunOptions options;
  if (c.has(1) && c[1].is_struct() && c.count() == 2) {
    const oml::StructArray& s = c[1].structure_ref();
    if (s.dims.numel() != 1) oml::fail_argument(2, "must be one struct");
    for (const std::string& name : s.keys) take_option(name, *s.get(name), options);
    return options;
  }
  if (c.count() % 2 == 0) oml::fail("fmurun: options are names and values in turn, or one struct");
  for (int k = 1; k + 1 < c.count(); k += 2) take_option(c.text(k), c[k + 1], options);
  return options;
}

const char* end_text(FmuEnd end) {
  return end == FmuEnd::terminated ? "terminated" : end == FmuEnd::reached_stop ? "reached stop" : "failed";
}

void run_fmu(Call& c) {
  fmi::RunOptions options = options_of(c);
  options.interrupt = c.oml.options().interrupt;
  const FmuRunResult result = api::run_fmu(c.text(0), options);
  if (result.end == FmuEnd::interrupted) throw oml::Interrupted{};
  if (result.failed()) raise_errors(result.diagnostics);
  for (const Diagnostic& d : result.diagnostics.all()) {
    if (d.severity == Severity::warning) c.oml.warn(d.message, false);
  }
  const FmuRecording& recording = result.recording;
  std::vector<std::string> names;
  std::vector<std::size_t> places;
  for (const FmuRecording::Column& column : recording.columns) {
    if (column.is_text) continue;
    names.push_back(column.name);
    places.push_back(column.place);
  }
  const auto rows = static_cast<Index>(recording.rows()), cols = static_cast<Index>(names.size());
  Value data = Value::zeros(oml::Dims(rows, cols));
  for (Index k = 0; k < cols; ++k) {
    for (Index r = 0; r < rows; ++r) {
      data.edit_real().at(r, k) = recording.number(static_cast<std::size_t>(r), places[static_cast<std::size_t>(k)]);
    }
  }
  Value out = Value::structure();
  out.edit_structure().set("names", Value::text_cell(names, false));
  out.edit_structure().set("time", Value::column(recording.time));
  out.edit_structure().set("data", std::move(data));
  out.edit_structure().set("end", Value::text(end_text(result.end)));
  out.edit_structure().set("final_time", Value(result.time));
  c.ret(out);
}

Value number_or_empty(const std::optional<double>& number) { return number ? Value(*number) : Value::empty(); }

Value variable_struct(const fmi::Variable& v, const fmi::Description& d) {
  Value out = Value::structure();
  oml::StructArray& s = out.edit_structure();
  s.set("name", Value::text(v.name));
  s.set("type", Value::text(fmi::name_of(v.type)));
  s.set("causality", Value::text(fmi::name_of(v.causality)));
  s.set("variability", Value::text(fmi::name_of(v.variability)));
  s.set("start", Value::text(fmt::format("{}", fmt::join(v.start, " "))));
  s.set("unit", Value::text(v.unit));
  s.set("elements", Value(static_cast<double>(fmi::element_count(d, v))));
  s.set("description", Value::text(v.description));
  return out;
}

void fmu_info(Call& c) {
  c.require_read(c.text(0));
  Diagnostics diagnostics;
  const auto archive = fmi::Archive::open(c.text(0), diagnostics);
  const auto xml = archive ? archive->read("modelDescription.xml", diagnostics) : std::nullopt;
  const auto d = xml ? fmi::read_description(*xml, c.text(0), diagnostics) : std::nullopt;
  if (!d) raise_errors(diagnostics);
  std::vector<std::string> kinds;
  if (d->model_exchange) kinds.emplace_back("me");
  if (d->co_simulation) kinds.emplace_back("cs");
  if (d->scheduled_execution) kinds.emplace_back("se");
  std::vector<Value> variables;
  for (const fmi::Variable& v : d->variables) variables.push_back(variable_struct(v, *d));
  Value out = Value::structure();
  oml::StructArray& s = out.edit_structure();
  s.set("model", Value::text(d->model_name));
  s.set("version", Value::text(d->version_text));
  s.set("tool", Value::text(d->generation_tool));
  s.set("description", Value::text(d->description));
  s.set("kinds", Value::text_cell(kinds, false));
  s.set("platforms", Value::text_cell(fmi::platforms(*archive), false));
  s.set("start", number_or_empty(d->experiment.start));
  s.set("stop", number_or_empty(d->experiment.stop));
  s.set("step", number_or_empty(d->experiment.step));
  s.set("tolerance", number_or_empty(d->experiment.tolerance));
  s.set("states", Value(static_cast<double>(d->states)));
  s.set("variables", Value::cell_row(variables));
  c.ret(out);
}

constexpr oml::Builtin fmu_table[] = {
    {"fmurun",
     1,
     -1,
     run_fmu,
     "r = fmurun(file, name, value, ...) or fmurun(file, options): runs an FMU. Options: kind ('me', 'cs', 'se'), "
     "start, stop, rtol (or tol), atol, hmax, hmin, hinit, step, solver (as for models), interval, variables (a cell "
     "of names), set ({name, value, ...} or a "
     "struct), "
     "input (the path of a table, or {names, [time values]}), input_at ('begin', 'middle', 'end'), log, safe. r has "
     "the fields names, time, data (a column "
     "for each variable that is no text), end and final_time.",
     {},
     Capability::native},
    {"fmuinfo",
     1,
     1,
     fmu_info,
     "fmuinfo(file): a struct that tells what an FMU is: model, version, tool, kinds, platforms, default times, states "
     "and variables (a cell of structs).",
     {},
     oml::Needs::asked()},
};

}  // namespace

oml::BuiltinFamily fmu_builtins() { return fmu_table; }

}  // namespace orrery::api
