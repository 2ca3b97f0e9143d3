// SPDX-License-Identifier: Apache-2.0
// Lets every block say its behaviour: bodies over signal slots, nothing scheduled yet.
#pragma once

#include <memory>
#include <unordered_map>

#include "base/diagnostic.h"
#include "blocks/body.h"
#include "compile/flat_model.h"

namespace orrery::compile {

// By block. A copy shares the bodies until it is given others.
class BodyList {
 public:
  explicit BodyList(std::size_t count = 0) : bodies_(count) {}
  std::size_t size() const { return bodies_.size(); }
  const blocks::Body& operator[](std::size_t block) const { return *bodies_[block]; }
  void set(std::size_t block, blocks::Body body) {
    bodies_[block] = std::make_shared<const blocks::Body>(std::move(body));
  }

 private:
  std::vector<std::shared_ptr<const blocks::Body>> bodies_;
};

struct Bodies {
  BodyList of_block;
  std::vector<std::vector<program::SlotId>> signals;  // by block and output port
  std::vector<std::uint32_t> owner;                   // by slot: the flat block, no_block for others
  // By block, where there are any: signals that are all true where it runs (EnableInput).
  std::unordered_map<std::uint32_t, std::vector<program::SlotId>> conditions = {};
};

// Origin k + 1 of the program is block k.
Bodies build_bodies(const FlatModel& model, program::Program& program, Diagnostics& diagnostics);

}  // namespace orrery::compile
