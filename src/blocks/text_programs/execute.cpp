// SPDX-License-Identifier: Apache-2.0
// One function for each kind of statement.
#include "blocks/text_programs/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blocks/parameters.h"
#include "blocks/text_programs/write_function.h"
#include "cssl/names.h"

namespace orrery::blocks::text_programs {

using cssl::Declared;
using cssl::Node;
using cssl::NodeId;
using cssl::Statement;
using program::Expr;
using program::ExprId;
using program::Scalar;
using program::Type;

namespace {

constexpr double most_turns_unrolled = 64;
constexpr int deepest_subprogram = 32;

const double* literal(const cssl::Program& program, NodeId id) {
  const Node& node = program[id];
  return node.kind == Node::Kind::number ? &node.value : nullptr;
}

// How often a loop turns whose limits are literals; -1: nobody knows, or too often to write it out.
double turns_of(const cssl::Program& program, const Statement& s) {
  const double* first = literal(program, s.arguments[0]);
  const double* last = literal(program, s.arguments[1]);
  const double* step = literal(program, s.arguments[2]);
  if (first == nullptr || last == nullptr || step == nullptr || *step == 0) return -1;
  const double turns = std::floor((*last - *first) / *step) + 1;
  return turns > most_turns_unrolled ? -1 : std::max(turns, 0.0);
}

}  // namespace

bool needs_function(const cssl::Program& program, const std::vector<Statement>& statements) {
  for (std::size_t k = 0; k < statements.size(); ++k) {
    const Statement& s = statements[k];
    const bool last = k + 1 == statements.size();
    if (s.kind == cssl::Statement::Kind::go_to || s.kind == cssl::Statement::Kind::while_loop ||
        s.kind == cssl::Statement::Kind::leave)
      return true;
    if (s.kind == cssl::Statement::Kind::give_back && !last) return true;
    if (s.kind == cssl::Statement::Kind::count_loop && turns_of(program, s) < 0) return true;
    const auto inside = [&](const std::vector<Statement>& list) {
      return std::any_of(list.begin(), list.end(),
                         [](const Statement& inner) { return inner.kind == cssl::Statement::Kind::give_back; }) ||
             needs_function(program, list);
    };
    if (inside(s.body) || inside(s.otherwise)) return true;
  }
  return false;
}

Execution::Execution(const cssl::Program& program, program::Graph& graph, Scope& scope, Options options)
    : program_(program),
      graph_(graph),
      scope_(&scope),
      options_(std::move(options)),
      formulas_(program, graph,
                FormulaContext{[this](const std::string& name, cssl::Position at) { return read(name, at); },
                               [this] { return options_.time(); },
                               [this](const Node& node) -> Expr {
                                 if (!options_.remember) fail(node.at, fmt::format("{} cannot stand here", node.name));
                                 return options_.remember(node, formulas_);
                               },
                               [this](const cssl::Subprogram& subprogram, const std::vector<Expr>& arguments) {
                                 return call_function(subprogram, arguments);
                               },
                               [this](const std::string& name) { return declared(name); }}) {}

void Execution::fail(cssl::Position at, const std::string& message, const std::string& help) const {
  throw ParameterError{"program", fmt::format("line {}: {}", at.line, message), help};
}

const Declared* Execution::declared(const std::string& name) const {
  if (inside_ == nullptr) return program_.find(name);
  for (const Declared& item : inside_->declared) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

Expr Execution::read(const std::string& name, cssl::Position at) {
  if (const Expr* value = scope_->find(name)) return *value;
  if (name == program_.roles.time) return options_.time();
  if (options_.missing) {
    if (const Expr value = options_.missing(name)) return value;
  }
  fail(at, fmt::format("{} has no value yet where it is read", name), "assign it before, or in INITIAL");
}

void Execution::run(const std::vector<Statement>& statements) {
  if (needs_function(program_, statements)) return run_as_function(statements);
  for (const Statement& s : statements) run(s);
}

void Execution::run(const Statement& s) {
  switch (s.kind) {
    case cssl::Statement::Kind::assign: assign(s); break;
    case cssl::Statement::Kind::branch:
      if (needs_function(program_, {s})) {
        run_as_function({s});
      } else {
        branch(s);
      }
      break;
    case cssl::Statement::Kind::count_loop:
      if (needs_function(program_, {s})) {
        run_as_function({s});
      } else {
        count_loop(s);
      }
      break;
    case cssl::Statement::Kind::while_loop: run_as_function({s}); break;
    case cssl::Statement::Kind::call:
      if (s.name == "logd" || s.name == "gausi" || s.name == "unifi" || s.name == "debug") {
        tell(s);
      } else {
        call_subroutine(s);
      }
      break;
    case cssl::Statement::Kind::schedule: tell(s, formulas_.number(s.value)); break;
    case cssl::Statement::Kind::terminate: tell(s, formulas_.truth(s.value)); break;
    case cssl::Statement::Kind::stop:
    case cssl::Statement::Kind::write: tell(s); break;
    case cssl::Statement::Kind::procedural: run(s.body); break;
    case cssl::Statement::Kind::iterate: iterate(s); break;
    case cssl::Statement::Kind::mark:
    case cssl::Statement::Kind::give_back: break;
    case cssl::Statement::Kind::go_to:
    case cssl::Statement::Kind::leave: fail(s.at, "nothing can jump here");
  }
}

void Execution::tell(const Statement& s, Expr value) {
  if (!options_.effect) return;
  Effect effect{&s, guard_, value, {}};
  if (s.kind == cssl::Statement::Kind::write) {
    for (const NodeId argument : s.arguments) effect.values.push_back(formulas_.number(argument));
  }
  options_.effect(effect);
}

void Execution::assign(const Statement& s) {
  assigned_ = program_[s.targets[0]].name;
  const Expr value = formulas_.evaluate(s.value);
  for (const NodeId target : s.targets) store(target, value);
  assigned_.clear();
}

void Execution::store(NodeId target, Expr value) {
  const Node& node = program_[target];
  const Declared* item = declared(node.name);
  value = formulas_.converted(value, item);
  if (node.kind == Node::Kind::call) {
    const Type type{item->type == cssl::Type::logical ? Scalar::boolean : Scalar::f64, item->rows, item->cols};
    const Expr* before = scope_->find(node.name);
    const Expr array =
        before != nullptr ? *before : Expr(&graph_, graph_.constant(type, std::vector<double>(item->size(), 0.0)));
    program::Site site;
    site.place = program_.source->place(node.at);
    scope_->set(node.name,
                program::update(array, formulas_.position(node, *item), value, graph_.add_site(std::move(site))));
    return;
  }
  if (item != nullptr && item->array && value.type().is_scalar()) {
    const Type type{value.scalar_type(), item->rows, item->cols};
    value = stack(type, std::vector<Expr>(item->size(), value));
  }
  scope_->set(node.name, value);
}

// Both sides are carried out; a name that only one of them assigns keeps its value on the other, if it has one.
void Execution::branch(const Statement& s) {
  const Expr condition = formulas_.truth(s.value);
  Scope* outside = scope_;
  const Expr outer_guard = guard_;
  Scope yes(outside), no(outside);
  const auto carry_out = [&](Scope& side, const std::vector<Statement>& statements, Expr when) {
    scope_ = &side;
    guard_ = outer_guard ? outer_guard && when : when;
    for (const Statement& inner : statements) run(inner);
  };
  carry_out(yes, s.body, condition);
  carry_out(no, s.otherwise, !condition);
  scope_ = outside;
  guard_ = outer_guard;
  const auto merge = [&](const std::string& name) {
    const Expr* a = yes.find(name);
    const Expr* b = no.find(name);
    const Expr first = a != nullptr ? *a : *b, second = b != nullptr ? *b : *a;
    const Scalar scalar = promote(first.scalar_type(), second.scalar_type());
    scope_->set(name, select(condition, first.as(scalar), second.as(scalar)));
  };
  for (const std::string& name : yes.names()) merge(name);
  for (const std::string& name : no.names()) {
    if (!yes.owns(name)) merge(name);
  }
}

void Execution::count_loop(const Statement& s) {
  const double first = *literal(program_, s.arguments[0]), step = *literal(program_, s.arguments[2]);
  const double turns = turns_of(program_, s);
  for (double k = 0; k < turns; ++k) {
    scope_->set(s.name, formulas_.constant(first + k * step));
    run(s.body);
  }
  scope_->set(s.name, formulas_.constant(first + turns * step));
}

// Every name of the statements is an argument if it has a value, and a result if it is assigned.
void Execution::run_as_function(const std::vector<Statement>& statements) {
  std::vector<FunctionName> names;
  const auto find = [&](const std::string& name) -> FunctionName& {
    for (FunctionName& known : names) {
      if (known.name == name) return known;
    }
    FunctionName made;
    made.name = name;
    const Expr* value = scope_->find(name);
    Expr substitute;
    if (value == nullptr && options_.missing) substitute = options_.missing(name);
    const Declared* item = declared(name);
    if (item != nullptr && item->array) made.type = {Scalar::f64, item->rows, item->cols};
    if (item != nullptr && item->type == cssl::Type::logical) made.type.scalar = Scalar::boolean;
    if (value != nullptr || substitute) {
      const Expr given = value != nullptr ? *value : substitute;
      made.given = true;
      made.type = given.type();
      if (value == nullptr) scope_->set(name, given);
    }
    names.push_back(made);
    return names.back();
  };
  for (const Statement& s : statements) {
    std::vector<cssl::Use> reads, writes;
    cssl::collect_reads(program_, s, false, reads);
    cssl::collect_writes(program_, s, writes);
    for (const cssl::Use& use : reads) {
      if (use.name != program_.roles.time) find(use.name);
    }
    for (const cssl::Use& use : writes) find(use.name).assigned = true;
  }
  const auto function =
      write_function(program_, statements, names, [this](const std::string& name) { return declared(name); });
  std::vector<ExprId> arguments;
  for (const FunctionName& name : names) {
    if (name.given) arguments.push_back(scope_->find(name.name)->id());
  }
  arguments.push_back(options_.time().id());
  const std::uint32_t number = graph_.declare(function);
  std::uint32_t result = 0;
  for (const FunctionName& name : names) {
    if (name.assigned) scope_->set(name.name, Expr(&graph_, graph_.call(number, result++, arguments)));
  }
}

// CSMP's IMPL: names the body assigns get the values of its last pass.
void Execution::iterate(const Statement& s) {
  const std::string& y = program_[s.targets[0]].name;
  std::vector<FunctionName> names{{y, Type{}, false, true}};
  const auto find = [&](const std::string& name) -> FunctionName& {
    for (FunctionName& known : names) {
      if (known.name == name) return known;
    }
    const Expr* value = scope_->find(name);
    names.push_back({name, value != nullptr ? value->type() : Type{}, value != nullptr, false});
    return names.back();
  };
  for (const NodeId argument : s.arguments) {
    std::vector<cssl::Use> reads;
    cssl::collect_reads(program_, argument, false, reads);
    for (const cssl::Use& use : reads) {
      if (use.name != program_.roles.time) find(use.name);
    }
  }
  for (const Statement& inner : s.body) {
    std::vector<cssl::Use> reads, writes;
    cssl::collect_reads(program_, inner, false, reads);
    cssl::collect_writes(program_, inner, writes);
    for (const cssl::Use& use : reads) {
      if (use.name != program_.roles.time) find(use.name);
    }
    for (const cssl::Use& use : writes) find(use.name).assigned = true;
  }
  const auto function = write_iteration(program_, s, names, [this](const std::string& name) { return declared(name); });
  std::vector<ExprId> arguments;
  for (const FunctionName& name : names) {
    if (name.given) arguments.push_back(scope_->find(name.name)->id());
  }
  arguments.push_back(options_.time().id());
  const std::uint32_t number = graph_.declare(function);
  std::uint32_t result = 0;
  for (const FunctionName& name : names) {
    if (name.assigned) scope_->set(name.name, Expr(&graph_, graph_.call(number, result++, arguments)));
  }
}

void Execution::enter(const cssl::Subprogram& subprogram, const std::vector<Expr>& arguments, Scope& inside) {
  if (++depth_ > deepest_subprogram)
    fail(subprogram.at, fmt::format("{} calls itself, or subprograms call each other too deeply", subprogram.name));
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (arguments[k]) inside.set(subprogram.arguments[k], arguments[k]);
  }
  Scope* outside = scope_;
  const cssl::Subprogram* outer = inside_;
  Options options = options_;
  options_.remember = {};
  options_.missing = {};
  scope_ = &inside;
  inside_ = &subprogram;
  run(subprogram.body);
  scope_ = outside;
  inside_ = outer;
  options_ = std::move(options);
  --depth_;
}

Expr Execution::call_function(const cssl::Subprogram& subprogram, const std::vector<Expr>& arguments) {
  Scope inside;
  enter(subprogram, arguments, inside);
  const Expr* value = inside.find(subprogram.name);
  if (value == nullptr) fail(subprogram.at, fmt::format("the function {} gives no value", subprogram.name));
  return *value;
}

// CALL s(a, b = x, y): what is assigned to the first ones inside is theirs afterwards; without = all that are names.
void Execution::call_subroutine(const Statement& s) {
  const cssl::Subprogram* subprogram = program_.find_subprogram(s.name);
  if (subprogram == nullptr) fail(s.at, fmt::format("there is no subroutine {}", s.name));
  std::vector<NodeId> actual = s.targets;
  actual.insert(actual.end(), s.arguments.begin(), s.arguments.end());
  std::vector<Expr> arguments;
  for (std::size_t k = 0; k < actual.size(); ++k) {
    const Node& node = program_[actual[k]];
    const bool only_given = k < s.targets.size();
    const bool has_value = node.kind != Node::Kind::name || scope_->find(node.name) != nullptr;
    arguments.push_back(only_given && !has_value ? Expr{} : has_value ? formulas_.evaluate(actual[k]) : Expr{});
  }
  Scope inside;
  enter(*subprogram, arguments, inside);
  const std::size_t outputs = s.targets.empty() ? actual.size() : s.targets.size();
  for (std::size_t k = 0; k < outputs; ++k) {
    const Node& node = program_[actual[k]];
    if (node.kind != Node::Kind::name && node.kind != Node::Kind::call) continue;
    const Expr* value = inside.find(subprogram->arguments[k]);
    const bool changed = value != nullptr && (arguments[k].graph() == nullptr || value->id() != arguments[k].id());
    if (changed) store(actual[k], *value);
  }
}

}  // namespace orrery::blocks::text_programs
