// SPDX-License-Identifier: Apache-2.0
// One walk over all statements for what they define, one for what they use.
#include "cssl/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "cssl/language_words.h"
#include "cssl/names.h"
#include "cssl/operators.h"
#include "model/closest_name.h"
#include "text/scan.h"

namespace orrery::cssl {
namespace {

class Checking {
 public:
  Checking(Program& program, const std::vector<std::string>& given, Diagnostics& diagnostics)
      : program_(program), given_(given), diagnostics_(diagnostics) {}

  void run() {
    join_derivatives();
    find_definitions();
    check_definitions();
    for (const Section& section : program_.sections) check_section(section);
    for (const Subprogram& subprogram : program_.subprograms) check_subprogram(subprogram);
  }

 private:
  void error(const char* code, Position at, std::string message, std::string help = {}) {
    program_.source->error(diagnostics_, code, at, std::move(message), std::move(help));
  }

  // They are one system of equations; statements remember which of them have steps of their own.
  void join_derivatives() {
    Section* first = nullptr;
    for (Section& section : program_.sections) {
      if (section.kind != Section::Kind::derivative) continue;
      for (Statement& s : section.statements) s.part = section.part;
      if (first == nullptr) {
        first = &section;
        continue;
      }
      std::move(section.statements.begin(), section.statements.end(), std::back_inserter(first->statements));
      section.statements.clear();
    }
    std::vector<Section> rest;
    bool kept = false;
    for (Section& section : program_.sections) {
      const bool derivative = section.kind == Section::Kind::derivative;
      if (!derivative || !kept) rest.push_back(std::move(section));
      kept = kept || derivative;
    }
    program_.sections = std::move(rest);
  }

  struct Definition {
    Position at;
    const Section* section;
    bool state = false, whole = true;  // whole: not an element of an array
  };

  void find_definitions() {
    known_ = {program_.roles.time};
    known_.insert(given_.begin(), given_.end());
    for (const Declared& item : program_.declared) {
      if (item.constant || item.array) known_.insert(item.name);
    }
    for (const Section& section : program_.sections) {
      for (const Statement& s : section.statements) {
        std::vector<Use> writes;
        collect_writes(program_, s, writes);
        for (const Use& use : writes) known_.insert(use.name);
        if (s.kind == Statement::Kind::iterate) known_.insert(s.name);
      }
      if (section.kind == Section::Kind::discrete) discrete_.insert(section.name);
    }
  }

  // Each name has one statement of the derivative section, and none elsewhere but at the start, unless it is a state.
  void check_definitions() {
    std::unordered_map<std::string, Definition> defined;
    for (const Section& section : program_.sections) {
      if (!section.sorted) continue;
      for (const Statement& s : section.statements) define(section, s, defined);
    }
    for (const Section& section : program_.sections) {
      if (section.kind != Section::Kind::discrete && section.kind != Section::Kind::dynamic) continue;
      for (const Statement& s : section.statements) {
        std::vector<Use> writes;
        collect_writes(program_, s, writes);
        for (const Use& use : writes) {
          const auto found = defined.find(use.name);
          if (found == defined.end() || found->second.state || found->second.section == &section) continue;
          error("double-assignment", use.at,
                fmt::format("{} is defined by the equation in line {}, so an event cannot set it", use.name,
                            found->second.at.line),
                "only states and names without an equation can be set here");
        }
      }
    }
    std::set<std::string> names;
    for (const Section& section : program_.sections) {
      if (section.kind == Section::Kind::discrete && !names.insert(section.name).second)
        error("double-assignment", section.at, fmt::format("there is a DISCRETE section {} already", section.name));
    }
  }

