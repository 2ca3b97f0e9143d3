// SPDX-License-Identifier: Apache-2.0
// Partial derivatives of an FMU of Model Exchange: directional derivatives where it has right ones, else differences.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fmi/caller.h"
#include "fmi/directional.h"
#include "foreign/exchange_instance.h"

namespace orrery::foreign {

namespace calls = blocks::fmu_calls;

ExchangeInstance::Slopes& ExchangeInstance::slopes_of(int function) {
  const auto known = slopes_.find(function);
  if (known != slopes_.end()) return known->second;
  const blocks::ForeignModel& model = interface_.model;
  std::vector<blocks::ForeignDependencies> rows = model.derivative_dependencies;
  if (function != calls::derivatives) {
    const std::size_t output = output_of(function);
    rows.assign(last_outputs_[output].size(), model.output_dependencies[output]);
  }
  Slopes slopes{FmuPartials(interface_, rows, ports_of(function)), false, {}, {}, {}, false};
  slopes.base.resize(rows.size());
  slopes.moved.resize(rows.size());
  slopes.directional = prepare_directional(function, slopes);
  return slopes_.emplace(function, std::move(slopes)).first->second;
}

// Directional derivatives are about scalar variables with references; arrays are left to differences.
bool ExchangeInstance::prepare_directional(int function, Slopes& slopes) const {
  const fmi::Description& d = interface_.description;
  if (!fmu_->has_directional_derivatives() || d.state_variables.size() != n_ || d.derivatives.size() != n_)
    return false;
  const auto is_scalar = [](const fmi::Variable& v) { return v.dimensions.empty() && v.type == fmi::Type::float64; };
  for (const FmuPartials::Column& column : slopes.structure.columns()) {
    const fmi::Variable& known = column.is_state ? d.variables[d.state_variables[column.index]]
                                                 : interface_.variable(interface_.inputs[column.index]);
    if (!is_scalar(known) || known.alias != fmi::Alias::none) return false;
  }
  if (function == calls::derivatives) {
    for (const fmi::Unknown& derivative : d.derivatives) {
      if (!is_scalar(d.variables[derivative.variable])) return false;
      slopes.unknowns.push_back(d.variables[derivative.variable].reference);
    }
    return true;
  }
  const fmi::Variable& output = interface_.variable(interface_.outputs[output_of(function)]);
  slopes.unknowns = {output.reference};
  return is_scalar(output) && output.alias == fmi::Alias::none;
}

fmi::Status ExchangeInstance::partials(int function, double* values) {
  Slopes& slopes = slopes_of(function);
  std::fill_n(values, slopes.structure.size(), 0.0);
  if (slopes.directional) {
    const bool wrong = function == calls::derivatives && !std::exchange(tested_, true) &&
                       !fmi::directional_derivatives_agree(interface_.description, *fmu_, x_);
    Status status = wrong ? Status::error : directional_partials(slopes, values);
    if (fmi::succeeded(status) && function != calls::derivatives && !std::exchange(slopes.compared, true) &&
        !agrees_with_differences(function, slopes, values))
      status = Status::error;
    if (fmi::succeeded(status) || status == Status::fatal) return status;
    slopes.directional = false;
    warn("fmi-no-directional-derivatives",
         "the FMU offers directional derivatives, but they fail or are wrong; differences are used");
    std::fill_n(values, slopes.structure.size(), 0.0);
  }
  return difference_partials(function, slopes, values);
}

// Outputs are asked for less often than derivatives, and some FMUs know nothing of them: once they are compared.
bool ExchangeInstance::agrees_with_differences(int function, Slopes& slopes, const double* values) {
  std::vector<double> differences(slopes.structure.size(), 0.0);
  if (!fmi::succeeded(difference_partials(function, slopes, differences.data()))) return true;
  for (std::size_t k = 0; k < differences.size(); ++k) {
    const double off = std::fabs(values[k] - differences[k]);
    if (!(off <= 1e-3 * std::max(1.0, std::fabs(differences[k])))) return false;
  }
  return true;
}

fmi::Status ExchangeInstance::directional_partials(Slopes& slopes, double* values) {
  const fmi::Description& d = interface_.description;
  std::vector<fmi::ValueReference> knowns;
  for (const auto& group : slopes.structure.groups()) {
    knowns.clear();
    for (std::uint32_t c : group) {
      const FmuPartials::Column& column = slopes.structure.columns()[c];
      knowns.push_back(column.is_state ? d.variables[d.state_variables[column.index]].reference
                                       : interface_.variable(interface_.inputs[column.index]).reference);
    }
    const std::vector<double> seed(knowns.size(), 1.0);
    const Status status = fmu_->directional_derivative(slopes.unknowns, knowns, seed, slopes.moved);
    if (!fmi::succeeded(status)) return status;
    for (std::uint32_t c : group) {
      for (const auto& entry : slopes.structure.entries(c)) values[entry.place] = slopes.moved[entry.row];
    }
  }
  return Status::ok;
}

// Forward differences from the point the FMU is at, to which it returns.
fmi::Status ExchangeInstance::difference_partials(int function, Slopes& slopes, double* values) {
  const double t = t_;  // forgotten when a call fails
  const std::vector<double> x = x_;
  std::vector<double> moved = x_;
  std::vector<std::vector<double>> inputs;
  for (std::uint32_t k : all_) inputs.push_back(sent(k));
  const std::vector<std::vector<double>> base_inputs = inputs;
  const auto put = [&](const std::vector<double>& states, const std::vector<std::vector<double>>& all) {
    std::vector<const double*> list;
    for (std::uint32_t k : continuous_) list.push_back(all[k].data());
    return place(t, states.data(), continuous_, list.data());
  };
  Status status = evaluate(function, slopes.base.data());
  for (const auto& group : slopes.structure.groups()) {
    if (!fmi::succeeded(status)) break;
    std::vector<double> increments;
    for (std::uint32_t c : group) {
      const FmuPartials::Column& column = slopes.structure.columns()[c];
      double& value = column.is_state ? moved[column.index] : inputs[column.index][column.element];
      const double nominal = column.is_state ? nominals_[column.index] : 1;
      const double before = value;
      value += std::sqrt(std::numeric_limits<double>::epsilon()) * std::max(std::fabs(value), 1e-3 * nominal);
      increments.push_back(value - before);
    }
    status = put(moved, inputs);
    if (fmi::succeeded(status)) status = evaluate(function, slopes.moved.data());
    for (std::size_t i = 0; fmi::succeeded(status) && i < group.size(); ++i) {
      for (const auto& entry : slopes.structure.entries(group[i])) {
        values[entry.place] = (slopes.moved[entry.row] - slopes.base[entry.row]) / increments[i];
      }
    }
    moved = x;
    inputs = base_inputs;
  }
  const Status back = put(x, base_inputs);
  return fmi::succeeded(status) ? back : status;
}

}  // namespace orrery::foreign
