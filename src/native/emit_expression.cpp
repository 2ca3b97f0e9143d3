// SPDX-License-Identifier: Apache-2.0
// Where values are, and the operations that make new ones. The meaning is that of program/evaluate.h, bit for bit.
#include "native/emit_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "base/check.h"
#include "native/frames.h"

namespace orrery::native {

using program::ExprId;
using program::Node;
using program::Op;
using program::Scalar;
using program::Type;

namespace {

const char* symbol_of(Op op) {
  switch (op) {
    case Op::add: return " + ";
    case Op::sub: return " - ";
    case Op::mul: return " * ";
    case Op::div: return " / ";
    case Op::less: return " < ";
    case Op::less_equal: return " <= ";
    case Op::equal: return " == ";
    case Op::not_equal: return " != ";
    case Op::logical_and: return " && ";
    case Op::logical_or: return " || ";
    case Op::bit_and: return " & ";
    case Op::bit_or: return " | ";
    case Op::bit_xor: return " ^ ";
    default: return nullptr;
  }
}

struct View {
  const char* name;
  const char* type;
};

// Names of the memory seen as an array of one element type.
View view_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::f64:
    case Scalar::c128: return {"d", "double"};
    case Scalar::i8: return {"i1", "signed char"};
    case Scalar::i16: return {"i2", "short"};
    case Scalar::i32: return {"i4", "int"};
    case Scalar::u16: return {"u2", "unsigned short"};
    case Scalar::u32: return {"u4", "unsigned int"};
    default: return {"m", "unsigned char"};
  }
}

int doubles_per_element(Scalar scalar) { return scalar == Scalar::c128 ? 2 : 1; }

}  // namespace

void append_number(std::string& out, std::uint64_t number) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

void ExpressionPrinter::append_element(std::string& out, const Reference& reference, Subscript at, int width,
                                       int part) {
  out += reference.base;
  if (reference.whole) return;
  out += '[';
  if (!at.loop) {
    append_number(out, reference.offset + static_cast<std::uint64_t>(width * at.fixed + part));
  } else {
    const std::uint64_t offset = reference.offset + static_cast<std::uint64_t>(part);
    if (offset > 0) {
      append_number(out, offset);
      out += " + ";
    }
    out += width == 2 ? "2 * i" : "i";
  }
  out += ']';
}

std::string ExpressionPrinter::element(const Reference& reference, Subscript at, int width, int part) {
  std::string out;
  append_element(out, reference, at, width, part);
  return out;
}

std::string ExpressionPrinter::address(const Reference& reference, Subscript at, int width) {
  if (reference.whole) return fmt::format("(&{})", reference.base);
  if (!at.loop) {
    return fmt::format("({} + {})", reference.base, reference.offset + static_cast<std::uint64_t>(width * at.fixed));
  }
  return fmt::format("({} + {} + {})", reference.base, reference.offset, width == 2 ? "2 * i" : "i");
}

std::string ExpressionPrinter::value(ExprId id, Subscript at, bool outer) {
  std::string out;
  print(out, id, at, outer);
  return out;
}

std::string ExpressionPrinter::definition(ExprId id, Subscript at) {
  std::string out;
  append_definition(out, id, at);
  return out;
}

void ExpressionPrinter::append_definition(std::string& out, ExprId id, Subscript at) {
  Op op = graph_[id].op;
  if (op == Op::read || op == Op::element || op == Op::reshape) return append_element(out, source(id), at);
  if (op == Op::time) {
    out += 't';
    return;
  }
  print_operation(out, id, at, true);
}

std::string ExpressionPrinter::part(ExprId id, Subscript at, int which) {
  if (graph_.type(id).is_scalar()) at = {};
  if (graph_.is_constant(id) && !at.loop) {
    return literal(prologue_, graph_.constant_data(id)[static_cast<std::size_t>(2 * at.fixed + which)], Scalar::f64);
  }
  return element(reference(id), at, 2, which);
}

std::string ExpressionPrinter::pointer(ExprId id, Subscript at) {
  if (graph_.type(id).is_scalar()) at = {};
  return address(reference(id), at, doubles_per_element(graph_.type(id).scalar));
}

