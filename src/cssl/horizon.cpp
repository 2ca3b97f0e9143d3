// SPDX-License-Identifier: Apache-2.0
// Looking for times in conditions that end a run.
#include "cssl/horizon.h"

#include <fmt/format.h>

#include "cssl/names.h"

namespace orrery::cssl {
namespace {

bool is_time(const Program& program, NodeId id) {
  return program[id].kind == Node::Kind::name && program[id].name == program.roles.time;
}

// The text of a number or a constant; empty: it is neither.
std::string bound_text(const Program& program, NodeId id) {
  const Node& node = program[id];
  if (node.kind == Node::Kind::number) return fmt::format("{}", node.value);
  if (node.kind != Node::Kind::name) return {};
  const Declared* declared = program.find(node.name);
  return declared != nullptr && declared->constant && !declared->array ? node.name : std::string();
}

}  // namespace

std::string horizon(const Program& program) {
  std::string latest;
  for (const Section& section : program.sections) {
    visit(section.statements, [&](const Statement& s) {
      if (s.kind != Statement::Kind::terminate) return;
      std::vector<NodeId> stack{s.value};
      while (!stack.empty()) {
        const Node& node = program[stack.back()];
        stack.pop_back();
        if (node.kind != Node::Kind::binary) continue;
        if (node.name == ".or.") stack.insert(stack.end(), node.arguments.begin(), node.arguments.end());
        const bool later = node.name == ".ge." || node.name == ".gt.";
        const bool earlier = node.name == ".le." || node.name == ".lt.";
        if (later && is_time(program, node.arguments[0])) latest = bound_text(program, node.arguments[1]);
        if (earlier && is_time(program, node.arguments[1])) latest = bound_text(program, node.arguments[0]);
      }
    });
  }
  const std::string& interval = program.roles.interval;
  const Declared* declared = program.find(interval);
  const std::string length = declared != nullptr && declared->constant ? interval : "1";
  return latest.empty() ? "1e4*" + length : fmt::format("{} + {}", latest, length);
}

}  // namespace orrery::cssl
