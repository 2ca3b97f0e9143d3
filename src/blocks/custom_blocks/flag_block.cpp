// SPDX-License-Identifier: Apache-2.0
// Flag blocks as formulas around foreign functions and procedures.
#include "blocks/custom_blocks/flag_block.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::blocks {
namespace {

constexpr int most_ports = 1000;

int small_count(const Parameters& p, const char* name) {
  const int n = p.integer(name);
  if (n < 0 || n > most_ports) p.fail(name, fmt::format("must be a whole number from 0 to {}", most_ports));
  return n;
}

// Rows and columns of each port; an empty matrix: no ports.
std::vector<Size> sizes_of(const Parameters& p, const char* name) {
  const Value& sizes = p.value(name);
  if (sizes.is_empty()) return {};
  if (!sizes.is_number() || sizes.is_complex() || sizes.cols != 2 || sizes.rows > most_ports) {
    p.fail(name, "must be a matrix of two columns: rows and columns of each port", "write [1 1; -1 3] for two ports");
  }
  p.settle(name, "it says which ports a block has");
  std::vector<Size> list;
  const auto count = static_cast<std::size_t>(sizes.rows);
  for (std::size_t k = 0; k < count; ++k) {
    const double rows = sizes.real[k], cols = sizes.real[k + count];
    for (double size : {rows, cols}) {
      if (size == 0 || size != static_cast<int>(size) || size > 1e6 || size < -1e6)
        p.fail(name, "must be whole numbers: from 1 on, or negative where the size is not fixed");
    }
    list.push_back({static_cast<int>(rows), static_cast<int>(cols)});
  }
  return list;
}

ElementType type_of(const Parameters& p, const char* name, std::size_t port) {
  const Value& types = p.value(name);
  if (types.is_empty()) return Scalar::f64;
  const Value* type = types.is_text() ? &types : nullptr;
  if (types.is_list() && port < types.items.size()) type = &types.items[port];
  if (type == nullptr || !type->is_text()) {
    p.fail(name, "must name the type of each port", "write {'double', 'int32'}, or one text for all");
  }
  if (type->text == "inherit") return same_type;
  for (int code = 0; code <= static_cast<int>(Scalar::boolean); ++code) {
    if (type->text == name_of(static_cast<Scalar>(code))) return static_cast<Scalar>(code);
  }
  p.fail(name, fmt::format("there is no element type '{}'", type->text),
         "double, complex, int8, int16, int32, uint8, uint16, uint32, boolean or inherit");
}

std::vector<double> numbers_of(const Parameters& p, const char* name) {
  const Value& value = p.value(name);
  if (value.is_empty()) return {};
  if (!value.is_number() || value.is_complex()) p.fail(name, "must be real numbers");
  p.settle(name, "foreign code reads it");
  return value.real;
}

std::vector<FlagMatrix> matrices_of(const Parameters& p, const char* name, bool texts) {
  const Value& value = p.value(name);
  if (value.is_empty()) return {};
  p.settle(name, "foreign code reads it");
  std::vector<FlagMatrix> list;
  const std::vector<Value> one{value};
  for (const Value& item : value.is_list() ? value.items : one) {
    FlagMatrix m;
    if (item.is_text() && texts) {
      m.is_text = true;
      m.text = item.text;
    } else if (item.is_number() && !item.is_empty() && (texts || !item.is_complex())) {
      m.type = {item.type, item.rows, item.cols};
      m.real = item.real;
      m.imag = item.imag;
    } else {
      p.fail(name, texts ? "must be a cell of matrices and texts" : "must be a cell of real matrices");
    }
    list.push_back(std::move(m));
  }
  return list;
}

void read_states(const Parameters& p, FlagShape& shape) {
  shape.x0 = numbers_of(p, "x0");
  shape.xd0 = numbers_of(p, "xd0");
  shape.z0 = numbers_of(p, "z0");
  shape.xd0.resize(shape.x0.size());
  const std::vector<double> marks = numbers_of(p, "xproperties");
  if (!shape.x0.empty() && marks.size() != 1 && marks.size() != shape.x0.size())
    p.fail("xproperties", "must be one number or as many as there are states");
  for (std::size_t k = 0; k < shape.x0.size(); ++k) {
    const double mark = marks[marks.size() == 1 ? 0 : k];
    if (mark != 1 && mark != -1) p.fail("xproperties", "holds +1 (differential) or -1 (algebraic)");
    if (mark == -1 && !shape.implicit) p.fail("xproperties", "only an implicit block has algebraic states");
    shape.xproperties.push_back(static_cast<int>(mark));
  }
}

FlagShape shape_of(const Block& b) {
  const Parameters& p = b.parameters();
  FlagShape shape;
  const std::vector<double> feedthrough = numbers_of(p, "feedthrough");
  for (int k = 1; k <= b.input_count(); ++k) {
    FlagMatrix m;
    m.type = b.in(k).type();
    if (feedthrough.size() > 1 && feedthrough.size() != static_cast<std::size_t>(b.input_count()))
      p.fail("feedthrough", "must be one number or as many as there are inputs");
    if (!feedthrough.empty())
      m.feedthrough = feedthrough[feedthrough.size() == 1 ? 0 : static_cast<std::size_t>(k - 1)] != 0;
    shape.inputs.push_back(m);
  }
  for (int k = 1; k <= b.output_count(); ++k) {
    FlagMatrix m;
    m.type = b.out_type(k);
    shape.outputs.push_back(m);
  }
  shape.oz = matrices_of(p, "oz", false);
  shape.opar = matrices_of(p, "opar", true);
  shape.rpar = numbers_of(p, "rpar");
  shape.ipar = numbers_of(p, "ipar");
  shape.implicit = p.flag("implicit");
  read_states(p, shape);
  shape.activations = small_count(p, "activations");
  shape.events = small_count(p, "events");
  shape.surfaces = small_count(p, "surfaces");
  shape.modes = small_count(p, "modes");
  shape.constraints = small_count(p, "constraints");
  shape.jacobian = p.flag("jacobian");
  shape.projects = p.text("constraint") == "projection";
  if ((shape.constraints > 0 || shape.projects) && shape.x0.empty())
    p.fail("constraints", "a block without continuous states has nothing to keep");
  if (shape.jacobian && shape.implicit)
    p.fail("jacobian", "the derivatives of implicit blocks are found by differences", "set jacobian to 0");
  return shape;
}

class FlagBuilder {
 public:
  FlagBuilder(Block& b, std::string kind, FlagSettings settings)
      : b_(b), shape_(shape_of(b)), kind_(std::move(kind)), settings_(std::move(settings)) {}