Reference ExpressionPrinter::workspace(Scalar scalar, std::uint32_t first_double) const {
  if (program::is_floating(scalar)) return {"w", first_double};
  auto offset = std::uint64_t{8} * first_double / static_cast<std::uint64_t>(program::byte_size(scalar));
  return {fmt::format("(({}*)w)", program::c_name_of(scalar)), offset};
}

Reference ExpressionPrinter::slot(program::SlotId slot, bool for_reading) {
  const program::Slot& s = program_.slots[slot];
  bool continuous = s.kind == program::SlotKind::state || s.kind == program::SlotKind::shadow;
  if (names_ != nullptr) {
    const char* where = !continuous ? "m->" : for_reading ? "x->" : "m->x.";
    return {where + names_->member[slot], 0, !is_array(s.type)};
  }
  if (continuous && for_reading) return {"x", layout_.offset[slot] / 8};
  View view = view_of(s.type.scalar);
  if (view.name[0] != 'm' && std::find(views_.begin(), views_.end(), s.type.scalar) == views_.end()) {
    views_.push_back(s.type.scalar);
  }
  auto bytes = program::is_floating(s.type.scalar) ? 8 : program::byte_size(s.type.scalar);
  return {view.name, layout_.offset[slot] / static_cast<std::uint32_t>(bytes)};
}

Reference ExpressionPrinter::store_target(const program::Store& store) {
  if (store.target == program::Store::Target::output) return {"y", store.index};
  return slot(store.index, false);
}

Reference ExpressionPrinter::reference(ExprId id) {
  const PlannedNode& n = planned(id);
  const Node& g = graph_[id];
  if (n.form == Form::array) return workspace(g.type.scalar, n.storage);
  if (n.form == Form::target) return store_target(plan_.procedure->stores[n.store]);
  return source(id);
}

Reference ExpressionPrinter::source(ExprId id) {
  const Node& g = graph_[id];
  switch (g.op) {
    case Op::read: return slot(static_cast<program::SlotId>(g.payload), true);
    case Op::constant: return {prologue_.constant(graph_, id), 0};
    case Op::reshape: return reference(graph_.arguments(id)[0]);
    case Op::element: {
      Reference whole = reference(graph_.arguments(id)[0]);
      whole.offset += g.payload * static_cast<std::uint64_t>(doubles_per_element(g.type.scalar));
      return whole;
    }
    default: ORRERY_CHECK(false && "an expression in memory"); return {};
  }
}

std::string ExpressionPrinter::take_views() {
  std::set<std::string> lines;
  for (const Scalar scalar : views_) {
    const View view = view_of(scalar);
    lines.insert(fmt::format("  {}* {} = ({}*)m;\n", view.type, view.name, view.type));
  }
  views_.clear();
  std::string text;
  if (std::exchange(sees_trouble_, false)) {
    text += planner_.inside() != nullptr ? "  struct orr_trouble* e = *(struct orr_trouble**)m;\n"
            : names_ != nullptr
                ? std::string("  struct orr_trouble* e = &m->trouble;\n")
                : fmt::format("  struct orr_trouble* e = (struct orr_trouble*)(m + {});\n", layout_.trouble);
  }
  for (const std::string& line : lines) text += line;
  return text;
}

void ExpressionPrinter::print(std::string& out, ExprId id, Subscript at, bool outer) {
  const PlannedNode& n = planned(id);
  const Node& g = graph_[id];
  if (g.type.is_scalar()) at = {};
  if (n.form == Form::variable) {
    if (!n.crosses) {
      out += 'v';
      append_number(out, n.name);
    } else if (g.type.scalar == Scalar::f64) {
      append_element(out, {"w", n.storage}, {});
    } else {
      out += fmt::format("(({})w[{}])", program::c_name_of(g.type.scalar), n.storage);
    }
    return;
  }
  if (n.form == Form::inlined) return print_operation(out, id, at, outer);
  if (n.form == Form::leaf) {
    if (g.op == Op::time) {
      out += "t";
      return;
    }
    if (g.op == Op::clock_active) return print_clock(out, g.payload, outer);
    ExprId whole = id;
    if (g.op == Op::element) {
      at.fixed = static_cast<std::int64_t>(g.payload);
      whole = graph_.arguments(id)[0];
    }
    if (graph_.is_constant(whole) && !at.loop) {
      const double number = graph_.constant_data(whole)[static_cast<std::size_t>(at.fixed)];
      const bool named = names_numbers_ && n.uses > 1 && g.type.scalar == Scalar::f64 && std::isfinite(number);
      out += named ? prologue_.number(number) : literal(prologue_, number, g.type.scalar);
      return;
    }
    if (g.op == Op::element) at = {};
  }
  append_element(out, reference(id), at);
}

