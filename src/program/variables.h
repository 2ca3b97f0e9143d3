// SPDX-License-Identifier: Apache-2.0
// What Program::variables say in words: names, descriptions, starts; and which of them has a name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace orrery::program {

const char* name_of(VariableKind kind);
// "/Plant/Mass", "/Plant/Mass:2" where a block has several outputs, "/Plant/Mass.x", "e".
std::string variable_name(const Program& program, const Variable& variable);
// "output 2 of Demux", "state of Integral", or what its author wrote.
std::string variable_about(const Program& program, const Variable& variable);
const std::string& variable_unit(const Program& program, const Variable& variable);
// Its type, of one element where it is one.
Type variable_type(const Program& program, const Variable& variable);
// The value with which it begins, as far as that is known before a run; complex ones as two numbers each. Empty: it
// follows from others.
std::vector<double> variable_start(const Program& program, const Variable& variable);
// Whether it has a value at every time, not only when events reach it.
bool is_continuous(const Program& program, const Variable& variable);
// Where its value comes from: "constant", "run" (a slot of the run's memory holds it) or "formula" (nobody computes it
// until it is asked for).
const char* value_source(const Program& program, const Variable& variable);
// What it is another name of: "-/Plant/Mass.x"; empty: of nothing.
std::string variable_source(const Program& program, const Variable& variable);

// The text as a number for the table; equal ones are kept once.
class TextTable {
 public:
  explicit TextTable(Program& program) : program_(program) {}
  std::uint32_t add(const std::string& text);

 private:
  Program& program_;
  std::unordered_map<std::string, std::uint32_t> known_;
};

// By name, with or without the slash in front; output 1 of a block also by the name of the block. Made when somebody
// asks: a large model has many names.
class VariableNames {
 public:
  explicit VariableNames(const Program& program);
  std::optional<std::uint32_t> find(std::string_view name) const;

 private:
  std::unordered_map<std::string, std::uint32_t> by_name_;
};

}  // namespace orrery::program
