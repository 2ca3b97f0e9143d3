// SPDX-License-Identifier: Apache-2.0
// The C of one hot loop or function, as it is written.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "oml/hot_text.h"
#include "oml/hot_types.h"

namespace orrery::oml {

std::string hot_literal(double x);

// The body of one C function.
class HotWriter {
 public:
  HotWriter(HotTypes& types, HotScope& scope, HotText& out, const std::map<const Function*, int>& numbers)
      : types_(types), scope_(scope), out_(out), numbers_(numbers) {}

  std::string loop(const Statement& s) {
    list_variables();
    write_loop(s, true);
    return finished_loop();
  }
  std::string function(const Function& f, int number);

 private:
  void line(const std::string& text) { body_ += text + "\n"; }
  std::string fresh() { return "t" + std::to_string(next_++); }
  // Leaves the code before the statement.
  std::string leave() {
    if (scope_.function != nullptr) return "goto fail;";
    surprises_.insert(at_);
    return fmt::format("goto S{};", at_);
  }
  std::string kept(const std::string& expression) {
    const std::string name = fresh();
    line(fmt::format("double {} = {};", name, expression));
    return name;
  }
  unsigned type(const Node& n) { return types_.type_of(n, scope_); }

  void list_variables();
  std::string finished_loop();
  std::string variable(int slot);
  std::string number(const Node& n);
  std::string truth(const Node& n);
  std::string binary(const Node& n);
  std::string power(const Node& n);
  std::string choice(const Node& n);
  std::string element(const Node& n);
  std::string position(const Node& n);
  std::string index(const Node& n);
  std::string call(const Function& f, const std::vector<Node*>& arguments);
  std::string builtin(const HotBuiltin& b, const std::vector<Node*>& arguments);
  bool whole(const Node& n, std::string& text);
  void block(const Block& b);
  void statement(const Statement& s);
  void assignment(const Statement& s);
  void write_if(const Statement& s, std::size_t branch);
  void write_loop(const Statement& s, bool outermost);
  std::string write_range(const Statement& s, int number, bool outermost);
  void tick(bool outermost);

  HotTypes& types_;
  HotScope& scope_;
  HotText& out_;
  const std::map<const Function*, int>& numbers_;
  std::string declared_, body_;
  int next_ = 0;
  long at_ = 0;      // number of the statement being written
  int inside_ = -1;  // number of the loop around
  int loops_ = 0;
  const Node* subject_ = nullptr;  // of `end`
  std::size_t end_position_ = 0, end_count_ = 0;
  std::set<long> surprises_;
  std::map<int, std::string> counters_;  // loop variables that are whole: their value as an integer
};

}  // namespace orrery::oml
