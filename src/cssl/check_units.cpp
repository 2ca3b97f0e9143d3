// SPDX-License-Identifier: Apache-2.0
// Statements as equations between units. A number that is multiplied has no unit; one that is added, compared or
// assigned takes the unit of the other side.
#include "cssl/check_units.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "cssl/names.h"
#include "cssl/operators.h"
#include "cssl/unit_remarks.h"

namespace orrery::cssl {
namespace {

using units::Product;

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  for (const char* known : names) {
    if (name == known) return true;
  }
  return false;
}

class UnitChecking {
 public:
  UnitChecking(const Program& program, Diagnostics& diagnostics) : program_(program), diagnostics_(diagnostics) {}

  std::vector<units::UnitOfName> run() {
    find_names();
    const UnitRemarks remarks = read_unit_remarks(
        program_, [this](const std::string& name) { return quantities_.contains(name); }, diagnostics_);
    for (const auto& [name, remark] : remarks.names) {
      all_.declare(quantities_.at(name), remark.unit, fmt::format("declared in line {}", remark.line));
    }
    numbers_ = &remarks;
    if (!remarks.names.contains(program_.roles.time))
      all_.declare(quantity(program_.roles.time), {units::second(), 0}, "time is in seconds");
    const units::QuantityId interval = quantity(program_.roles.interval);
    equate(Product::of(interval), time(), {}, "the communication interval has the unit {}, time {}");
    if (program_.find(program_.roles.largest_step) != nullptr)
      equate(Product::of(quantity(program_.roles.largest_step)), time(), {},
             "the largest step has the unit {}, time {}");
    for (const std::string& count : {program_.roles.steps, program_.roles.algorithm}) {
      if (program_.find(count) != nullptr)
        equate(Product::of(quantity(count)), pure(), {}, "a count has the unit {}, not {}");
    }
    for (const Section& section : program_.sections) {
      if (!section.interval.empty())
        equate(Product::of(quantity(section.interval)), time(), section.at, "the INTERVAL has the unit {}, time {}");
      for (const Statement& s : section.statements) statement(s);
    }
    report(all_.solve());
    std::vector<units::UnitOfName> list;
    for (const std::string& name : names_) {
      const units::QuantityId id = quantities_.at(name);
      list.push_back({name, all_.known(id) ? units::to_text(all_.unit(id)) : std::string(), all_.declared(id)});
    }
    return list;
  }

 private:
  units::QuantityId quantity(const std::string& name) {
    const auto [found, fresh] = quantities_.emplace(name, 0);
    if (fresh) {
      found->second = all_.add(name);
      if (!name.starts_with("zz")) names_.push_back(name);
    }
    return found->second;
  }

  // What has a value of its own.
  void find_names() {
    quantity(program_.roles.time);
    for (const Declared& item : program_.declared) {
      if (item.type == Type::real || item.type == Type::integer) quantity(item.name);
    }
    for (const Table& table : program_.tables) quantity(table.name);
    for (const Section& section : program_.sections) {
      for (const Statement& s : section.statements) {
        std::vector<Use> writes;
        collect_writes(program_, s, writes);
        for (const Use& use : writes) quantity(use.name);
      }
    }
  }

  Product time() { return Product::of(quantity(program_.roles.time)); }
  Product fresh(const std::string& name) { return Product::of(all_.add(name)); }

  void equate(const Product& left, const Product& right, Position at, const char* what, bool defines = false) {
    if (left.number || right.number) return;
    std::string where = "the rules of the language";
    if (at.line > 0) {
      std::string_view line = program_.source->line(at.line);
      const std::size_t begin = line.find_first_not_of(" \t");
      if (begin != std::string_view::npos) line.remove_prefix(begin);
      constexpr std::size_t longest = 60;
      where = fmt::format("line {}: {}{}", at.line, line.substr(0, longest), line.size() > longest ? " …" : "");
    }
    all_.equate(left, right, std::move(where), defines);
    places_.push_back({at, what});
  }

  void statement(const Statement& s) {
    switch (s.kind) {
      case Statement::Kind::assign: assign(s); break;
      case Statement::Kind::schedule: {
        const Product value = of(s.value);
        if (s.when == When::at_time) equate(value, time(), s.at, "the time of an event has the unit {}, time {}");
        break;
      }
      case Statement::Kind::iterate:
        equate(of_target(s.targets[0]), of(s.arguments[0]), s.at, "the left side has the unit {}, the right side {}");
        of(s.arguments[1]);
        break;
      default:
        for (const NodeId id : expressions_of(s)) of(id);
        break;
    }
    for (const Statement& inner : s.body) statement(inner);
    for (const Statement& inner : s.otherwise) statement(inner);
  }

  Product of_target(NodeId id) {
    for (const NodeId index : program_[id].arguments) of(index);
    return Product::of(quantity(program_[id].name));
  }

