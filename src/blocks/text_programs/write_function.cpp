// SPDX-License-Identifier: Apache-2.0
// Jumps as a loop over numbered stretches: each turn carries out those whose number is due, in the order of the text.
#include "blocks/text_programs/write_function.h"

#include <fmt/format.h>

#include <map>
#include <unordered_map>

#include "base/check.h"
#include "blocks/parameters.h"

namespace orrery::blocks::text_programs {
namespace {

using cssl::Declared;
using cssl::NodeId;
using program::Expr;
using program::ExprId;
using program::Scalar;
using program::Type;
using Code = program::Statement;

constexpr double finished = -1;

class FunctionWriting {
 public:
  FunctionWriting(const cssl::Program& program, const std::vector<FunctionName>& names,
                  const std::function<const Declared*(const std::string&)>& declared)
      : program_(program), names_(names), declared_(declared), formulas_(program, function_.graph, context()) {
    for (const FunctionName& name : names) {
      if (name.given) add_local(name.name, name.type);
    }
    time_ = add_local("time of the call", Type{});
    function_.arguments = static_cast<std::uint32_t>(function_.locals.size());
    for (const FunctionName& name : names) {
      if (!name.given) add_local(name.name, name.type);
    }
    next_ = add_local("next stretch", Type{});
    function_.unguarded = true;
  }

  std::shared_ptr<const program::Function> statements(const std::vector<cssl::Statement>& list,
                                                      const std::string& name) {
    begin_stretch();
    lower(list);
    go_to(finished);
    return finish(name, list.empty() ? cssl::Position{} : list[0].at);
  }

  // The last value is the one accepted; NaN says that there was none.
  std::shared_ptr<const program::Function> iteration(const cssl::Statement& s) {
    constexpr double most_passes = 100;
    const std::uint32_t y = local_of(program_[s.targets[0]].name), f = local_of(s.name);
    const std::uint32_t passes = add_local("passes", Type{});
    begin_stretch();
    assign(y, formulas_.number(s.arguments[0]));
    assign(passes, number(0));
    const double again = begin_stretch_at_new();
    lower(s.body);
    assign(passes, local(passes) + 1.0);
    const std::uint32_t near = add_local("near", Type{Scalar::boolean, 1, 1});
    assign(near, program::apply(program::Op::abs, local(f) - local(y)) <= formulas_.number(s.arguments[1]));
    const Expr close = local(near);
    const Expr is_last = local(passes) >= most_passes;
    assign(y, select(close || !is_last, local(f), number(std::numeric_limits<double>::quiet_NaN())));
    set_next(select(close || is_last, number(static_cast<double>(stretches_.size())), number(again)));
    // What else the body computes belongs to the value that was accepted.
    begin_stretch();
    lower(s.body);
    go_to(finished);
    return finish(program_[s.targets[0]].name, s.at);
  }

 private:
  FormulaContext context() {
    FormulaContext c;
    c.read = [this](const std::string& name, cssl::Position at) {
      const auto found = locals_.find(name);
      if (found == locals_.end() && name == program_.roles.time) return local(time_);
      if (found == locals_.end())
        throw ParameterError{"program", fmt::format("line {}: {} has no value here", at.line, name), ""};
      return local(found->second);
    };
    c.time = [this] { return local(time_); };
    c.remember = [](const cssl::Node& node) -> Expr {
      throw ParameterError{"program", fmt::format("line {}: {} cannot be in a loop", node.at.line, node.name), ""};
    };
    c.call = [this](const cssl::Subprogram& subprogram, const std::vector<Expr>& arguments) {
      return call(subprogram, arguments);
    };
    c.declared = declared_;
    return c;
  }

  Expr number(double value) { return {&function_.graph, function_.graph.constant(value)}; }
  Expr local(std::uint32_t k) { return {&function_.graph, function_.graph.read(k, function_.locals[k].type)}; }
  std::uint32_t local_of(const std::string& name) const { return locals_.at(name); }

  std::uint32_t add_local(const std::string& name, Type type) {
    function_.locals.push_back({name, type});
    const auto k = static_cast<std::uint32_t>(function_.locals.size() - 1);
    locals_.emplace(name, k);
    return k;
  }

  // A function of its own, with its formal arguments and nothing else.
  Expr call(const cssl::Subprogram& subprogram, const std::vector<Expr>& arguments) {
    if (++depth_ > 16) throw ParameterError{"program", fmt::format("{} calls itself", subprogram.name), ""};
    std::vector<FunctionName> names;
    for (std::size_t k = 0; k < arguments.size(); ++k)
      names.push_back({subprogram.arguments[k], arguments[k].type(), true, false});
    const auto find = [&](const std::string& name) -> FunctionName* {
      for (FunctionName& known : names) {
        if (known.name == name) return &known;
      }
      return nullptr;
    };
    const auto own = [&](const std::string& name) -> const Declared* {
      for (const Declared& item : subprogram.declared) {
        if (item.name == name) return &item;
      }
      return nullptr;
    };
    cssl_writes(subprogram.body, [&](const std::string& name) {
      if (find(name) != nullptr) return;
      const Declared* item = own(name);
      Type type{};
      if (item != nullptr && item->array) type = {Scalar::f64, item->rows, item->cols};
      if (item != nullptr && item->type == cssl::Type::logical) type.scalar = Scalar::boolean;
      names.push_back({name, type, false, name == subprogram.name});
    });
    const auto inner = write_function(program_, subprogram.body, names, own);
    const std::uint32_t number_of = function_.graph.declare(inner);
    std::vector<ExprId> ids;
    for (const Expr& argument : arguments) ids.push_back(argument.id());
    ids.push_back(local(time_).id());
    --depth_;
    return {&function_.graph, function_.graph.call(number_of, 0, ids)};
  }

