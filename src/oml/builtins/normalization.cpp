// SPDX-License-Identifier: Apache-2.0
// normalize: every method is a centre that is subtracted and a scale that is divided by.
#include "oml/builtins/normalization.h"

#include <algorithm>
#include <cmath>

#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

// Statistics of the data along one dimension.
struct Sample {
  Interpreter& oml;
  Value x, dim;

  Value call(const char* name, Values args) const { return oml.call_named(name, std::move(args), 1)[0]; }
  Value mean() const { return call("mean", {x, dim}); }
  Value deviation() const { return call("std", {x, Value(0.0), dim}); }
  Value median() const { return call("median", {x, dim}); }
  Value low() const { return call("min", {x, Value::empty(), dim}); }
  Value high() const { return call("max", {x, Value::empty(), dim}); }
  Value median_deviation() const {
    const Value distance = call("abs", {apply_binary(BinaryOp::subtract, x, median())});
    return call("median", {distance, dim});
  }
  Value quartile_range() const {
    const auto quartile = [&](double p) { return call("quantile", {x, Value(p), dim}); };
    return apply_binary(BinaryOp::subtract, quartile(0.75), quartile(0.25));
  }
  Value norm(double p) const {
    const Value size = call("abs", {x});
    if (std::isinf(p)) return call("max", {size, Value::empty(), dim});
    const Value sum = call("sum", {apply_binary(BinaryOp::power, size, Value(p)), dim});
    return apply_binary(BinaryOp::power, sum, Value(1 / p));
  }
  Value first() const {
    const auto k = static_cast<int>(to_double(dim)) - 1;
    const Dims d = x.dims();
    Dims one = d;
    one.set(k, 1);
    Value out = Value::zeros(one);
    const Index stride = d.stride(k);
    for (Index i = 0; i < one.numel(); ++i) out.edit_real()[i] = x.real()[i / stride * stride * d[k] + i % stride];
    return unboxed(out);
  }
};

Value centre_of(const Sample& s, const Value* kind) {
  if (kind == nullptr) return s.mean();
  if (!kind->is_text()) return *kind;
  const std::string name = to_string(*kind);
  if (name == "mean") return s.mean();
  if (name == "median") return s.median();
  fail("a centre must be 'mean', 'median' or a number, not " + name);
}

Value scale_of(const Sample& s, const Value* kind) {
  if (kind == nullptr) return s.deviation();
  if (!kind->is_text()) return *kind;
  const std::string name = to_string(*kind);
  if (name == "std") return s.deviation();
  if (name == "mad") return s.median_deviation();
  if (name == "iqr") return s.quartile_range();
  if (name == "first") return s.first();
  fail("a scale must be 'std', 'mad', 'iqr', 'first' or a number, not " + name);
}

}  // namespace

void normalize(Call& c) {
  const Value x = to_real(c[0]);
  if (c.name == "normalize" && c.count() == 1 && x.numel() == 1) return c.ret(Value(1.0));
  int k = 1;
  double dim = x.dims().first_non_singleton() + 1;
  if (c.has(1) && !c[1].is_text()) {
    if (c.whole(1) < 1) fail_argument(2, "must be a positive integer");
    dim = static_cast<double>(std::min<Index>(c.whole(1), Dims::max_count));
    k = 2;
  }
  const Sample s{c.oml, x, Value(dim)};
  const std::string method = c.has(k) ? c.text(k) : "zscore";
  const Value* kind = c.has(k + 1) ? &c[k + 1] : nullptr;
  Value centre(0.0), scale(1.0);
  if (method == "zscore") {
    const bool robust = kind != nullptr && to_string(*kind) == "robust";
    centre = robust ? s.median() : s.mean();
    scale = robust ? s.median_deviation() : s.deviation();
  } else if (method == "norm") {
    scale = s.norm(kind == nullptr ? 2 : to_double(*kind));
  } else if (method == "range") {
    const std::vector<double> ends = kind == nullptr ? std::vector<double>{0, 1} : to_vector(*kind);
    if (ends.size() != 2 || !(ends[0] < ends[1])) fail_argument(k + 2, "must be two ascending numbers");
    const Value width = apply_binary(BinaryOp::subtract, s.high(), s.low());
    scale = apply_binary(BinaryOp::divide, width, Value(ends[1] - ends[0]));
    centre = apply_binary(BinaryOp::subtract, s.low(), apply_binary(BinaryOp::times, scale, Value(ends[0])));
  } else if (method == "medianiqr") {
    centre = s.median();
    scale = s.quartile_range();
  } else if (method == "center" || method == "scale") {
    // The two may stand together.
    for (; c.has(k); ++k) {
      const bool named =
          c.has(k + 1) && !(c[k + 1].is_text() && (c.text(k + 1) == "center" || c.text(k + 1) == "scale"));
      const Value* given = named ? &c[k + 1] : nullptr;
      if (c.text(k) == "center")
        centre = centre_of(s, given);
      else if (c.text(k) == "scale")
        scale = scale_of(s, given);
      else
        fail_argument(k + 1, "must be 'center' or 'scale'");
      if (named) ++k;
    }
  } else {
    fail_argument(k + 1, "must be 'zscore', 'norm', 'range', 'center', 'scale' or 'medianiqr'");
  }
  c.ret(apply_binary(BinaryOp::divide, apply_binary(BinaryOp::subtract, x, centre), scale));
  c.ret(centre);
  c.ret(scale);
}

}  // namespace orrery::oml
