// SPDX-License-Identifier: Apache-2.0
// Statements of the experiment: assignments, loops, labels, arrays, runs.
#include "cssl/desire_protocol.h"

#include <fmt/format.h>

namespace orrery::cssl {

std::string solver_of_rule(int rule) {
  if (rule == 1) return "trapezoidal-explicit";
  if (rule == 2) return "euler";
  if (rule == 3) return "rk4";
  if (rule >= 4 && rule <= 8) return "dopri";
  if (rule >= 9 && rule <= 14) return "cvode-adams-functional";
  return rule == 15 || rule == 16 ? "cvode-bdf-newton" : "";
}

void DesireProtocol::protocol(Statements& into) {
  const std::size_t begin = at_;
  try {
    one(into);
  } catch (const SyntaxError&) {
    if (at_ == begin) take();
    if (tokens_[at_ - 1].kind != Token::Kind::end_of_statement) skip_statement();
  }
}

void DesireProtocol::one(Statements& into) {
  const Token first = peek();
  if (first.kind == Token::Kind::end_of_statement) {
    take();
    return;
  }
  if (first.kind == Token::Kind::name && (peek(1).is("=") || peek(1).is("("))) return assignment(into);
  const std::string word = first.kind == Token::Kind::name ? first.word : "";
  take();
  if (word == "if") return condition(into, first.at);
  if (word == "for") return count(into, first.at);
  if (word == "repeat") return repeat(into, first.at);
  if (word == "while") return while_part(into, first.at);
  if (word == "ARRAY" || word == "STATE") return arrays(into, word, first.at);
  if (word == "data") return data();
  if (word == "display" || word == "scaling") return skip_statement();
  Statement made;
  made.at = first.at;
  if (!simple(word, first, made))
    mistake("syntax", first.at,
            word.empty() ? "a statement cannot begin like this" : fmt::format("no statement begins with {}", word),
            "an assignment has the form name = expression");
  end_statement();
  into.push_back(std::move(made));
}

// Statements that hold no others; their word has been taken.
bool DesireProtocol::simple(const std::string& word, const Token& first, Statement& made) {
  if (word == "label") {
    made.kind = Statement::Kind::mark;
    made.label = expect_name("the label");
  } else if (word == "go" || word == "goto") {
    if (word == "go" && !accept_name("to")) fail_here("go is followed by to", "write go to NAME");
    made.kind = Statement::Kind::go_to;
    made.name = expect_name("the label to go to");
  } else if (word == "drun" || word == "drunr" || word == "reset") {
    made.kind = Statement::Kind::call;
    made.name = word;
  } else if (word == "read") {
    made.kind = Statement::Kind::call;
    made.name = word;
    do {
      const Token name = peek();
      Node target;
      target.kind = Node::Kind::name;
      target.name = expect_name("the name that is read");
      target.at = name.at;
      if (accept("(")) {
        target.kind = Node::Kind::call;
        target.arguments = arguments();
      }
      made.targets.push_back(add(std::move(target)));
    } while (accept(","));
  } else if (word == "irule") {
    rule_ = static_cast<int>(constant_number());
    if (solver_of_rule(rule_).empty())
      mistake("bad-algorithm", first.at, fmt::format("there is no integration rule {}", rule_),
              "1 Heun, 2 Euler, 3 Runge-Kutta, 4 to 8 with variable step, 15 and 16 Gear");
    made.kind = Statement::Kind::mark;
  } else if (word == "stop" || word == "end") {
    made.kind = Statement::Kind::stop;
  } else if (word == "write" || word == "type") {
    made.kind = Statement::Kind::write;
    texts(made);
  } else {
    return false;
  }
  return true;
}

// ARRAY x[3], A[2, 2]; STATE y[n]: sizes are known when the experiment comes here.
void DesireProtocol::arrays(Statements& into, const std::string& word, Position at) {
  do {
    Statement made;
    made.kind = Statement::Kind::call;
    made.at = at;
    made.name = word;
    const Token name = peek();
    made.targets = {name_node(expect_name("the name of the array"), name.at)};
    expect("(", "an array needs its size: x[3]");
    made.arguments = arguments();
    if (made.arguments.empty() || made.arguments.size() > 2)
      mistake("bad-array", name.at, "an array has one size or two", "write x[3] or A[2, 2]");
    into.push_back(std::move(made));
  } while (accept(","));
  end_statement();
}

// data 1, 2.5, …: what `read` takes, one after the other.
void DesireProtocol::data() {
  do {
    program_.experiment_data.push_back(constant_number());
  } while (accept(",") || accept(";"));
  end_statement();
}

void DesireProtocol::texts(Statement& made) {
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
void DesireProtocol::condition(Statements& into, Position at) {
  guard_depth(at);
  Statement made;
  made.kind = Statement::Kind::branch;
  made.at = at;
  made.value = expression();
  if (!accept_name("then")) fail_here("if needs then", "if c then … else proceed");
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

void DesireProtocol::count(Statements& into, Position at) {
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
  if (!accept_name("next")) mistake("missing-end", at, "this for has no next", "write next behind its last statement");
  if (peek().kind == Token::Kind::name) take();
  end_statement();
  --nesting_;
  into.push_back(std::move(made));
}

void DesireProtocol::repeat(Statements& into, Position at) {
  guard_depth(at);
  Statement made;
  made.kind = Statement::Kind::while_loop;
  made.at = at;
  end_statement();
  while (!at_end() && !peek().is_name("until") && !peek().is_name("DYNAMIC")) protocol(made.body);
  if (!accept_name("until"))
    mistake("missing-end", at, "this repeat has no until", "write until and a condition behind its last statement");
  made.value = expression();
  end_statement();
  --nesting_;
  into.push_back(std::move(made));
}

// while c … endwhile: if c then repeat … until not c
void DesireProtocol::while_part(Statements& into, Position at) {
  guard_depth(at);
  Statement outer, loop;
  outer.kind = Statement::Kind::branch;
  loop.kind = Statement::Kind::while_loop;
  outer.at = loop.at = at;
  outer.value = expression();
  end_statement();
  while (!at_end() && !peek().is_name("endwhile") && !peek().is_name("DYNAMIC")) protocol(loop.body);
  if (!accept_name("endwhile"))
    mistake("missing-end", at, "this while has no endwhile", "write endwhile behind its last statement");
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

void DesireProtocol::guard_depth(Position at) {
  if (++nesting_ > 50) {
    nesting_ = 0;
    mistake("syntax", at, "statements are nested too deeply");
  }
}

}  // namespace orrery::cssl
