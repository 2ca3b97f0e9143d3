// SPDX-License-Identifier: Apache-2.0
// The result of a search for people, for programs and as curves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "api/optimise.h"

namespace orrery::api {
namespace {

constexpr std::size_t most_improvements = 20;

std::string history_text(const OptimiseResult& result) {
  std::string text = "evaluation                cost";
  const bool constrained = !result.constraints.empty();
  if (constrained) text += "   violation";
  text += '\n';
  const std::size_t all = result.history.size(), every = all / most_improvements + 1;
  for (std::size_t k = 0; k < all; ++k) {
    if (k % every != 0 && k + 1 != all) continue;
    const OptimiseResult::Improvement& step = result.history[k];
    text += fmt::format("{:>10}  {:>18.10g}", step.evaluation, step.cost);
    if (constrained) text += fmt::format("  {:>10.3g}", step.violation);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string optimise_text(const OptimiseResult& result) {
  std::string text = history_text(result) + "\n";
  std::size_t width = 0;
  for (const std::string& name : result.names) width = std::max(width, name.size());
  for (std::size_t k = 0; k < result.values.size(); ++k) {
    text += fmt::format("{:<{}} = {:<16.10g}", result.names[k], width, result.values[k]);
    if (k < result.errors.size())
      text += fmt::format(" ± {:<12.4g} 95 %: {:.6g} … {:.6g}", result.errors[k], result.interval_low[k],
                          result.interval_high[k]);
    if (result.values[k] == result.low[k] || result.values[k] == result.high[k]) text += "  (at its bound)";
    text += '\n';
  }
  for (const auto& [name, off] : result.constraints)
    text += fmt::format("{}: {}\n", name, off <= 1e-6 ? "kept" : fmt::format("NOT kept, by {:.6g}", off));
  if (result.measurements > 0)
    text += fmt::format("sum of squares {:.10g} of {} measurements, deviation {:.6g}\n", result.cost,
                        result.measurements, result.deviation);
  else
    text += fmt::format("cost {:.12g}\n", result.cost);
  text += fmt::format("{} by {}, {} simulations",
                      result.interrupted ? "interrupted"
                      : result.converged ? "found"
                                         : "NOT converged",
                      result.method, result.simulations);
  if (result.earlier > 0) text += fmt::format(", {} evaluations of an earlier search", result.earlier);
  text += result.exact_gradients         ? ", exact gradients\n"
          : result.gradient_note.empty() ? "\n"
                                         : fmt::format(", no exact gradients: {}\n", result.gradient_note);
  return text;
}

std::string optimise_json(const OptimiseResult& result) {
  nlohmann::ordered_json json;
  json["converged"] = result.converged;
  json["interrupted"] = result.interrupted;
  json["method"] = result.method;
  json["cost"] = result.cost;
  json["violation"] = result.violation;
  json["simulations"] = result.simulations;
  json["exact_gradients"] = result.exact_gradients;
  if (!result.gradient_note.empty()) json["gradient_note"] = result.gradient_note;
  auto variables = nlohmann::ordered_json::object();
  for (std::size_t k = 0; k < result.values.size(); ++k) {
    nlohmann::ordered_json variable = {{"value", result.values[k]}};
    if (k < result.errors.size()) {
      variable["error"] = result.errors[k];
      variable["interval"] = {result.interval_low[k], result.interval_high[k]};
    }
    variables[result.names[k]] = std::move(variable);
  }
  json["variables"] = std::move(variables);
  auto constraints = nlohmann::ordered_json::array();
  for (const auto& [name, off] : result.constraints) constraints.push_back({{"constraint", name}, {"beyond", off}});
  json["constraints"] = std::move(constraints);
  auto history = nlohmann::ordered_json::array();
  for (const auto& step : result.history)
    history.push_back(
        {{"evaluation", step.evaluation}, {"cost", step.cost}, {"violation", step.violation}, {"values", step.values}});
  json["history"] = std::move(history);
  return json.dump(1) + "\n";
}

io::Chart optimise_chart(const OptimiseResult& result, std::vector<std::vector<double>>& room) {
  io::Chart chart;
  room.assign(3, {});
  std::vector<double>&numbers = room[0], &best_at = room[1], &best = room[2];
  for (std::size_t k = 0; k < result.costs.size(); ++k) numbers.push_back(static_cast<double>(k + 1));
  for (const auto& step : result.history) {
    best_at.push_back(static_cast<double>(step.evaluation));
    best.push_back(step.cost);
  }
  if (!best.empty()) {
    best_at.push_back(static_cast<double>(result.costs.size()));
    best.push_back(best.back());
  }
  io::Panel cost{"cost", {}, "evaluation", {}};
  cost.own_axis = true;
  cost.curves.push_back(
      {"evaluations", numbers.data(), result.costs.data(), numbers.size(), 1, io::CurveStyle::points});
  cost.curves.push_back({"best", best_at.data(), best.data(), best.size(), 1, io::CurveStyle::stairs});
  // One failed or far point must not flatten the rest.
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : best) low = std::min(low, value), high = std::max(high, value);
  if (high > low) cost.limits = {NAN, NAN, low - 0.05 * (high - low), high + 0.15 * (high - low)};
  chart.panels.push_back(std::move(cost));
  for (const auto& curve : result.curves) {
    io::Panel panel{curve.name, {}, "t", {}};
    panel.own_axis = true;
    panel.curves.push_back(
        {"measured", curve.time.data(), curve.measured.data(), curve.time.size(), 1, io::CurveStyle::points});
    panel.curves.push_back(
        {"computed", curve.time.data(), curve.computed.data(), curve.time.size(), 1, io::CurveStyle::line});
    chart.panels.push_back(std::move(panel));
  }
  return chart;
}

}  // namespace orrery::api
