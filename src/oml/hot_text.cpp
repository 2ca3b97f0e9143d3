// SPDX-License-Identifier: Apache-2.0
// C from the tree. Operations are those of scalar_operation, element access that of quick_position, ranges those of
// eval_range: the same roundings in the same order.
#include "oml/hot_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <utility>

#include "oml/hot_types.h"
#include "oml/scalar_code.h"

namespace orrery::oml {
namespace {

constexpr const char* preamble = R"(
typedef struct { double* reals; unsigned char* bytes; long count, rows, cols; } Array;
typedef struct { long turn, count; double base, step; } Loop;
typedef struct {
  double* numbers; unsigned char* tags; Array* arrays; Loop* loops; const volatile char* stop;
  unsigned long steps, limit, pause; long deepest; long at; double nan, inf;
} Context;
double sqrt(double); double exp(double); double log(double); double sin(double); double cos(double);
double tan(double); double atan(double); double floor(double); double ceil(double); double round(double);
double trunc(double); double fabs(double); double pow(double, double); double fmod(double, double);
#ifndef __TINYC__
#define sqrt __builtin_sqrt
#define fabs __builtin_fabs
#endif
static double hot_mod(double x, double y) {
  double q, r;
  if (y == 0) return x;
  if (y == y && y - y != 0 && x - x == 0) return (x < 0) != (y < 0) && x != 0 ? y : x;
  q = x / y;
  if (y != floor(y) && fabs(q - round(q)) < 2.3e-16 * fabs(q)) return 0;
  r = fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r == 0 ? 0 : r;
}
static double hot_rem(Context* c, double x, double y) {
  double q;
  if (y == 0) return c->nan;
  q = x / y;
  if (y != floor(y) && fabs(q - round(q)) < 2.3e-16 * fabs(q)) return 0;
  return fmod(x, y);
}
)";

std::string literal(double x) {
  if (std::isnan(x)) return "c->nan";
  if (std::isinf(x)) return x > 0 ? "c->inf" : "(-c->inf)";
  std::string text = fmt::format("{:.17g}", x);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return x < 0 || std::signbit(x) ? "(" + text + ")" : text;
}

// A loop variable that its own body assigns is no counter.
bool assigns(const Block& block, int slot) {
  for (const Statement* s : block) {
    const bool names = s->kind == StatementKind::assign || s->kind == StatementKind::for_loop;
    if (names && s->target->kind == NodeKind::identifier && s->target->slot == slot) return true;
    if (assigns(s->body, slot)) return true;
    for (const Branch& b : s->branches) {
      if (assigns(b.body, slot)) return true;
    }
  }
  return false;
}

// The body of one C function.
class Writer {
 public:
  Writer(HotTypes& types, HotScope& scope, HotText& out, const std::map<const Function*, int>& numbers)
      : types_(types), scope_(scope), out_(out), numbers_(numbers) {}

  std::string loop(const Statement& s) {
    list_variables();
    write_loop(s, true);
    return finished_loop();
  }
  std::string function(const Function& f, int number);

 private:
  void line(const std::string& text) { body_ += text + "\n"; }
  std::string fresh() { return "t" + std::to_string(next_++); }
  // Leaves the code before the statement.
  std::string leave() {
    if (scope_.function != nullptr) return "goto fail;";
    surprises_.insert(at_);
    return fmt::format("goto S{};", at_);
  }
  std::string kept(const std::string& expression) {
    const std::string name = fresh();
    line(fmt::format("double {} = {};", name, expression));
    return name;
  }
  unsigned type(const Node& n) { return types_.type_of(n, scope_); }

  void list_variables();
  std::string finished_loop();
  std::string variable(int slot);
  std::string number(const Node& n);
  std::string truth(const Node& n);
  std::string binary(const Node& n);
  std::string power(const Node& n);
  std::string choice(const Node& n);
  std::string element(const Node& n);
  std::string position(const Node& n);
  std::string index(const Node& n);
  std::string call(const Function& f, const std::vector<Node*>& arguments);
  std::string builtin(const HotBuiltin& b, const std::vector<Node*>& arguments);
  bool whole(const Node& n, std::string& text);
  void block(const Block& b);
  void statement(const Statement& s);
  void assignment(const Statement& s);
  void write_if(const Statement& s, std::size_t branch);
  void write_loop(const Statement& s, bool outermost);
  std::string write_range(const Statement& s, int number, bool outermost);
  void tick(bool outermost);

