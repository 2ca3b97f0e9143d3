// SPDX-License-Identifier: Apache-2.0
// DESIRE: an experiment in enhanced BASIC, then a model that is carried out as it is written, without sorting.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "cssl/desire_protocol.h"
#include "cssl/languages.h"
#include "cssl/names.h"
#include "cssl/next_run.h"
#include "text/scan.h"

namespace orrery::cssl {
namespace {

class DesireParser final : public DesireProtocol {
 public:
  DesireParser(Program& program, std::vector<Token> tokens, Diagnostics& diagnostics)
      : DesireProtocol(program, std::move(tokens), diagnostics) {
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
        if (!(every >= 1 && every <= 1e6))
          mistake("syntax", at, "SAMPLE needs a whole number from 1 on", "SAMPLE 4: every fourth point");
        end_statement();
        samples_.push_back({every, {}});
      } else if (first.is_name("d/dt")) {
        state(false);
      } else if (is_vector(first)) {
        take();
        peek().is_name("d/dt") ? state(true) : assignment(into);
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
        program_.graphs.push_back({{}, name_list(), false});
        end_statement();
      } else if (first.is_name("dispxy") || first.is_name("DISPXY")) {
        take();
        std::vector<std::string> names = name_list();
        if (names.size() < 2) fail_here("dispxy needs the horizontal name and one more", "dispxy x, y");
        program_.graphs.push_back({names[0], {names.begin() + 1, names.end()}, false});
        end_statement();
      } else if (first.is_name("type")) {
        take();
        program_.graphs.push_back({{}, name_list(), true});
        end_statement();
      } else if (first.is_name("store") || first.is_name("show")) {
        skip_statement();
      } else if (first.kind == Token::Kind::name && (peek(1).is("=") || peek(1).is("("))) {
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

  // Vector y = …, Vectr d/dt x = …: element by element, a matrix times a vector as such.
  bool is_vector(const Token& first) const {
    return first.is_name("Vector") || first.is_name("Vectr") || first.is_name("VECTOR") || first.is_name("VECTR");
  }

  void state(bool vector) {
    const Token first = take();
    const Token name = peek();
    Statement made;
    made.at = first.at;
    made.targets = {name_node(expect_name("the name of the state"), name.at)};
    expect("=", "a derivative needs = and its value");
    Node integ;
    integ.kind = Node::Kind::call;
    integ.name = vector ? "intvc" : "integ";
    integ.at = first.at;
    const NodeId rate = expression();
    end_statement();
    integ.arguments = {rate, name_node(start_name(name.word), name.at)};
    made.value = add(std::move(integ));
    if (!states_.insert(name.word).second)
      mistake("double-assignment", name.at, fmt::format("{} has a derivative already", name.word),
              "keep one of the two");
    derivative_.statements.push_back(std::move(made));
  }

  // What the experiment has assigned when it runs the model.
  void find_constants() {
    std::vector<Use> writes;
    for (const Statement& s : derivative_.statements) collect_writes(program_, s, writes);
    std::vector<std::string> assigned;
    for (const Use& use : writes) assigned.push_back(use.name);
    program_.experiment_states.assign(states_.begin(), states_.end());
    std::sort(program_.experiment_states.begin(), program_.experiment_states.end());
    find_desire_runs(program_, assigned, diagnostics_);
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

  // ran(), from -1 to 1, and gauss(0): a new number at each step, or where an event asks for one.
  void make_noise() {
    const auto replace = [this](const Statement& s, bool continuous) {
      for (const NodeId root : expressions_of(s)) {
        visit_nodes(program_, root, [&](NodeId id) {
          Node node = program_[id];
          const bool ran = node.name == "ran";
          if (node.kind != Node::Kind::call || (!ran && node.name != "gauss") || node.arguments.size() > 1) return;
          const NodeId low = number_node(ran ? -1 : 0, node.at), high = number_node(1, node.at);
          node.arguments = {low, high};
          if (continuous) node.arguments = {name_node("DT", node.at), number_node(0, node.at), low, high};
          node.name = continuous ? (ran ? "unifn" : "gaussn") : (ran ? "unif" : "gauss");
          program_.nodes[id] = std::move(node);
        });
      }
    };
    visit(derivative_.statements, [&](const Statement& s) { replace(s, true); });
    visit(output_.statements, [&](const Statement& s) { replace(s, false); });
    for (const Sample& sample : samples_) visit(sample.statements, [&](const Statement& s) { replace(s, false); });
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
    make_noise();
    if (program_.find("t0") != nullptr) program_.start = "t0";
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
  int switches_ = 0;
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
  DesireParser(program, std::move(tokens), diagnostics)
      .run(has_remark(source, "--", "literal"), has_remark(source, "--", "sort"));
}

}  // namespace orrery::cssl
