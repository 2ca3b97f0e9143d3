// SPDX-License-Identifier: Apache-2.0
// ContPoleZero, DiscrPoleZero, SampledData, PID, Accumulator, ShiftRegister.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "blocks/dynamical/dynamical.h"
#include "blocks/dynamical/linear_system.h"

namespace orrery::blocks {
namespace {

// Coefficients, highest power first, of the polynomial with these roots, which must be real or come in pairs.
std::vector<double> coefficients_from_roots(const Parameters& parameters, const char* name) {
  const Value& roots = parameters.value(name);
  if (!roots.is_number() || (roots.size() > 0 && roots.rows != 1 && roots.cols != 1)) {
    parameters.fail(name, "must be a row or a column of numbers", "[] for none");
  }
  parameters.settle(name, "the polynomial with these roots is computed when the model is compiled");
  std::vector<std::complex<double>> waiting;
  for (std::size_t k = 0; k < roots.size(); ++k) {
    waiting.push_back(roots.at(k));
    if (!std::isfinite(waiting.back().real()) || !std::isfinite(waiting.back().imag())) {
      parameters.fail(name, "must be finite");
    }
  }
  std::vector<double> result = {1};
  const auto multiply = [&](const std::vector<double>& factor) {
    std::vector<double> product(result.size() + factor.size() - 1, 0.0);
    for (std::size_t i = 0; i < result.size(); ++i) {
      for (std::size_t j = 0; j < factor.size(); ++j) product[i + j] += result[i] * factor[j];
    }
    result = std::move(product);
  };
  while (!waiting.empty()) {
    const std::complex<double> root = waiting.back();
    waiting.pop_back();
    if (root.imag() == 0) {
      multiply({1, -root.real()});
      continue;
    }
    const double near = 1e-9 * std::abs(root);
    const auto twin = std::find_if(waiting.begin(), waiting.end(),
                                   [&](const auto& other) { return std::abs(other - std::conj(root)) <= near; });
    if (twin == waiting.end()) {
      parameters.fail(name, fmt::format("{}{:+}i comes without its conjugate", root.real(), root.imag()),
                      "a real system has complex poles and zeros in pairs");
    }
    waiting.erase(twin);
    multiply({1, -2 * root.real(), std::norm(root)});
  }
  return result;
}

LinearSystem pole_zero_system(const Parameters& parameters, Block* block) {
  std::vector<Entry> num, den;
  for (const double c : coefficients_from_roots(parameters, "zeros")) num.push_back({c});
  for (const double c : coefficients_from_roots(parameters, "poles")) den.push_back({c});
  LinearSystem system = canonical_form(parameters, num, den, "zeros", "poles");
  const double now = parameters.now_number("k");
  if (!std::isfinite(now)) parameters.fail("k", "must be finite");
  const Expr factor = block != nullptr ? block->real("k") : Expr{};
  const bool varies = block != nullptr && !block->graph().is_constant(factor.id());
  for (Matrix* matrix : {&system.c, &system.d}) {
    for (Entry& entry : matrix->data) {
      if (entry.is(0)) continue;
      if (varies) entry.formula = entry.value * factor;
      entry.value *= now;
    }
  }
  return system;
}

const std::vector<ParameterSpec>& pole_zero_specs() {
  static const std::vector<ParameterSpec> specs = {{"zeros", "[]", "zeros, complex ones in pairs; [] for none"},
                                                   {"poles", "-0.5", "poles, complex ones in pairs; as many or more"},
                                                   {"k", "1", "factor of the whole"}};
  return specs;
}

// A matrix with the columns from `first` on of another one.
Expr columns_of(Expr m, std::int32_t first, std::int32_t count, std::int32_t rows) {
  std::vector<Expr> elements;
  for (std::int32_t col = first; col < first + count; ++col) {
    for (std::int32_t row = 0; row < rows; ++row) elements.push_back(m.at(row, col));
  }
  return stack({Scalar::f64, rows, count}, elements);
}

// The exact discretisation with inputs held over a period: exp([A B; 0 0] T) = [Ad Bd; 0 I].
void build_sampled_data(Block& b) {
  const LinearSystem system = state_space(b);
  const std::int32_t n = system.order(), m = system.b.cols;
  std::vector<Expr> elements;
  const auto entry = [&](const Entry& e) { return e.is_formula() ? e.formula : b.constant(e.value); };
  for (std::int32_t col = 0; col < n + m; ++col) {
    for (std::int32_t row = 0; row < n + m; ++row) {
      elements.push_back(row >= n  ? b.constant(0)
                         : col < n ? entry(system.a.at(row, col))
                                   : entry(system.b.at(row, col - n)));
    }
  }
  const Expr scaled_by_period = b.period() * stack({Scalar::f64, n + m, n + m}, elements);
  const Expr transition{&b.graph(), b.graph().unary(Op::expm, scaled_by_period.id())};
  const Variable x = b.memory("x", b.parameter("x0", {Scalar::f64, n, 1}));
  b.out(1, output(b, system, x, b.in()));
  b.on_activation().set(x,
                        matmul(columns_of(transition, 0, n, n), x) + matmul(columns_of(transition, n, m, n), b.in()));
}

// z0 as it is given: a column for each sample, the oldest first, or one value for all.
std::vector<double> register_contents(Block& b, std::int64_t elements, int length) {
  const Value& z0 = b.parameters().matrix("z0");
  const std::vector<double>& given = b.parameters().reals("z0");
  const auto size = static_cast<std::size_t>(elements);
  if (given.size() == size * static_cast<std::size_t>(length)) return given;
  if (given.size() != 1 && given.size() != size) {
    b.fail("z0", fmt::format("must be one value, or {} values of {} elements, but is {}x{}", length, elements, z0.rows,
                             z0.cols));
  }
  std::vector<double> contents;
  for (int k = 0; k < length; ++k) {
    for (std::size_t i = 0; i < size; ++i) contents.push_back(given[given.size() == 1 ? 0 : i]);
  }
  return contents;
}

// A ring: one place is read and then written at each activation, whatever its length.
void build_shift_register(Block& b) {
  constexpr std::int64_t most = 100'000'000;  // numbers: 0.8 GB
  const int length = b.integer("length");
  const Type type = b.in().type();
  const auto size = static_cast<std::int32_t>(type.size());
  if (length < 1) b.fail("length", fmt::format("must be 1 or more, but is {}", length));
  if (length > most / size) {
    b.fail("length", fmt::format("{} samples of {} elements are more than {} numbers", length, size, most));
  }
  if (type.scalar == Scalar::c128) b.fail("z0", "complex signals cannot be kept here");
  const Variable ring =
      b.memory("z", b.constant({type.scalar, size, length}, register_contents(b, type.size(), length)));
  const Variable first = b.memory("first", b.constant(0, Scalar::i32));
  std::vector<double> offsets;
  for (std::int32_t k = 0; k < size; ++k) offsets.push_back(k);
  const Expr places = first * static_cast<double>(size) + b.constant({Scalar::i32, size, 1}, offsets);
  const Expr oldest{&b.graph(), b.graph().gather(ring.id(), places.id(), b.index_site())};
  b.out(1, {&b.graph(), b.graph().reshape(oldest.id(), type.rows, type.cols)});
  const Expr newest{&b.graph(), b.graph().reshape(b.in().id(), size, 1)};
  const Expr next{&b.graph(), b.graph().update(ring.id(), places.id(), newest.id(), b.index_site())};
  b.on_activation()
      .set(ring, next)
      .set(first, select(first + 1.0 < static_cast<double>(length), first + 1.0, b.constant(0, Scalar::i32)));
}

}  // namespace

const BlockType cont_pole_zero = {
    .name = "ContPoleZero",
    .palette = "Dynamical",
    .summary = "A linear system given by its zeros, poles and a factor: k (s - z1)… / ((s - p1)…).",
    .description = "The states start at zero.",
    .icon = {.numerator = "{k}(s − z)", .denominator = "(s − p)"},
    .parameters = pole_zero_specs(),
    .activation = Activation::always,
    .ports = [](Ports& p) { declare_ports(p, pole_zero_system(p.parameters(), nullptr)); },
    .build =
        [](Block& b) {
          const LinearSystem system = pole_zero_system(b.parameters(), &b);
          if (system.order() == 0) return b.out(1, output(b, system, Expr{}, b.in()));
          const Variable x = b.state("x", b.fill({Scalar::f64, system.order(), 1}, 0));
          b.der(x, change(b, system, x, b.in()));
          b.out(1, output(b, system, x, b.in()));
        },
};

const BlockType discr_pole_zero = {
    .name = "DiscrPoleZero",
    .palette = "Dynamical",
    .summary = "A linear system in discrete time given by zeros, poles and a factor: k (z - z1)… / ((z - p1)…).",
    .description = "The states start at zero.",
    .icon = {.numerator = "{k}(z − z)", .denominator = "(z − p)"},
    .parameters = pole_zero_specs(),
    .ports = [](Ports& p) { declare_ports(p, pole_zero_system(p.parameters(), nullptr)); },
    .build =
        [](Block& b) {
          const LinearSystem system = pole_zero_system(b.parameters(), &b);
          if (system.order() == 0) return b.out(1, output(b, system, Expr{}, b.in()));
          const Variable x = b.memory("x", b.fill({Scalar::f64, system.order(), 1}, 0));
          b.out(1, output(b, system, x, b.in()));
          b.on_activation().set(x, change(b, system, x, b.in()));
        },
};

const BlockType sampled_data = {
    .name = "SampledData",
    .palette = "Dynamical",
    .summary = "A continuous linear system at the ticks of the clock that activates it, its input held in between.",
    .description =
        "dx/dt = A x + B u, y = C x + D u is discretised exactly for the period of the clock, which one SampleClock or "
        "ReSampleClock must give through an activation link.",
    .icon = {.text = "A B C D\n1/z"},
    .parameters = {{"A", "-1", "n x n"},
                   {"B", "1", "n x number of inputs"},
                   {"C", "1", "number of outputs x n"},
                   {"D", "0", "number of outputs x number of inputs; 0 for none"},
                   {"x0", "0", "initial state; a scalar, or n numbers"}},
    .ports = [](Ports& p) { declare_ports(p, state_space(p.parameters())); },
    .build = build_sampled_data,
};

const BlockType pid = {
    .name = "PID",
    .palette = "Dynamical",
    .summary = "A controller: Kp + Ki / s + Kd N s / (s + N).",
    .description =
        "Its input is the error. N bounds the derivative part at high frequencies. Both states start at zero, so that "
        "a "
        "jump of the input at the start is one of the derivative part.",
    .icon = {.text = "PID"},
    .parameters = {{"Kp", "1", "proportional gain"},
                   {"Ki", "1", "integral gain"},
                   {"Kd", "1", "derivative gain"},
                   {"N", "100", "rate of the filter of the derivative part, in 1/s"}},
    .activation = Activation::always,
    .ports = [](Ports& p) { p.input("u", {}, Scalar::f64).output("y", {}, Scalar::f64); },
    .build =
        [](Block& b) {
          const Type type = b.in().type();
          const Expr u = b.in(), rate = b.positive_real("N");
          const Variable sum = b.state("integral", b.fill(type, 0)), filtered = b.state("filtered", b.fill(type, 0));
          const Expr slope = rate * (u - filtered);
          b.der(sum, u);
          b.der(filtered, slope);
          b.out(1, b.finite("Kp") * u + b.finite("Ki") * sum + b.finite("Kd") * slope);
        },
};

const BlockType accumulator = {
    .name = "Accumulator",
    .palette = "Dynamical",
    .summary = "Adds input 1 at each event of activation input 1, and jumps to input 2 at those of activation input 2.",
    .description = "Where both come at once, the jump counts. The initial value gives the size.",
    .icon = {.text = "Σ", .inputs = {"dx", "x0"}, .activations = {"add", "reset"}},
    .parameters = {{"x0", "0", "initial value"},
                   {"output", "'new'", "the value after the event, or the one before it", {"new", "old"}}},
    .ports =
        [](Ports& p) {
          const Value& x0 = p.parameters().matrix("x0");
          const Size size{x0.rows, x0.cols};
          p.input("dx", size, Scalar::f64).input("x0", size, Scalar::f64).output("y", size, Scalar::f64);
          p.activation_inputs(2);
        },
    .build =
        [](Block& b) {
          const Variable x = b.memory("x", b.parameter("x0", b.out_type()));
          const Expr next = select(b.active(2), b.in(2), select(b.active(1), x + b.in(1), x));
          b.out(1, b.text("output") == "new" ? next : x);
          b.on_activation().set(x, next);
        },
};

const BlockType shift_register = {
    .name = "ShiftRegister",
    .palette = "Dynamical",
    .summary = "Its input as it was a number of activations ago.",
    .description = "One sample comes in and the oldest goes out. As long as it is not full, what comes out is z0.",
    .icon = {.numerator = "1", .denominator = "z^{length}"},
    .parameters = {{"length", "2", "number of activations from in to out"},
                   {"z0", "0", "samples at the start: a column for each, the oldest first, or one value"}},
    .ports = [](Ports& p) { p.input("u").output("y"); },
    .build = build_shift_register,
};

}  // namespace orrery::blocks