  void build() {
    declare();
    if (b_.output_count() > 0) outputs();
    if (!shape_.x0.empty()) motion();
    events();
  }

 private:
  static Type column(std::size_t rows) { return {Scalar::f64, static_cast<std::int32_t>(rows), 1}; }
  Expr numbers(const std::vector<double>& values) { return b_.constant(column(values.size()), values); }

  void declare() {
    epoch_ = b_.memory("epoch", b_.constant(0, Scalar::i32));
    program::ForeignObject object{kind_, 0, to_settings(shape_), {}};
    object.settings.insert(object.settings.end(), settings_.begin(), settings_.end());
    if (!shape_.x0.empty()) {
      x_ = b_.state("x", numbers(shape_.x0));
      states_.push_back(x_);
      value_ = x_;
      if (shape_.implicit) imply();
    }
    if (!shape_.z0.empty()) states_.push_back(z_ = b_.memory("z", numbers(shape_.z0)));
    for (std::size_t k = 0; k < shape_.oz.size(); ++k) {
      const FlagMatrix& m = shape_.oz[k];
      oz_.push_back(b_.memory(fmt::format("oz{}", k + 1), b_.constant(m.type, m.real)));
      states_.push_back(oz_.back());
    }
    if (shape_.modes > 0) {
      modes_ = b_.memory("modes", b_.fill(column(static_cast<std::size_t>(shape_.modes)), 0));
      states_.push_back(modes_);
    }
    for (const Variable& variable : states_) object.initial.push_back(variable.slot());
    if (shape_.events > 0) delays_ = b_.memory("delays", b_.fill(column(static_cast<std::size_t>(shape_.events)), -1));
    object_ = b_.foreign_object(std::move(object));
  }

  // Differential elements are states whose derivative is asked for; algebraic ones are asked for themselves.
  void imply() {
    std::vector<double> guess;
    for (std::size_t k = 0; k < shape_.states(); ++k)
      guess.push_back(shape_.xproperties[k] > 0 ? shape_.xd0[k] : shape_.x0[k]);
    unknown_ = b_.unknown("v", numbers(guess));
    std::vector<Expr> value, rate;
    for (std::size_t k = 0; k < shape_.states(); ++k) {
      const auto at = static_cast<std::int64_t>(k);
      const bool differential = shape_.xproperties[k] > 0;
      value.push_back(differential ? x_[at] : unknown_[at]);
      rate.push_back(differential ? unknown_[at] : b_.constant(0));
    }
    value_ = stack(column(shape_.states()), value);
    rate_ = stack(column(shape_.states()), rate);
  }

  static void add(std::vector<Expr>& list, Expr value, bool as_doubles) {
    if (value.scalar_type() == Scalar::c128) {
      list.push_back(apply(Op::real, value));
      list.push_back(apply(Op::imag, value));
    } else {
      list.push_back(as_doubles ? value.as(Scalar::f64) : value);
    }
  }

