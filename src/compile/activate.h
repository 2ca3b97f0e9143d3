// SPDX-License-Identifier: Apache-2.0
// Which blocks run when which source fires: direct links, inheritance, clocks, conditional blocks (Activate, 1.2
// to 1.4).
#pragma once

#include <iterator>
#include <unordered_map>

#include "base/diagnostic.h"
#include "base/number_map.h"
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

// The activations of the blocks of a table: chains through one array, as most blocks have one or two.
class ActivePorts {
  struct Link {
    ActivePort port;
    std::uint32_t next;
  };

 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = ActivePort;
    using difference_type = std::ptrdiff_t;
    using pointer = const ActivePort*;
    using reference = const ActivePort&;
    Iterator(const std::vector<Link>& links, std::uint32_t at) : links_(&links), at_(at) {}
    const ActivePort& operator*() const { return (*links_)[at_].port; }
    Iterator& operator++() {
      at_ = (*links_)[at_].next;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const std::vector<Link>* links_;
    std::uint32_t at_;
  };
  struct Range {
    Iterator first, last;
    Iterator begin() const { return first; }
    Iterator end() const { return last; }
  };

  // In the order in which they were added; none for a block that is not active.
  Range of(std::uint32_t block) const { return {{links_, first_.find(block)}, {links_, NumberMap::none}}; }
  bool contains(std::uint32_t block) const { return first_.contains(block); }
  // False: it is there already.
  bool add(std::uint32_t block, ActivePort port) {
    const auto fresh = static_cast<std::uint32_t>(links_.size());
    std::uint32_t at = first_.find(block), last = NumberMap::none;
    for (; at != NumberMap::none; last = at, at = links_[at].next) {
      if (links_[at].port.port == port.port && links_[at].port.atom == port.atom) return false;
    }
    links_.push_back({port, NumberMap::none});
    if (last == NumberMap::none) {
      first_.add(block, fresh);
    } else {
      links_[last].next = fresh;
    }
    return true;
  }

 private:
  NumberMap first_;  // by block
  std::vector<Link> links_;
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
  ActivePorts active;

  bool contains(std::uint32_t flat_block) const { return active.contains(flat_block); }
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
