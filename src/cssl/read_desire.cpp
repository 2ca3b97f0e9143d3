// SPDX-License-Identifier: Apache-2.0
// DESIRE: an experiment in enhanced BASIC, then a model that is carried out as it is written, without sorting.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "cssl/experiment.h"
#include "cssl/languages.h"
#include "cssl/names.h"
#include "cssl/parser.h"
#include "text/scan.h"

namespace orrery::cssl {
namespace {

std::string solver_of_rule(int rule) {
  if (rule == 1) return "trapezoidal-explicit";
  if (rule == 2) return "euler";
  if (rule == 3) return "rk4";
  if (rule >= 4 && rule <= 8) return "dopri";
  if (rule >= 9 && rule <= 14) return "cvode-adams-functional";
  return rule == 15 || rule == 16 ? "cvode-bdf-newton" : "";
}

class DesireParser final : public Parser {
 public:
  DesireParser(Program& program, std::vector<Token> tokens, Diagnostics& diagnostics)
      : Parser(program, std::move(tokens), diagnostics) {
    output_.kind = Section::Kind::dynamic;
  }

  void run(bool literal, bool sorted) {
    literal_ = literal;
    derivative_.sorted = sorted;
    while (!at_end() && !peek().is_name("DYNAMIC")) protocol(program_.experiment);
    if (!accept_name("DYNAMIC")) {
      source_.error(diagnostics_, "missing-section", {source_.lines(), 0}, "the program has no DYNAMIC part",
                    "the model follows a line with the word DYNAMIC");
      return;
    }
    end_statement();
    while (!at_end()) model();
    if (diagnostics_.has_errors()) return;
    find_constants();
    finish();
  }

 private:
  // Experiment.
  void protocol(Statements& into) {
    const std::size_t begin = at_;
    try {
      one(into);
    } catch (const SyntaxError&) {
      if (at_ == begin) take();
      if (tokens_[at_ - 1].kind != Token::Kind::end_of_statement) skip_statement();
    }
  }

  void one(Statements& into) {
    const Token first = peek();
    if (first.kind == Token::Kind::end_of_statement) {
      take();
      return;
    }
    Statement made;
    made.at = first.at;
    if (first.kind == Token::Kind::name && (peek(1).is("=") || peek(1).is("("))) return assignment(into);
    const std::string word = first.kind == Token::Kind::name ? first.word : "";
    take();
    if (word == "label") {
      made.kind = Statement::Kind::mark;
      made.label = expect_name("the label");
    } else if (word == "go" || word == "goto") {
      if (word == "go" && !accept_name("to")) fail_here("go is followed by to");
      made.kind = Statement::Kind::go_to;
      made.name = expect_name("the label to go to");
    } else if (word == "drun" || word == "drunr" || word == "reset") {
      made.kind = Statement::Kind::call;
      made.name = word;
    } else if (word == "irule") {
      rule_ = static_cast<int>(constant_number());
      if (solver_of_rule(rule_).empty())
        mistake("bad-algorithm", first.at, fmt::format("there is no integration rule {}", rule_),
                "1 Heun, 2 Euler, 3 Runge-Kutta, 4 to 8 with variable step, 15 and 16 Gear");
      made.kind = Statement::Kind::mark;
    } else if (word == "display" || word == "STATE" || word == "scaling") {
      return skip_statement();
    } else if (word == "stop" || word == "end") {
      made.kind = Statement::Kind::stop;
    } else if (word == "write" || word == "type") {
      made.kind = Statement::Kind::write;
      texts(made);
    } else if (word == "if") {
      return condition(into, first.at);
    } else if (word == "for") {
      return count(into, first.at);
    } else if (word == "repeat") {
      return repeat(into, first.at);
    } else if (word == "while") {
      made.kind = Statement::Kind::branch;  // while c: body, again
      return while_part(into, first.at);
    } else {
      mistake("syntax", first.at,
              word.empty() ? "a statement cannot begin like this" : fmt::format("no statement begins with {}", word),
              "an assignment has the form name = expression");
    }
    end_statement();
    into.push_back(std::move(made));
  }

