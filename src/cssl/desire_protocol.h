// SPDX-License-Identifier: Apache-2.0
// The experiment of a DESIRE program, above the word DYNAMIC: enhanced BASIC.
#pragma once

#include <string>

#include "cssl/parser.h"

namespace orrery::cssl {

class DesireProtocol : public Parser {
 protected:
  using Parser::Parser;

  void protocol(Statements& into);  // one statement

  int rule_ = 1;  // of integration

 private:
  void one(Statements& into);
  bool simple(const std::string& word, const Token& first, Statement& made);
  void arrays(Statements& into, const std::string& word, Position at);
  void data();
  void texts(Statement& made);
  void condition(Statements& into, Position at);
  void count(Statements& into, Position at);
  void repeat(Statements& into, Position at);
  void while_part(Statements& into, Position at);
  void guard_depth(Position at);

  int nesting_ = 0;
};

// The solver of an integration rule; empty: there is none.
std::string solver_of_rule(int rule);

}  // namespace orrery::cssl