  void define(const Section& section, const Statement& s, std::unordered_map<std::string, Definition>& defined) {
    const bool headed = s.kind == Statement::Kind::procedural && s.has_header;
    std::vector<Use> writes;
    if (headed) {
      for (const std::string& name : s.outputs) writes.push_back({name, s.at});
    } else {
      collect_writes(program_, s, writes);
    }
    std::set<std::string> own;
    for (const Use& use : writes) {
      if (!own.insert(use.name).second) continue;  // twice in one procedural part
      const Declared* declared = program_.find(use.name);
      const bool whole =
          declared == nullptr || !declared->array || s.kind != Statement::Kind::assign || is_whole(s, use.name);
      if (declared != nullptr && declared->constant && !headed && s.kind == Statement::Kind::assign)
        error("double-assignment", use.at, fmt::format("{} is a constant, so it can have no equation", use.name),
              fmt::format("its value is given in line {}", declared->at.line));
      const auto [at, fresh] =
          defined.emplace(use.name, Definition{use.at, &section, defines_state(program_, s), whole});
      if (fresh || (!whole && !at->second.whole)) continue;
      error("double-assignment", use.at, fmt::format("{} is defined twice", use.name),
            fmt::format("its first equation is in line {}; inside {} a name can be assigned more than once",
                        at->second.at.line, words_of(program_.language).procedural));
    }
  }

  bool is_whole(const Statement& s, const std::string& name) const {
    return std::any_of(s.targets.begin(), s.targets.end(), [&](NodeId target) {
      return program_[target].name == name && program_[target].kind == Node::Kind::name;
    });
  }

  void check_section(const Section& section) {
    const bool continuous = section.kind == Section::Kind::derivative;
    check_labels(section.statements);
    for (const Statement& top : section.statements) {
      visit(top, [&](const Statement& s) { check_statement(section, s, &s == &top, continuous); });
    }
  }

  void check_statement(const Section& section, const Statement& s, bool outermost, bool continuous) {
    for (const NodeId target : s.targets) check_target(target);
    if (s.kind == Statement::Kind::schedule && !discrete_.contains(s.name)) {
      std::vector<std::string_view> names(discrete_.begin(), discrete_.end());
      error("unknown-name", s.at, fmt::format("there is no DISCRETE section {}", s.name),
            model::did_you_mean(s.name, names));
    }
    if (continuous && outermost && section.sorted &&
        (s.kind == Statement::Kind::go_to || s.kind == Statement::Kind::count_loop ||
         s.kind == Statement::Kind::while_loop))
      error("wrong-section", s.at, "loops and GO TO cannot be sorted",
            fmt::format("put them between {} and {}", words_of(program_.language).procedural,
                        words_of(program_.language).closes));
    if (s.kind == Statement::Kind::call) check_call(section, s);
    const bool memory_allowed = continuous && outermost && s.kind != Statement::Kind::branch;
    std::vector<NodeId> roots = expressions_of(s);
    for (const NodeId target : s.targets) {
      const auto& indices = program_[target].arguments;
      roots.insert(roots.end(), indices.begin(), indices.end());
    }
    for (const NodeId root : roots) {
      visit_nodes(program_, root, [&](NodeId id) { check_node(id, memory_allowed, continuous); });
    }
  }

  void check_target(NodeId target) {
    const Node& node = program_[target];
    const std::string& name = node.name;
    const Declared* declared = program_.find(name);
    if (name == program_.roles.time) {
      error("reserved-name", node.at, fmt::format("{} is the independent variable, which nothing can assign", name),
            "choose another name, or name the independent variable with VARIABLE");
    } else if (const Operator* known = find_operator(name); known != nullptr && known->kind != OperatorKind::function) {
      error("reserved-name", node.at, fmt::format("{} is an operator of the language", name), "choose another name");
    } else if (name.starts_with("zz") && node.at.line > 0 && !is_made(name)) {
      error("reserved-name", node.at, "names that begin with ZZ belong to the system", "choose another name");
    } else if (program_.find_table(name) != nullptr) {
      error("reserved-name", node.at, fmt::format("{} is the name of a table", name), "choose another name");
    } else if (node.kind == Node::Kind::call && (declared == nullptr || !declared->array)) {
      error("unknown-name", node.at, fmt::format("there is no array {}", name),
            fmt::format("declare it: DIMENSION {}(…)", name));
    } else if (node.kind == Node::Kind::call) {
      check_index(node, *declared);
    }
  }

  // By a macro: zz and a number.
  static bool is_made(const std::string& name) {
    return name.size() > 2 &&
           (text::is_digit(name[2]) || (name[2] == 'm' && name.size() > 3 && text::is_digit(name[3])));
  }