  void texts(Statement& made) {
    while (peek().kind != Token::Kind::end_of_statement && !at_end()) {
      if (peek().kind == Token::Kind::text) {
        made.text += take().word;
      } else {
        made.arguments.push_back(expression());
        made.text += " {}";
      }
      if (!accept(",") && !accept(";")) break;
    }
  }

  // if c then …, over the lines that follow, … else proceed
  void condition(Statements& into, Position at) {
    guard_depth(at);
    Statement made;
    made.kind = Statement::Kind::branch;
    made.at = at;
    made.value = expression();
    if (!accept_name("then")) fail_here("if needs then");
    while (!at_end() && !peek().is_name("else") && !peek().is_name("DYNAMIC")) protocol(made.body);
    if (!accept_name("else")) mistake("missing-end", at, "this if has no else", "end it with: else proceed");
    if (!accept_name("proceed")) {
      const int line = peek().at.line;
      while (!at_end() && peek().at.line == line && !peek().is_name("DYNAMIC")) protocol(made.otherwise);
    } else {
      end_statement();
    }
    --nesting_;
    into.push_back(std::move(made));
  }

  void count(Statements& into, Position at) {
    guard_depth(at);
    Statement made;
    made.kind = Statement::Kind::count_loop;
    made.at = at;
    made.name = expect_name("the counter of the loop");
    expect("=", "the counter needs = and its limits");
    made.arguments.push_back(expression());
    if (!accept_name("to")) fail_here("the last value of the counter is missing", "for i = 1 to 10");
    made.arguments.push_back(expression());
    made.arguments.push_back(accept_name("step") ? expression() : number_node(1, at, true));
    end_statement();
    while (!at_end() && !peek().is_name("next") && !peek().is_name("DYNAMIC")) protocol(made.body);
    if (!accept_name("next")) mistake("missing-end", at, "this for has no next");
    if (peek().kind == Token::Kind::name) take();
    end_statement();
    --nesting_;
    into.push_back(std::move(made));
  }

  void repeat(Statements& into, Position at) {
    guard_depth(at);
    Statement made;
    made.kind = Statement::Kind::while_loop;
    made.at = at;
    end_statement();
    while (!at_end() && !peek().is_name("until") && !peek().is_name("DYNAMIC")) protocol(made.body);
    if (!accept_name("until")) mistake("missing-end", at, "this repeat has no until");
    made.value = expression();
    end_statement();
    --nesting_;
    into.push_back(std::move(made));
  }

  // while c … endwhile: if c then repeat … until not c
  void while_part(Statements& into, Position at) {
    guard_depth(at);
    Statement outer, loop;
    outer.kind = Statement::Kind::branch;
    loop.kind = Statement::Kind::while_loop;
    outer.at = loop.at = at;
    outer.value = expression();
    end_statement();
    while (!at_end() && !peek().is_name("endwhile") && !peek().is_name("DYNAMIC")) protocol(loop.body);
    if (!accept_name("endwhile")) mistake("missing-end", at, "this while has no endwhile");
    end_statement();
    Node negated;
    negated.kind = Node::Kind::unary;
    negated.name = ".not.";
    negated.arguments = {outer.value};
    negated.at = at;
    loop.value = add(std::move(negated));
    outer.body.push_back(std::move(loop));
    --nesting_;
    into.push_back(std::move(outer));
  }

  void guard_depth(Position at) {
    if (++nesting_ > 50) {
      nesting_ = 0;
      mistake("syntax", at, "statements are nested too deeply");
    }
  }