void ExpressionPrinter::print_clock(std::string& out, std::uint64_t clock, bool outer) {
  const program::Clock& c = program_.clocks[clock];
  if (!outer) out += "(";
  out += fmt::format("tick >= {}", c.first_tick);
  if (c.divisor != 1 && c.first_tick == 0) {
    out += fmt::format(" && tick % {} == 0", c.divisor);
  } else if (c.divisor != 1) {
    out += fmt::format(" && (tick - {}) % {} == 0", c.first_tick, c.divisor);
  }
  if (!outer) out += ")";
}

void ExpressionPrinter::binary(std::string& out, ExprId id, Subscript at, const char* symbol, bool outer) {
  auto arguments = graph_.arguments(id);
  if (!outer) out += "(";
  print(out, arguments[0], at, false);
  out += symbol;
  print(out, arguments[1], at, false);
  if (!outer) out += ")";
}

void ExpressionPrinter::call(std::string& out, const std::string& function, ExprId id, Subscript at) {
  out += function;
  const char* before = "(";
  for (ExprId argument : graph_.arguments(id)) {
    out += before;
    print(out, argument, at, true);
    before = ", ";
  }
  out += ")";
}

void ExpressionPrinter::print_operation(std::string& out, ExprId id, Subscript at, bool outer) {
  auto arguments = graph_.arguments(id);
  Op op = graph_[id].op;
  choices_ += op == Op::gather || op == Op::search || op == Op::select ? 1 : 0;
  if (op == Op::gather) {
    out += fmt::format("{}({}, {})", prologue_.pick_kernel(graph_.type(id).scalar), pointer(arguments[0]),
                       position(id, at));
    return;
  }
  if (op == Op::search) {
    out += fmt::format("{}({}, {}, {})", prologue_.kernel("search"), pointer(arguments[0]),
                       graph_.type(arguments[0]).size(), value(arguments[1], at, true));
    return;
  }
  Scalar from = graph_.type(arguments[0]).scalar;
  if (op == Op::past) return print_past(out, id);
  if (op == Op::select) {
    out += "(";
    print(out, arguments[0], at, false);
    out += " ? ";
    print(out, arguments[1], at, false);
    out += " : ";
    print(out, arguments[2], at, false);
    out += ")";
    return;
  }
  if (from == Scalar::c128) return print_of_complex(out, id, at);
  if (op == Op::cast) return print_cast(out, id, at, outer);
  if (print_choice(out, id, at)) return;
  if (program::is_relation(op) || op == Op::logical_and || op == Op::logical_or) {
    return binary(out, id, at, symbol_of(op), outer);
  }
  if (op == Op::logical_not) {
    out += "(!" + value(arguments[0], at) + ")";
    return;
  }
  if (op == Op::logical_xor) {
    out += "(!" + value(arguments[0], at) + " != !" + value(arguments[1], at) + ")";
    return;
  }
  if (program::is_integer(from)) return print_integer(out, id, at, outer);
  switch (op) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div: return binary(out, id, at, symbol_of(op), outer);
    case Op::neg: out += "(-" + value(arguments[0], at) + ")"; return;
    case Op::abs: return call(out, prologue_.libm("fabs"), id, at);
    case Op::pow: {
      bool ordinary = graph_.is_constant(arguments[1]) && !graph_.is_constant(arguments[1], 2) &&
                      graph_.type(arguments[1]).is_scalar();  // pow(x, 2) is x * x
      return call(out, ordinary ? prologue_.libm("pow") : prologue_.kernel("pow"), id, at);
    }
    case Op::mod: return call(out, prologue_.kernel("mod"), id, at);
    case Op::rem: return call(out, prologue_.libm("fmod"), id, at);
    default: return call(out, prologue_.libm(program::name_of(op)), id, at);  // named as in libm
  }
}

