// SPDX-License-Identifier: Apache-2.0
// CSMP III: segments, sorting, procedures, output; data are in csmp_data.cpp, operators in csmp_operators.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "cssl/csmp_parser.h"
#include "cssl/expand_macros.h"
#include "cssl/languages.h"
#include "cssl/names.h"

namespace orrery::cssl {

CsmpParser::CsmpParser(Program& program, std::vector<Token> tokens, Diagnostics& diagnostics)
    : Parser(program, std::move(tokens), diagnostics), current_(&derivative_) {
  initial_.kind = Section::Kind::initial;
  initial_.sorted = true;
  derivative_.sorted = true;
  terminal_.kind = Section::Kind::terminal;
}

void CsmpParser::run() {
  program_.roles.time = "time";
  while (!at_end() && !ended_) {
    if (ends_block(peek(), peek(1)) && !peek().is_name("end")) {
      source_.error(diagnostics_, "syntax", peek().at, fmt::format("{} closes nothing here", peek().word),
                    "remove it, or write what it closes");
      skip_statement();
      continue;
    }
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

// Statements between NOSORT and SORT are one part, carried out after what it reads.
void CsmpParser::close_nosort() {
  if (unsorted_.body.empty()) return;
  unsorted_.kind = Statement::Kind::procedural;
  unsorted_.at = unsorted_.body[0].at;
  derivative_.statements.push_back(std::move(unsorted_));
  unsorted_ = {};
}

bool CsmpParser::own_statement(const std::string& word, const Token& first, Statements& into) {
  if (word == "=") return false;
  if (word == "title" || word == "label") {
    take();
    if (peek().kind == Token::Kind::text && program_.title.empty()) program_.title = peek().word;
    return skip_statement(), true;
  }
  if (word == "initial" || word == "dynamic" || word == "terminal") return segment(word), true;
  if (word == "sort" || word == "nosort") return sorting(word), true;
  if (data_statement(word)) return true;
  for (const char* known : {"print", "prtplt", "prtplot", "output", "prepare", "range", "reset", "history"}) {
    if (word == known) return output(word), true;
  }
  if (word == "procedure") return procedure(into), true;
  if (word == "end" || word == "stop" || word == "endjob") return end_of_run(word, first.at), true;
  // Inside a procedure or with a label it is Fortran's, which does nothing.
  if (word == "continue" && !inside_procedure_ && &into == &target()) return end_of_run(word, first.at), true;
  return false;
}

void CsmpParser::segment(const std::string& word) {
  take();
  end_statement();
  close_nosort();
  nosort_ = false;
  current_ = word == "initial" ? &initial_ : word == "dynamic" ? &derivative_ : &terminal_;
}

void CsmpParser::sorting(const std::string& word) {
  take();
  end_statement();
  if (current_ == &initial_) initial_.sorted = word == "sort";
  close_nosort();
  nosort_ = word == "nosort";
}

// PRTPLT and OUTPUT are graphs, PRINT is a table; PREPARE names what is kept, which is everything here, and RANGE is in
// what a run ends with.
void CsmpParser::output(const std::string& word) {
  take();
  if (word == "reset") program_.graphs.clear();
  const bool plots = word == "prtplt" || word == "prtplot" || word == "output";
  if (plots || word == "print") {
    const std::vector<std::string> names = name_list();
    if (!names.empty()) program_.graphs.push_back({{}, names, !plots});
  }
  while (!at_end() && peek().kind != Token::Kind::end_of_statement) take();
  end_statement();
}

void CsmpParser::end_of_run(const std::string& word, Position at) {
  take();
  end_statement();
  if (word == "stop" || word == "endjob") {
    ended_ = true;
    if (word == "stop") read_subprograms();
    return;
  }
  const bool goes_on = word == "continue";
  if (prolongs_) {
    go_on(at);
  } else if (!has_end_ || !next_.empty()) {
    add_runs(at);
  }
  prolongs_ = goes_on;
  has_end_ = true;
}

bool CsmpParser::ends_block(const Token& token, const Token& next) const {
  if (inside_procedure_) return Parser::ends_block(token, next);
  return Parser::ends_block(token, next) && token.word != "end";
}

// PROCEDURE y1, y2 = NAME(x1, x2) … ENDPRO
void CsmpParser::procedure(Statements& into) {
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
    mistake("missing-end", made.at, "this PROCEDURE has no ENDPRO", "write ENDPRO behind its last statement");
  end_statement();
  into.push_back(std::move(made));
}

void CsmpParser::read_subprograms() {
  std::vector<Token> rest(tokens_.begin() + static_cast<std::ptrdiff_t>(at_), tokens_.end());
  std::erase_if(rest, [](const Token& token) { return token.is_name("endjob"); });
  tokens_ = std::move(rest);
  at_ = 0;
  inside_procedure_ = true;
  subprograms();
}

// CALL RERUN: TERMINAL sets a name that asks for another run, with constants as it has left them.
void CsmpParser::make_reruns() {
  bool any = false;
  const auto replace = [&](auto&& self, Statements& list) -> void {
    for (Statement& s : list) {
      if (s.kind == Statement::Kind::call && s.name == "rerun") {
        any = true;
        Statement made;
        made.at = s.at;
        made.label = s.label;
        made.targets = {name_node(run_again, {})};  // no place: it is no name of the user
        made.value = number_node(1, s.at);
        s = std::move(made);
      }
      self(self, s.body);
      self(self, s.otherwise);
    }
  };
  replace(replace, terminal_.statements);
  if (!any) return;
  Statement not_yet;
  not_yet.targets = {name_node(run_again, {})};
  not_yet.value = number_node(0, {});
  terminal_.statements.insert(terminal_.statements.begin(), std::move(not_yet));
  program_.runs_follow_results = true;
  if (program_.find(runs_to_come) == nullptr) {
    Declared& left = program_.declare(runs_to_come, {});
    left.values = {0};
    left.constant = true;
  }
}

// What INITIAL assigns, an unsorted part changes for the next evaluation; the rest is there at once.
void CsmpParser::head_unsorted_parts() {
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
}

void CsmpParser::finish() {
  try {
    if (prolongs_) {
      go_on({source_.lines(), 0});
    } else if (!next_.empty()) {
      add_runs({source_.lines(), 0});
    }
  } catch (const SyntaxError&) {  // reported
  }
  program_.set_runs(runs_);
  finish_timer();
  make_reruns();
  Section dynamic;
  dynamic.kind = Section::Kind::dynamic;
  Statement end;
  end.kind = Statement::Kind::terminate;
  const NodeId last = binary_node("*", name_node("fintim", {}), number_node(1 - 1e-12, {}), {});
  end.value = binary_node(".ge.", name_node("time", {}), last, {});
  dynamic.statements.push_back(std::move(end));
  head_unsorted_parts();
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
