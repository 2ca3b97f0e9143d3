// SPDX-License-Identifier: Apache-2.0
// Powell's dogleg on rates, outputs and the residuals of loops together, with their exact derivatives.
#include "analyse/rest_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analyse/differentiation.h"
#include "math/least_squares.h"

namespace orrery::analyse {
namespace {

using math::Index;
using Numbers = std::vector<double>;

// Conditions at a trial point: those that are a truth value of one surface follow it.
class Modes {
 public:
  explicit Modes(const sim::CompiledProgram& compiled) : compiled_(compiled) {
    values_.resize(compiled.program().surfaces.size());
  }

  void follow(double t, std::byte* memory) {
    for (int turn = 0; turn < 4 && change(t, memory); ++turn) {
    }
  }

 private:
  bool change(double t, std::byte* memory) {
    const program::Program& program = compiled_.program();
    if (values_.empty()) return false;
    compiled_.surfaces()(t, reinterpret_cast<const double*>(memory), values_.data(), memory, 0);
    bool changed = false;
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const program::Surface& surface = program.surfaces[k];
      if (surface.mode == program::no_slot || surface.settled != program::no_expr) continue;
      const program::Type& type = program.slots[surface.mode].type;
      if (type.scalar != program::Scalar::boolean || type.size() != 1) continue;
      const bool holds = surface.strict ? values_[k] > 0 : values_[k] >= 0;
      std::byte* at = memory + compiled_.layout().offset[surface.mode];
      std::byte before = *at;
      program::write_number(program::Scalar::boolean, at, holds ? 1 : 0);
      changed = changed || before != *at;
    }
    return changed;
  }

  const sim::CompiledProgram& compiled_;
  Numbers values_;
};

struct Interrupted {};

// The vector of unknowns: variables, states and inputs that are free, unknowns of loops.
class Rest {
 public:
  Rest(const sim::CompiledProgram& compiled, const Differentiation& model, const RestRequest& request, double t,
       const std::byte* memory)
      : model_(model), request_(request), modes_(compiled), t_(t), memory_(memory, memory + compiled.layout().bytes) {
    variables_ = request.variables;
    options_.low = request.variables_low;
    options_.high = request.variables_high;
    columns_ = model.column_values(memory_.data());
    for (std::size_t k = 0; k < request.free.size(); ++k) {
      if (!std::isnan(request.start[k])) columns_[k] = request.start[k];
      if (!request.free[k]) continue;
      unknowns_.push_back(k);
      options_.low.push_back(request.low[k]);
      options_.high.push_back(request.high[k]);
    }
    for (std::size_t k = request.free.size(); k < columns_.size(); ++k) unknowns_.push_back(k);
    options_.iterations = 500;
    options_.function_tolerance = 0;  // to the last digit
    options_.step_tolerance = 1e-15;
    options_.jacobian = [this](const Numbers& x) { return jacobian(x); };
  }

  RestPoint find() {
    Numbers x = variables_;
    for (const std::size_t k : unknowns_) x.push_back(columns_[k]);
    RestPoint point;
    if (!x.empty()) {
      const math::LeastSquares found =
          math::least_squares([this](const Numbers& at) { return residual(at); }, x, options_);
      point.iterations = found.iterations;
      x = found.x;
    }
    point.left = residual(x);
    for (const double r : point.left) point.residual = std::max(point.residual, std::isnan(r) ? HUGE_VAL : std::abs(r));
    point.left.resize(request_.wanted.size());
    double size = 1;
    for (const double c : columns_) size = std::max(size, std::abs(c));
    point.reached = point.residual <= request_.tolerance * size;
    point.rows = model_.values(t_, memory_.data());
    point.rows.resize(static_cast<std::size_t>(model_.kept_rows()));
    point.columns.assign(columns_.begin(), columns_.begin() + model_.kept_columns());
    point.variables = variables_;
    point.memory = std::move(memory_);
    return point;
  }

 private:
  void take_given() {
    for (std::size_t k = 0; k < request_.start.size(); ++k)
      if (!std::isnan(request_.start[k])) columns_[k] = request_.start[k];
  }

