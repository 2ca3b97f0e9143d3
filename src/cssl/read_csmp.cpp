// SPDX-License-Identifier: Apache-2.0
// CSMP III: segments, data statements, run control; operators are put into ACSL's order of arguments.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "cssl/expand_macros.h"
#include "cssl/languages.h"
#include "cssl/names.h"
#include "cssl/parser.h"

namespace orrery::cssl {
namespace {

// Arguments of an operator in ACSL's order: the new name, and which of its own arguments come where.
struct Reordered {
  std::string_view name, acsl;
  std::vector<int> order;
};
const std::vector<Reordered>& reordered() {
  static const std::vector<Reordered> table = {
      {"intgrl", "integ", {1, 0}},     {"realpl", "realpl", {1, 2, 0}},
      {"ledlag", "ledlag", {0, 1, 2}}, {"limit", "bound", {0, 1, 2}},
      {"deadsp", "dead", {0, 1, 2}},   {"deriv", "derivt", {0, 1}},
      {"sine", "harm", {0, 1, 2}},     {"alog", "log", {0}},
      {"pulse", "trigpl", {0, 1}},
  };
  return table;
}

class CsmpParser final : public Parser {
 public:
  CsmpParser(Program& program, std::vector<Token> tokens, Diagnostics& diagnostics)
      : Parser(program, std::move(tokens), diagnostics) {
    initial_.kind = Section::Kind::initial;
    initial_.sorted = true;
    derivative_.sorted = true;
    terminal_.kind = Section::Kind::terminal;
    current_ = &derivative_;
  }

  void run() {
    program_.roles.time = "time";
    while (!at_end() && !ended_) {
      if (ends_block(peek(), peek(1)) && !peek().is_name("end")) {
        source_.error(diagnostics_, "syntax", peek().at, fmt::format("{} closes nothing here", peek().word));
        skip_statement();
        continue;
      }
      close_nosort_if_needed();
      statement(target());
    }
    close_nosort();
    for (std::size_t k = 0; k < program_.nodes.size(); ++k) translate(static_cast<NodeId>(k));
    for (Section* section : {&initial_, &derivative_, &terminal_}) {
      split_switches(section->statements);
      fold_iterations(section->statements);
    }
    finish();
  }

 private:
  Statements& target() { return nosort_ && current_ == &derivative_ ? unsorted_.body : current_->statements; }
  void close_nosort_if_needed() {}

  // Statements between NOSORT and SORT are one part, carried out after what it reads.
  void close_nosort() {
    if (unsorted_.body.empty()) return;
    unsorted_.kind = Statement::Kind::procedural;
    unsorted_.at = unsorted_.body[0].at;
    derivative_.statements.push_back(std::move(unsorted_));
    unsorted_ = {};
  }

  bool own_statement(const std::string& word, const Token& first, Statements& into) override {
    if (word == "=") return false;
    if (word == "title" || word == "label") {
      take();
      if (peek().kind == Token::Kind::text && program_.title.empty()) program_.title = peek().word;
      return skip_statement(), true;
    }
    if (word == "initial" || word == "dynamic" || word == "terminal") {
      take();
      end_statement();
      close_nosort();
      nosort_ = false;
      current_ = word == "initial" ? &initial_ : word == "dynamic" ? &derivative_ : &terminal_;
      return true;
    }
    if (word == "sort" || word == "nosort") {
      take();
      end_statement();
      if (current_ == &initial_) initial_.sorted = word == "sort";
      close_nosort();
      nosort_ = word == "nosort";
      return true;
    }
    if (word == "const" || word == "constant" || word == "param" || word == "parameter" || word == "incon")
      return take(), data(), true;
    if (word == "timer") return take(), data(), true;
    if (word == "function" && peek(1).kind == Token::Kind::name && !peek(2).is("(")) return table(), true;
    if (word == "storage" || word == "fixed" || word == "table") return arrays(word), true;
    if (word == "method") return method(), true;
    if (word == "finish") return finishing(), true;
    if (word == "relerr" || word == "abserr" || word == "reset" || word == "range" || word == "history")
      return skip_statement(), true;
    if (word == "print" || word == "prtplt" || word == "prtplot" || word == "output" || word == "prepare") {
      take();
      const bool plots = word != "print" && word != "prepare";
      const std::vector<std::string> names = name_list();
      if (plots && !names.empty()) program_.graphs.push_back({{}, names});
      return skip_rest(), true;
    }
    if (word == "procedure") return procedure(into), true;
    if (word == "end" || word == "stop" || word == "endjob") {
      take();
      if (word != "end") {
        ended_ = true;
        end_statement();
        if (word == "stop") read_subprograms();
        return true;
      }
      if (!has_end_ || !next_.empty()) add_runs(first.at);
      has_end_ = true;
      return end_statement(), true;
    }
    return false;
  }

