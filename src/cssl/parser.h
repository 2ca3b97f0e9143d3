// SPDX-License-Identifier: Apache-2.0
// Expressions and procedural statements, which the languages share with Fortran; each language adds its own.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cssl/lexer.h"
#include "cssl/program.h"

namespace orrery::cssl {

// Thrown at the first mistake of a statement, reported already; whoever reads statements goes on with the next.
struct SyntaxError {};

class Parser {
 public:
  Parser(Program& program, std::vector<Token> tokens, Diagnostics& diagnostics)
      : program_(program), source_(*program.source), diagnostics_(diagnostics), tokens_(std::move(tokens)) {}
  virtual ~Parser() = default;

 protected:
  using Statements = std::vector<Statement>;

  // Tokens.
  const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  Token take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool at_end() const { return peek().kind == Token::Kind::end; }
  bool accept(const char* sign);
  bool accept_name(const char* name);
  void expect(const char* sign, const char* what);
  std::string expect_name(const char* what);
  void end_statement();   // nothing may follow
  void skip_statement();  // to behind its end
  [[noreturn]] void mistake(const char* code, Position at, std::string message, std::string help = {});
  [[noreturn]] void fail_here(std::string message, std::string help = {});

  // Expressions.
  NodeId expression();
  std::vector<NodeId> arguments();  // behind the opening parenthesis, with the closing one
  NodeId add(Node node);
  NodeId name_node(std::string name, Position at);
  NodeId number_node(double value, Position at, bool whole = false);
  NodeId binary_node(std::string sign, NodeId left, NodeId right, Position at);
  // The number a constant expression is: literals and constants that have been declared with one.
  double constant_number();
  // x = 1E-5, …: errors of single states. The solver has one for all, so the smallest counts.
  void error_list(std::string& setting);

  // Statements. One is read and appended; its parts too.
  void statement(Statements& into);
  // Statements until one begins with a word that ends the block; that is left.
  void block(Statements& into);
  // What a language knows besides: true, and the statement has been read.
  virtual bool own_statement(const std::string& word, const Token& first, Statements& into);
  virtual bool ends_block(const Token& token, const Token& next) const;
  void assignment(Statements& into);
  void subprograms();  // to the end of the tokens
  bool is_type_word(const std::string& word) const;
  void type_declaration(std::vector<Declared>* own = nullptr);  // of a subprogram; none: of the program
  void dimensions(Declared& item);
  std::vector<std::string> name_list();
  // CONSTANT a = 1.0, b = 3*0.5, …: `name = value {, value}`.
  void constant_list();
  std::vector<double> value_list();
  void finish_formats();
  // DARE-P and DESIRE: what an initial value is called, since the state has the plain name; `points` communication
  // points from 0 to `length`, both constants, and the end of the run at the last one.
  static std::string start_name(const std::string& state) { return state + "_0"; }
  void add_points(Section& initial, Section& output, const std::string& interval, const std::string& length,
                  const std::string& points);

  Program& program_;
  const text::Source& source_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;

 private:
  NodeId operand();
  NodeId climb(int least);
  bool is_assignment() const;
  void branch(Statements& into, const std::string& label, Position at);
  void branch_by_sign(Statement& into, NodeId value);
  void count_loop(Statements& into, const std::string& label, Position at);
  void while_loop(Statements& into, const std::string& label, Position at);
  void end_loop(Position at);
  void write(Statements& into, const std::string& label, Position at, bool print);
  void call(Statements& into, const std::string& label, Position at);
  void one_statement(Statements& into);
  void subprogram();
  Statement& push(Statements& into, Statement::Kind kind, const std::string& label, Position at);

  int depth_ = 0, level_ = 0;
  std::map<std::string, std::string> formats_;
};

// A comment in a line of its own that asks for something: -- sort, ! strict.
bool has_remark(const text::Source& source, std::string_view sign, std::string_view word);

}  // namespace orrery::cssl
