// SPDX-License-Identifier: Apache-2.0
// One named value, one or a few statements.
#include "native/emit_statement.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "native/frames.h"

namespace orrery::native {

using program::ExprId;
using program::Node;
using program::Op;
using program::Scalar;
using program::Type;

namespace {

constexpr std::int64_t unrolled = 4;  // shorter loops cost more than their statements

int width_of(const Type& type) { return type.scalar == Scalar::c128 ? 2 : 1; }

}  // namespace

void StatementPrinter::begin() {
  out_.clear();
  indentation_ = 1;
}

std::string& StatementPrinter::begin_line() {
  if (indents_) out_.append(2 * static_cast<std::size_t>(indentation_), ' ');
  return out_;
}

void StatementPrinter::end_line() {
  out_ += '\n';
  ++lines_;
}

void StatementPrinter::line(const std::string& text) {
  begin_line() += text;
  end_line();
}

// `statement` gives one statement for one element.
void StatementPrinter::for_each(std::int64_t count, const std::function<std::string(Subscript)>& statement) {
  if (count <= unrolled) {
    for (std::int64_t k = 0; k < count; ++k) line(statement({k, false}));
    return;
  }
  ++loops_;
  line(fmt::format("for (int i = 0; i < {}; i++) {}", count, statement({0, true})));
}

std::string StatementPrinter::variable(ExprId id, bool declares) const {
  const PlannedNode& n = expressions_.planned(id);
  if (n.form == Form::array) return ExpressionPrinter::element(expressions_.reference(id), {});
  std::string text;
  if (n.crosses) {
    ExpressionPrinter::append_element(text, {"w", n.storage}, {});
    return text;
  }
  if (declares && !is_hoisted(n)) text.append(program::c_name_of(graph_.type(id).scalar)) += ' ';
  text += 'v';
  append_number(text, n.name);
  return text;
}

void StatementPrinter::declare(ExprId id) {
  const PlannedNode& n = expressions_.planned(id);
  if (n.form == Form::variable && !n.crosses && !is_hoisted(n)) line(variable(id, true) + ";");
}

void StatementPrinter::assign(ExprId id, ExprId value) {
  if (expressions_.planned(id).form == Form::variable) {
    line(fmt::format("{} = {};", variable(id, false), expressions_.value(value, {}, true)));
  } else {
    copy(expressions_.reference(id), graph_.type(id), value);
  }
}

void StatementPrinter::copy(const Reference& target, const Type& type, ExprId value) {
  if (type.scalar != Scalar::c128) {
    for_each(type.size(), [&](Subscript at) {
      return fmt::format("{} = {};", ExpressionPrinter::element(target, at), expressions_.value(value, at, true));
    });
    return;
  }
  for_each(type.size(), [&](Subscript at) {
    return fmt::format("{{ {} = {}; {} = {}; }}", ExpressionPrinter::element(target, at, 2, 0),
                       expressions_.part(value, at, 0), ExpressionPrinter::element(target, at, 2, 1),
                       expressions_.part(value, at, 1));
  });
}

void StatementPrinter::define(ExprId id) {
  const Node& g = graph_[id];
  if (g.op == Op::foreign) return call_foreign(id);
  if (g.op == Op::call) return call_function(id);
  if (is_array(g.type)) return define_array(id);
  if (g.op == Op::update) return update(id);
  if (g.op == Op::concat) return concat(id);
  if (program::is_reduction(g.op)) return reduce(id);
  if (is_whole_matrix(g.op)) return matrix(id);
  std::string& out = begin_line();
  out += variable(id, true);
  out += " = ";
  expressions_.append_definition(out, id);
  out += ';';
  end_line();
}

void StatementPrinter::define_array(ExprId id) {
  const Node& g = graph_[id];
  Reference target = expressions_.reference(id);
  if (g.op == Op::transpose) return transpose(id);
  if (g.op == Op::update) return update(id);
  if (g.op == Op::concat) return concat(id);
  if (is_whole_matrix(g.op)) return matrix(id);
  if (g.type.scalar == Scalar::c128) return define_complex(id);
  for_each(g.type.size(), [&](Subscript at) {
    return fmt::format("{} = {};", ExpressionPrinter::element(target, at), expressions_.definition(id, at));
  });
}

void StatementPrinter::define_complex(ExprId id) {
  const Node& g = graph_[id];
  auto arguments = graph_.arguments(id);
  Reference target = expressions_.reference(id);
  auto parts = [&](Subscript at, const std::string& re, const std::string& im) {
    return fmt::format("{{ {} = {}; {} = {}; }}", ExpressionPrinter::element(target, at, 2, 0), re,
                       ExpressionPrinter::element(target, at, 2, 1), im);
  };
  if (g.op == Op::sum || g.op == Op::product) {
    std::int64_t n = graph_.type(arguments[0]).size();
    if (n == 0) return line(parts({}, g.op == Op::sum ? "0.0" : "1.0", "0.0"));
    ++loops_;
    return line(fmt::format("{}({}, {}, {});", prologue_.kernel(fmt::format("c_{}", program::name_of(g.op))), n,
                            ExpressionPrinter::address(target, {}), expressions_.pointer(arguments[0])));
  }
  for_each(g.type.size(), [&](Subscript at) -> std::string {
    switch (g.op) {
      case Op::read:
      case Op::element:
      case Op::reshape: {
        Reference source = expressions_.source(id);
        return parts(at, ExpressionPrinter::element(source, at, 2, 0), ExpressionPrinter::element(source, at, 2, 1));
      }
      case Op::cast: return parts(at, "(double)" + expressions_.value(arguments[0], at), "0.0");
      case Op::gather:
        return fmt::format("{}({}, {}, {});", prologue_.pick_kernel(Scalar::c128),
                           ExpressionPrinter::address(target, at, 2), expressions_.pointer(arguments[0]),
                           expressions_.position(id, at));
      case Op::complex_pair:
        return parts(at, expressions_.value(arguments[0], at, true), expressions_.value(arguments[1], at, true));
      case Op::select: {
        std::string condition = expressions_.value(arguments[0], at);
        auto choose = [&](int which) {
          return fmt::format("{} ? {} : {}", condition, expressions_.part(arguments[1], at, which),
                             expressions_.part(arguments[2], at, which));
        };
        return parts(at, choose(0), choose(1));
      }
      default: break;
    }
    std::string text = fmt::format("{}({}", prologue_.complex_kernel(g.op), ExpressionPrinter::address(target, at, 2));
    for (ExprId argument : arguments) text += ", " + expressions_.pointer(argument, at);
    return text + ");";
  });
}

void StatementPrinter::stack_part(ExprId id, std::uint32_t from, std::uint32_t to) {
  Reference target = expressions_.reference(id);
  auto arguments = graph_.arguments(id);
  for (std::uint32_t k = from; k < to; ++k) {
    Subscript at{k, false};
    if (graph_.type(id).scalar != Scalar::c128) {
      line(fmt::format("{} = {};", ExpressionPrinter::element(target, at), expressions_.value(arguments[k], {}, true)));
      continue;
    }
    for (int part = 0; part < 2; ++part) {
      line(fmt::format("{} = {};", ExpressionPrinter::element(target, at, 2, part),
                       expressions_.part(arguments[k], {}, part)));
    }
  }
}

// From the first element on, in ascending order.
void StatementPrinter::reduce(ExprId id) {
  ExprId argument = graph_.arguments(id)[0];
  Type type = graph_.type(argument);
  Op op = graph_[id].op;
  bool integer = program::is_integer(type.scalar);
  const char* c_type = program::c_name_of(type.scalar);
  if (type.size() == 0) {
    line(fmt::format("{} = {};", variable(id, true), op == Op::product ? 1 : 0));
    return;
  }
  std::string step;
  if (op == Op::minimum || op == Op::maximum) {
    step = fmt::format("s {} e ? s : e", op == Op::minimum ? "<" : ">");
  } else {
    step = integer ? expressions_.combined(op == Op::sum ? Op::add : Op::mul, "s", "e", type.scalar)
                   : fmt::format("s {} e", op == Op::sum ? "+" : "*");
  }
  declare(id);
  ++loops_;
  line("{");
  indent(+1);
  line(fmt::format("{} s = {};", c_type, expressions_.value(argument, {0, false}, true)));
  line(fmt::format("for (int i = 1; i < {}; i++) {{", type.size()));
  line(fmt::format("  {} e = {};", c_type, expressions_.value(argument, {0, true}, true)));
  line(fmt::format("  s = {};", step));
  line("}");
  line(fmt::format("{} = s;", variable(id, false)));
  indent(-1);
  line("}");
}

void StatementPrinter::transpose(ExprId id) {
  Type type = graph_.type(id);
  int width = width_of(type);
  Reference target = expressions_.reference(id);
  Reference source = expressions_.reference(graph_.arguments(id)[0]);
  ++loops_;
  line(fmt::format("for (int j = 0; j < {}; j++) {{", type.cols));
  line(fmt::format("  for (int i = 0; i < {}; i++) {{", type.rows));
  for (int part = 0; part < width; ++part) {
    auto stride = [&](std::int64_t n) { return n * width; };
    line(fmt::format("    {}[{} + {} * j + {} * i] = {}[{} + {} * i + {} * j];", target.base,
                     target.offset + static_cast<std::uint64_t>(part), stride(type.rows), width, source.base,
                     source.offset + static_cast<std::uint64_t>(part), stride(type.cols), width));
  }
  line("  }");
  line("}");
}

void StatementPrinter::matrix(ExprId id) {
  const Node& g = graph_[id];
  auto arguments = graph_.arguments(id);
  Type a = graph_.type(arguments[0]);
  std::string pa = expressions_.pointer(arguments[0]);
  std::string work = fmt::format("{}, (int*)({})", scratch(0), scratch((g.op == Op::expm ? 4 : 1) * a.size()));
  ++loops_;
  if (g.op == Op::determinant) {
    return line(fmt::format("{} = {}({}, {}, {});", variable(id, true), prologue_.matrix_kernel("determinant"), a.rows,
                            pa, work));
  }
  std::string target = ExpressionPrinter::address(expressions_.reference(id), {});
  switch (g.op) {
    case Op::matmul:
      return line(
          fmt::format("{}({}, {}, {}, {}, {}, {});",
                      g.type.scalar == Scalar::c128 ? prologue_.kernel("c_matmul") : prologue_.matrix_kernel("matmul"),
                      a.rows, a.cols, g.type.cols, pa, expressions_.pointer(arguments[1]), target));
    case Op::solve:
      return line(fmt::format("{}({}, {}, {}, {}, {}, {});", prologue_.matrix_kernel("solve"), a.rows, g.type.cols, pa,
                              expressions_.pointer(arguments[1]), target, work));
    default:
      return line(fmt::format("{}({}, {}, {}, {});", prologue_.matrix_kernel(program::name_of(g.op)), a.rows, pa,
                              target, work));
  }
}

void StatementPrinter::update(ExprId id) {
  const Reference target = expressions_.reference(id);
  copy(target, graph_.type(id), graph_.arguments(id)[0]);
  update_in_place(id, target);
}

void StatementPrinter::update_in_place(ExprId id, const Reference& target) {
  const auto arguments = graph_.arguments(id);
  const Type type = graph_.type(id);
  std::int64_t count = graph_.type(arguments[1]).size();
  if (program::index_count(graph_[id]) == 2) count = std::max(count, graph_.type(arguments[2]).size());
  const int width = width_of(type);
  for_each(count, [&](Subscript at) {
    std::string text = fmt::format("{{ long long k = {};", expressions_.position(id, at));
    for (int part = 0; part < width; ++part) {
      const std::string value =
          width == 2 ? expressions_.part(arguments.back(), at, part) : expressions_.value(arguments.back(), at, true);
      text += fmt::format(" if (k >= 0) {}[{} + {} * k] = {};", target.base,
                          target.offset + static_cast<std::uint64_t>(part), width, value);
    }
    return text + " }";
  });
}

void StatementPrinter::concat(ExprId id) {
  Reference target = expressions_.reference(id);
  for (const ExprId argument : graph_.arguments(id)) {
    const Type type = graph_.type(argument);
    copy(target, type, argument);
    target.offset += static_cast<std::uint64_t>(type.size() * width_of(type));
  }
}

// The arguments go into the frame, which all calls share; the results are copied out of it.
void StatementPrinter::call_function(ExprId id) {
  const PlannedNode& n = expressions_.planned(id);
  const FunctionFrame& frame = expressions_.planner().frames().of(graph_.function_of(id));
  const auto arguments = graph_.arguments(id);
  const bool inside = expressions_.planner().inside() != nullptr;
  line("{");
  indent(+1);
  line(fmt::format("unsigned char* f = (unsigned char*)({});", scratch(0)));
  const std::string limit = fmt::format("{}", program::most_turns);
  if (n.needed) {
    if (!inside) line(fmt::format("{}->turns = {};", expressions_.trouble(n), limit));
    line(fmt::format("*(struct orr_trouble**)f = {};", expressions_.trouble(n)));
  } else {
    prologue_.kernel("fail");
    line("struct orr_trouble q;");
    line("q.site = 0;");
    line(fmt::format("q.turns = {};", inside ? "(*(struct orr_trouble**)m)->turns" : limit));
    line("*(struct orr_trouble**)f = &q;");
  }
  const auto place = [&](std::uint32_t local) -> Reference {
    const Scalar scalar = frame.program.slots[local].type.scalar;
    const auto bytes = static_cast<std::uint32_t>(scalar == Scalar::c128 ? 8 : program::byte_size(scalar));
    return {fmt::format("(({}*)f)", program::c_name_of(scalar)), frame.layout.offset[local] / bytes};
  };
  for (std::uint32_t k = 0; k < arguments.size(); ++k) copy(place(k), graph_.type(arguments[k]), arguments[k]);
  line(fmt::format("orr_f{}(f);", frame.index));
  if (!n.needed && inside) line("(*(struct orr_trouble**)m)->turns = q.turns;");
  std::uint32_t at = n.base;
  for (std::size_t r = 0; r < frame.function->results.size(); ++r) {
    const Type type = frame.function->result_type(r);
    const Reference from = place(frame.function->results[r]), to = expressions_.workspace(type.scalar, at);
    for_each(type.size() * width_of(type), [&](Subscript k) {
      return fmt::format("{} = {};", ExpressionPrinter::element(to, k), ExpressionPrinter::element(from, k));
    });
    at += workspace_doubles(type);
  }
  indent(-1);
  line("}");
}

void StatementPrinter::call_foreign(ExprId id) {
  auto arguments = graph_.arguments(id);
  std::uint64_t function = graph_[id].payload >> 8;
  const program::ForeignFunction& declaration = graph_.foreign_functions()[function];
  line("{");
  indent(+1);
  line(fmt::format("const void* a[{}];", arguments.size() + 1));
  line(fmt::format("void* r[{}];", declaration.results.size() + 1));
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    Type type = graph_.type(arguments[k]);
    if (is_array(type)) {
      line(fmt::format("a[{}] = {};", k, expressions_.pointer(arguments[k])));
    } else {
      line(fmt::format("{} a{} = {};", program::c_name_of(type.scalar), k, expressions_.value(arguments[k], {}, true)));
      line(fmt::format("a[{0}] = &a{0};", k));
    }
  }
  std::uint32_t at = expressions_.planned(id).base;
  for (std::size_t k = 0; k < declaration.results.size(); ++k) {
    line(fmt::format("r[{}] = w + {};", k, at));
    at += workspace_doubles(declaration.results[k]);
  }
  line(fmt::format("const struct orr_foreign* f = *(const struct orr_foreign**)(m + {}) + {};",
                   expressions_.layout().foreign, function));
  line("f->call(f->self, f->function, a, r);");
  indent(-1);
  line("}");
}

}  // namespace orrery::native