  HotTypes& types_;
  HotScope& scope_;
  HotText& out_;
  const std::map<const Function*, int>& numbers_;
  std::string declared_, body_;
  int next_ = 0;
  long at_ = 0;      // number of the statement being written
  int inside_ = -1;  // number of the loop around
  int loops_ = 0;
  const Node* subject_ = nullptr;  // of `end`
  std::size_t end_position_ = 0, end_count_ = 0;
  std::set<long> surprises_;
  std::map<int, std::string> counters_;  // loop variables that are whole: their value as an integer
};

void Writer::list_variables() {
  for (std::size_t k = 0; k < scope_.types.size(); ++k) {
    if (!scope_.used[k] && !scope_.assigned[k] && !scope_.stored[k]) continue;
    const bool array = is_array_type(scope_.types[k]);
    out_.variables.push_back({static_cast<int>(k), array, scope_.assigned[k] || scope_.stored[k]});
  }
}

std::string Writer::finished_loop() {
  std::string begin, end;
  for (std::size_t k = 0; k < out_.variables.size(); ++k) {
    const HotVariable& v = out_.variables[k];
    const int s = v.slot;
    if (v.is_array) {
      const bool reals = scope_.types[static_cast<std::size_t>(s)] == reals_type;
      begin += fmt::format(
          "{}* a{} = c->arrays[{}].{}; long n{} = c->arrays[{}].count, r{} = c->arrays[{}].rows, q{} = "
          "c->arrays[{}].cols;\n",
          reals ? "double" : "unsigned char", s, k, reals ? "reals" : "bytes", s, k, s, k, s, k);
      continue;
    }
    begin += fmt::format("double v{} = c->numbers[{}]; unsigned char k{} = c->tags[{}];\n", s, k, s, k);
    if (!v.is_written) continue;
    const bool tagged = scope_.is_tagged(s);
    const bool truth = scope_.types[static_cast<std::size_t>(s)] == truth_type;
    end += fmt::format("c->numbers[{}] = v{}; c->tags[{}] = {};\n", k, s, k,
                       tagged ? "k" + std::to_string(s) : std::string(truth ? "2" : "1"));
  }
  for (int j = 0; j < loops_; ++j) {
    begin += fmt::format("long f{}k = 0, f{}n = 0; double f{}b = 0, f{}s = 0;\n", j, j, j, j);
    end += fmt::format(
        "c->loops[{}].turn = f{}k; c->loops[{}].count = f{}n; c->loops[{}].base = f{}b; c->loops[{}].step = "
        "f{}s;\n",
        j, j, j, j, j, j, j, j);
  }
  std::string text = "long hot(Context* c) {\nlong ended = 0; unsigned long turns = 0, room = c->limit - c->steps;\n";
  text += begin + declared_ + body_ + "goto out;\n";
  for (const long id : surprises_) text += fmt::format("S{}: c->at = {}; ended = 1; goto out;\n", id, id);
  return text + "stop: ended = 2;\nout:\n" + end + "c->steps += turns;\nreturn ended;\n}\n";
}

std::string Writer::function(const Function& f, int number) {
  // The depth is handed down, not counted up and down: a chain of stores would cost more than the call.
  std::string head = fmt::format("static int F{}(Context* c, long depth", number);
  for (const int slot : f.input_slots) head += fmt::format(", double v{}", slot);
  std::string begin = "if (++c->steps > c->limit || *c->stop || depth > c->deepest) return 1;\n";
  for (std::size_t k = 0; k < scope_.types.size(); ++k) {
    const bool input =
        std::find(f.input_slots.begin(), f.input_slots.end(), static_cast<int>(k)) != f.input_slots.end();
    if (input) {
      begin += fmt::format("unsigned char k{} = 1; (void)k{};\n", k, k);
    } else if (scope_.assigned[k]) {
      begin += fmt::format("double v{} = 0; unsigned char k{} = 0; (void)k{};\n", k, k, k);
    }
  }
  block(f.body);
  for (int j = 0; j < loops_; ++j)
    begin += fmt::format("long f{}k = 0, f{}n = 0; double f{}b = 0, f{}s = 0;\n", j, j, j, j);
  const int out = f.output_slots[0];
  std::string end = "goto done; done:\n";
  if (scope_.is_tagged(out)) end += fmt::format("if (k{} == 0) goto fail;\n", out);
  end += fmt::format("*result = v{}; c->steps += turns; return 0;\nfail: return 1;\n", out);
  end += "stop: goto fail;\n}\n";
  return head + ", double* result) {\nunsigned long turns = 0, room = c->limit - c->steps; (void)turns; (void)room;\n" +
         begin + body_ + end;
}

std::string Writer::variable(int slot) {
  const unsigned t = scope_.types[static_cast<std::size_t>(slot)];
  if ((t & undefined_type) != 0) line(fmt::format("if (k{} == 0) {}", slot, leave()));
  return "v" + std::to_string(slot);
}

// A subscript made of whole loop variables, `end` and whole constants, as an integer.
bool Writer::whole(const Node& n, std::string& text) {
  if (n.kind == NodeKind::constant && n.value.is_number()) {
    const double x = n.value.number();
    if (x != std::floor(x) || std::fabs(x) > 1e6) return false;
    text = fmt::format("({}L)", static_cast<long>(x));
    return true;
  }
  if (n.kind == NodeKind::identifier) {
    const auto found = counters_.find(n.slot);
    if (found != counters_.end()) text = found->second;
    return found != counters_.end();
  }
  if (n.kind == NodeKind::end && subject_ != nullptr) {
    const char* size = end_count_ == 1 ? "n" : end_position_ == 0 ? "r" : "q";
    text = fmt::format("{}{}", size, subject_->slot);
    return true;
  }
  if (n.kind != NodeKind::binary) return false;
  const auto op = static_cast<BinaryOp>(n.op);
  if (op != BinaryOp::add && op != BinaryOp::subtract) return false;
  std::string a, b;
  if (!whole(*n.first, a) || !whole(*n.second, b)) return false;
  text = fmt::format("({} {} {})", a, op == BinaryOp::add ? "+" : "-", b);
  return true;
}

// The position of an element from 0, with all checks made.
std::string Writer::position(const Node& n) {
  const auto& arguments = n.extra->links[0].arguments;
  std::string parts[2];
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Node* const outer = subject_;
    const std::size_t outer_position = end_position_, outer_count = end_count_;
    subject_ = &n, end_position_ = k, end_count_ = arguments.size();
    const std::string size = fmt::format("{}{}", arguments.size() == 1 ? "n" : k == 0 ? "r" : "q", n.slot);
    parts[k] = "i" + fresh();
    std::string text;
    if (whole(*arguments[k], text)) {
      line(fmt::format("long {} = {} - 1; if ((unsigned long){} >= (unsigned long){}) {}", parts[k], text, parts[k],
                       size, leave()));
    } else {
      const std::string x = kept(number(*arguments[k]));
      line(fmt::format("if (!({} >= 1 && {} <= (double){})) {}", x, x, size, leave()));
      line(fmt::format("long {} = (long){}; if ((double){} != {}) {} --{};", parts[k], x, parts[k], x, leave(),
                       parts[k]));
    }
    subject_ = outer, end_position_ = outer_position, end_count_ = outer_count;
  }
  return arguments.size() == 1 ? parts[0] : fmt::format("{} + {} * r{}", parts[0], parts[1], n.slot);
}