// A call into the run, which keeps the past (program::PastValues).
void ExpressionPrinter::print_past(std::string& out, ExprId id) {
  const program::PastOf of = program::PastOf::from(graph_[id].payload);
  auto arguments = graph_.arguments(id);
  out += fmt::format("{}(m + {}, {}, {}, {}, {}, {}", prologue_.kernel("past"), layout_.histories, of.history,
                     static_cast<int>(of.what), of.order, of.element, arguments.size() == 4 ? 1 : 0);
  for (std::size_t k = 0; k < 4; ++k) out += k < arguments.size() ? ", " + value(arguments[k], {}, true) : ", 0.0";
  out += ")";
}

// min, max, sign, is_nan, and abs of integers repeat their operand; a long one goes through a function instead.
bool ExpressionPrinter::print_choice(std::string& out, ExprId id, Subscript at) {
  auto arguments = graph_.arguments(id);
  Op op = graph_[id].op;
  Scalar from = graph_.type(arguments[0]).scalar;
  bool integer = program::is_integer(from);
  if (op != Op::min && op != Op::max && op != Op::sign && op != Op::is_nan && !(op == Op::abs && integer)) return false;
  if (op == Op::is_nan && from != Scalar::f64) {
    out += "0";
    return true;
  }
  ++choices_;
  bool cheap = repeats_cheaply(arguments[0]) && (arguments.size() == 1 || repeats_cheaply(arguments[1]));
  const char* type = program::c_name_of(from);
  if (op == Op::abs) {
    std::string made;
    call(made, prologue_.kernel("integer_abs"), id, at);
    out += saturated(made, from);
    return true;
  }
  if (!cheap) {
    if (from != Scalar::f64) out += fmt::format("({})", type);
    const char* name = program::name_of(op);
    call(out, prologue_.kernel(from != Scalar::f64 ? fmt::format("integer_{}", name) : name), id, at);
    return true;
  }
  std::string a = value(arguments[0], at);
  if (op == Op::min || op == Op::max) {
    std::string b = value(arguments[1], at);
    out += fmt::format("({0} {2} {1} ? {0} : {1})", a, b, op == Op::min ? "<" : ">");
  } else if (op == Op::is_nan) {
    out += fmt::format("({0} != {0})", a);
  } else if (integer) {
    out += fmt::format("({1})(({0} > 0) - ({0} < 0))", a, type);
  } else {
    out += fmt::format("({0} > 0 ? 1.0 : {0} < 0 ? -1.0 : {0})", a);
  }
  return true;
}

std::string ExpressionPrinter::saturated(const std::string& number, Scalar type) {
  ++choices_;
  return fmt::format("(({}){}({}, {:.1f}, {:.1f}))", program::c_name_of(type), prologue_.kernel("to_integer"), number,
                     program::lowest_value(type), program::highest_value(type));
}

std::string ExpressionPrinter::clipped(const std::string& number, Scalar type) {
  ++choices_;
  return fmt::format("(({}){}({}, {:.0f}LL, {:.0f}LL))", program::c_name_of(type), prologue_.kernel("clip"), number,
                     program::lowest_value(type), program::highest_value(type));
}

std::string ExpressionPrinter::combined(Op op, const std::string& a, const std::string& b, Scalar type) {
  const char* symbol = symbol_of(op);
  if (op == Op::mul && type == Scalar::u32) return saturated(fmt::format("(double){}{}(double){}", a, symbol, b), type);
  return clipped(fmt::format("(long long){}{}(long long){}", a, symbol, b), type);
}

