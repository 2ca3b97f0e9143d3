// SPDX-License-Identifier: Apache-2.0
// Statements of OML.
#include "oml/parser.h"

#include <algorithm>
#include <cctype>

#include "oml/error.h"

namespace orrery::oml {

Script parse_script(std::string_view text, const ParseOptions& options) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  try {
    return Parser(text, options, true).run();
  } catch (const OmlError& first) {
    // Files whose functions have no `end`: each function runs to the next one.
    if (first.kind != ErrorKind::missing_end) throw;
    try {
      return Parser(text, options, false).run();
    } catch (const OmlError&) {
      throw first;
    }
  }
}

Node* parse_single_expression(std::string_view text, const ParseOptions& options, Script& script) {
  return Parser(text, options, true).run_expression(script);
}

Parser::Parser(std::string_view text, const ParseOptions& options, bool functions_have_end)
    : options_(options), lexer_(text), unit_(std::make_shared<SourceUnit>()), functions_have_end_(functions_have_end) {
  unit_->file = options.file;
  advance();
}

Script Parser::run() {
  Script script;
  script.unit = unit_;
  script.body = parse_block({});
  if (token_.kind != Tok::end_of_text) fail_here("unexpected " + token_.text);
  script.functions = functions_;
  script.classes = classes_;
  script.only_functions = !functions_.empty() && std::all_of(script.body.begin(), script.body.end(), [](Statement* s) {
    return s->kind == StatementKind::define;
  });
  return script;
}

Node* Parser::run_expression(Script& script) {
  script.unit = unit_;
  while (token_.kind == Tok::newline) advance();
  Node* n = parse_expression();
  skip_separators();
  if (token_.kind != Tok::end_of_text) fail_here("unexpected " + token_.text);
  return n;
}

void Parser::advance() { token_ = lexer_.next(); }

void Parser::fail_here(const std::string& message) const { fail_here(ErrorKind::syntax, message); }

void Parser::fail_missing_end(const std::string& otherwise) const {
  if (token_.kind != Tok::end_of_text) fail_here(otherwise);
  fail_here(ErrorKind::missing_end, "missing end");
}

void Parser::fail_here(ErrorKind kind, const std::string& message) const {
  OmlError e(message);
  e.kind = kind;
  e.located = true;
  e.file = options_.file;
  e.line = token_.line;
  e.column = token_.column;
  throw e;
}

Function* Parser::make_function() {
  Function* f = &unit_->functions.emplace_back();
  f->file = options_.file;
  f->unit = unit_.get();
  return f;
}

Statement* Parser::make_statement(StatementKind kind) {
  Statement* s = &unit_->statements.emplace_back();
  s->kind = kind;
  s->line = token_.line;
  s->column = token_.column;
  return s;
}

void Parser::skip_separators() {
  while (token_.kind == Tok::newline || token_.kind == Tok::semicolon || token_.kind == Tok::comma) advance();
}

Block Parser::parse_block(std::initializer_list<std::string_view> terminators) {
  const Depth guard(*this);
  Block block;
  for (;;) {
    skip_separators();
    if (token_.kind == Tok::end_of_text) {
      if (terminators.size() != 0) fail_missing_end("missing end");
      return block;
    }
    if (token_.kind == Tok::keyword) {
      for (std::string_view t : terminators)
        if (token_.text == t) return block;
    }
    block.push_back(parse_statement());
  }
}

// Consumes the separator behind a statement; a semicolon silences it. One-line forms may have none.
void Parser::finish_statement(Statement* s) {
  s->print = true;
  if (token_.kind == Tok::semicolon) {
    s->print = false;
    advance();
  } else if (token_.kind == Tok::comma || token_.kind == Tok::newline) {
    advance();
  } else if (token_.kind != Tok::end_of_text && token_.kind != Tok::keyword) {
    fail_here("unexpected " + token_.text);
  }
}

Statement* Parser::parse_statement() {
  if (token_.kind == Tok::keyword) return parse_keyword_statement();
  if (token_.kind == Tok::identifier && starts_command()) return parse_command();
  if (is_open('[') && starts_assignment_list()) return parse_assignment_list();
  return parse_simple_statement();
}

Statement* Parser::parse_keyword_statement() {
  const std::string word = token_.text;
  if (word == "if") return parse_if();
  if (word == "for" || word == "parfor") return parse_for();
  if (word == "switch") return parse_switch();
  if (word == "try") return parse_try();
  if (word == "function") return parse_function_statement();
  if (word == "classdef") return parse_class();
  if (word == "global") return parse_declaration(StatementKind::global);
  if (word == "persistent") return parse_declaration(StatementKind::persistent);
  Statement* s = nullptr;
  if (word == "while") {
    s = make_statement(StatementKind::while_loop);
    advance();
    s->value = parse_expression();
    s->body = parse_block({"end"});
    advance();
  } else if (word == "break" || word == "continue" || word == "return") {
    s = make_statement(word == "break"      ? StatementKind::break_loop
                       : word == "continue" ? StatementKind::continue_loop
                                            : StatementKind::return_call);
    advance();
  } else {
    fail_here("unexpected " + word);
  }
  return s;
}

Statement* Parser::parse_if() {
  Statement* s = make_statement(StatementKind::if_chain);
  advance();
  Branch first;
  first.condition = parse_expression();
  first.body = parse_block({"elseif", "else", "end"});
  s->branches.push_back(std::move(first));
  for (;;) {
    if (is_word("end")) {
      advance();
      return s;
    }
    Branch branch;
    if (is_word("elseif")) {
      advance();
      branch.condition = parse_expression();
      branch.body = parse_block({"elseif", "else", "end"});
    } else {
      advance();
      branch.body = parse_block({"end"});
    }
    s->branches.push_back(std::move(branch));
  }
}