  void check_index(const Node& node, const Declared& declared) {
    const std::size_t wanted = declared.cols > 1 ? 2 : 1;
    if (node.arguments.size() == wanted || (declared.cols > 1 && node.arguments.size() == 1)) return;
    error("argument-count", node.at,
          fmt::format("{} has {} {}, but {} are given", node.name, wanted, wanted == 1 ? "index" : "indices",
                      node.arguments.size()));
  }

  void check_node(NodeId id, bool memory_allowed, bool continuous) {
    const Node& node = program_[id];
    if (node.kind == Node::Kind::name) {
      if (known_.contains(node.name) || locals_.contains(node.name)) return;
      unknown(node);
      return;
    }
    if (node.kind == Node::Kind::binary && node.name == "/") warn_of_integers(node);
    if (node.kind != Node::Kind::call) return;
    if (const Declared* declared = program_.find(node.name); declared != nullptr && declared->array)
      return check_index(node, *declared);
    if (const Table* table = program_.find_table(node.name)) {
      const std::size_t wanted = table->second.empty() ? 1 : 2;
      if (node.arguments.size() != wanted) wrong_count(node, wanted, wanted);
      return;
    }
    if (const Subprogram* subprogram = program_.find_subprogram(node.name)) {
      if (!subprogram->function)
        error("unknown-name", node.at, fmt::format("{} is a SUBROUTINE, which has no value", node.name), "use CALL");
      if (node.arguments.size() != subprogram->arguments.size())
        wrong_count(node, subprogram->arguments.size(), subprogram->arguments.size());
      return;
    }
    const Operator* known = find_operator(node.name);
    if (known == nullptr) return unknown_function(node);
    const auto count = static_cast<int>(node.arguments.size());
    if (count < known->least || count > known->most)
      return wrong_count(node, static_cast<std::size_t>(known->least), static_cast<std::size_t>(known->most));
    const bool remembers = known->kind == OperatorKind::state || known->kind == OperatorKind::memory;
    if (remembers && !memory_allowed)
      error("wrong-section", node.at,
            fmt::format("{} remembers something: it can stand in equations of {} only", written(node),
                        words_of(program_.language).continuous),
            words_of(program_.language).not_there);
    if (known->kind == OperatorKind::random && continuous)
      error("wrong-section", node.at,
            fmt::format("{} gives another value each time, so it cannot stand in continuous time", node.name),
            "call it in a DISCRETE section with an INTERVAL");
  }

  // As the program writes it: operators may have been renamed while they were read.
  std::string written(const Node& node) const {
    const std::string_view line = program_.source->line(node.at.line);
    const std::size_t begin = node.at.column > 0 ? static_cast<std::size_t>(node.at.column) - 1 : line.size();
    if (begin >= line.size() || !text::is_letter(line[begin])) return node.name;
    const std::string_view word = line.substr(begin, text::count_while(line, begin, text::is_word));
    return program_.language == "desire" ? std::string(word) : text::lower_case(word);
  }

  void wrong_count(const Node& node, std::size_t least, std::size_t most) {
    const std::string wanted = least == most  ? fmt::format("{}", least)
                               : most >= 1000 ? fmt::format("{} or more", least)
                                              : fmt::format("{} to {}", least, most);
    error(
        "argument-count", node.at,
        fmt::format("{} takes {} {}, but {} {} given", written(node), wanted, wanted == "1" ? "argument" : "arguments",
                    node.arguments.size(), node.arguments.size() == 1 ? "is" : "are"));
  }

  void unknown(const Node& node) {
    if (!told_.insert(node.name).second) return;
    std::vector<std::string_view> names(known_.begin(), known_.end());
    std::sort(names.begin(), names.end());
    std::string help = model::did_you_mean(node.name, names);
    if (help.empty()) help = words_of(program_.language).give_value;
    error("unknown-name", node.at, fmt::format("nothing gives {} a value", node.name), std::move(help));
  }