  std::vector<Expr> arguments(bool feedthrough_only, bool as_doubles) {
    std::vector<Expr> list{b_.time()};
    if (!shape_.x0.empty()) list.push_back(value_);
    if (shape_.implicit && !shape_.x0.empty()) list.push_back(rate_);
    if (!shape_.z0.empty()) list.push_back(z_);
    for (const Variable& oz : oz_) add(list, oz, as_doubles);
    if (shape_.modes > 0) list.push_back(modes_);
    for (std::size_t k = 0; k < shape_.inputs.size(); ++k) {
      if (feedthrough_only && !shape_.inputs[k].feedthrough) continue;
      add(list, b_.in(static_cast<int>(k) + 1), as_doubles);
    }
    list.push_back(code());
    return list;
  }

  // How the block is activated: the sum of 2^(p-1) over its active inputs.
  Expr code() {
    Expr sum = b_.constant(0);
    double weight = 1;
    for (int p = 1; p <= shape_.activations; ++p, weight *= 2) sum = sum + b_.active(p).as(Scalar::f64) * weight;
    return sum;
  }

  program::ForeignFunction declaration(const std::string& name, int entry, const std::vector<Expr>& list,
                                       std::vector<Type> results) {
    program::ForeignFunction declared{name, {}, std::move(results), object_, entry};
    for (const Expr& argument : list) declared.arguments.push_back(argument.type());
    return declared;
  }

  std::vector<Expr> function_arguments(bool feedthrough_only) {
    std::vector<Expr> list = arguments(feedthrough_only, false);
    list.push_back(epoch_);
    return list;
  }

  Expr function(const std::string& name, int entry, Type result) {
    const std::vector<Expr> list = function_arguments(false);
    return b_.foreign(b_.declare(declaration(name, entry, list, {result})), list);
  }

  void outputs() {
    std::vector<Type> results;
    for (const FlagMatrix& m : shape_.outputs) {
      const bool complex = m.type.scalar == Scalar::c128;
      results.insert(results.end(), complex ? 2 : 1, complex ? m.type.with(Scalar::f64) : m.type);
    }
    const std::vector<Expr> list = function_arguments(true);
    const int function = b_.declare(declaration("outputs", flag_calls::outputs, list, results));
    int result = 0;
    for (std::size_t k = 0; k < shape_.outputs.size(); ++k) {
      const int port = static_cast<int>(k) + 1;
      const Expr real = b_.foreign(function, list, result++);
      if (shape_.outputs[k].type.scalar != Scalar::c128) {
        b_.out(port, real);
        continue;
      }
      const Expr imag = b_.foreign(function, list, result++);
      b_.out(port, Expr{&b_.graph(), b_.graph().binary(Op::complex_pair, real.id(), imag.id())});
    }
  }

  void motion() {
    const Type type = column(shape_.states());
    if (shape_.implicit) {
      b_.der(x_, rate_);
      b_.equation(unknown_, function("residuals", flag_calls::derivatives, type));
    } else {
      b_.der(x_, shape_.jacobian ? with_partials() : function("derivatives", flag_calls::derivatives, type));
    }
    if (shape_.projects) {
      b_.project(x_, x_ + function("projection", flag_calls::projection, type));
    } else if (shape_.constraints > 0) {
      b_.keep_zero(
          function("constraints", flag_calls::projection, column(static_cast<std::size_t>(shape_.constraints))));
    }
  }

  // Every derivative depends on every state and every double among the inputs.
  Expr with_partials() {
    const std::vector<Expr> list = function_arguments(false);
    const Type type = column(shape_.states());
    program::ForeignFunction declared = declaration("derivatives", flag_calls::derivatives, list, {type});
    std::vector<std::uint32_t> columns;
    std::uint32_t next = 1;  // the time is the first
    for (std::size_t k = 0; k < shape_.states(); ++k) columns.push_back(next++);
    next += static_cast<std::uint32_t>(shape_.z0.size());
    for (std::size_t k = 0; k < oz_.size(); ++k) {
      if (oz_[k].scalar_type() == Scalar::f64) next += static_cast<std::uint32_t>(oz_[k].size());
    }
    next += static_cast<std::uint32_t>(shape_.modes);
    for (const FlagMatrix& m : shape_.inputs) {
      const std::int64_t size = m.type.size() * (m.type.scalar == Scalar::c128 ? 2 : 1);
      for (std::int64_t e = 0; is_floating(m.type.scalar) && e < size; ++e) columns.push_back(next++);
    }
    declared.depends_on.assign(shape_.states(), columns);
    program::ForeignFunction slopes =
        declaration("jacobian", flag_calls::derivative_partials, list, {column(shape_.states() * columns.size())});
    declared.partials = b_.declare(std::move(slopes));
    return b_.foreign(b_.declare(std::move(declared)), list);
  }