Statement* Parser::parse_for() {
  Statement* s = make_statement(StatementKind::for_loop);
  advance();
  bool in_parentheses = false;
  if (is_open('(')) {
    in_parentheses = true;
    advance();
  }
  if (token_.kind != Tok::identifier) fail_here("for needs a variable");
  s->target = parse_postfix();
  check_target(s->target);
  note_assigned(s->target);
  if (!is_op("=")) fail_here("for needs '='");
  advance();
  s->value = parse_expression();
  if (in_parentheses) expect_close(')');
  s->body = parse_block({"end"});
  advance();
  return s;
}

Statement* Parser::parse_switch() {
  Statement* s = make_statement(StatementKind::switch_case);
  advance();
  s->value = parse_expression();
  skip_separators();
  while (!is_word("end")) {
    Branch branch;
    if (is_word("case")) {
      advance();
      branch.condition = parse_expression();
    } else if (is_word("otherwise")) {
      advance();
    } else {
      fail_missing_end("expected case, otherwise or end");
    }
    branch.body = parse_block({"case", "otherwise", "end"});
    s->branches.push_back(std::move(branch));
  }
  advance();
  return s;
}

Statement* Parser::parse_try() {
  Statement* s = make_statement(StatementKind::try_catch);
  advance();
  s->body = parse_block({"catch", "end"});
  if (is_word("catch")) {
    const int line = token_.line;
    advance();
    if (token_.kind == Tok::identifier && token_.line == line) {
      // "catch err" names the variable; "catch disp(x)" and "catch x = 1" start the handler.
      const std::string_view rest = lexer_.source().substr(lexer_.position());
      const std::size_t k = rest.find_first_not_of(" \t\r");
      const char next = k == std::string_view::npos ? '\n' : rest[k];
      if (next == '\n' || next == ';' || next == ',' || next == '%') {
        s->name = token_.text;
        assigned_.insert(s->name);
        advance();
      }
    }
    s->handler = parse_block({"end"});
  }
  advance();
  return s;
}

Statement* Parser::parse_declaration(StatementKind kind) {
  Statement* s = make_statement(kind);
  advance();
  if (token_.kind != Tok::identifier) fail_here("expected a variable name");
  while (token_.kind == Tok::identifier) {
    const std::string name = token_.text;
    Node* initial = nullptr;
    advance();
    if (is_op("=")) {
      advance();
      initial = parse_expression();
    }
    assigned_.insert(name);
    s->declared.emplace_back(name, initial);
  }
  finish_statement(s);
  return s;
}

bool Parser::starts_assignment_list() {
  const Lexer saved_lexer = lexer_;
  const Token saved_token = token_;
  bool result = false;
  try {
    int depth = 0;
    for (;;) {
      if (token_.kind == Tok::open) ++depth;
      if (token_.kind == Tok::close && --depth == 0) {
        advance();
        result = is_op("=");
        break;
      }
      if (token_.kind == Tok::end_of_text || token_.kind == Tok::newline || token_.kind == Tok::semicolon) break;
      advance();
    }
  } catch (const OmlError&) {
    result = false;
  }
  lexer_ = saved_lexer;
  token_ = saved_token;
  return result;
}

Statement* Parser::parse_assignment_list() {
  Statement* s = make_statement(StatementKind::multi_assign);
  advance();
  while (!is_close(']')) {
    if (token_.kind == Tok::comma) {
      advance();
    } else if (is_op("~") || is_op("!")) {
      s->targets.push_back(nullptr);
      advance();
    } else {
      Node* target = parse_postfix();
      check_target(target);
      note_assigned(target);
      s->targets.push_back(target);
    }
  }
  advance();
  advance();
  s->value = parse_expression();
  finish_statement(s);
  return s;
}

Statement* Parser::parse_simple_statement() {
  Statement* s = make_statement(StatementKind::expression);
  Node* left = parse_expression();
  if (is_op("=")) {
    check_target(left);
    advance();
    s->kind = StatementKind::assign;
    s->target = left;
    s->value = parse_expression();
    // a = b = c assigns from the right.
    note_assigned(left);
  } else if (token_.kind == Tok::op && token_.text.size() == 2 && token_.text[1] == '=' &&
             std::string_view("+-*/^").find(token_.text[0]) != std::string_view::npos) {
    check_target(left);
    const Token op = token_;
    advance();
    Node* right = parse_expression();
    static constexpr std::string_view symbols = "+-*/^";
    static constexpr BinaryOp ops[] = {BinaryOp::add, BinaryOp::subtract, BinaryOp::matrix_times,
                                       BinaryOp::matrix_divide, BinaryOp::matrix_power};
    s->kind = StatementKind::assign;
    s->target = left;
    s->value = make_binary(ops[symbols.find(op.text[0])], left, right, op);
  } else {
    s->value = left;
  }
  finish_statement(s);
  return s;
}

void Parser::note_assigned(const Node* target) {
  const Node* base = target->kind == NodeKind::index ? target->first : target;
  if (base->extra != nullptr) assigned_.insert(base->extra->name);
}

void Parser::check_target(const Node* target) {
  const Node* base = target->kind == NodeKind::index ? target->first : target;
  if (base->kind != NodeKind::identifier || base->parenthesised || target->parenthesised) {
    fail_here("the left side of '=' is not a variable");
  }
}

}  // namespace orrery::oml
