// SPDX-License-Identifier: Apache-2.0
// Sorting by readiness; strongly connected components for what is left.
#include "cssl/order_statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <unordered_map>
#include <utility>

#include "cssl/language_words.h"
#include "cssl/names.h"

namespace orrery::cssl {
namespace {

class Ordering {
 public:
  Ordering(const Program& program, Section& section) : program_(program), section_(section) {
    const std::size_t count = section.statements.size();
    needs_.resize(count);
    feeds_.resize(count);
    find_writers();
    for (std::size_t k = 0; k < count; ++k) find_needs(k);
  }

  bool run(Diagnostics& diagnostics) {
    const std::size_t count = section_.statements.size();
    std::vector<std::size_t> missing(count);
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t k = 0; k < count; ++k) {
      missing[k] = needs_[k].size();
      if (missing[k] == 0) ready.push(k);
    }
    std::vector<std::size_t> order;
    while (!ready.empty()) {
      const std::size_t k = ready.top();
      ready.pop();
      order.push_back(k);
      for (const std::size_t next : feeds_[k]) {
        if (--missing[next] == 0) ready.push(next);
      }
    }
    if (order.size() < count) {
      report_loops(missing, diagnostics);
      return false;
    }
    std::vector<Statement> sorted;
    sorted.reserve(count);
    for (const std::size_t k : order) sorted.push_back(std::move(section_.statements[k]));
    section_.statements = std::move(sorted);
    return true;
  }

 private:
  void find_writers() {
    for (std::size_t k = 0; k < section_.statements.size(); ++k) {
      const Statement& s = section_.statements[k];
      if (defines_state(program_, s)) continue;
      for (const std::string& name : outputs_of(s)) writers_[name].push_back(k);
    }
  }

  std::vector<std::string> outputs_of(const Statement& s) const {
    if (s.kind == Statement::Kind::procedural && s.has_header) return s.outputs;
    std::vector<Use> writes;
    collect_writes(program_, s, writes);
    std::vector<std::string> names;
    for (const Use& use : writes) names.push_back(use.name);
    return names;
  }

  // Several statements may write elements of one array: who reads it needs all of them.
  void find_needs(std::size_t k) {
    const Statement& s = section_.statements[k];
    std::vector<std::string> names;
    std::vector<std::string> own;
    const bool one_unit = s.kind != Statement::Kind::assign;
    if (one_unit) own = outputs_of(s);
    if (s.kind == Statement::Kind::procedural && s.has_header) {
      names = s.inputs;
    } else {
      std::vector<Use> reads;
      collect_reads(program_, s, true, reads);
      for (const Use& use : reads) names.push_back(use.name);
    }
    // IMPLC solves for its own name.
    if (!one_unit && program_[s.value].kind == Node::Kind::call && program_[s.value].name.starts_with("imp"))
      own = outputs_of(s);
    std::set<std::size_t> needed;
    for (const std::string& name : names) {
      if (std::find(own.begin(), own.end(), name) != own.end()) continue;
      const auto found = writers_.find(name);
      if (found == writers_.end()) continue;
      for (const std::size_t writer : found->second) needed.insert(writer);
    }
    for (const std::size_t writer : needed) {
      needs_[k].push_back(writer);
      feeds_[writer].push_back(k);
    }
  }

  // Components by Kosaraju's two walks over what has no order, without recursion.
  void report_loops(const std::vector<std::size_t>& missing, Diagnostics& diagnostics) {
    const std::size_t count = missing.size();
    std::vector<std::uint8_t> seen(count, 0);
    std::vector<std::size_t> finished;
    for (std::size_t root = 0; root < count; ++root) {
      if (missing[root] == 0 || seen[root] != 0) continue;
      std::vector<std::pair<std::size_t, std::size_t>> stack{{root, 0}};
      seen[root] = 1;
      while (!stack.empty()) {
        auto& [node, next] = stack.back();
        if (next == feeds_[node].size()) {
          finished.push_back(node);
          stack.pop_back();
          continue;
        }
        const std::size_t to = feeds_[node][next++];
        if (missing[to] > 0 && seen[to] == 0) {
          seen[to] = 1;
          stack.emplace_back(to, 0);
        }
      }
    }
    for (std::size_t k = finished.size(); k-- > 0;) {
      if (seen[finished[k]] == 2) continue;
      std::vector<std::size_t> members, stack{finished[k]};
      seen[finished[k]] = 2;
      while (!stack.empty()) {
        const std::size_t node = stack.back();
        stack.pop_back();
        members.push_back(node);
        for (const std::size_t to : needs_[node]) {
          if (missing[to] > 0 && seen[to] == 1) {
            seen[to] = 2;
            stack.push_back(to);
          }
        }
      }
      const bool itself =
          std::find(needs_[members[0]].begin(), needs_[members[0]].end(), members[0]) != needs_[members[0]].end();
      if (members.size() > 1 || itself) report(members, diagnostics);
    }
  }

  void report(std::vector<std::size_t> members, Diagnostics& diagnostics) const {
    std::sort(members.begin(), members.end());
    std::vector<std::string> names;
    for (const std::size_t k : members) {
      for (const std::string& name : outputs_of(section_.statements[k])) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
    std::string list;
    constexpr std::size_t most_names = 12;
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (k == most_names) {
        list += fmt::format(" and {} more", names.size() - most_names);
        break;
      }
      list += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
    }
    Diagnostic& loop = program_.source->error(
        diagnostics, "algebraic-loop", section_.statements[members[0]].at,
        fmt::format("algebraic loop detected involving {} {}", names.size() == 1 ? "variable" : "variables", list),
        words_of(program_.language).break_loops);
    for (std::size_t k = 1; k < std::min(members.size(), most_names); ++k) {
      const Position at = section_.statements[members[k]].at;
      for (const std::string& line : text::excerpt(program_.source->line(at.line), {at.line, 0}))
        loop.notes.push_back(line);
    }
  }

  const Program& program_;
  Section& section_;
  std::unordered_map<std::string, std::vector<std::size_t>> writers_;
  std::vector<std::vector<std::size_t>> needs_, feeds_;
};

}  // namespace

bool order_statements(const Program& program, Section& section, Diagnostics& diagnostics) {
  return Ordering(program, section).run(diagnostics);
}

}  // namespace orrery::cssl