std::string Writer::element(const Node& n) {
  const std::string at = position(n);
  return kept(fmt::format("a{}[{}]", n.slot, at));
}

std::string Writer::call(const Function& f, const std::vector<Node*>& arguments) {
  std::string list;
  for (const Node* a : arguments) list += ", " + number(*a);
  const std::string result = fresh();
  line(fmt::format("double {} = 0; if (F{}(c, {}{}, &{})) {}", result, numbers_.at(&f),
                   scope_.function != nullptr ? "depth + 1" : "1", list, result, leave()));
  return result;
}

std::string Writer::builtin(const HotBuiltin& b, const std::vector<Node*>& arguments) {
  const std::string x = kept(number(*arguments[0]));
  const std::string y = b.arguments == 2 ? kept(number(*arguments[1])) : "";
  const auto filled = [&](const char* text) {
    std::string result;
    for (const char* p = text; *p != '\0'; ++p) {
      const bool apart = (p == text || !std::isalnum(static_cast<unsigned char>(p[-1]))) &&
                         !std::isalnum(static_cast<unsigned char>(p[1])) && p[1] != '_';
      result += apart && *p == 'x' ? x : apart && *p == 'y' ? y : std::string(1, *p);
    }
    return result;
  };
  // What is not a number has a result that is none.
  if (b.guard != nullptr) line(fmt::format("if (!({}) && {} == {}) {}", filled(b.guard), x, x, leave()));
  return filled(b.text);
}

