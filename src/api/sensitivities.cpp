// SPDX-License-Identifier: Apache-2.0
// Derivatives of the numbers of a Program by extrapolated central differences, then the chain rule on its formulas.
#include "api/sensitivities.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "api/oml_evaluator.h"
#include "foreign/fmu_library.h"
#include "passes/add_sensitivities.h"
#include "passes/expose_constants.h"

namespace orrery::api {
namespace {

using program::ExprId;
using program::Program;

bool same_foreign(const Program& a, const Program& b) {
  return std::ranges::equal(a.foreign_objects, b.foreign_objects,
                            [](const auto& x, const auto& y) { return x.settings == y.settings; });
}

bool same_clocks(const Program& a, const Program& b) {
  return std::ranges::equal(a.clocks, b.clocks, [](const program::Clock& x, const program::Clock& y) {
    return x.period == y.period && x.offset == y.offset;
  });
}

// f'(0) from f(h), f(-h), f(h / 2), f(-h / 2); the error is of order h^4.
double extrapolated(double h, const std::array<double, 4>& f) {
  const double wide = (f[0] - f[1]) / (2 * h), narrow = (f[2] - f[3]) / h;
  return (4 * narrow - wide) / 3;
}

class Differences {
 public:
  Differences(const model::Model& model, const RunRequest& request, const compile::CompileOptions& options,
              const Program& program, Diagnostics& diagnostics)
      : model_(model), request_(request), options_(options), program_(program), diagnostics_(diagnostics) {}

  bool run(passes::Tangents& tangents) {
    tangents.parameters = request_.sensitivities;
    for (std::size_t p = 0; p < request_.sensitivities.size(); ++p) {
      if (!one(p, tangents)) return false;
    }
    return true;
  }

 private:
  std::optional<double> value_of(const std::string& name) {
    OmlEvaluator evaluator;
    Diagnostics silent;
    evaluator.set_foreign_models(std::make_shared<foreign::FmuLibrary>(model_.file));
    if (!compile::evaluate(model_, evaluator, request_.overrides, silent)) return std::nullopt;
    const auto value = evaluator.evaluate(name, {model_.file, 0, 0, {}, {}}, silent);
    if (!value || !value->is_scalar() || value->is_complex()) return std::nullopt;
    return value->scalar();
  }

  std::optional<Program> with_value(const std::string& name, double value) {
    OmlEvaluator evaluator;
    evaluator.set_foreign_models(std::make_shared<foreign::FmuLibrary>(model_.file));
    std::vector<compile::Override> overrides = request_.overrides;
    overrides.push_back({name, fmt::format("{:.17g}", value)});
    Diagnostics silent;
    const auto evaluated = compile::evaluate(model_, evaluator, overrides, silent);
    return evaluated ? compile::compile(*evaluated, options_, silent) : std::nullopt;
  }

  bool fail(const std::string& name, std::string message, std::string help) {
    diagnostics_.error("no-sensitivity", {model_.file, 0, 0, {}, {}}, fmt::format("{}: {}", name, message),
                       std::move(help));
    return false;
  }

  bool one(std::size_t p, passes::Tangents& tangents) {
    const std::string& name = request_.sensitivities[p];
    const auto value = value_of(name);
    if (!value) {
      return fail(name, "there is no variable of this name with a real number as value",
                  "name a variable of the initialization or of the top context");
    }
    const double h = 1e-3 * std::max(std::fabs(*value), 1e-3);
    std::vector<Program> at;
    for (double step : {h, -h, h / 2, -h / 2}) {
      auto changed = with_value(name, *value + step);
      if (!changed || !passes::same_shape(program_, *changed)) {
        return fail(name, "a small change of it changes the structure of the model, not only numbers",
                    "sizes, choices and numbers of ports cannot be differentiated by");
      }
      if (!same_foreign(program_, *changed)) {
        return fail(name, "foreign code is started with it, which the run cannot look into",
                    "give it to the foreign code as an input, or compare two runs");
      }
      if (!same_clocks(program_, *changed)) {
        return fail(name, "a clock's period depends on it", "the times of clocks cannot be differentiated by");
      }
      at.push_back(std::move(*changed));
    }
    gather(p, h, at, tangents);
    return true;
  }

  void gather(std::size_t p, double h, const std::vector<Program>& at, passes::Tangents& tangents) {
    const auto change = [&](ExprId id, std::vector<double>& slope) {
      const auto data = program_.graph.constant_data(id);
      bool any = false;
      for (std::size_t k = 0; k < data.size(); ++k) {
        std::array<double, 4> f{};
        for (std::size_t v = 0; v < f.size(); ++v) f[v] = at[v].graph.constant_data(id)[k];
        const bool equal = f[0] == data[k] && f[1] == data[k];
        slope.push_back(equal ? 0 : extrapolated(h, f));
        any = any || !equal;
      }
      return any;
    };
    for (ExprId id = 0; id < program_.graph.size(); ++id) {
      if (!program_.graph.is_constant(id) || program_.graph.type(id).scalar != program::Scalar::f64) continue;
      std::vector<double> slope;
      if (change(id, slope)) put(tangents.constants[id], p, slope, tangents.parameters.size());
    }
    for (program::SlotId slot = 0; slot < program_.slots.size(); ++slot) {
      const ExprId initial = program_.slots[slot].initial;
      if (initial == program::no_expr || program_.slots[slot].type.scalar != program::Scalar::f64) continue;
      std::vector<double> slope;
      if (change(initial, slope)) put(tangents.initial[slot], p, slope, tangents.parameters.size());
    }
  }

  static void put(passes::Tangent& tangent, std::size_t p, std::vector<double> slope, std::size_t parameters) {
    tangent.resize(parameters, std::vector<double>(slope.size(), 0.0));
    tangent[p] = std::move(slope);
  }

  const model::Model& model_;
  const RunRequest& request_;
  const compile::CompileOptions& options_;
  const Program& program_;
  Diagnostics& diagnostics_;
};

}  // namespace

program::GraphOptions comparable_graph() { return {false, false}; }

bool add_sensitivities(const model::Model& model, const RunRequest& request, const compile::CompileOptions& options,
                       Program& program, Diagnostics& diagnostics) {
  const Place place{model.file, 0, 0, {}, {}};
  if (program.fixed_step) {
    diagnostics.error("no-sensitivity", place, "a fixed-step solver does not locate the events sensitivities jump at",
                      "choose a solver with variable steps");
    return false;
  }
  passes::Tangents tangents;
  if (!Differences(model, request, options, program, diagnostics).run(tangents)) return false;
  if (passes::add_sensitivities(program, tangents)) return true;
  diagnostics.error("no-sensitivity", place, "a formula that depends on the variables has no derivative",
                    "foreign code without derivatives and complex numbers cannot be differentiated");
  return false;
}

}  // namespace orrery::api