  // Model.
  void model() {
    const Token first = peek();
    Statements& into = !samples_.empty() ? samples_.back().statements
                       : in_output_      ? output_.statements
                                         : derivative_.statements;
    const std::size_t begin = at_;
    try {
      if (first.kind == Token::Kind::end_of_statement) {
        take();
      } else if (first.is_name("OUT")) {
        take();
        end_statement();
        in_output_ = true;
      } else if (first.is_name("SAMPLE")) {
        take();
        const Position at = peek().at;
        const double every = constant_number();
        if (!(every >= 1 && every <= 1e6)) mistake("syntax", at, "SAMPLE needs a whole number from 1 on");
        end_statement();
        samples_.push_back({every, {}});
      } else if (first.is_name("d/dt")) {
        state();
      } else if (first.is_name("term")) {
        Statement made;
        made.kind = Statement::Kind::terminate;
        made.at = take().at;
        const NodeId value = expression();
        made.value = binary_node(".gt.", value, number_node(0, made.at), made.at);
        end_statement();
        into.push_back(std::move(made));
      } else if (first.is_name("dispt") || first.is_name("DISPT")) {
        take();
        program_.graphs.push_back({{}, name_list()});
        end_statement();
      } else if (first.is_name("dispxy") || first.is_name("DISPXY")) {
        take();
        std::vector<std::string> names = name_list();
        if (names.size() < 2) fail_here("dispxy needs the horizontal name and one more");
        program_.graphs.push_back({names[0], {names.begin() + 1, names.end()}});
        end_statement();
      } else if (first.is_name("type") || first.is_name("store") || first.is_name("show")) {
        skip_statement();
      } else if (first.kind == Token::Kind::name && peek(1).is("=")) {
        assignment(into);
      } else {
        mistake("syntax", first.at, "this is no statement of the DYNAMIC part",
                "name = …, d/dt name = …, term …, dispt …, OUT");
      }
    } catch (const SyntaxError&) {
      if (at_ == begin) take();
      if (tokens_[at_ - 1].kind != Token::Kind::end_of_statement) skip_statement();
    }
  }

  void state() {
    const Token first = take();
    const Token name = peek();
    Statement made;
    made.at = first.at;
    made.targets = {name_node(expect_name("the name of the state"), name.at)};
    expect("=", "a derivative needs = and its value");
    Node integ;
    integ.kind = Node::Kind::call;
    integ.name = "integ";
    integ.at = first.at;
    const NodeId rate = expression();
    end_statement();
    integ.arguments = {rate, name_node(start_name(name.word), name.at)};
    made.value = add(std::move(integ));
    states_.insert(name.word);
    derivative_.statements.push_back(std::move(made));
  }

  // What the experiment has assigned when it runs the model. Runs that begin anew (drunr) can follow each other; what
  // needs the results of a run before is not carried out.
  void find_constants() {
    constexpr std::size_t most_runs = 1000;
    std::vector<std::unordered_map<std::string, double>> runs;
    bool goes_on = false, cut = false;
    Diagnostics found;
    Experiment experiment(
        program_,
        [&](const std::string& what, Experiment& now) {
          cut = what != "reset" && (goes_on || runs.size() == most_runs);
          goes_on = what == "drun";
          if (what == "reset" || cut) return !cut;
          runs.emplace_back();
          for (const auto& [name, value] : now.values)
            runs.back()[states_.contains(name) ? start_name(name) : name] = value;
          return true;
        },
        [](const std::string&) {}, found);
    experiment.run(program_.experiment);
    const bool ran = !runs.empty();
    if (!ran) {
      for (const Diagnostic& diagnostic : found.all()) diagnostics_.add(diagnostic);
    } else if (found.has_errors() || cut) {
      source_.warning(
          diagnostics_, "runs-left-out", {found.all().empty() ? 1 : found.all()[0].place.line, 0},
          fmt::format("the experiment is carried out as far as its run {}: then it needs results", runs.size()),
          "drunr begins each run anew; drun goes on from the end of the one before, which is not there");
    }
    if (diagnostics_.has_errors()) return;
    if (!ran) {
      source_.error(diagnostics_, "no-run", {1, 0}, "the experiment never runs the model",
                    "write drun or drunr before DYNAMIC");
      return;
    }
    const std::map<std::string, double> first(runs[0].begin(), runs[0].end());
    for (const auto& [name, value] : first) {
      Declared& item = program_.declare(name, {});
      item.values = {value};
      item.constant = true;
    }
    program_.set_runs(runs);
    for (const std::string& name : states_) {
      if (program_.find(start_name(name)) != nullptr) continue;
      Declared& item = program_.declare(start_name(name), {});
      item.values = {0};
      item.constant = true;
    }
    for (const char* name : {"TMAX", "DT", "NN"}) {
      if (program_.find(name) == nullptr)
        source_.error(diagnostics_, "unknown-name", {1, 0}, fmt::format("{} has no value when the model is run", name),
                      "TMAX is the length of the run, DT the step, NN the number of points");
    }
    if (diagnostics_.has_errors()) return;
    for (auto& run : runs) {
      const double interval = run["TMAX"] / (run["NN"] - 1);
      if (run["DT"] <= interval * (1 + 1e-12)) continue;
      source_.error(
          diagnostics_, "bad-step", {1, 0},
          fmt::format("DT = {} is longer than the communication interval TMAX/(NN - 1) = {}", run["DT"], interval),
          "make DT smaller or NN larger");
      break;
    }
  }