  bool ends_block(const Token& token, const Token& next) const override {
    if (inside_procedure_) return Parser::ends_block(token, next);
    return Parser::ends_block(token, next) && token.word != "end";
  }

  void skip_rest() {
    while (!at_end() && peek().kind != Token::Kind::end_of_statement) take();
    end_statement();
  }

  // name = number, …; a list in parentheses asks for a run with each. Behind END: of the next run.
  void data() {
    do {
      if (peek().kind == Token::Kind::end_of_statement) break;
      const Token name = peek();
      expect_name("the name of a constant");
      expect("=", "a constant needs = and its value");
      Declared& item = program_.declare(name.word, name.at);
      const bool several = accept("(");
      const std::vector<double> values = several ? value_list() : std::vector<double>{constant_number()};
      if (several) expect(")", "the list of values is not closed");
      if (has_end_ && item.constant) {  // for the next run
        next_[name.word] = values;
        continue;
      }
      if (item.constant)
        mistake("double-assignment", name.at, fmt::format("{} has a value already", name.word),
                fmt::format("its first one is in line {}", item.at.line));
      item.at = name.at;
      item.values = {values[0]};
      item.constant = true;
      if (values.size() > 1) next_[name.word] = values;
    } while (accept(","));
    end_statement();
  }

  // A run for each value of a list; what is not given again stays.
  void add_runs(Position at) {
    constexpr std::size_t most_runs = 1000;
    std::size_t count = 1;
    for (const auto& [name, values] : next_) {
      if (values.size() > 1 && count > 1 && values.size() != count)
        mistake("bad-array", at, "one list of values at a time asks for runs", "the lists have different lengths");
      count = std::max(count, values.size());
    }
    if (runs_.size() + count > most_runs) mistake("bad-array", at, "these are too many runs", "at most 1000");
    std::unordered_map<std::string, double> run = runs_.empty() ? decltype(run){} : runs_.back();
    for (std::size_t k = 0; k < count; ++k) {
      for (const auto& [name, values] : next_) run[name] = values[std::min(k, values.size() - 1)];
      runs_.push_back(run);
    }
    next_.clear();
  }

  // FUNCTION F = x1,y1, x2,y2, …
  void table() {
    take();
    Table made;
    made.at = peek().at;
    made.name = expect_name("the name of the function");
    expect("=", "a function needs = and its points");
    const std::vector<double> values = value_list();
    if (values.size() < 4 || values.size() % 2 != 0)
      mistake("bad-table", made.at, "a function needs two points or more, each with x and y");
    for (std::size_t k = 0; k < values.size(); k += 2) {
      made.first.push_back(values[k]);
      made.values.push_back(values[k + 1]);
      if (k > 0 && !(values[k] > values[k - 2]))
        mistake("bad-table", made.at, "the breakpoints of a table must ascend");
    }
    end_statement();
    program_.tables.push_back(std::move(made));
  }

  void arrays(const std::string& word) {
    take();
    do {
      const Position at = peek().at;
      Declared& item = program_.declare(expect_name("the name that is declared"), at);
      if (word == "fixed") item.type = Type::integer;
      if (!accept("(")) continue;
      const double first = constant_number();
      const double last = word == "table" && accept("-") ? constant_number() : first;
      expect(")", "the size of the array is not closed");
      item.array = true;
      item.rows = static_cast<int>(std::max<double>({last, static_cast<double>(item.rows), 1}));
      if (item.rows > 1'000'000) mistake("bad-array", at, "the array is too large");
      if (word != "table") continue;
      expect("=", "the values of the array are missing");
      const std::vector<double> values = value_list();
      item.values.resize(item.size(), 0);
      item.constant = true;
      for (std::size_t k = 0; k < values.size(); ++k) {
        const auto place = static_cast<std::size_t>(first) - 1 + k;
        if (place < item.values.size()) item.values[place] = values[k];
      }
    } while (accept(","));
    end_statement();
  }