  template <class Visit>
  void cssl_writes(const std::vector<cssl::Statement>& list, Visit&& visit) const {
    for (const cssl::Statement& s : list) {
      for (const NodeId target : s.targets) visit(program_[target].name);
      if (s.kind == cssl::Statement::Kind::count_loop) visit(s.name);
      cssl_writes(s.body, visit);
      cssl_writes(s.otherwise, visit);
    }
  }

  // Stretches.
  void begin_stretch() { stretches_.emplace_back(); }
  double begin_stretch_at_new() {  // the one before goes on here
    const auto number_of = static_cast<double>(stretches_.size());
    go_to(number_of);
    begin_stretch();
    return number_of;
  }
  std::vector<Code>& code() { return stretches_.back(); }
  void assign(std::uint32_t local_number, Expr value) {
    Code made;
    made.local = local_number;
    made.value = value.id();
    code().push_back(std::move(made));
  }
  void set_next(Expr stretch) { assign(next_, stretch); }
  void go_to(double stretch) { set_next(number(stretch)); }
  // A stretch whose place is not known yet.
  std::size_t reserve() {
    waiting_.push_back(0);
    return waiting_.size() - 1;
  }
  // Places that are found later are written as numbers below the last one, and replaced when all is there.
  Expr later(std::size_t place) { return number(-2 - static_cast<double>(place)); }
  void here(std::size_t place) { waiting_[place] = begin_stretch_at_new(); }

  void lower(const std::vector<cssl::Statement>& list) {
    for (const cssl::Statement& s : list) lower(s);
  }

  void lower(const cssl::Statement& s) {
    if (!s.label.empty()) here(label(s.label));
    switch (s.kind) {
      case cssl::Statement::Kind::assign:
        for (const NodeId target : s.targets) store(target, formulas_.evaluate(s.value));
        break;
      case cssl::Statement::Kind::branch: {
        const std::size_t otherwise = reserve(), end = reserve();
        const double yes = static_cast<double>(stretches_.size());
        set_next(select(formulas_.truth(s.value), number(yes), later(otherwise)));
        begin_stretch();
        lower(s.body);
        set_next(later(end));
        begin_stretch();
        waiting_[otherwise] = static_cast<double>(stretches_.size() - 1);
        lower(s.otherwise);
        here(end);
        break;
      }
      case cssl::Statement::Kind::count_loop: count_loop(s); break;
      case cssl::Statement::Kind::while_loop: {
        const std::size_t end = reserve();
        const double test = begin_stretch_at_new();
        set_next(select(formulas_.truth(s.value), number(static_cast<double>(stretches_.size())), later(end)));
        begin_stretch();
        ends_.push_back(end);
        lower(s.body);
        ends_.pop_back();
        go_to(test);
        begin_stretch();
        waiting_[end] = static_cast<double>(stretches_.size() - 1);
        break;
      }
      case cssl::Statement::Kind::go_to: jump(later(label(s.name))); break;
      case cssl::Statement::Kind::leave:
        if (ends_.empty())
          throw ParameterError{"program", fmt::format("line {}: EXIT stands in no loop", s.at.line), ""};
        jump(later(ends_.back()));
        break;
      case cssl::Statement::Kind::give_back:
      case cssl::Statement::Kind::stop: jump(number(finished)); break;
      case cssl::Statement::Kind::procedural: lower(s.body); break;
      case cssl::Statement::Kind::mark:
      case cssl::Statement::Kind::write: break;  // functions say nothing
      default:
        throw ParameterError{"program",
                             fmt::format("line {}: this statement cannot be among jumps and loops", s.at.line),
                             "put it outside"};
    }
  }

  // What follows is reached by a label only.
  void jump(Expr to) {
    set_next(to);
    begin_stretch();
  }

