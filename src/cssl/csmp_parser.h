// SPDX-License-Identifier: Apache-2.0
// The reader of CSMP III, for the files that share it.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "cssl/parser.h"

namespace orrery::cssl {

class CsmpParser final : public Parser {
 public:
  CsmpParser(Program& program, std::vector<Token> tokens, Diagnostics& diagnostics);
  void run();

 private:
  // read_csmp.cpp: segments and statements.
  Statements& target() { return nosort_ && current_ == &derivative_ ? unsorted_.body : current_->statements; }
  void close_nosort();
  bool own_statement(const std::string& word, const Token& first, Statements& into) override;
  bool ends_block(const Token& token, const Token& next) const override;
  void segment(const std::string& word);
  void sorting(const std::string& word);
  void output(const std::string& word);
  void end_of_run(const std::string& word, Position at);
  void procedure(Statements& into);
  void read_subprograms();
  void head_unsorted_parts();
  void make_reruns();
  void finish();

  // csmp_data.cpp: constants, tables, run control.
  bool data_statement(const std::string& word);
  void data();
  void add_runs(Position at);
  void go_on(Position at);
  void table();
  void arrays(const std::string& word);
  void method();
  void finishing();
  void errors(const std::string& word);
  void finish_timer();

  // csmp_operators.cpp: names and orders of arguments.
  void translate(NodeId id);
  void check_count(const Node& node);
  bool noise(NodeId id);
  void split_switches(Statements& statements);
  void fold_iterations(Statements& statements);

  Section initial_, derivative_, terminal_;
  Section* current_;
  Statement unsorted_;
  bool nosort_ = false, ended_ = false, has_end_ = false, finishes_ = false, fixed_ = false, inside_procedure_ = false;
  bool prolongs_ = false;                            // the data that follow are those of a run that goes on
  std::map<std::string, std::vector<double>> next_;  // values of the run that is being described
  std::vector<std::unordered_map<std::string, double>> runs_;
  double from_ = 0;  // when the run that CONTINUE prolongs has ended
};

}  // namespace orrery::cssl