std::string Writer::index(const Node& n) {
  if (HotTypes::is_variable(n.slot, scope_)) return element(n);
  const auto& arguments = n.extra->links[0].arguments;
  if (const Function* f = types_.callee(n, scope_)) return call(*f, arguments);
  const std::string& name = n.first->extra->name;
  const int array = arguments[0]->slot;
  if (name == "numel") return fmt::format("(double)n{}", array);
  if (name == "length") {
    return fmt::format("(double)(n{} == 0 ? 0 : r{} > q{} ? r{} : q{})", array, array, array, array, array);
  }
  if (name == "size") return fmt::format("(double){}{}", arguments[1]->value.number() == 1 ? "r" : "q", array);
  return builtin(*find_hot_builtin(name, arguments.size()), arguments);
}

std::string Writer::power(const Node& n) {
  const Node& exponent = *n.second;
  const std::string a = kept(number(*n.first));
  if (exponent.kind == NodeKind::constant && exponent.value.number() == 2) return fmt::format("({} * {})", a, a);
  const std::string b = kept(number(exponent));
  line(fmt::format("if ({} < 0 && {} != floor({})) {}", a, b, b, leave()));
  return fmt::format("({} == 2 ? {} * {} : pow({}, {}))", b, a, a, a, b);
}

std::string Writer::binary(const Node& n) {
  const auto op = static_cast<BinaryOp>(n.op);
  if (gives_logical(op)) return "(double)" + truth(n);
  if (op == BinaryOp::power || op == BinaryOp::matrix_power) return power(n);
  const std::string a = number(*n.first), b = number(*n.second);
  const char* sign = op == BinaryOp::add ? "+" : op == BinaryOp::subtract ? "-" : "/";
  if (op == BinaryOp::times || op == BinaryOp::matrix_times) sign = "*";
  return fmt::format("({} {} {})", a, sign, b);
}

// && and ||: the second operand is looked at, and may be a surprise, only where the first does not decide.
std::string Writer::choice(const Node& n) {
  const bool both = n.kind == NodeKind::and_then;
  const std::string name = fresh();
  const std::string first = truth(*n.first);
  line(fmt::format("int {} = {}; if ({}{}) {{", name, first, both ? "" : "!", name));
  const std::string second = truth(*n.second);
  line(fmt::format("{} = {}; }}", name, second));
  return name;
}

std::string Writer::truth(const Node& n) {
  if (n.kind == NodeKind::and_then || n.kind == NodeKind::or_else) return choice(n);
  if (n.kind == NodeKind::unary && static_cast<UnaryOp>(n.op) == UnaryOp::logical_not) {
    return fmt::format("({} == 0)", number(*n.first));
  }
  if (n.kind == NodeKind::binary && gives_logical(static_cast<BinaryOp>(n.op))) {
    const std::string a = number(*n.first), b = number(*n.second);
    switch (static_cast<BinaryOp>(n.op)) {
      case BinaryOp::less: return fmt::format("({} < {})", a, b);
      case BinaryOp::less_equal: return fmt::format("({} <= {})", a, b);
      case BinaryOp::greater: return fmt::format("({} > {})", a, b);
      case BinaryOp::greater_equal: return fmt::format("({} >= {})", a, b);
      case BinaryOp::equal: return fmt::format("({} == {})", a, b);
      case BinaryOp::not_equal: return fmt::format("({} != {})", a, b);
      case BinaryOp::logical_and: return fmt::format("({} != 0 && {} != 0)", a, b);
      default: return fmt::format("({} != 0 || {} != 0)", a, b);
    }
  }
  return fmt::format("({} != 0)", number(n));
}

std::string Writer::number(const Node& n) {
  switch (n.kind) {
    case NodeKind::constant: return literal(n.value.number());
    case NodeKind::identifier: {
      if (HotTypes::is_variable(n.slot, scope_)) return variable(n.slot);
      unsigned ignored = 0;
      return HotTypes::constant_text(n.extra->name, ignored);
    }
    case NodeKind::end: {
      std::string text;
      if (!whole(n, text)) throw NotCompiled();
      return "(double)" + text;
    }
    case NodeKind::unary:
      return static_cast<UnaryOp>(n.op) == UnaryOp::minus ? fmt::format("(-{})", number(*n.first))
                                                          : "(double)" + truth(n);
    case NodeKind::binary: return binary(n);
    case NodeKind::and_then:
    case NodeKind::or_else: return "(double)" + truth(n);
    case NodeKind::index: return index(n);
    default: throw NotCompiled();
  }
}

