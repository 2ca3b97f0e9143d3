// SPDX-License-Identifier: Apache-2.0
// Which names statements read and write.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cssl/program.h"

namespace orrery::cssl {

struct Use {
  std::string name;
  Position at;
};

// Names an expression reads. `at_once`: without what only the start, or a later moment of the same evaluation, needs.
// Names of functions and tables are not among them; those of arrays are.
void collect_reads(const Program& program, NodeId expression, bool at_once, std::vector<Use>& reads);
// Everything a statement reads, those inside it included, and indices of its targets.
void collect_reads(const Program& program, const Statement& statement, bool at_once, std::vector<Use>& reads);
void collect_writes(const Program& program, const Statement& statement, std::vector<Use>& writes);
// Calls visit(statement) for all statements, outer ones first.
void visit(const std::vector<Statement>& statements, const std::function<void(const Statement&)>& visit_one);
void visit(const Statement& statement, const std::function<void(const Statement&)>& visit_one);
// All nodes of an expression, arguments after what they belong to.
void visit_nodes(const Program& program, NodeId root, const std::function<void(NodeId)>& visit_one);
// Expressions a statement has itself, without those of statements inside it.
std::vector<NodeId> expressions_of(const Statement& statement);
// Whether the statement defines a state: x = INTEG(…).
bool defines_state(const Program& program, const Statement& statement);

}  // namespace orrery::cssl
