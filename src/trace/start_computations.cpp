// SPDX-License-Identifier: Apache-2.0
// Runs builtin functions for the start of a run and differentiates them by differences.
#include "trace/start_computations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "oml/convert.h"
#include "passes/slice.h"
#include "trace/parameter_value.h"
#include "trace/signal_value.h"

namespace orrery::trace {
namespace {

using oml::Value;
using oml::Values;
using program::ExprId;
using program::Scalar;
using program::Type;

constexpr const char* object_kind = "oml";

// Calls change(part) for each part of a value that is no cell and no struct, in a fixed order.
template <class Change>
void for_each_part(Value& value, Change&& change) {
  if (value.is_cell()) {
    for (oml::Index k = 0; k < value.numel(); ++k) {
      Value item = value.cell()[k];
      for_each_part(item, change);
      value.edit_cell()[k] = std::move(item);
    }
  } else if (value.is_struct()) {
    for (std::size_t k = 0; k < value.structure_ref().columns.size(); ++k) {
      for (std::size_t e = 0; e < value.structure_ref().columns[k].size(); ++e) {
        Value item = value.structure_ref().columns[k][e];
        for_each_part(item, change);
        value.edit_structure().columns[k][e] = std::move(item);
      }
    }
  } else {
    change(value);
  }
}

bool is_number(const Value& v) { return v.is_arithmetic() && !v.is_text(); }
bool is_real_matrix(const Value& v) {
  return is_number(v) && !v.is_complex() && !v.is_logical() && v.class_name() == "double" && v.dims().count() == 2;
}

Type type_of(const Value& v) {
  return {Scalar::f64, static_cast<std::int32_t>(v.dims().rows()), static_cast<std::int32_t>(v.dims().cols())};
}

std::size_t elements_of(const std::vector<Type>& types) {
  std::int64_t count = 0;
  for (const Type& type : types) count += type.size();
  return static_cast<std::size_t>(count);
}

std::uint32_t object_in(program::Program& program) {
  for (std::uint32_t k = 0; k < program.foreign_objects.size(); ++k) {
    if (program.foreign_objects[k].kind == object_kind) return k;
  }
  program.foreign_objects.push_back({object_kind, 0, {}, {}});
  return static_cast<std::uint32_t>(program.foreign_objects.size() - 1);
}

// Function 2 k is computation k, function 2 k + 1 its derivatives.
int declare(program::Program& program, const StartComputation& computation, std::size_t index) {
  program::ForeignFunction slopes;
  slopes.symbol = computation.function + "_slopes";
  slopes.arguments = computation.inputs;
  const std::size_t inputs = elements_of(computation.inputs), outputs = elements_of(computation.outputs);
  slopes.results = {{Scalar::f64, static_cast<std::int32_t>(inputs * outputs), 1}};
  slopes.object = object_in(program);
  slopes.entry = static_cast<std::int32_t>(2 * index + 1);
  program::ForeignFunction function = slopes;
  function.symbol = computation.function;
  function.results = computation.outputs;
  function.entry = static_cast<std::int32_t>(2 * index);
  function.partials = program.graph.declare(std::move(slopes));
  std::vector<std::uint32_t> all(inputs);
  for (std::uint32_t k = 0; k < all.size(); ++k) all[k] = k;
  function.depends_on.assign(outputs, all);
  return program.graph.declare(std::move(function));
}

}  // namespace

bool StartComputations::can_run(const std::string& function) {
  static const std::unordered_set<std::string> names = {
      // control
      "place", "acker", "lqr", "dlqr", "care", "dare", "lyap", "dlyap", "ctrb", "obsv", "tf2ss", "ss2tf", "ss", "tf",
      "ssdata", "tfdata", "series", "parallel", "feedback", "dcgain", "gram", "c2d", "d2c", "evalfr",
      // matrices
      "expm", "logm", "sqrtm", "pinv", "inv", "det", "norm", "cond", "rcond", "svd", "eig", "chol", "lu", "qr", "schur",
      "hess", "balance", "linsolve", "lsqminnorm", "mldivide", "mrdivide", "mpower", "funm", "cross", "kron",
      // polynomials and tables
      "roots", "poly", "polyval", "polyvalm", "polyfit", "conv", "polyder", "polyint", "compan", "interp1", "interp2",
      "spline", "pchip", "trapz", "cumtrapz", "diff", "filter", "gradient",
      // functions of numbers
      "expm1", "log1p", "log2", "cbrt", "nthroot", "gamma", "gammaln", "lgamma", "gammainc", "beta", "betaln",
      "betainc", "erf", "erfc", "erfinv", "erfcinv", "psi", "besselj", "bessely", "besseli", "besselk", "ellipke",
      "sec", "csc", "cot", "asec", "acsc", "acot", "sech", "csch", "coth", "asech", "acsch", "acoth", "sind", "cosd",
      "tand", "asind", "acosd", "atand", "atan2d", "deg2rad", "rad2deg", "sumsq", "var", "std", "rms", "meansq",
      "median", "normpdf", "normcdf", "norminv", "expcdf", "exppdf", "expinv", "wblpdf", "wblcdf", "wblinv",
      // filters
      "butter", "cheby1", "cheby2", "ellip", "besself", "besself3", "fir1"};
  return names.contains(function);
}

std::optional<Values> StartComputations::add(const std::shared_ptr<ParameterHome>& home, const std::string& function,
                                             const Values& arguments, const Values& numbers, int nargout) {
  program::ParameterSpace& space = home->space;
  StartComputation computation{function, arguments, nargout, {}, {}, space.where ? space.where() : Place{}};
  std::vector<ExprId> read;
  std::vector<double> moved;  // the inputs a little off
  bool possible = true;
  for (Value& argument : computation.arguments) {
    for_each_part(argument, [&](Value& part) {
      if (!is_parameter(part)) return;
      possible = possible && is_real_matrix(*part.symbolic().known()) && part.numel() > 0;
      if (!possible) return;
      read.push_back(to_expr(part, space.graph()).id());
      computation.inputs.push_back(space.graph().type(read.back()));
      for (const double x : oml::to_vector(*part.symbolic().known())) moved.push_back(x == 0 ? 1e-4 : x * (1 + 1e-4));
    });
  }
  Values results = numbers;
  for (Value& result : results) {
    for_each_part(result, [&](Value& part) {
      if (!is_number(part) || part.is_empty()) return;
      possible = possible && is_real_matrix(part);
      if (possible) computation.outputs.push_back(type_of(part));
    });
  }
  if (!possible || computation.outputs.empty() || computation.outputs.size() > 255) return std::nullopt;
  const int declared = declare(space.program(), computation, list_.size());
  list_.push_back(std::move(computation));
  // A field of a struct that stays as it is, such as a sample time, does not follow from the parameters.
  std::vector<double> others;
  std::string message;
  const bool compared = run(list_.size() - 1, moved, others, message);
  int next = 0;
  std::size_t at = 0;
  for (Value& result : results) {
    const bool is_struct = result.is_struct();
    for_each_part(result, [&](Value& part) {
      if (!is_number(part) || part.is_empty()) return;
      const std::vector<double> now = oml::to_vector(part);
      const auto first = others.begin() + static_cast<std::ptrdiff_t>(compared ? at : 0);
      at += now.size();
      if (is_struct && compared && std::equal(now.begin(), now.end(), first)) {
        ++next;
        return;
      }
      const ExprId value = space.graph().foreign(declared, next, read);
      const program::SlotId slot = space.compute(fmt::format("{}{}.{}", function, list_.size(), next + 1), value);
      part = ParameterValue::wrap(home, space.program().read(slot), part);
      ++next;
    });
  }
  return results;
}

bool StartComputations::run(std::size_t index, std::vector<double> inputs, std::vector<double>& outputs,
                            std::string& message) {
  const StartComputation& computation = list_[index];
  Values arguments = computation.arguments;
  std::size_t next = 0, input = 0;
  for (Value& argument : arguments) {
    for_each_part(argument, [&](Value& part) {
      if (!is_parameter(part)) return;
      const Type type = computation.inputs[input++];
      Value number = Value::zeros(oml::Dims(type.rows, type.cols));
      for (std::int64_t k = 0; k < type.size(); ++k) number.edit_real()[k] = inputs[next++];
      part = oml::unboxed(std::move(number));
    });
  }
  const auto environment = interpreter_.make_environment();
  std::string left, right;
  for (int k = 0; k < std::max(computation.nargout, 1); ++k) left += fmt::format("{}r{}", k == 0 ? "" : ", ", k);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    right += fmt::format("{}a{}", k == 0 ? "" : ", ", k);
    environment->set(fmt::format("a{}", k), std::move(arguments[k]));
  }
  const std::string text = fmt::format("[{}] = {}({});", left, computation.function, right);
  const oml::RunResult done = interpreter_.run_text_in(environment, text);
  if (!done.ok) {
    message = done.diagnostics.all().empty() ? "it failed" : done.diagnostics.all().front().message;
    return false;
  }
  Values results;
  for (int k = 0; k < std::max(computation.nargout, 1); ++k) {
    const Value* result = environment->get(fmt::format("r{}", k));
    if (result != nullptr) results.push_back(*result);
  }
  outputs.clear();
  bool fits = true;
  std::size_t output = 0;
  for (Value& result : results) {
    for_each_part(result, [&](Value& part) {
      if (!is_number(part) || part.is_empty()) return;
      fits = fits && output < computation.outputs.size() && is_real_matrix(part) &&
             type_of(part) == computation.outputs[output];
      if (!fits) return;
      ++output;
      const std::vector<double> elements = oml::to_vector(part);
      outputs.insert(outputs.end(), elements.begin(), elements.end());
    });
  }
  if (fits && output == computation.outputs.size()) return true;
  message = "its results have other sizes, or are complex, for these values of the parameters";
  return false;
}