  bool is_constant(const Node& node) const {
    if (node.kind == Node::Kind::number) return true;
    const Declared* declared = node.kind == Node::Kind::name ? program_.find(node.name) : nullptr;
    return declared != nullptr && declared->constant;
  }
  bool is_time(const Node& node) const { return node.kind == Node::Kind::name && node.name == program_.roles.time; }

  // swtch(a - t) and swtch(t - a) change at an instant that is known: an event, not a condition of each evaluation.
  void make_switches() {
    const std::size_t written = program_.nodes.size();
    for (std::size_t k = 0; k < written; ++k) {
      const Node node = program_.nodes[k];
      if (node.kind != Node::Kind::call || node.name != "swtch" || node.arguments.size() != 1) continue;
      const Node difference = program_[node.arguments[0]];
      if (difference.kind != Node::Kind::binary || difference.name != "-") continue;
      const Node left = program_[difference.arguments[0]], right = program_[difference.arguments[1]];
      const bool falls = is_constant(left) && is_time(right), rises = is_time(left) && is_constant(right);
      if (!falls && !rises) continue;
      const NodeId when = difference.arguments[falls ? 0 : 1], time = difference.arguments[falls ? 1 : 0];
      const std::string name = fmt::format("zz{}switch", ++switches_);
      Statement on;
      on.at = node.at;
      on.targets = {name_node(name, node.at)};
      Node call = node;
      on.value = add(std::move(call));
      initial_.statements.push_back(std::move(on));
      Statement at;
      at.kind = Statement::Kind::branch;
      at.at = node.at;
      at.value = binary_node(falls ? ".gt." : ".ge.", when, time, node.at);  // t - a is not yet positive at a
      Statement schedule;
      schedule.kind = Statement::Kind::schedule;
      schedule.at = node.at;
      schedule.name = name;
      schedule.value = when;
      at.body.push_back(std::move(schedule));
      initial_.statements.push_back(std::move(at));
      Section off;
      off.kind = Section::Kind::discrete;
      off.name = name;
      Statement change;
      change.at = node.at;
      change.targets = {name_node(name, node.at)};
      change.value = number_node(falls ? 0 : 1, node.at);
      off.statements.push_back(std::move(change));
      discrete_.push_back(std::move(off));
      Node read;
      read.kind = Node::Kind::name;
      read.name = name;
      read.at = node.at;
      program_.nodes[k] = std::move(read);
      if (switches_ > 1000) break;
    }
  }

  struct Sample {
    double every;
    Statements statements;
  };

  // SAMPLE m: at every m-th communication point, the first one included.
  Statement carried_out_now_and_then(Sample& sample) {
    const std::string count = fmt::format("zzpoint{}", &sample - samples_.data());
    Statement made;
    made.kind = Statement::Kind::procedural;
    Statement due, up;
    due.kind = Statement::Kind::branch;
    Node left;
    left.kind = Node::Kind::call;
    left.name = "mod";
    left.arguments = {name_node(count, {}), number_node(sample.every, {})};
    due.value = binary_node(".eq.", add(std::move(left)), number_node(0, {}), {});
    due.body = std::move(sample.statements);
    up.targets = {name_node(count, {})};
    up.value = binary_node("+", name_node(count, {}), number_node(1, {}), {});
    made.body = {std::move(due), std::move(up)};
    return made;
  }