  void method() {
    take();
    const Token name = peek();
    const std::string word = expect_name("the name of the method");
    fixed_ = true;
    if (word == "rks") {
      fixed_ = false;
    } else if (word == "rksfx") {
      program_.solver = "rk4";
    } else if (word == "rect") {
      program_.solver = "euler";
    } else if (word == "trapz") {
      program_.solver = "trapezoidal-explicit";
    } else if (word == "stiff") {
      program_.solver = "cvode-bdf-newton";
      fixed_ = false;
    } else if (word == "milne" || word == "adams" || word == "simp") {
      fixed_ = false;
      source_.warning(diagnostics_, "other-method", name.at,
                      fmt::format("{} is not there; the run chooses its own solver", word),
                      "RKS, RKSFX, RECT, TRAPZ and STIFF are");
    } else {
      mistake("bad-algorithm", name.at, fmt::format("there is no integration method {}", word),
              "RKS, RKSFX, RECT, TRAPZ and STIFF are");
    }
    end_statement();
  }

  // The run ends where X has the value, which is located.
  void finishing() {
    take();
    do {
      const Token name = peek();
      Statement made;
      made.kind = Statement::Kind::schedule;
      made.at = name.at;
      made.name = "zzfinish";
      made.when = When::crossing;
      const NodeId left = name_node(expect_name("the name of a variable"), name.at);
      expect("=", "FINISH needs name = value");
      const NodeId right = expression();
      made.value = binary_node("-", left, right, name.at);
      derivative_.statements.push_back(std::move(made));
      finishes_ = true;
    } while (accept(","));
    end_statement();
  }

  // PROCEDURE y1, y2 = NAME(x1, x2) … ENDPRO
  void procedure(Statements& into) {
    Statement made;
    made.kind = Statement::Kind::procedural;
    made.at = take().at;
    made.has_header = true;
    made.outputs = name_list();
    expect("=", "PROCEDURE needs outputs = name(inputs)");
    expect_name("the name of the procedure");
    if (accept("(")) {
      made.inputs = name_list();
      expect(")", "the list of inputs is not closed");
    }
    end_statement();
    inside_procedure_ = true;
    block(made.body);
    inside_procedure_ = false;
    if (!accept_name("endpro") && !accept_name("endprocedure"))
      mistake("missing-end", made.at, "this PROCEDURE has no ENDPRO");
    end_statement();
    into.push_back(std::move(made));
  }

  void read_subprograms() {
    std::vector<Token> rest(tokens_.begin() + static_cast<std::ptrdiff_t>(at_), tokens_.end());
    std::erase_if(rest, [](const Token& token) { return token.is_name("endjob"); });
    tokens_ = std::move(rest);
    at_ = 0;
    inside_procedure_ = true;
    subprograms();
  }