  // False: no run begins with these variables.
  bool move_to(const Numbers& x) {
    if (request_.interrupt != nullptr && request_.interrupt->load()) throw Interrupted{};
    const auto own = x.begin() + static_cast<std::ptrdiff_t>(variables_.size());
    if (!std::equal(x.begin(), own, variables_.begin())) {
      auto memory = request_.begin({x.begin(), own});
      if (!memory) return false;
      variables_.assign(x.begin(), own);
      memory_ = std::move(*memory);
      columns_ = model_.column_values(memory_.data());
      take_given();  // wherever the run with these variables would begin
    }
    for (std::size_t k = 0; k < unknowns_.size(); ++k) columns_[unknowns_[k]] = own[static_cast<std::ptrdiff_t>(k)];
    model_.set_columns(memory_.data(), columns_);
    modes_.follow(t_, memory_.data());
    return true;
  }

  Numbers residual(const Numbers& x) {
    Numbers result = plain_residual(x);
    if (request_.tried) request_.tried(x, result);
    return result;
  }

  Numbers plain_residual(const Numbers& x) {
    const std::size_t kept = static_cast<std::size_t>(model_.kept_rows()),
                      all = static_cast<std::size_t>(model_.rows());
    Numbers result(request_.wanted.size() + all - kept, std::numeric_limits<double>::quiet_NaN());
    if (!move_to(x)) return result;
    const Numbers values = model_.values(t_, memory_.data());
    for (std::size_t r = 0; r < request_.wanted.size(); ++r) {
      result[r] = -request_.wanted[r];
      for (std::size_t k = 0; k < kept; ++k) {
        const double factor = request_.mix(static_cast<Index>(r), static_cast<Index>(k));
        if (factor != 0) result[r] += factor * values[k];
      }
    }
    std::copy(values.begin() + static_cast<std::ptrdiff_t>(kept), values.end(),
              result.begin() + static_cast<std::ptrdiff_t>(request_.wanted.size()));
    return result;
  }

  math::RealMatrix jacobian(const Numbers& x) {
    const Index kept = model_.kept_rows(), own = static_cast<Index>(request_.wanted.size());
    const Index first = static_cast<Index>(variables_.size());
    math::RealMatrix part(own + model_.rows() - kept, first + static_cast<Index>(unknowns_.size()));
    for (Index c = 0; c < first; ++c) put_differences(x, c, part);
    if (!move_to(x)) return part;
    const math::RealMatrix whole = model_.matrix(t_, memory_.data());
    for (std::size_t k = 0; k < unknowns_.size(); ++k) {
      const Index from = static_cast<Index>(unknowns_[k]), to = first + static_cast<Index>(k);
      for (Index r = 0; r < own; ++r) {
        for (Index j = 0; j < kept; ++j)
          if (request_.mix(r, j) != 0) part(r, to) += request_.mix(r, j) * whole(j, from);
      }
      for (Index r = kept; r < whole.rows; ++r) part(own + r - kept, to) = whole(r, from);
    }
    return part;
  }

  // Of a variable: runs begin with it a little larger and a little smaller.
  void put_differences(const Numbers& x, Index column, math::RealMatrix& part) {
    const auto k = static_cast<std::size_t>(column);
    const double h = std::cbrt(2.2e-16) * std::max(std::abs(x[k]), 1e-2);
    Numbers right = x, left = x;
    right[k] += h;
    left[k] -= h;
    const Numbers above = plain_residual(right), below = plain_residual(left);
    for (std::size_t r = 0; r < above.size(); ++r) {
      const double slope = (above[r] - below[r]) / (right[k] - left[k]);
      part(static_cast<Index>(r), column) = std::isfinite(slope) ? slope : 0;
    }
  }

  const Differentiation& model_;
  const RestRequest& request_;
  Modes modes_;
  double t_;
  std::vector<std::byte> memory_;
  Numbers variables_, columns_;
  std::vector<std::size_t> unknowns_;
  math::LeastSquaresOptions options_;
};

}  // namespace

std::optional<RestPoint> find_rest(const sim::CompiledProgram& compiled, sim::Simulation& run,
                                   const RestRequest& request, Diagnostics& diagnostics) {
  Differentiation model(compiled, request.model);
  if (!model.compile(diagnostics)) return std::nullopt;
  std::optional<RestPoint> point;
  const bool solved = run.at_point(model.loops(), [&](double t, std::byte* memory) {
    try {
      point = Rest(compiled, model, request, t, memory).find();
    } catch (const Interrupted&) {
    }
  });
  if (solved) return point;
  diagnostics.error("no-equilibrium", {compiled.program().origins[0].path, 0, 0, {}, {}},
                    "the algebraic loops of the model have no solution where the search begins",
                    "begin at another point");
  return std::nullopt;
}

}  // namespace orrery::analyse