  void finish() {
    if (diagnostics_.has_errors()) return;
    for (Node& node : program_.nodes) {
      if (node.kind == Node::Kind::call && node.name == "SAT") node.name = "sat01";
    }
    initial_.kind = Section::Kind::initial;
    if (!literal_) make_switches();
    for (Sample& sample : samples_) output_.statements.push_back(carried_out_now_and_then(sample));
    add_points(initial_, output_, "COMINT", "TMAX", "NN");
    program_.solver = solver_of_rule(rule_);
    const bool fixed = rule_ <= 3;
    if (fixed) program_.step = "DT";
    check_order();
    program_.sections = {std::move(initial_), std::move(derivative_), std::move(output_)};
    for (Section& section : discrete_) program_.sections.push_back(std::move(section));
  }

  // Nothing is sorted: what is read must have been assigned above.
  void check_order() {
    if (derivative_.sorted) return;
    std::unordered_set<std::string> known(states_.begin(), states_.end()), later;
    for (const Statement& s : derivative_.statements) {
      std::vector<Use> writes;
      collect_writes(program_, s, writes);
      for (const Use& use : writes) later.insert(use.name);
    }
    for (const Statement& s : derivative_.statements) {
      std::vector<Use> reads, writes;
      collect_reads(program_, s, false, reads);
      collect_writes(program_, s, writes);
      for (const Use& use : reads) {
        if (known.contains(use.name) || !later.contains(use.name) || program_.find(use.name) != nullptr) continue;
        source_.error(diagnostics_, "wrong-order", use.at, fmt::format("{} is read before it is assigned", use.name),
                      "DESIRE does not sort: move its statement up, or write the comment -- sort");
      }
      for (const Use& use : writes) known.insert(use.name);
    }
  }

  Section initial_, derivative_, output_;
  std::vector<Section> discrete_;
  std::unordered_set<std::string> states_;
  std::vector<Sample> samples_;
  bool in_output_ = false, literal_ = false;
  int rule_ = 1, nesting_ = 0, switches_ = 0;
};

// Lines that begin with / are commands for files.
std::size_t end_of_model(const text::Source& source) {
  std::size_t offset = 0;
  for (int number = 1; number <= source.lines(); ++number) {
    if (source.line(number).starts_with('/')) return offset;
    const std::size_t next = source.text().find('\n', offset);
    if (next == std::string_view::npos) break;
    offset = next + 1;
  }
  return source.size();
}

// A comment of its own: -- sort, -- literal.
bool has_remark(const text::Source& source, std::string_view word) {
  for (int number = 1; number <= source.lines(); ++number) {
    std::string_view line = source.line(number);
    if (!line.starts_with("--")) continue;
    line.remove_prefix(2);
    while (!line.empty() && text::is_blank(line.front())) line.remove_prefix(1);
    while (!line.empty() && text::is_blank(line.back())) line.remove_suffix(1);
    if (line == word) return true;
  }
  return false;
}

}  // namespace

LexerRules desire_rules() {
  LexerRules rules;
  rules.lower_case = false;
  rules.separator = '|';
  rules.line_comment = 0;
  rules.dashes_comment = true;
  rules.quoted_comments = false;
  rules.titles = false;
  rules.dots_continue = false;
  rules.d_over_dt = true;
  return rules;
}

void read_desire(Program& program, Diagnostics& diagnostics) {
  const text::Source& source = *program.source;
  std::vector<Token> tokens = tokenise(source, 0, end_of_model(source), desire_rules(), diagnostics);
  DesireParser(program, std::move(tokens), diagnostics).run(has_remark(source, "literal"), has_remark(source, "sort"));
}

}  // namespace orrery::cssl