void ExpressionPrinter::print_integer(std::string& out, ExprId id, Subscript at, bool outer) {
  auto arguments = graph_.arguments(id);
  Op op = graph_[id].op;
  Scalar scalar = graph_.type(arguments[0]).scalar;
  const char* type = program::c_name_of(scalar);
  auto unsigned_value = [&](ExprId argument) { return "(unsigned)" + value(argument, at); };
  if (!outer) out += "(";
  switch (op) {
    case Op::add:
    case Op::sub:
    case Op::mul: out += combined(op, value(arguments[0], at), value(arguments[1], at), scalar); break;
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
      out +=
          fmt::format("({})({}{}{})", type, unsigned_value(arguments[0]), symbol_of(op), unsigned_value(arguments[1]));
      break;
    case Op::neg: out += clipped("0LL - (long long)" + value(arguments[0], at), scalar); break;
    case Op::div:
    case Op::pow: {
      std::string made;
      call(made, prologue_.kernel(fmt::format("integer_{}", program::name_of(op))), id, at);
      out += saturated("(double)" + made, scalar);
      break;
    }
    case Op::bit_not: out += fmt::format("({})(~{})", type, unsigned_value(arguments[0])); break;
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::trunc: print(out, arguments[0], at, false); break;
    case Op::shift_left:
    case Op::shift_right:
      out += fmt::format("({}){}({}, {}, {})", type, prologue_.kernel(program::name_of(op)),
                         value(arguments[0], at, true), value(arguments[1], at, true), 8 * program::byte_size(scalar));
      break;
    default:
      out += fmt::format("({})", type);
      call(out, prologue_.kernel(fmt::format("integer_{}", program::name_of(op))), id, at);
  }
  if (!outer) out += ")";
}

void ExpressionPrinter::print_of_complex(std::string& out, ExprId id, Subscript at) {
  auto arguments = graph_.arguments(id);
  std::string re = part(arguments[0], at, 0);
  std::string im = part(arguments[0], at, 1);
  switch (graph_[id].op) {
    case Op::real: out += re; return;
    case Op::imag: out += im; return;
    case Op::abs: out += fmt::format("{}({}, {})", prologue_.libm("hypot"), re, im); return;
    case Op::arg: out += fmt::format("{}({}, {})", prologue_.libm("atan2"), im, re); return;
    case Op::is_nan: out += fmt::format("({0} != {0} || {1} != {1})", re, im); return;
    case Op::equal:
      out += fmt::format("({} == {} && {} == {})", re, part(arguments[1], at, 0), im, part(arguments[1], at, 1));
      return;
    case Op::not_equal:
      out += fmt::format("({} != {} || {} != {})", re, part(arguments[1], at, 0), im, part(arguments[1], at, 1));
      return;
    default: break;
  }
  ORRERY_CHECK(graph_[id].op == Op::cast);
  Scalar to = graph_.type(id).scalar;
  if (to == Scalar::f64) {
    out += re;
  } else if (to == Scalar::boolean) {
    out += fmt::format("({} != 0 || {} != 0)", re, im);
  } else {
    out += fmt::format("(({}){}({}, {:.1f}, {:.1f}))", program::c_name_of(to), prologue_.kernel("to_integer"), re,
                       program::lowest_value(to), program::highest_value(to));
  }
}

void ExpressionPrinter::print_cast(std::string& out, ExprId id, Subscript at, bool outer) {
  ExprId argument = graph_.arguments(id)[0];
  Scalar from = graph_.type(argument).scalar;
  Scalar to = graph_.type(id).scalar;
  if (!outer) out += "(";
  if (to == Scalar::boolean) {
    out += value(argument, at) + " != 0";
  } else if (from == Scalar::f64) {
    out += fmt::format("({}){}({}, {:.1f}, {:.1f})", program::c_name_of(to), prologue_.kernel("to_integer"),
                       value(argument, at, true), program::lowest_value(to), program::highest_value(to));
  } else if (to == Scalar::f64) {
    out += "(double)" + value(argument, at);
  } else if (program::lowest_value(from) < program::lowest_value(to) ||
             program::highest_value(from) > program::highest_value(to)) {
    out += clipped("(long long)" + value(argument, at), to);
  } else {
    // By way of unsigned: libtcc forgets to cut signed char off when it becomes unsigned short.
    out += fmt::format("({})(unsigned){}", program::c_name_of(to), value(argument, at));
  }
  if (!outer) out += ")";
}

}  // namespace orrery::native