  // Names and orders of arguments.
  void translate(NodeId id) {
    Node node = program_.nodes[id];
    if (node.kind != Node::Kind::call || program_.find_subprogram(node.name) != nullptr) return;
    const auto& x = node.arguments;
    const auto call = [&](const char* name, std::vector<NodeId> arguments) {
      node.name = name;
      node.arguments = std::move(arguments);
      program_.nodes[id] = node;
    };
    const auto binary = [&](const char* sign, NodeId a, NodeId b) { return binary_node(sign, a, b, node.at); };
    const auto number = [&](double value) { return number_node(value, node.at); };
    const auto positive = [&](NodeId a) { return binary(".gt.", a, number(0)); };
    for (const Reordered& item : reordered()) {
      if (node.name != item.name || x.size() != item.order.size()) continue;
      std::vector<NodeId> arguments;
      for (const int k : item.order) arguments.push_back(x[static_cast<std::size_t>(k)]);
      return call(std::string(item.acsl).c_str(), std::move(arguments));
    }
    if (node.name == "delay" && x.size() == 3) return call("delay", {x[2], number(0), x[1], x[0]});
    if (node.name == "cmpxpl" && x.size() == 5) {  // y'' + 2 p1 p2 y' + p2^2 y = x
      const NodeId square = binary("*", x[3], x[3]);
      const NodeId p = binary("/", number(1), square), q = binary("/", binary("*", number(2), x[2]), x[3]);
      return call("cmpxpl", {p, q, binary("/", x[4], square), x[0], x[1]});
    }
    if (node.name == "impuls" && x.size() == 2) {  // 1 for one step
      if (program_.find("delt") == nullptr)
        source_.error(diagnostics_, "unknown-name", node.at, "IMPULS is 1 for one step, but DELT is not given",
                      "give it: TIMER DELT = 0.01");
      return call("pulse", {x[0], x[1], name_node("delt", node.at)});
    }
    if (node.name == "zhold" && x.size() == 2) return call("zhold", {positive(x[0]), x[1]});
    if (node.name == "insw" && x.size() == 3) return call("rsw", {binary(".lt.", x[0], number(0)), x[1], x[2]});
    const auto logic = [&](NodeId condition) { call("rsw", {condition, number(1), number(0)}); };
    const auto negated = [&](NodeId condition) {
      Node made;
      made.kind = Node::Kind::unary;
      made.name = ".not.";
      made.at = node.at;
      made.arguments = {condition};
      return add(std::move(made));
    };
    if (x.size() == 2) {
      if (node.name == "and") return logic(binary(".and.", positive(x[0]), positive(x[1])));
      if (node.name == "nand") return logic(negated(binary(".and.", positive(x[0]), positive(x[1]))));
      if (node.name == "ior") return logic(binary(".or.", positive(x[0]), positive(x[1])));
      if (node.name == "nor") return logic(negated(binary(".or.", positive(x[0]), positive(x[1]))));
      if (node.name == "eor") return logic(binary(".xor.", positive(x[0]), positive(x[1])));
      if (node.name == "equiv") return logic(binary(".eqv.", positive(x[0]), positive(x[1])));
      if (node.name == "afgen" || node.name == "nlfgen") {
        const Node& table = program_[x[0]];
        for (Table& known : program_.tables) {
          if (known.name == table.name && node.name == "nlfgen") known.quadratic = true;
        }
        return call(std::string(table.name).c_str(), {x[1]});
      }
    }
    if (x.size() == 1 && node.name == "not") return logic(negated(positive(x[0])));
  }

  // y1, y2 = OUTSW(x1, x2): y1 is x2 where x1 is negative, y2 where it is not; the other one is 0.
  void split_switches(Statements& statements) {
    Statements made;
    for (Statement& s : statements) {
      const bool two = s.kind == Statement::Kind::assign && s.targets.size() == 2 &&
                       program_[s.value].kind == Node::Kind::call && program_[s.value].name == "outsw" &&
                       program_[s.value].arguments.size() == 2;
      if (!two) {
        made.push_back(std::move(s));
        continue;
      }
      const Node value = program_[s.value];
      for (std::size_t k = 0; k < 2; ++k) {
        Node choice = value;
        choice.name = "rsw";
        const NodeId negative = binary_node(".lt.", value.arguments[0], number_node(0, value.at), value.at);
        const NodeId zero = number_node(0, value.at);
        choice.arguments = {negative, k == 0 ? value.arguments[1] : zero, k == 0 ? zero : value.arguments[1]};
        Statement one;
        one.at = s.at;
        one.targets = {s.targets[k]};
        one.value = add(std::move(choice));
        made.push_back(std::move(one));
      }
    }
    statements = std::move(made);
  }

  // y = IMPL(y0, err, f) takes the statements behind it, to the one that defines f, as its body.
  void fold_iterations(Statements& statements) {
    Statements made;
    for (std::size_t k = 0; k < statements.size(); ++k) {
      Statement& s = statements[k];
      const bool impl = s.kind == Statement::Kind::assign && program_[s.value].kind == Node::Kind::call &&
                        program_[s.value].name == "impl" && program_[s.value].arguments.size() == 3;
      if (!impl) {
        made.push_back(std::move(s));
        continue;
      }
      const Node value = program_[s.value];
      Statement loop;
      loop.kind = Statement::Kind::iterate;
      loop.at = s.at;
      loop.targets = s.targets;
      loop.arguments = {value.arguments[0], value.arguments[1]};
      loop.name = program_[value.arguments[2]].name;
      bool found = false;
      for (++k; k < statements.size() && !found; ++k) {
        std::vector<Use> writes;
        collect_writes(program_, statements[k], writes);
        found = std::any_of(writes.begin(), writes.end(), [&](const Use& use) { return use.name == loop.name; });
        loop.body.push_back(std::move(statements[k]));
      }
      --k;
      if (!found)
        source_.error(
            diagnostics_, "bad-iteration", loop.at,
            fmt::format("no statement behind IMPL defines {}", loop.name.empty() ? "its third argument" : loop.name),
            "the last statement of the loop assigns the name that is its third argument");
      made.push_back(std::move(loop));
    }
    statements = std::move(made);
  }