bool StartComputations::differentiate(std::size_t index, const std::vector<double>& inputs, std::vector<double>& slopes,
                                      std::string& message) {
  const std::size_t rows = elements_of(list_[index].outputs), columns = inputs.size();
  slopes.assign(rows * columns, 0.0);
  std::vector<double> at, above, below;
  for (std::size_t c = 0; c < columns; ++c) {
    // Romberg's extrapolation of central differences: the error is of order h^6.
    const double h = inputs[c] == 0 ? 1e-3 : 1e-2 * std::fabs(inputs[c]);
    std::vector<double> difference[3];
    double step = h;
    for (std::vector<double>& d : difference) {
      at = inputs;
      at[c] = inputs[c] + step;
      const double upper = at[c];
      if (!run(index, at, above, message)) return false;
      at[c] = inputs[c] - step;
      if (!run(index, at, below, message)) return false;
      for (std::size_t r = 0; r < rows; ++r) d.push_back((above[r] - below[r]) / (upper - at[c]));
      step /= 2;
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const double first = (4 * difference[1][r] - difference[0][r]) / 3;
      const double second = (4 * difference[2][r] - difference[1][r]) / 3;
      slopes[r * columns + c] = (16 * second - first) / 15;
    }
  }
  return true;
}

namespace {

class StartInstance final : public program::ForeignInstance {
 public:
  explicit StartInstance(std::shared_ptr<ParameterHome> home) : home_(std::move(home)) {}

