// SPDX-License-Identifier: Apache-2.0
// The inside of an atomic super block that is there many times: compiled once, called by each of its instances.
#pragma once

#include "blocks/ports.h"

namespace orrery::blocks {

class Block;

class UnitBody {
 public:
  virtual ~UnitBody() = default;
  virtual void refine(Ports& ports) const = 0;
  virtual void build(Block& block) const = 0;
};

}  // namespace orrery::blocks