  void unknown_function(const Node& node) {
    if (!told_.insert(node.name + "(").second) return;
    std::vector<std::string_view> names;
    for (const Operator& known : operators()) names.push_back(known.name);
    for (const Subprogram& known : program_.subprograms) names.push_back(known.name);
    for (const Table& known : program_.tables) names.push_back(known.name);
    for (const Declared& known : program_.declared) {
      if (known.array) names.push_back(known.name);
    }
    error("unknown-function", node.at, fmt::format("there is no function, table or array {}", node.name),
          model::did_you_mean(node.name, names));
  }

  void warn_of_integers(const Node& node) {
    const Node& left = program_[node.arguments[0]];
    const Node& right = program_[node.arguments[1]];
    const bool whole = left.kind == Node::Kind::number && right.kind == Node::Kind::number && left.whole && right.whole;
    if (!whole || right.value == 0 || left.value / right.value == static_cast<std::int64_t>(left.value / right.value))
      return;
    program_.source->warning(diagnostics_, "integer-division", node.at,
                             "the quotient of two whole numbers is cut to a whole number, as in Fortran",
                             "write a point behind one of them: 1./2");
  }

  void check_call(const Section& section, const Statement& s) {
    if (s.name == "logd") {
      if (section.kind != Section::Kind::discrete && section.kind != Section::Kind::dynamic)
        error("wrong-section", s.at, "LOGD records values at events: it belongs into DISCRETE or DYNAMIC");
      return;
    }
    if (s.name == "gausi" || s.name == "unifi" || s.name == "debug") return;
    const Subprogram* known = program_.find_subprogram(s.name);
    if (known == nullptr) {
      std::vector<std::string_view> names{"logd"};
      for (const Subprogram& other : program_.subprograms) names.push_back(other.name);
      return error("unknown-function", s.at, fmt::format("there is no subroutine {}", s.name),
                   model::did_you_mean(s.name, names));
    }
    const std::size_t given = s.targets.size() + s.arguments.size();
    if (given != known->arguments.size())
      error("argument-count", s.at,
            fmt::format("{} takes {} arguments, but {} are given", s.name, known->arguments.size(), given));
  }

  void check_labels(const std::vector<Statement>& statements) {
    std::unordered_set<std::string> labels;
    visit(statements, [&](const Statement& s) {
      if (!s.label.empty() && !labels.insert(s.label).second)
        error("double-assignment", s.at, fmt::format("there is a label {} already", s.label),
              "give one of them another name");
    });
    visit(statements, [&](const Statement& s) {
      if (s.kind == Statement::Kind::go_to && !labels.contains(s.name))
        error("unknown-label", s.at, fmt::format("there is no label {} to go to", s.name),
              fmt::format("write {} CONTINUE where it is to go on", s.name));
    });
  }

  void check_subprogram(const Subprogram& subprogram) {
    locals_.insert(subprogram.arguments.begin(), subprogram.arguments.end());
    for (const Declared& item : subprogram.declared) locals_.insert(item.name);
    for (const Statement& s : subprogram.body) {
      std::vector<Use> writes;
      collect_writes(program_, s, writes);
      for (const Use& use : writes) locals_.insert(use.name);
    }
    if (subprogram.function && !locals_.contains(subprogram.name))
      error("no-result", subprogram.at, fmt::format("the function {} gives no value", subprogram.name),
            fmt::format("assign it: {} = …", subprogram.name));
    check_labels(subprogram.body);
    visit(subprogram.body, [&](const Statement& s) {
      if (s.kind == Statement::Kind::schedule || s.kind == Statement::Kind::terminate ||
          s.kind == Statement::Kind::procedural)
        error("wrong-section", s.at, "this statement cannot stand in a subprogram");
      if (s.kind == Statement::Kind::call && s.name == "logd")
        error("wrong-section", s.at, "LOGD cannot be called from here");
      for (const NodeId root : expressions_of(s)) {
        visit_nodes(program_, root, [&](NodeId id) { check_node(id, false, false); });
      }
    });
    locals_.clear();
  }

  Program& program_;
  const std::vector<std::string>& given_;
  Diagnostics& diagnostics_;
  std::unordered_set<std::string> known_, locals_, told_;
  std::set<std::string> discrete_;
};

}  // namespace

void check(Program& program, const std::vector<std::string>& given, Diagnostics& diagnostics) {
  Checking(program, given, diagnostics).run();
}

}  // namespace orrery::cssl
