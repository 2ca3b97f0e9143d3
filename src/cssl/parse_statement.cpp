// SPDX-License-Identifier: Apache-2.0
// Statements as Fortran has them: assignments, IF, DO, GO TO, CALL, WRITE, subprograms.
#include <fmt/format.h>

#include <algorithm>

#include "cssl/parser.h"
#include "text/scan.h"

namespace orrery::cssl {

bool Parser::accept(const char* sign) {
  if (!peek().is(sign)) return false;
  take();
  return true;
}

bool Parser::accept_name(const char* name) {
  if (!peek().is_name(name)) return false;
  take();
  return true;
}

void Parser::expect(const char* sign, const char* what) {
  if (accept(sign)) return;
  mistake("syntax", peek().at, what, fmt::format("{} is needed here", sign));
}

std::string Parser::expect_name(const char* what) {
  if (peek().kind != Token::Kind::name)
    mistake("syntax", peek().at, fmt::format("{} is missing here", what), "a name begins with a letter");
  return take().word;
}

void Parser::end_statement() {
  if (peek().kind == Token::Kind::end_of_statement) {
    take();
  } else if (!at_end()) {
    mistake("syntax", peek().at, "nothing can follow here", "write one statement in a line");
  }
}

void Parser::skip_statement() {
  while (!at_end() && peek().kind != Token::Kind::end_of_statement) take();
  if (!at_end()) take();
}

void Parser::mistake(const char* code, Position at, std::string message, std::string help) {
  source_.error(diagnostics_, code, at, std::move(message), std::move(help));
  throw SyntaxError{};
}

void Parser::fail_here(std::string message, std::string help) {
  mistake("syntax", peek().at, std::move(message), std::move(help));
}

Statement& Parser::push(Statements& into, Statement::Kind kind, const std::string& label, Position at) {
  Statement statement;
  statement.kind = kind;
  statement.label = label;
  statement.at = at;
  into.push_back(std::move(statement));
  return into.back();
}

// name = …, name(…) = …, a, b = …
bool Parser::is_assignment() const {
  std::size_t k = 0;
  for (;;) {
    if (peek(k).kind != Token::Kind::name) return false;
    ++k;
    if (peek(k).is("(")) {
      int open = 0;
      do {
        if (peek(k).is("(")) ++open;
        if (peek(k).is(")")) --open;
        if (peek(k).kind == Token::Kind::end_of_statement || peek(k).kind == Token::Kind::end) return false;
        ++k;
      } while (open > 0);
    }
    if (peek(k).is("=")) return true;
    if (!peek(k).is(",")) return false;
    ++k;
  }
}

void Parser::assignment(Statements& into) {
  Statement made;
  made.at = peek().at;
  do {
    const Token name = take();
    Node node;
    node.kind = Node::Kind::name;
    node.name = name.word;
    node.at = name.at;
    if (accept("(")) {
      node.kind = Node::Kind::call;
      node.arguments = arguments();
    }
    made.targets.push_back(add(std::move(node)));
  } while (accept(","));
  expect("=", "an assignment needs =");
  made.value = expression();
  end_statement();
  into.push_back(std::move(made));
}

void Parser::statement(Statements& into) {
  constexpr int deepest_statement = 60;
  const std::size_t begin = at_;
  ++level_;
  try {
    if (level_ > deepest_statement)
      mistake("syntax", peek().at, "statements are nested too deeply", "put the inner ones into a subprogram");
    one_statement(into);
  } catch (const SyntaxError&) {
    depth_ = 0;
    if (at_ == begin) take();
    // What is wrong with a statement as a whole is found behind its end.
    if (at_ == 0 || tokens_[at_ - 1].kind != Token::Kind::end_of_statement) skip_statement();
  }
  --level_;
}

void Parser::block(Statements& into) {
  while (!at_end() && !ends_block(peek(), peek(1))) statement(into);
}

bool Parser::ends_block(const Token& token, const Token& next) const {
  if (token.kind != Token::Kind::name || next.is("=")) return false;
  for (const char* word : {"end", "enddo", "endif", "else", "elseif", "endpro", "endprocedure", "endwhile"}) {
    if (token.word == word) return true;
  }
  return false;
}

bool Parser::own_statement(const std::string&, const Token&, Statements&) { return false; }

void Parser::one_statement(Statements& into) {
  if (peek().kind == Token::Kind::end_of_statement) {
    take();
    return;
  }
  std::string label;
  if (peek().kind == Token::Kind::number && peek().whole) {
    label = take().word;
    accept(":");
  } else if (peek().kind == Token::Kind::name && peek(1).is(":")) {
    label = take().word;
    take();
  }
  const Token first = peek();
  const auto labelled = [&](std::size_t from) {
    if (label.empty()) return;
    if (into.size() == from) push(into, Statement::Kind::mark, label, first.at);
    into[from].label = label;
  };
  const std::size_t from = into.size();
  if (first.kind == Token::Kind::end_of_statement) return labelled(from);
  if (first.kind != Token::Kind::name)
    mistake("syntax", first.at, "a statement cannot begin like this", "statements begin with a name or a keyword");
  const std::string word = first.word;
  if (word != "if" && is_assignment()) {
    // In sorted sections the language may have to say more about it.
    if (!own_statement("=", first, into)) assignment(into);
    return labelled(from);
  }
  if (own_statement(word, first, into)) return labelled(from);
  take();
  if (word == "if") return branch(into, label, first.at);
  if (word == "do")
    return peek().is_name("while") ? (take(), while_loop(into, label, first.at)) : count_loop(into, label, first.at);
  if (word == "call") return call(into, label, first.at);
  if (word == "write" || word == "print") return write(into, label, first.at, word == "print");
  if (word == "format") {
    std::string& text = formats_[label];
    for (; peek().kind != Token::Kind::end_of_statement && !at_end(); take()) {
      if (peek().kind == Token::Kind::text) text += peek().word;
    }
    end_statement();
    return;
  }
  if (word == "goto" || (word == "go" && accept_name("to"))) {
    if (peek().kind != Token::Kind::name && !(peek().kind == Token::Kind::number && peek().whole))
      fail_here("the label to go to is missing", "write GO TO 10");
    push(into, Statement::Kind::go_to, label, first.at).name = take().word;
    return end_statement();
  }
  Statement::Kind kind = Statement::Kind::mark;
  if (word == "return") {
    kind = Statement::Kind::give_back;
  } else if (word == "stop") {
    kind = Statement::Kind::stop;
  } else if (word == "exit") {
    kind = Statement::Kind::leave;
  } else if (word != "continue") {
    mistake("syntax", first.at, fmt::format("no statement begins with {}", word),
            "an assignment has the form name = expression");
  }
  push(into, kind, label, first.at);
  end_statement();
}

void Parser::branch(Statements& into, const std::string& label, Position at) {
  expect("(", "IF needs a condition in parentheses");
  const NodeId condition = expression();
  expect(")", "the condition is not closed");
  const std::size_t place = into.size();
  push(into, Statement::Kind::branch, label, at).value = condition;
  if (peek().kind == Token::Kind::number && peek(1).is(",")) return branch_by_sign(into[place], condition);
  if (!peek().is_name("then")) {
    Statements one;
    statement(one);
    into[place].body = std::move(one);
    return;
  }
  take();
  end_statement();
  Statements yes;
  block(yes);
  into[place].body = std::move(yes);
  if (accept_name("elseif") || (peek().is_name("else") && peek(1).is_name("if") && (take(), take(), true))) {
    Statements rest;
    branch(rest, {}, peek().at);
    into[place].otherwise = std::move(rest);
    return;
  }
  if (accept_name("else")) {
    end_statement();
    Statements no;
    block(no);
    into[place].otherwise = std::move(no);
  }
  if (accept_name("endif")) return end_statement();
  if (!accept_name("end")) mistake("missing-end", at, "this IF has no ENDIF", "close it with ENDIF");
  accept_name("if");
  end_statement();
}

// IF (e) 10, 20, 30: to 10 where e is negative, 20 where it is zero, 30 where it is positive.
void Parser::branch_by_sign(Statement& into, NodeId value) {
  Statements jumps;
  for (int k = 0; k < 3; ++k) {
    if (k > 0) expect(",", "an arithmetic IF has three labels");
    if (peek().kind != Token::Kind::number || !peek().whole)
      fail_here("an arithmetic IF has three labels", "write IF (e) 10, 20, 30");
    push(jumps, Statement::Kind::go_to, {}, into.at).name = take().word;
  }
  end_statement();
  Statement zero;
  zero.kind = Statement::Kind::branch;
  zero.at = into.at;
  zero.value = binary_node(".eq.", value, number_node(0, into.at), into.at);
  zero.body.push_back(std::move(jumps[1]));
  zero.otherwise.push_back(std::move(jumps[2]));
  into.value = binary_node(".lt.", value, number_node(0, into.at), into.at);
  into.body.push_back(std::move(jumps[0]));
  into.otherwise.push_back(std::move(zero));
}

void Parser::count_loop(Statements& into, const std::string& label, Position at) {
  std::string last;
  if (peek().kind == Token::Kind::number && peek().whole) {
    last = take().word;
    accept(",");
  }
  Statement loop;
  loop.kind = Statement::Kind::count_loop;
  loop.label = label;
  loop.at = at;
  loop.name = expect_name("the counter of the loop");
  expect("=", "the counter needs = and its limits");
  loop.arguments.push_back(expression());
  expect(",", "the last value of the counter is missing");
  loop.arguments.push_back(expression());
  loop.arguments.push_back(accept(",") ? expression() : number_node(1, at, true));
  end_statement();
  if (last.empty()) {
    block(loop.body);
    end_loop(at);
  } else {
    while (loop.body.empty() || loop.body.back().label != last) {
      if (at_end() || ends_block(peek(), peek(1)))
        mistake("missing-end", at, fmt::format("the label {} that ends this loop is missing", last),
                fmt::format("write {} CONTINUE behind its last statement", last));
      statement(loop.body);
    }
  }
  into.push_back(std::move(loop));
}

void Parser::while_loop(Statements& into, const std::string& label, Position at) {
  expect("(", "DO WHILE needs a condition in parentheses");
  Statement loop;
  loop.kind = Statement::Kind::while_loop;
  loop.label = label;
  loop.at = at;
  loop.value = expression();
  expect(")", "the condition is not closed");
  end_statement();
  block(loop.body);
  end_loop(at);
  into.push_back(std::move(loop));
}

// END alone closes what is around the loop.
void Parser::end_loop(Position at) {
  if (peek().is_name("end") && peek(1).is_name("do")) {
    take();
    take();
  } else if (!accept_name("enddo")) {
    mistake("missing-end", at, "this DO has no ENDDO", "close it with ENDDO");
  }
  end_statement();
}

void Parser::call(Statements& into, const std::string& label, Position at) {
  Statement made;
  made.kind = Statement::Kind::call;
  made.label = label;
  made.at = at;
  made.name = expect_name("the name of the subroutine");
  if (accept("(") && !accept(")")) {
    std::vector<NodeId> list;
    bool gives = false;
    do {
      if (accept("=")) {
        made.targets = std::move(list);
        list.clear();
        gives = true;
        if (peek().is(")")) break;
      }
      list.push_back(expression());
      if (!gives && peek().is("=")) {
        take();
        made.targets = std::move(list);
        list.clear();
        gives = true;
        if (peek().is(")")) break;
        list.push_back(expression());
      }
    } while (accept(","));
    expect(")", "the list of arguments is not closed");
    made.arguments = std::move(list);
  }
  end_statement();
  into.push_back(std::move(made));
}

void Parser::write(Statements& into, const std::string& label, Position at, bool print) {
  Statement made;
  made.kind = Statement::Kind::write;
  made.label = label;
  made.at = at;
  const auto format = [&] {
    if (accept("*")) return;
    if (peek().kind == Token::Kind::number && peek().whole) {
      made.name = take().word;
    } else if (peek().kind == Token::Kind::text) {
      made.text = take().word;
    } else {
      fail_here("the format is missing", "write * or the label of a FORMAT");
    }
  };
  if (print) {
    format();
    accept(",");
  } else {
    expect("(", "WRITE needs a unit and a format in parentheses");
    if (!accept("*")) constant_number();
    if (accept(",")) format();
    expect(")", "the parenthesis is not closed");
  }
  while (peek().kind != Token::Kind::end_of_statement && !at_end()) {
    if (peek().kind == Token::Kind::text) {
      made.text += take().word;
    } else {
      made.arguments.push_back(expression());
      made.text += " {}";
    }
    if (!accept(",")) break;
  }
  end_statement();
  into.push_back(std::move(made));
}

namespace {

void fill_formats(std::vector<Statement>& statements, const std::map<std::string, std::string>& formats) {
  for (Statement& s : statements) {
    if (s.kind == Statement::Kind::write && !s.name.empty()) {
      const auto found = formats.find(s.name);
      if (found != formats.end()) s.text = found->second + s.text;
      s.name.clear();
    }
    fill_formats(s.body, formats);
    fill_formats(s.otherwise, formats);
  }
}

}  // namespace

void Parser::finish_formats() {
  for (Section& section : program_.sections) fill_formats(section.statements, formats_);
  for (Subprogram& subprogram : program_.subprograms) fill_formats(subprogram.body, formats_);
}

bool has_remark(const text::Source& source, std::string_view sign, std::string_view word) {
  for (int number = 1; number <= source.lines(); ++number) {
    std::string_view line = source.line(number);
    if (!line.starts_with(sign)) continue;
    line.remove_prefix(sign.size());
    while (!line.empty() && text::is_blank(line.front())) line.remove_prefix(1);
    while (!line.empty() && text::is_blank(line.back())) line.remove_suffix(1);
    if (line == word) return true;
  }
  return false;
}

}  // namespace orrery::cssl