void Writer::assignment(const Statement& s) {
  const std::string value = number(*s.value);
  if (s.target->kind == NodeKind::identifier) {
    const int slot = s.target->slot;
    if (!scope_.is_tagged(slot)) return line(fmt::format("v{} = {};", slot, value));
    const unsigned t = type(*s.value);
    const bool copy = s.value->kind == NodeKind::identifier && t != number_type && t != truth_type;
    line(fmt::format("v{} = {}; k{} = {};", slot, value, slot,
                     copy ? "k" + std::to_string(s.value->slot) : std::string(t == truth_type ? "2" : "1")));
    return;
  }
  const std::string x = kept(value);
  const std::string at = position(*s.target);
  const bool reals = scope_.types[static_cast<std::size_t>(s.target->slot)] == reals_type;
  line(fmt::format("a{}[{}] = {}{};", s.target->slot, at, reals ? "" : "(unsigned char)", x));
}

void Writer::write_if(const Statement& s, std::size_t k) {
  if (k == s.branches.size()) return;
  const Branch& b = s.branches[k];
  if (b.condition == nullptr) return block(b.body);
  line(fmt::format("if ({}) {{", truth(*b.condition)));
  block(b.body);
  if (k + 1 < s.branches.size()) {
    line("} else {");
    write_if(s, k + 1);
  }
  line("}");
}

void Writer::tick(bool outermost) {
  line("if (++turns > room || *c->stop) goto stop;");
  if (outermost) line("if (turns > c->pause) { --turns; ended = 3; goto out; }");
}

// The ends of a range, and how many turns it has.
std::string Writer::write_range(const Statement& s, int j, bool outermost) {
  const Node& range = *s.value;
  if (outermost) {
    line(
        fmt::format("f{}k = c->loops[{}].turn; f{}n = c->loops[{}].count; f{}b = c->loops[{}].base; f{}s = "
                    "c->loops[{}].step;",
                    j, j, j, j, j, j, j, j));
  } else {
    const std::string b = kept(number(*range.first)),
                      step = range.second == nullptr ? "1.0" : kept(number(*range.second)),
                      e = kept(number(*range.third)), turns = fresh(), count = "i" + fresh();
    line(fmt::format("if ({0} - {0} != 0 || {1} - {1} != 0 || {2} - {2} != 0) {3}", b, step, e, leave()));
    line(fmt::format(
        "long {} = 0; if ({} != 0 && ({} - {}) / {} >= 0) {{ double {} = floor(({} - {}) / {} * {} + {}); if "
        "({} >= 9e15) {} {} = (long){} + 1; }}",
        count, step, e, b, step, turns, e, b, step, literal(1 + 1e-15), literal(1e-10), turns, leave(), count, turns));
    line(fmt::format("f{}k = 0; f{}n = {}; f{}b = {}; f{}s = {};", j, j, count, j, b, j, step));
  }
  // Steps of 1 from what is whole by the text alone: less than 1e16, so no integer overflows.
  std::string base;
  const bool steps_by_one = range.kind == NodeKind::range && range.second == nullptr;
  return steps_by_one && whole(*range.first, base) ? fmt::format("({} + f{}k)", base, j) : "";
}

void Writer::write_loop(const Statement& s, bool outermost) {
  const long id = static_cast<long>(out_.statements.size());
  out_.statements.push_back(&s);
  const long at = std::exchange(at_, id);
  const int j = loops_++;
  const int around = std::exchange(inside_, j);
  const bool counts = s.kind == StatementKind::for_loop;
  // Loops that do not count have a place too, so that numbers agree.
  if (scope_.function == nullptr) out_.loops.push_back(&s);
  if (counts) {
    const std::string counter = write_range(s, j, outermost);
    // Of an empty loop only the last turn is seen, however many there are.
    if (s.body.empty()) line(fmt::format("if (f{}n > 0) f{}k = f{}n - 1;", j, j, j));
    line(fmt::format("for (; f{}k < f{}n; ++f{}k) {{", j, j, j));
    tick(outermost);
    line(fmt::format("v{} = f{}b + (double)f{}k * f{}s;", s.target->slot, j, j, j));
    if (scope_.is_tagged(s.target->slot)) line(fmt::format("k{} = 1;", s.target->slot));
    const auto outer = counters_;
    if (!counter.empty() && !assigns(s.body, s.target->slot)) counters_[s.target->slot] = counter;
    block(s.body);
    counters_ = outer;
  } else {
    line("for (;;) {");
    tick(outermost);
    line(fmt::format("if (!{}) break;", truth(*s.value)));
    block(s.body);
  }
  line(fmt::format("C{}: ;\n}}\nB{}: ;", j, j));
  inside_ = around;
  at_ = at;
}

