// SPDX-License-Identifier: Apache-2.0
// classdef: properties and methods of a class.
#include <map>

#include "oml/class_object.h"
#include "oml/error.h"
#include "oml/parser.h"

namespace orrery::oml {
namespace {

Access access_of(const std::string& word) {
  return word == "private" ? Access::own : word == "protected" ? Access::inherited : Access::everyone;
}

}  // namespace

// (Access = private, Constant): names in lower case with their words; a name alone is "true".
std::map<std::string, std::string> Parser::parse_attributes() {
  std::map<std::string, std::string> out;
  if (!is_open('(')) return out;
  advance();
  while (!is_close(')')) {
    if (token_.kind == Tok::comma) {
      advance();
      continue;
    }
    const bool negated = is_op("~");
    if (negated) advance();
    if (token_.kind != Tok::identifier) fail_here("expected the name of an attribute");
    std::string name = token_.text, word = negated ? "false" : "true";
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    advance();
    if (is_op("=")) {
      advance();
      if (token_.kind != Tok::identifier && token_.kind != Tok::text) fail_here("expected the value of an attribute");
      word = token_.text;
      for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      advance();
    }
    out[name] = word;
  }
  advance();
  return out;
}

void Parser::parse_properties(ClassDefinition& cls) {
  const auto attributes = parse_attributes();
  const auto get = [&](const char* name) {
    const auto it = attributes.find(name);
    return it == attributes.end() ? std::string() : it->second;
  };
  for (;;) {
    skip_separators();
    if (is_word("end")) break;
    if (token_.kind != Tok::identifier) fail_missing_end("expected a property");
    ClassProperty p;
    p.name = token_.text;
    p.constant = get("constant") == "true";
    p.get = p.set = access_of(get("access"));
    if (!get("getaccess").empty()) p.get = access_of(get("getaccess"));
    if (!get("setaccess").empty()) p.set = access_of(get("setaccess"));
    advance();
    if (is_op("=")) {
      advance();
      p.initial = parse_expression();
    }
    cls.properties.push_back(p);
  }
  advance();
}

void Parser::parse_methods(ClassDefinition& cls) {
  const auto attributes = parse_attributes();
  const auto it = attributes.find("static"), access = attributes.find("access");
  const bool is_static = it != attributes.end() && it->second == "true";
  for (;;) {
    skip_separators();
    if (is_word("end")) break;
    if (!is_word("function")) fail_missing_end("expected a function");
    Function* f = parse_function();
    functions_.pop_back();
    f->class_name = cls.name;
    cls.methods[f->name] = {f, is_static, access == attributes.end() ? Access::everyone : access_of(access->second)};
  }
  advance();
}

Statement* Parser::parse_class() {
  Statement* s = make_statement(StatementKind::define_class);
  if (!enclosing_.empty()) fail_here("a class cannot be defined inside a function");
  advance();
  parse_attributes();
  if (token_.kind != Tok::identifier) fail_here("expected a class name");
  auto cls = std::make_shared<ClassDefinition>();
  cls->unit = unit_.get();
  cls->name = token_.text;
  advance();
  if (is_op("<")) {
    do {
      advance();
      if (token_.kind != Tok::identifier) fail_here("expected the name of a class");
      if (token_.text == "handle")
        cls->is_handle = true;
      else
        cls->base_names.push_back(token_.text);
      advance();
    } while (is_op("&"));
  }
  for (;;) {
    skip_separators();
    if (is_word("end")) break;
    const std::string part = token_.text;
    if (token_.kind != Tok::identifier || (part != "properties" && part != "methods"))
      fail_missing_end("expected properties, methods or end");
    advance();
    part == "properties" ? parse_properties(*cls) : parse_methods(*cls);
  }
  advance();
  s->definition = cls;
  classes_.push_back(cls);
  return s;
}

// obj@Base(...) in a constructor, method@Base(obj, ...) in a method: the member of a base class.
Node* Parser::parse_superclass_call(Node* left) {
  const Token at = token_;
  advance();
  if (token_.kind != Tok::identifier) fail_here("expected the name of a class");
  Node* name = make(NodeKind::identifier, at);
  extra_of(name)->name = "superclass_call";
  Node* call = make(NodeKind::index, at);
  call->first = name;
  Link link;
  for (const std::string& word : {left->extra->name, token_.text}) {
    Node* text = make(NodeKind::constant, at);
    text->value = Value::text(word);
    link.arguments.push_back(text);
  }
  advance();
  if (is_open('(')) {
    advance();
    for (Node* argument : parse_arguments(')')) link.arguments.push_back(argument);
  }
  extra_of(call)->links.push_back(std::move(link));
  return call;
}

}  // namespace orrery::oml