  program::ForeignOutcome open(std::span<double>) override { return {}; }
  void compute(int function, const void* const* arguments, void* const* results) noexcept override {
    const auto index = static_cast<std::size_t>(function / 2);
    const StartComputation& computation = home_->computations[index];
    std::vector<double> inputs, outputs;
    for (std::size_t k = 0; k < computation.inputs.size(); ++k) {
      const auto* data = static_cast<const double*>(arguments[k]);
      inputs.insert(inputs.end(), data, data + computation.inputs[k].size());
    }
    const bool slopes = function % 2 != 0;
    std::string message;
    bool ok = false;
    const std::lock_guard turn(home_->computations.turn());
    try {
      ok = slopes ? home_->computations.differentiate(index, inputs, outputs, message)
                  : home_->computations.run(index, inputs, outputs, message);
    } catch (const std::exception& error) {
      message = error.what();
    } catch (...) {
      message = "it was interrupted";
    }
    if (!ok) {
      outputs.assign(elements_of(computation.outputs) * (slopes ? inputs.size() : 1),
                     std::numeric_limits<double>::quiet_NaN());
      failed_ = index;
      message_ = std::move(message);
    }
    if (slopes) {
      std::copy(outputs.begin(), outputs.end(), static_cast<double*>(results[0]));
      return;
    }
    std::size_t next = 0;
    for (std::size_t k = 0; k < computation.outputs.size(); ++k) {
      const auto size = static_cast<std::size_t>(computation.outputs[k].size());
      if (results[k] != nullptr) std::copy_n(outputs.data() + next, size, static_cast<double*>(results[k]));
      next += size;
    }
  }
  program::ForeignOutcome perform(int, double, std::span<const double>, std::span<double>) override { return {}; }
  program::ForeignHealth health() noexcept override {
    return failed_ == SIZE_MAX ? program::ForeignHealth::well : program::ForeignHealth::failed;
  }
  void report(const Place&, double, Diagnostics& diagnostics) override {
    if (failed_ == SIZE_MAX) return;
    const StartComputation& computation = home_->computations[failed_];
    diagnostics.error("start-computation", computation.place,
                      fmt::format("{} failed when the run started: {}", computation.function, message_),
                      "look at the values of the parameters it gets");
    failed_ = SIZE_MAX;
  }
  bool save(std::vector<std::byte>& bytes) override {
    bytes.assign(1, std::byte{0});  // nothing: it is not asked again
    return true;
  }
  bool restore(std::span<const std::byte>) override { return true; }

 private:
  std::shared_ptr<ParameterHome> home_;
  std::size_t failed_ = SIZE_MAX;
  std::string message_;
};

}  // namespace

program::ForeignKind start_computation_kind(std::shared_ptr<ParameterHome> home) {
  return {object_kind,
          {},
          [home = std::move(home)](const program::ForeignObject&, const program::ForeignRun&, const Place&,
                                   Diagnostics&) -> std::unique_ptr<program::ForeignInstance> {
            return std::make_unique<StartInstance>(home);
          }};
}

std::vector<std::string> differenced_computations(const program::Program& program, const ParameterHome& home) {
  std::vector<ExprId> values;
  for (const program::Assign& assign : program.start) values.push_back(assign.value);
  std::vector<std::string> texts;
  for (const std::uint32_t function : passes::slice(program.graph, values).foreign) {
    const program::ForeignFunction& what = program.graph.foreign_functions()[function];
    if (program.foreign_objects[what.object].kind != object_kind || what.entry % 2 == 0) continue;
    const StartComputation& computation = home.computations[static_cast<std::size_t>(what.entry / 2)];
    texts.push_back(computation.place.line > 0
                        ? fmt::format("{} (line {})", computation.function, computation.place.line)
                        : computation.function);
  }
  return texts;
}

}  // namespace orrery::trace