  void assign(const Statement& s) {
    const Node& value = program_[s.value];
    if (value.kind == Node::Kind::call && value.name == "dblint" && s.targets.size() == 2) {
      const Product x = of_target(s.targets[0]), v = of_target(s.targets[1]);
      same(v, x - time(), s.at);
      same(of(value.arguments[0]), v - time(), s.at);
      same(of(value.arguments[1]), x, s.at);
      same(of(value.arguments[2]), v, s.at);
      same(of(value.arguments[3]), x, s.at);
      same(of(value.arguments[4]), x, s.at);
      return;
    }
    const Product right = of(s.value);
    for (const NodeId target : s.targets)
      equate(of_target(target), right, s.at, "the left side has the unit {}, the right side {}", true);
  }

  // Expressions.
  const double* literal(NodeId id, double& value) const {
    const Node& node = program_[id];
    if (node.kind == Node::Kind::number) {
      value = node.value;
      return &value;
    }
    if (node.kind == Node::Kind::unary && literal(node.arguments[0], value) != nullptr) {
      if (node.name == "-") value = -value;
      return &value;
    }
    double other = 0;
    if (node.kind == Node::Kind::binary && node.name == "/" && literal(node.arguments[0], value) != nullptr &&
        literal(node.arguments[1], other) != nullptr) {
      value /= other;
      return &value;
    }
    return nullptr;
  }

  Product of(NodeId id) {
    const Node& node = program_[id];
    switch (node.kind) {
      case Node::Kind::number: {
        const auto remark = numbers_->numbers.find({node.at.line, node.at.column});
        if (remark != numbers_->numbers.end()) return Product::of(remark->second.unit.unit);
        Product made;
        made.number = true;
        return made;
      }
      case Node::Kind::logical:
      case Node::Kind::text: return pure();
      case Node::Kind::name: return Product::of(quantity(node.name));
      case Node::Kind::unary:
        if (node.name == "-") return of(node.arguments[0]);
        of(node.arguments[0]);
        return pure();
      case Node::Kind::binary: return binary(node);
      case Node::Kind::call: return call(node);
    }
    return pure();
  }

  static Product pure() { return {}; }

  // What is added, compared or chosen between.
  Product together(const Product& a, const Product& b, Position at, const char* what) {
    if (a.number && b.number) return a;
    if (a.number || b.number) {
      Product other = a.number ? b : a;
      other.shifted = true;
      return other;
    }
    equate(a, b, at, what);
    return a;
  }

  Product binary(const Node& node) {
    const Product a = of(node.arguments[0]);
    if (node.name == "**") return power(a, node);
    const Product b = of(node.arguments[1]);
    if (node.name == "*") return a + b;
    if (node.name == "/") return a - b;
    if (node.name == "+" || node.name == "-")
      return together(a, b, node.at, "the terms of this sum have the units {} and {}");
    if (node.name.starts_with('.') && node.name != ".and." && node.name != ".or." && node.name != ".xor." &&
        node.name != ".eqv.")
      together(a, b, node.at, "this compares the unit {} with {}");
    return pure();
  }

  Product power(const Product& base, const Node& node) {
    double value = 0;
    if (literal(node.arguments[1], value) != nullptr) return base * value;
    none(of(node.arguments[1]), program_[node.arguments[1]].at);
    none(base, node.at);
    return pure();
  }

  void none(const Product& value, Position at) {
    equate(value, pure(), at, "the argument has the unit {}, but must be a plain number ({})");
  }
  void same(const Product& a, const Product& b, Position at) { equate(a, b, at, "the unit is {}, but {} is needed"); }

  Product call(const Node& node) {
    const std::string& name = node.name;
    std::vector<Product> x;
    for (const NodeId argument : node.arguments) x.push_back(of(argument));
    if (const Declared* declared = program_.find(name); declared != nullptr && declared->array)
      return Product::of(quantity(name));
    if (program_.find_table(name) != nullptr) {
      for (std::size_t k = 0; k < x.size(); ++k)
        same(x[k], Product::of(quantity(fmt::format("{} input {}", name, k + 1))), node.at);
      return Product::of(quantity(name));
    }
    if (program_.find_subprogram(name) != nullptr) return fresh("the value of " + name);
    return operation(node, x);
  }

  Product all_alike(const std::vector<Product>& x, std::size_t from, Position at) {
    Product made = x[from];
    for (std::size_t k = from + 1; k < x.size(); ++k)
      made = together(made, x[k], at, "what is put together here has the units {} and {}");
    return made;
  }

