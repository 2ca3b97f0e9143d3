// SPDX-License-Identifier: Apache-2.0
// Which blocks run when which source fires: direct links, inheritance, clocks, conditional blocks (Activate, 1.2
// to 1.4).
#pragma once

#include <unordered_map>

#include "base/diagnostic.h"
#include "compile/build_bodies.h"
#include "compile/flat_model.h"

namespace orrery::compile {

// A reason for a block to be active in a table. Guards are disjunctions of atoms.
struct Atom {
  enum class Kind : std::uint8_t {
    direct,      // whenever the source fires
    continuous,  // in the initial table: because the block is always active; no updates, no programming
    clock,       // one clock of the domain ticks
    pass,        // a conditional block lets the activation through
  };
  Kind kind = Kind::direct;
  std::uint32_t index = 0;  // clock, or conditional block
  std::uint32_t pass = 0;   // index into its Body::passes
};

struct ActivePort {
  int port;            // activation input; 0 for "always active" and "initially active" blocks
  std::uint32_t atom;  // index into Plan::atoms
};

// The blocks of one table, before they are ordered.
struct Plan {
  program::SourceKind kind = program::SourceKind::initial;
  bool always = false;             // the continuous-time plan, which is not a source of events
  std::uint32_t block = no_block;  // programmed: the block whose output fires; crossing: the owner
  int port = 0;
  std::uint32_t domain = 0;
  bool queued = false;
  bool first = false;  // before all other events of its instant
  std::vector<Atom> atoms;
  std::vector<std::uint32_t> members;  // flat blocks in file order
  std::unordered_map<std::uint32_t, std::vector<ActivePort>> active;

  bool contains(std::uint32_t flat_block) const { return active.find(flat_block) != active.end(); }
};

struct Activations {
  Plan always;
  std::vector<Plan> sources;  // [0] initial; the order of Program::sources
  // Source that an activation output programs, by block and port.
  std::unordered_map<std::uint64_t, std::uint32_t> programmed;
  std::unordered_map<std::uint32_t, std::uint32_t> crossing;  // by block

  static std::uint64_t key(std::uint32_t block, int port) {
    return static_cast<std::uint64_t>(block) << 16 | static_cast<std::uint64_t>(port);
  }
};

// Clocks and domains are put into the program.
Activations activate(const FlatModel& model, const Bodies& bodies, program::Program& program, Diagnostics& diagnostics);

// What runs at the start only, and computes outputs and nothing else, does so whatever the conditions around it say
// then (EnableInput): it has no later chance, and what runs there when they are fulfilled reads it.
void free_constants(const Activations& activations, Bodies& bodies);

}  // namespace orrery::compile
