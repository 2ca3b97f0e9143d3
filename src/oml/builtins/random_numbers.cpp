// SPDX-License-Identifier: Apache-2.0
// Uniform and normal random numbers, and the generator's state.
#include <cmath>
#include <random>
#include <sstream>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

double uniform(Interpreter& oml) { return static_cast<double>(oml.random()) / 4294967296.0; }

// Marsaglia's polar method; the second value of a pair is kept.
double normal(Interpreter& oml) {
  if (oml.has_spare_normal) {
    oml.has_spare_normal = false;
    return oml.spare_normal;
  }
  for (;;) {
    const double u = 2 * uniform(oml) - 1, v = 2 * uniform(oml) - 1;
    const double s = u * u + v * v;
    if (s >= 1 || s == 0) continue;
    const double factor = std::sqrt(-2 * std::log(s) / s);
    oml.spare_normal = v * factor;
    oml.has_spare_normal = true;
    return u * factor;
  }
}

// The state of the generator as 625 words and the kept normal number, in a column.
Value generator_state(Interpreter& oml) {
  std::ostringstream text;
  text << oml.random;
  std::istringstream words(text.str());
  std::vector<double> state;
  for (double x; words >> x;) state.push_back(x);
  state.push_back(oml.has_spare_normal ? 1 : 0);
  state.push_back(oml.has_spare_normal ? oml.spare_normal : 0);
  return Value::column(state);
}

void set_generator_state(Call& c, const Value& v) {
  if (v.is_text()) fail_argument(2, "must be a number or a state that rand returned");
  const std::vector<double> state = to_vector(v);
  if (state.size() == 1) {
    c.oml.random.seed(static_cast<std::uint32_t>(static_cast<std::int64_t>(state[0])));
    c.oml.has_spare_normal = false;
    return;
  }
  std::ostringstream text;
  for (std::size_t k = 0; k + 2 < state.size(); ++k) text << static_cast<std::uint64_t>(std::abs(state[k])) << ' ';
  std::istringstream words(text.str());
  std::mt19937 restored;
  if (state.size() != std::mt19937::state_size + 3 || !(words >> restored))
    fail_argument(2, "must be a state that rand returned");
  c.oml.random = restored;
  c.oml.has_spare_normal = state[state.size() - 2] != 0;
  c.oml.spare_normal = state.back();
}

}  // namespace

double random_normal(Interpreter& oml) { return normal(oml); }

namespace {

template <class Draw>
void random_array(Call& c, Draw draw) {
  if (c.is_text(0)) {
    const std::string what = c.text(0);
    if (what == "seed" || what == "state" || what == "twister") {
      if (c.has(1)) return set_generator_state(c, c[1]);
      return c.ret(what == "seed" ? Value(0.0) : generator_state(c.oml));
    }
    if (!is_class_name(c[0])) fail_argument(1, "must be sizes, 'seed', 'state' or 'twister'");
  }
  check_arguments(Arguments("realsizes"), c.args);
  Value out = Value::real_uninitialised(dims_from(c, 0));
  for (double& x : out.edit_real().data) x = draw(c.oml);
  c.ret(unboxed(out));
}

void randi(Call& c) {
  const std::vector<double> limits = to_vector(c[0]);
  if (limits.empty()) fail_argument(1, "must not be empty");
  const double low = limits.size() > 1 ? limits[0] : 1, high = limits.back();
  Value out = Value::real_uninitialised(dims_from(c, 1));
  for (double& x : out.edit_real().data) x = low + std::floor(uniform(c.oml) * (high - low + 1));
  c.ret(unboxed(out));
}

void randperm(Call& c) {
  const Index n = c.whole(0);
  if (n < 0) fail_argument(1, "must not be negative");
  require_memory(n, 8);
  std::vector<double> p(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) p[static_cast<std::size_t>(i)] = static_cast<double>(i + 1);
  for (Index i = n - 1; i > 0; --i) {
    const auto j = static_cast<Index>(uniform(c.oml) * static_cast<double>(i + 1));
    std::swap(p[static_cast<std::size_t>(i)], p[static_cast<std::size_t>(j)]);
  }
  if (c.has(1)) p.resize(static_cast<std::size_t>(std::clamp<Index>(c.whole(1), 0, n)));
  c.ret(Value::row(p));
}

constexpr Builtin random_table[] = {
    {"rand", 0, -1, [](Call& c) { random_array(c, uniform); },
     "rand(m, n, ...): uniform random numbers in [0, 1). rand('seed', s) sets the seed.",
     "data option:seed/state, ..."},
    {"randn", 0, -1, [](Call& c) { random_array(c, normal); }, "randn(m, n, ...): standard normal random numbers.",
     "data option:seed/state, ..."},
    {"randi", 1, -1, randi, "randi(high, m, n): random integers from 1 to high; randi([low high]) sets both ends.",
     "real filled, sizes"},
    {"randperm", 1, 2, randperm, "randperm(n, k): random permutation of 1:n, or its first k elements.", "count, count"},
};

}  // namespace

BuiltinFamily random_builtins() { return random_table; }

}  // namespace orrery::oml