  // The table of operators, in ACSL's order of arguments.
  Product operation(const Node& node, std::vector<Product>& x) {
    const std::string& name = node.name;
    const Position at = node.at;
    const auto timed = [&](std::size_t k, double power = 1) {
      if (k < x.size()) same(x[k], time() * power, program_[node.arguments[k]].at);
    };
    if (name == "sqrt") return x[0] * 0.5;
    if (is_one_of(name, {"abs", "int", "ifix", "aint", "nint", "anint", "float", "real", "dble", "lim"})) return x[0];
    if (is_one_of(name, {"exp", "log", "ln", "alog", "log10", "alog10", "sin", "cos", "tan", "asin", "acos", "sinh",
                         "cosh", "tanh", "sat", "sat01", "deadz", "deadc"}) ||
        (name == "atan" && x.size() == 1)) {
      none(x[0], program_[node.arguments[0]].at);
      return pure();
    }
    if (name == "sgn" || name == "swtch") return pure();
    if (name == "atan" || name == "atan2" || name == "compar") {
      all_alike(x, 0, at);
      return pure();
    }
    if (name == "sign") return x[0];
    if (is_one_of(name, {"max", "min", "amax1", "amin1", "max0", "min0", "mod", "amod", "dim", "bound", "dead", "qntzr",
                         "bcklsh", "gauss", "unif"}))
      return all_alike(x, 0, at);
    if (is_one_of(name, {"rsw", "isw", "fcnsw", "comp", "zhold"})) return all_alike(x, 1, at);
    if (name == "lsw") return pure();
    if (name == "step") return timed(0), pure();
    if (name == "ramp") return timed(0), time();
    if (name == "pulse") return timed(0), timed(1), timed(2), pure();
    if (name == "harm") {
      timed(0);
      timed(1, -1);
      none(x[2], at);
      return pure();
    }
    if (name == "integ" || name == "intvc" || name == "limint") {
      const Product y = named_start(x[0] + time(), x[1], at);
      for (std::size_t k = 2; k < x.size(); ++k) same(x[k], y, program_[node.arguments[k]].at);
      return y;
    }
    if (name == "modint") return named_start(x[3] + time(), x[0], at);
    if (name == "derivt") {
      const Product rate = x[1] - time();
      return x[0].number ? rate : (same(x[0], rate, at), rate);
    }
    if (name == "realpl") {
      timed(0);
      return x.size() > 2 ? named_start(x[1], x[2], at) : x[1];
    }
    if (name == "ledlag") {
      timed(0), timed(1);
      return x.size() > 3 ? named_start(x[2], x[3], at) : x[2];
    }
    if (name == "cmpxpl") {
      timed(0, 2), timed(1);
      if (x.size() > 4) same(x[4], x[2] - time(), at);
      return x.size() > 3 ? named_start(x[2], x[3], at) : x[2];
    }
    if (name == "delay") {
      timed(2);
      return named_start(x[0], x[1], at);
    }
    if (name == "zoh") {
      timed(2), timed(3);
      return named_start(x[0], x[1], at);
    }
    if (name == "ou") {
      timed(0);
      return all_alike(x, 1, at);
    }
    if (name == "hstrss" || name == "rst") return all_alike(x, 0, at);
    if (name == "implc" || name == "impvc") return x[1].number ? fresh("the value of " + name) : x[1];
    if (name == "impl") return together(x[0], x[4], at, "start and formula of IMPL have the units {} and {}");
    return fresh("the value of " + name);
  }

  // What is integrated or held, and its value at the start.
  Product named_start(const Product& value, const Product& start, Position at) {
    equate(value, start, at, "the value has the unit {}, its initial value {}");
    return start.number ? value : start;
  }

  void report(const std::vector<units::Conflict>& conflicts) {
    for (const units::Conflict& conflict : conflicts) {
      const auto& [at, what] = places_[conflict.equation];
      const std::string message = fmt::format(fmt::runtime(what), conflict.left, conflict.right);
      Diagnostic* made = nullptr;
      if (conflict.kind == units::Conflict::Kind::dimension) {
        made = &program_.source->error(diagnostics_, "unit-mismatch", at, message,
                                       "correct the equation, or the unit in one of these remarks");
      } else if (conflict.kind == units::Conflict::Kind::size) {
        made = &program_.source->warning(
            diagnostics_, "unit-size", at, message,
            fmt::format("multiply the second by {:.10g}, a constant with this factor and its unit", conflict.factor));
      } else {
        made = &program_.source->warning(diagnostics_, "unit-size", at, message + ", with different zero points",
                                         fmt::format("add {:.10g} to the second", conflict.offset));
      }
      made->notes.insert(made->notes.end(), conflict.path.begin(), conflict.path.end());
    }
  }

  struct Place {
    Position at;
    const char* what;
  };

  const Program& program_;
  Diagnostics& diagnostics_;
  units::Inference all_;
  std::unordered_map<std::string, units::QuantityId> quantities_;
  std::vector<std::string> names_;
  std::vector<Place> places_;  // by equation
  const UnitRemarks* numbers_ = nullptr;
};

}  // namespace

std::vector<units::UnitOfName> check_units(const Program& program, Diagnostics& diagnostics) {
  return UnitChecking(program, diagnostics).run();
}

}  // namespace orrery::cssl
