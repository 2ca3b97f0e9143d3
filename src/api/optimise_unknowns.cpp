// SPDX-License-Identifier: Apache-2.0
// Numbers in OML become starts and bounds, or say where they do not.
#include "api/optimise_unknowns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/only_computes.h"
#include "api/prepare.h"
#include "oml/convert.h"
#include "oml/interpreter.h"

namespace orrery::api {
namespace {

using Numbers = std::vector<double>;

// The texts of numbers in a specification.
class SpecNumbers {
 public:
  SpecNumbers(const OptimiseSpec& spec, const ScriptLimits& limits, Diagnostics& diagnostics)
      : spec_(spec), diagnostics_(diagnostics), interpreter_(only_computes(limits, spec.consent)) {}

  std::optional<VariedVariable> matrix(const std::string& text, int line) {
    Diagnostics said;
    const auto value = interpreter_.evaluate(interpreter_.base(), text, said);
    if (value) {
      try {
        if (value->is_text()) throw oml::OmlError("this is a text");
        const oml::Value real = oml::to_real(oml::full(*value));
        const Numbers numbers = oml::to_vector(real);
        const bool good =
            !numbers.empty() && std::none_of(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); });
        if (good)
          return VariedVariable{
              {}, static_cast<int>(real.dims().rows()), static_cast<int>(real.dims().cols()), numbers};
      } catch (const oml::OmlError& error) {
        said.error("bad-specification", {}, error.message);
      }
    }
    const Place place{spec_.file, line, 0, {}, {}};
    if (add_refusals(said, place, diagnostics_)) return std::nullopt;
    diagnostics_.error("bad-specification", place,
                       fmt::format("{}: {}", text, said.all().empty() ? "these are no numbers" : said.all()[0].message),
                       "write numbers in OML, as in 3.5 or [1 2 3]");
    return std::nullopt;
  }

 private:
  const OptimiseSpec& spec_;
  Diagnostics& diagnostics_;
  oml::Interpreter interpreter_;
};

void add_elements(const VariedVariable& variable, const Numbers& low, const Numbers& high, const Place& place,
                  Unknowns& result, Diagnostics& diagnostics) {
  const std::size_t size = variable.values.size();
  for (std::size_t k = 0; k < size; ++k) {
    const auto of = [&](const Numbers& list) { return list.size() == size ? list[k] : list[0]; };
    const double from = of(low), to = of(high), start = variable.values[k];
    const std::string name = element_name(variable.name, k, size);
    if (!(from <= to))
      diagnostics.error("bad-specification", place,
                        fmt::format("the bounds of {} are reversed: from {} to {}", name, from, to),
                        "write the lower bound behind from, the upper one behind to");
    else if (!(from <= start && start <= to))
      diagnostics.error("bad-specification", place,
                        fmt::format("{} begins at {}, which is not between its bounds", name, start),
                        "begin within the bounds");
    result.low.push_back(from);
    result.high.push_back(to);
    result.start.push_back(start);
  }
}

}  // namespace

std::optional<Unknowns> unknowns_of(const OptimiseSpec& spec, const model::Model& model, const RunRequest& run,
                                    Diagnostics& diagnostics) {
  const int errors = diagnostics.error_count();
  SpecNumbers numbers(spec, {run.script_seconds, run.interrupt}, diagnostics);
  Unknowns result;
  Diagnostics ignored;  // what is wrong with the model is said when it is compiled for the search
  const auto prepared = prepare(model, run, ignored);
  const auto own = prepared ? prepared->evaluator->variables() : std::vector<OmlEvaluator::Variable>{};
  for (const OptimiseSpec::Variable& wanted : spec.variables) {
    const Place place{spec.file, wanted.line, 0, {}, {}};
    std::optional<VariedVariable> value;
    if (wanted.start) value = numbers.matrix(*wanted.start, wanted.line);
    for (const auto& known : own) {
      if (known.name != wanted.name) continue;
      if (!wanted.start) value = VariedVariable{known.name, known.rows, known.cols, known.values};
      if (value && value->values.size() != known.values.size())
        diagnostics.error("bad-specification", place,
                          fmt::format("{} has {} elements in the model, not {}", known.name, known.values.size(),
                                      value->values.size()),
                          "begin with as many numbers as the model has");
      if (value) value->rows = known.rows, value->cols = known.cols;
    }
    if (!value && !wanted.start)
      diagnostics.error("bad-specification", place,
                        fmt::format("the model gives {} no number to begin with", wanted.name),
                        fmt::format("say where to begin: variable {} = 1", wanted.name));
    if (!uses_variable(model, wanted.name))
      diagnostics.error("unknown-parameter", place, fmt::format("the model does not use a variable {}", wanted.name),
                        "name a variable of its initialization or top context");
    const auto low = numbers.matrix(wanted.low, wanted.line), high = numbers.matrix(wanted.high, wanted.line);
    if (!value || !low || !high) continue;
    value->name = wanted.name;
    const std::size_t size = value->values.size();
    for (const auto* bound : {&*low, &*high}) {
      if (bound->values.size() != 1 && bound->values.size() != size)
        diagnostics.error("bad-specification", place,
                          fmt::format("{} has {} elements, its bounds {}", wanted.name, size, bound->values.size()),
                          "give one bound for all, or one for each");
    }
    add_elements(*value, low->values, high->values, place, result, diagnostics);
    result.variables.push_back(std::move(*value));
  }
  if (diagnostics.error_count() > errors) return std::nullopt;
  return result;
}

}  // namespace orrery::api