  void finish() {
    const auto standard = [&](const char* name, double value) {
      Declared& item = program_.declare(name, {});
      if (item.constant) return;
      item.values = {value};
      item.constant = true;
    };
    if (!next_.empty()) add_runs({source_.lines(), 0});
    program_.set_runs(runs_);
    const bool has_output = program_.find("outdel") != nullptr, has_print = program_.find("prdel") != nullptr;
    if (program_.find("fintim") == nullptr)
      source_.error(diagnostics_, "unknown-name", {source_.lines(), 0}, "FINTIM, the length of the run, is not given",
                    "give it: TIMER FINTIM = 10.0");
    standard("fintim", 1);
    Section initial;
    program_.roles.interval = has_output ? "outdel" : has_print ? "prdel" : "comint";
    if (!has_output && !has_print) {
      Statement interval;
      interval.targets = {name_node("comint", {})};
      interval.value = binary_node("/", name_node("fintim", {}), number_node(100, {}), {});
      initial_.statements.push_back(std::move(interval));
    }
    if (fixed_) {
      if (program_.find("delt") == nullptr)
        source_.error(diagnostics_, "unknown-name", {source_.lines(), 0}, "a method with fixed steps needs DELT",
                      "give it: TIMER DELT = 0.01");
      program_.step = "delt";
    }
    Section dynamic;
    dynamic.kind = Section::Kind::dynamic;
    Statement end;
    end.kind = Statement::Kind::terminate;
    const NodeId last = binary_node("*", name_node("fintim", {}), number_node(1 - 1e-12, {}), {});
    end.value = binary_node(".ge.", name_node("time", {}), last, {});
    dynamic.statements.push_back(std::move(end));
    program_.stop = has_output ? "fintim + outdel" : has_print ? "fintim + prdel" : "fintim*1.01";
    // What INITIAL assigns, an unsorted part changes for the next evaluation; the rest is there at once.
    std::unordered_set<std::string> initially;
    for (const Statement& s : initial_.statements) {
      std::vector<Use> writes;
      collect_writes(program_, s, writes);
      for (const Use& use : writes) initially.insert(use.name);
    }
    for (Statement& s : derivative_.statements) {
      if (s.kind != Statement::Kind::procedural || s.has_header) continue;
      std::vector<Use> reads, writes;
      collect_reads(program_, s, true, reads);
      collect_writes(program_, s, writes);
      s.has_header = true;
      for (const Use& use : writes) {
        if (!initially.contains(use.name)) s.outputs.push_back(use.name);
      }
      for (const Use& use : reads) s.inputs.push_back(use.name);
    }
    program_.sections = {std::move(initial_), std::move(derivative_), std::move(dynamic), std::move(terminal_)};
    if (finishes_) {
      Section section;
      section.kind = Section::Kind::discrete;
      section.name = "zzfinish";
      Statement stop;
      stop.kind = Statement::Kind::stop;
      section.statements.push_back(std::move(stop));
      program_.sections.push_back(std::move(section));
    }
    finish_formats();
  }

  Section initial_, derivative_, terminal_;
  Section* current_;
  Statement unsorted_;
  bool nosort_ = false, ended_ = false, has_end_ = false, finishes_ = false, fixed_ = false, inside_procedure_ = false;
  std::map<std::string, std::vector<double>> next_;  // values of the run that is being described
  std::vector<std::unordered_map<std::string, double>> runs_;
};

}  // namespace

LexerRules csmp_rules() {
  LexerRules rules;
  rules.separator = 0;
  rules.quoted_comments = false;
  rules.column_one_comment = '*';
  return rules;
}

void read_csmp(Program& program, Diagnostics& diagnostics) {
  std::vector<Token> tokens = tokenise(*program.source, csmp_rules(), diagnostics);
  tokens = expand_macros(*program.source, csmp_macros_as_acsl(std::move(tokens)), diagnostics);
  CsmpParser(program, std::move(tokens), diagnostics).run();
}

}  // namespace orrery::cssl
