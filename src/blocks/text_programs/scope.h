// SPDX-License-Identifier: Apache-2.0
// What names stand for while the statements of a program are carried out on formulas.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "program/expr.h"

namespace orrery::blocks::text_programs {

// Names of a section, a branch or a subprogram, in front of those around it. The order of first assignment is kept.
class Scope {
 public:
  explicit Scope(const Scope* outer = nullptr) : outer_(outer) {}

  const program::Expr* find(const std::string& name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
      if (const auto found = scope->values_.find(name); found != scope->values_.end()) return &found->second;
    }
    return nullptr;
  }
  void set(const std::string& name, program::Expr value) {
    if (values_.insert_or_assign(name, value).second) names_.push_back(name);
  }
  bool owns(const std::string& name) const { return values_.contains(name); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  const Scope* outer_;
  std::unordered_map<std::string, program::Expr> values_;
  std::vector<std::string> names_;
};

}  // namespace orrery::blocks::text_programs