  CallRule call(int procedure) {
    CallRule rule;
    rule.object = object_;
    rule.procedure = procedure;
    for (const Expr& argument : arguments(false, true)) rule.arguments.push_back(argument.id());
    for (const SurfaceRule& surface : b_.body().surfaces) {
      const ExprId direction = b_.graph().read(surface.direction, Type{Scalar::i8, 1, 1});
      const bool crossed = procedure == flag_calls::crossing;
      rule.arguments.push_back(crossed ? b_.graph().cast(Scalar::f64, direction) : b_.graph().constant(0));
    }
    for (const Variable& variable : states_) rule.results.push_back(variable.slot());
    if (shape_.events > 0) {
      rule.results.push_back(delays_.slot());
      rule.fire_ports = {own_port()};
    }
    rule.results.push_back(epoch_.slot());
    return rule;
  }

  // Fires when delays have been written, and programs the events.
  int own_port() const { return shape_.events + 1; }

  void events() {
    if (shape_.surfaces > 0) {
      const Expr values = function("surfaces", flag_calls::surfaces, column(static_cast<std::size_t>(shape_.surfaces)));
      for (int k = 0; k < shape_.surfaces; ++k) b_.on_crossing(values[k]);
      Trigger(b_, When::crossing, 0, Expr{}).call(call(flag_calls::crossing));
    }
    b_.on_start().call(call(flag_calls::start));
    const bool has_memory = !states_.empty() || shape_.events > 0 || b_.output_count() == 0;
    if (has_memory) b_.on_activation().call(call(flag_calls::event));
    if (b_.flag("steps")) b_.on_step().call(call(flag_calls::step));
    b_.on_end().call(call(flag_calls::terminate));
    for (int k = 1; k <= shape_.events; ++k) {
      const Expr delay = delays_[k - 1];
      b_.on_fired(own_port()).when(delay >= 0.0).schedule(k, delay);
    }
  }

  Block& b_;
  FlagShape shape_;
  std::string kind_;
  FlagSettings settings_;
  std::uint32_t object_ = 0;
  Variable x_, z_, modes_, unknown_, epoch_, delays_;
  Expr value_, rate_;  // the states, and of implicit blocks their derivatives
  std::vector<Variable> oz_, states_;
};

}  // namespace

std::vector<ParameterSpec> flag_parameters() {
  return {
      {"insizes", "[-1 -2]", "rows and columns of each input, a row each; negative: not fixed; []: no inputs"},
      {"intypes", "'double'", "element type of the inputs: one text, or a cell; inherit: of what is connected"},
      {"feedthrough", "1", "whether outputs depend on the input directly; one number, or one for each input"},
      {"outsizes", "[-1 -2]", "rows and columns of each output; equal negative numbers are equal sizes"},
      {"outtypes", "'double'", "element type of the outputs"},
      {"activations", "1", "number of activation inputs"},
      {"events", "0", "number of activation outputs"},
      {"x0", "[]", "initial continuous state"},
      {"xd0", "[]", "implicit block: guess of the initial derivative"},
      {"xproperties", "1", "implicit block: +1 differential, -1 algebraic, for each state or one for all"},
      {"z0", "[]", "initial discrete state, doubles"},
      {"oz", "[]", "cell of initial values of typed discrete states"},
      {"rpar", "[]", "parameters, doubles"},
      {"ipar", "[]", "parameters, whole numbers"},
      {"opar", "[]", "cell of typed parameters, also texts"},
      {"implicit", "0", "1: the block gives residuals instead of derivatives"},
      {"surfaces", "0", "number of zero-crossing functions"},
      {"modes", "0", "number of modes"},
      {"jacobian", "0", "1: the block computes the Jacobian of its states"},
      {"constraint", "'constraint'", "what the block gives under the flag Projection", {"constraint", "projection"}},
      {"constraints", "0", "number of constraints that the states keep"},
      {"steps", "0", "1: it is called at every accepted step of the solver as well"}};
}

void declare_flag_ports(Ports& p) {
  const Parameters& parameters = p.parameters();
  const std::vector<Size> inputs = sizes_of(parameters, "insizes"), outputs = sizes_of(parameters, "outsizes");
  for (std::size_t k = 0; k < inputs.size(); ++k)
    p.input(fmt::format("u{}", k + 1), inputs[k], type_of(parameters, "intypes", k));
  for (std::size_t k = 0; k < outputs.size(); ++k)
    p.output(fmt::format("y{}", k + 1), outputs[k], type_of(parameters, "outtypes", k));
  p.activation_inputs(small_count(parameters, "activations"));
  p.activation_outputs(small_count(parameters, "events"));
}

void build_flag_block(Block& b, const std::string& kind, FlagSettings settings) {
  FlagBuilder(b, kind, std::move(settings)).build();
}

}  // namespace orrery::blocks