  void count_loop(const cssl::Statement& s) {
    const std::uint32_t counter = local_of(s.name);
    const std::uint32_t last = add_local(fmt::format("last{}", function_.locals.size()), Type{});
    const std::uint32_t step = add_local(fmt::format("step{}", function_.locals.size()), Type{});
    const std::size_t end = reserve();
    assign(last, formulas_.number(s.arguments[1]));
    assign(step, formulas_.number(s.arguments[2]));
    assign(counter, formulas_.number(s.arguments[0]));
    const double test = begin_stretch_at_new();
    const Expr more = (local(last) - local(counter)) * program::apply(program::Op::sign, local(step)) >= 0.0;
    set_next(select(more && local(step) != 0.0, number(static_cast<double>(stretches_.size())), later(end)));
    begin_stretch();
    ends_.push_back(end);
    lower(s.body);
    ends_.pop_back();
    assign(counter, local(counter) + local(step));
    go_to(test);
    begin_stretch();
    waiting_[end] = static_cast<double>(stretches_.size() - 1);
  }

  std::size_t label(const std::string& name) {
    const auto [found, fresh] = labels_.emplace(name, 0);
    if (fresh) found->second = reserve();
    return found->second;
  }

  void store(NodeId target, Expr value) {
    const cssl::Node& node = program_[target];
    const std::uint32_t place = local_of(node.name);
    const Type type = function_.locals[place].type;
    value = formulas_.converted(value, declared_(node.name)).as(type.scalar);
    if (node.kind != cssl::Node::Kind::call) {
      if (!type.is_scalar() && value.type().is_scalar())
        value = stack(type, std::vector<Expr>(static_cast<std::size_t>(type.size()), value));
      return assign(place, value);
    }
    Code made;
    made.kind = Code::Kind::assign_element;
    made.local = place;
    made.value = value.id();
    made.indices = {formulas_.position(node, *declared_(node.name)).id()};
    program::Site site;
    site.place = program_.source->place(node.at);
    made.site = function_.graph.add_site(std::move(site));
    code().push_back(std::move(made));
  }

  // Reserved places become what was found for them.
  ExprId settled(ExprId id) {
    program::Graph& graph = function_.graph;
    if (graph.is_constant(id)) {
      const double value = graph.constant_data(id)[0];
      return value < finished ? graph.constant(waiting_[static_cast<std::size_t>(-value - 2)]) : id;
    }
    if (graph[id].op != program::Op::select) return id;
    const std::vector<ExprId> parts(graph.arguments(id).begin(), graph.arguments(id).end());
    return graph.select(parts[0], settled(parts[1]), settled(parts[2]));
  }

  std::shared_ptr<const program::Function> finish(const std::string& name, cssl::Position at) {
    function_.name = name.empty() ? "procedural" : name;
    for (std::uint32_t k = function_.arguments; k < function_.locals.size(); ++k) {
      const Type type = function_.locals[k].type;
      Code zero;
      zero.local = k;
      zero.value = function_.graph.constant(type, std::vector<double>(static_cast<std::size_t>(type.size()), 0.0));
      function_.body.push_back(std::move(zero));
    }
    Code loop;
    loop.kind = Code::Kind::while_loop;
    loop.value = (local(next_) >= 0.0).id();
    program::Site site;
    site.kind = program::Site::Kind::turns;
    site.place = program_.source->place(at);
    loop.site = function_.graph.add_site(std::move(site));
    for (std::size_t k = 0; k < stretches_.size(); ++k) {
      for (Code& statement : stretches_[k]) {
        if (statement.kind == Code::Kind::assign && statement.local == next_)
          statement.value = settled(statement.value);
      }
      Code due;
      due.kind = Code::Kind::branch;
      due.value = (local(next_) == static_cast<double>(k)).id();
      due.body = std::move(stretches_[k]);
      loop.body.push_back(std::move(due));
    }
    function_.body.push_back(std::move(loop));
    for (const FunctionName& item : names_) {
      if (item.assigned) function_.results.push_back(local_of(item.name));
    }
    if (function_.results.size() > program::most_results)
      throw ParameterError{
          "program",
          fmt::format("line {}: more than {} names are assigned among jumps and loops", at.line, program::most_results),
          ""};
    return program::make_function(std::move(function_));
  }

  const cssl::Program& program_;
  const std::vector<FunctionName>& names_;
  std::function<const Declared*(const std::string&)> declared_;
  program::Function function_;
  Formulas formulas_;
  std::unordered_map<std::string, std::uint32_t> locals_;
  std::vector<std::vector<Code>> stretches_;
  std::vector<double> waiting_;  // by reserved place: its stretch
  std::vector<std::size_t> ends_;
  std::map<std::string, std::size_t> labels_;
  std::uint32_t time_ = 0, next_ = 0;
  int depth_ = 0;
};

}  // namespace

std::shared_ptr<const program::Function> write_function(
    const cssl::Program& program, const std::vector<cssl::Statement>& statements,
    const std::vector<FunctionName>& names, const std::function<const Declared*(const std::string&)>& declared) {
  return FunctionWriting(program, names, declared).statements(statements, {});
}

std::shared_ptr<const program::Function> write_iteration(
    const cssl::Program& program, const cssl::Statement& statement, const std::vector<FunctionName>& names,
    const std::function<const Declared*(const std::string&)>& declared) {
  return FunctionWriting(program, names, declared).iteration(statement);
}

}  // namespace orrery::blocks::text_programs
