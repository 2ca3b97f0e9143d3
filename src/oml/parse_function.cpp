// SPDX-License-Identifier: Apache-2.0
// Function definitions and commands such as "hold on".
#include <algorithm>
#include <cctype>

#include "oml/error.h"
#include "oml/parser.h"

namespace orrery::oml {

void Parser::parse_function_head(Function& f) {
  advance();
  if (is_open('[')) {
    advance();
    while (!is_close(']')) {
      if (token_.kind == Tok::identifier)
        f.outputs.push_back(token_.text);
      else if (token_.kind != Tok::comma)
        fail_here("expected an output name");
      advance();
    }
    advance();
    if (!is_op("=")) fail_here("expected '='");
    advance();
  }
  if (token_.kind != Tok::identifier) fail_here("expected a function name");
  f.name = token_.text;
  f.line = token_.line;
  lexer_.comment.clear();
  advance();
  if (is_op("=")) {
    f.outputs = {f.name};
    advance();
    if (token_.kind != Tok::identifier) fail_here("expected a function name");
    f.name = token_.text;
    advance();
  }
  while (is_op(".")) {
    advance();
    f.name += "." + token_.text;
    advance();
  }
  if (is_open('(')) {
    advance();
    while (!is_close(')')) {
      if (token_.kind == Tok::comma) {
        advance();
        continue;
      }
      if (token_.kind != Tok::identifier && !is_op("~") && !is_op("!")) fail_here("expected an input name");
      f.inputs.push_back(token_.kind == Tok::identifier ? token_.text : "~");
      f.defaults.push_back(nullptr);
      advance();
      if (is_op("=")) {
        advance();
        f.defaults.back() = parse_expression();
      }
    }
    advance();
  }
  f.help = lexer_.comment;
  if (!f.inputs.empty() && f.inputs.back() == "varargin") {
    f.variadic_in = true;
    f.inputs.pop_back();
    f.defaults.pop_back();
  }
  if (!f.outputs.empty() && f.outputs.back() == "varargout") {
    f.variadic_out = true;
    f.outputs.pop_back();
  }
}

Function* Parser::parse_function() {
  Function* f = make_function();
  const std::size_t begin = token_.begin;
  const std::set<std::string> outer_names = assigned_;
  parse_function_head(*f);
  if (enclosing_.empty()) assigned_.clear();
  assigned_.insert(f->inputs.begin(), f->inputs.end());
  assigned_.insert(f->outputs.begin(), f->outputs.end());
  assigned_.insert({"varargin", "varargout"});
  if (!enclosing_.empty()) f->parent = enclosing_.back();
  enclosing_.push_back(f);
  if (functions_have_end_) {
    f->body = parse_block({"end"});
    f->source = lexer_.source().substr(begin, token_.end - begin);
    advance();
  } else {
    for (;;) {
      skip_separators();
      if (token_.kind == Tok::end_of_text || is_word("function")) break;
      f->body.push_back(parse_statement());
    }
    f->source = lexer_.source().substr(begin, token_.begin - begin);
    while (!f->source.empty() && std::isspace(static_cast<unsigned char>(f->source.back()))) f->source.pop_back();
  }
  enclosing_.pop_back();
  assigned_ = outer_names;
  if (enclosing_.empty())
    functions_.push_back(f);
  else
    enclosing_.back()->nested.push_back(f);
  return f;
}

Statement* Parser::parse_function_statement() {
  Statement* s = make_statement(StatementKind::define);
  s->function = parse_function();
  return s;
}

namespace {

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

// "format long", "clear -all", "cd ../x": a name, a blank, and a word that cannot continue an expression.
bool Parser::starts_command() const {
  if (assigned_.count(token_.text) != 0) return false;
  if (options_.is_variable && options_.is_variable(token_.text)) return false;
  const std::string_view source = lexer_.source();
  std::size_t k = token_.end;
  if (k >= source.size() || (source[k] != ' ' && source[k] != '\t')) return false;
  while (k < source.size() && (source[k] == ' ' || source[k] == '\t')) ++k;
  const char c = k < source.size() ? source[k] : '\n';
  const char after = k + 1 < source.size() ? source[k + 1] : '\n';
  const bool blank_after = std::isspace(static_cast<unsigned char>(after)) != 0;
  if (is_name_char(c)) {
    std::size_t e = k;
    while (e < source.size() && is_name_char(source[e])) ++e;
    const std::string_view word = source.substr(k, e - k);
    if (!is_keyword(word) || (word == "global" && token_.text == "clear")) return true;
    // "disp switch", "type end": a keyword alone on the rest of the line is a word of a command. What closes or goes on
    // with a block may also follow a value in one-line forms such as "if a x end".
    static constexpr std::string_view inner[] = {"end", "else", "elseif", "case", "otherwise", "catch"};
    const bool asks = token_.text == "type" || token_.text == "which" || token_.text == "help";
    if (!asks && std::find(std::begin(inner), std::end(inner), word) != std::end(inner)) return false;
    while (e < source.size() && (source[e] == ' ' || source[e] == '\t' || source[e] == '\r')) ++e;
    return e >= source.size() || source[e] == '\n' || source[e] == ';' || source[e] == '%';
  }
  if (c == '\'' || c == '"') return true;
  if (c == '.') return after == '.' ? k + 2 >= source.size() || source[k + 2] != '.' : after == '/' || after == '\\';
  if (c == '-') return !blank_after && std::isalpha(static_cast<unsigned char>(after));
  if (c == '/') return !blank_after;
  return c == '*' && (after == '\n' || after == ';' || after == '\r');
}

Statement* Parser::parse_command() {
  Statement* s = make_statement(StatementKind::expression);
  Node* name = make(NodeKind::identifier, token_);
  extra_of(name)->name = token_.text;
  Node* call = make(NodeKind::index, token_);
  call->first = name;
  Link link;
  const Token at = token_;
  const std::string_view line = lexer_.take_line();
  std::size_t k = 0;
  bool silent = false;
  while (k < line.size()) {
    const char c = line[k];
    if (c == ' ' || c == '\t' || c == '\r') {
      ++k;
      continue;
    }
    if (c == '%' || c == ';' || c == ',') {
      silent = c == ';';
      break;
    }
    std::string word;
    while (k < line.size() && std::string_view(" \t\r;,%").find(line[k]) == std::string_view::npos) {
      if (line[k] == '\'' || line[k] == '"') {
        const char quote = line[k++];
        while (k < line.size() && line[k] != quote) word += line[k++];
        ++k;
      } else {
        word += line[k++];
      }
    }
    Node* argument = make(NodeKind::constant, at);
    argument->value = Value::text(word);
    link.arguments.push_back(argument);
  }
  extra_of(call)->links.push_back(std::move(link));
  s->value = call;
  lexer_.rewind(static_cast<std::size_t>(line.data() - lexer_.source().data()) + std::min(k, line.size()));
  advance();
  finish_statement(s);
  s->print = !silent;
  return s;
}

}  // namespace orrery::oml
