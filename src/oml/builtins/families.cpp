// SPDX-License-Identifier: Apache-2.0
// The one list of builtin families, and look-up by name.
#include "oml/builtins/families.h"

#include <unordered_map>
#include <vector>

#include "oml/ast.h"

namespace orrery::oml {

std::span<const BuiltinFamily> builtin_families() {
  static const std::vector<BuiltinFamily> all = {
      array_builtins(),
      random_builtins(),
      array_shape_builtins(),
      reduction_builtins(),
      sorting_builtins(),
      set_builtins(),
      elementary_builtins(),
      integer_builtins(),
      trigonometry_builtins(),
      operator_builtins(),
      type_builtins(),
      language_builtins(),
      name_builtins(),
      environment_builtins(),
      output_builtins(),
      string_builtins(),
      text_search_builtins(),
      number_text_builtins(),
      regexp_builtins(),
      cell_builtins(),
      struct_builtins(),
      time_builtins(),
      linear_algebra_builtins(),
      sparse_builtins(),
      special_builtins(),
      polynomial_builtins(),
      interpolation_builtins(),
      statistics_builtins(),
      distribution_builtins(),
      file_builtins(),
      binary_file_builtins(),
      text_io_builtins(),
      signal_builtins(),
      filter_builtins(),
      fourier_builtins(),
      ode_builtins(),
      optimise_builtins(),
      control_builtins(),
      matrix_function_builtins(),
      workspace_file_builtins(),
      hypothesis_test_builtins(),
      least_squares_builtins(),
      spectrum_builtins(),
      signal_fitting_builtins(),
      geometry_builtins(),
      constrained_builtins(),
      control_model_builtins(),
      control_response_builtins(),
      object_builtins(),
  };
  return all;
}

const Builtin* find_builtin(const std::string& name) {
  static const std::unordered_map<std::string_view, const Builtin*> index = [] {
    std::unordered_map<std::string_view, const Builtin*> map;
    for (const BuiltinFamily& family : builtin_families()) {
      for (const Builtin& b : family) map.emplace(b.name, &b);
    }
    return map;
  }();
  const auto it = index.find(name);
  return it == index.end() ? nullptr : it->second;
}

namespace {

// Re-raises a conversion error with the number of the argument.
template <class F>
auto argument(int k, F f) {
  try {
    return f();
  } catch (OmlError& e) {
    if (e.message.rfind("Argument", 0) != 0) e.message = "Argument " + std::to_string(k + 1) + "; " + e.message;
    throw;
  }
}

}  // namespace

std::string Call::variable_name(int k) const {
  if (nodes == nullptr || k >= static_cast<int>(nodes->size())) return {};
  const Node* n = (*nodes)[static_cast<std::size_t>(k)];
  return n->kind == NodeKind::identifier ? n->extra->name : std::string();
}

static const Value& present(const Call& c, int k) {
  if (!c.has(k)) fail_argument(k + 1, "is missing");
  return c[k];
}

double Call::number(int k) const {
  const Value& v = present(*this, k);
  if (v.is_number()) return v.number();
  return argument(k, [&] { return to_double(v); });
}
Index Call::whole(int k) const {
  const Value& v = present(*this, k);
  return argument(k, [&] { return to_integer(v); });
}
std::string Call::text(int k) const {
  const Value& v = present(*this, k);
  return argument(k, [&] {
    if (v.is_text() && v.dims().rows() > 1) return one_text(v);
    return to_string(v);
  });
}
std::string Call::word(int k) const {
  const Value& v = present(*this, k);
  return argument(k, [&] { return one_text(v); });
}
Value Call::real(int k) const {
  const Value& v = present(*this, k);
  return argument(k, [&] { return to_real(v); });
}
Value Call::numeric(int k) const {
  const Value& v = present(*this, k);
  return argument(k, [&] { return to_numeric(v); });
}

}  // namespace orrery::oml