void Writer::statement(const Statement& s) {
  switch (s.kind) {
    case StatementKind::break_loop:
    case StatementKind::continue_loop:
      if (inside_ < 0) throw NotCompiled();
      return line(fmt::format("goto {}{};", s.kind == StatementKind::break_loop ? "B" : "C", inside_));
    case StatementKind::return_call: return line(scope_.function != nullptr ? "goto done;" : "ended = 4; goto out;");
    case StatementKind::for_loop:
    case StatementKind::while_loop: return write_loop(s, false);
    default: break;
  }
  at_ = static_cast<long>(out_.statements.size());
  out_.statements.push_back(&s);
  if (s.kind == StatementKind::if_chain) {
    line("{");
    write_if(s, 0);
    return line("}");
  }
  line("{");
  assignment(s);
  line("}");
}

void Writer::block(const Block& b) {
  const long at = at_;
  for (const Statement* s : b) statement(*s);
  at_ = at;
}

std::string functions_text(HotTypes& types, const std::map<const Function*, int>& numbers) {
  std::string heads, bodies;
  for (const auto& [f, number] : numbers) {
    HotText inner;  // statements of functions are no places to come back to
    const std::string text = Writer(types, types.functions()[f], inner, numbers).function(*f, number);
    heads += text.substr(0, text.find(" {\n")) + ";\n";
    bodies += text;
  }
  return heads + bodies;
}

std::map<const Function*, int> numbered(HotTypes& types) {
  std::map<const Function*, int> numbers;
  for (const auto& [f, scope] : types.functions()) numbers.emplace(f, static_cast<int>(numbers.size()));
  return numbers;
}

unsigned type_now(const Value& v) {
  switch (v.kind()) {
    case Kind::none: return undefined_type;
    case Kind::number: return number_type;
    case Kind::boolean: return truth_type;
    case Kind::real: return v.real().cls == NumClass::f64 && v.real().dims.count() == 2 ? reals_type : other_type;
    case Kind::logical: return v.bytes().dims.count() == 2 ? truths_type : other_type;
    default: return other_type;
  }
}

}  // namespace

std::optional<HotText> write_hot_loop(const Statement& loop, const Value* slots, std::size_t count,
                                      const ResolveCall& resolve) {
  try {
    HotScope scope;
    for (std::size_t k = 0; k < count; ++k) scope.types.push_back(type_now(slots[k]));
    scope.used.assign(count, false);
    scope.assigned.assign(count, false);
    scope.stored.assign(count, false);
    HotTypes types(std::move(scope), resolve);
    types.infer(&loop, nullptr);
    HotScope& frame = types.loop();
    HotText out;
    const auto numbers = numbered(types);
    const std::string functions = functions_text(types, numbers);
    const std::string body = Writer(types, frame, out, numbers).loop(loop);
    out.text = preamble + functions + body;
    return out;
  } catch (const NotCompiled&) {
    return std::nullopt;
  }
}

std::optional<HotText> write_hot_function(const Function& f, const ResolveCall& resolve) {
  try {
    HotTypes types({}, resolve);
    types.infer(nullptr, &f);
    HotText out;
    const auto numbers = numbered(types);
    out.text = preamble + functions_text(types, numbers);
    std::string arguments;
    for (std::size_t k = 0; k < f.inputs.size(); ++k) arguments += fmt::format(", c->numbers[{}]", k);
    const std::size_t last = f.inputs.size();
    out.text += fmt::format("long hot(Context* c) {{ c->tags[{}] = {}; return F{}(c, 1{}, &c->numbers[{}]); }}\n", last,
                            types.functions()[&f].result == truth_type ? 2 : 1, numbers.at(&f), arguments, last);
    return out;
  } catch (const NotCompiled&) {
    return std::nullopt;
  }
}

}  // namespace orrery::oml
