// SPDX-License-Identifier: Apache-2.0
// Recursive descent from OML text to the tree of ast.h.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "oml/ast.h"
#include "oml/error.h"
#include "oml/lexer.h"

namespace orrery::oml {

struct ParseOptions {
  std::string file;
  // Names that are variables already: they never start a command such as "hold on".
  std::function<bool(const std::string&)> is_variable;
};

// Throws OmlError (syntax) at the first mistake.
Script parse_script(std::string_view text, const ParseOptions& options);
// One expression and nothing else.
Node* parse_single_expression(std::string_view text, const ParseOptions& options, Script& script);

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options, bool functions_have_end);
  Script run();
  Node* run_expression(Script& script);

 private:
  // statements
  Block parse_block(std::initializer_list<std::string_view> terminators);
  Statement* parse_statement();
  Statement* parse_keyword_statement();
  Statement* parse_if();
  Statement* parse_for();
  Statement* parse_switch();
  Statement* parse_try();
  Statement* parse_declaration(StatementKind kind);
  Statement* parse_function_statement();
  Function* parse_function();
  void parse_function_head(Function& f);
  Statement* parse_class();
  std::map<std::string, std::string> parse_attributes();
  void parse_properties(ClassDefinition& cls);
  void parse_methods(ClassDefinition& cls);
  Node* parse_superclass_call(Node* left);
  Statement* parse_assignment_list();
  Statement* parse_simple_statement();
  Statement* parse_command();
  bool starts_command() const;
  bool starts_assignment_list();
  void finish_statement(Statement* s);
  void skip_separators();
  void note_assigned(const Node* target);

  // expressions
  Node* parse_expression();
  Node* parse_or_else();
  Node* parse_and_then();
  Node* parse_or();
  Node* parse_and();
  Node* parse_relation();
  Node* parse_range();
  Node* parse_additive();
  Node* parse_multiplicative();
  Node* parse_unary();
  Node* parse_power();
  Node* parse_power_operand();
  Node* parse_postfix();
  Node* parse_primary();
  Node* parse_matrix(NodeKind kind, char close);
  Node* parse_anonymous();
  Node* parse_choice();
  Node* parse_update(Node* target);
  Node* make_choice(Node* condition, Node* yes, Node* no, const Token& at);
  void parse_links(Node*& base);
  std::vector<Node*> parse_arguments(char close);
  Node* parse_argument();
  void check_target(const Node* target);

  // tokens and nodes
  void advance();
  bool is_op(std::string_view text) const { return token_.kind == Tok::op && token_.text == text; }
  bool is_open(char c) const { return token_.kind == Tok::open && token_.text[0] == c; }
  bool is_close(char c) const { return token_.kind == Tok::close && token_.text[0] == c; }
  bool is_word(std::string_view text) const { return token_.kind == Tok::keyword && token_.text == text; }
  bool ends_element() const;
  void expect_close(char c);
  [[noreturn]] void fail_here(const std::string& message) const;
  [[noreturn]] void fail_here(ErrorKind kind, const std::string& message) const;
  // The text ended inside a block; where it goes on, that is wrong otherwise.
  [[noreturn]] void fail_missing_end(const std::string& otherwise) const;
  Node* make(NodeKind kind, const Token& at);
  Node* make_binary(BinaryOp op, Node* a, Node* b, const Token& at);
  Node* over(Node* n, std::initializer_list<const Node*> children) const;
  NodeExtra* extra_of(Node* n);
  Statement* make_statement(StatementKind kind);
  struct Depth;

  ParseOptions options_;
  Lexer lexer_;
  Token token_;
  std::shared_ptr<SourceUnit> unit_;
  std::vector<Function*> functions_;
  std::vector<std::shared_ptr<ClassDefinition>> classes_;
  Function* make_function();
  std::vector<Function*> enclosing_;
  std::set<std::string> assigned_;
  bool functions_have_end_;
  int depth_ = 0;
  int index_depth_ = 0;  // inside an index, where `end` is a value
};

// Counts nesting, so that hostile text cannot exhaust the stack.
struct Parser::Depth {
  explicit Depth(Parser& p) : parser(p) {
    if (++parser.depth_ > 400) parser.fail_here("nested too deeply");
  }
  ~Depth() { --parser.depth_; }
  Parser& parser;
};

}  // namespace orrery::oml
