// SPDX-License-Identifier: Apache-2.0
// Units that remarks give to the parameters and ports of a block.
#pragma once

#include <map>
#include <string>

#include "compile/flat_model.h"
#include "units/unit.h"

namespace orrery::compile {

struct BlockUnit {
  units::ParsedUnit unit;
  std::string where;  // for messages
};

struct BlockRemarks {
  std::map<std::string, BlockUnit> parameters;
  std::map<int, BlockUnit> inputs, outputs;  // from 1
};

// Of an instance that the model itself has; blocks of other files have none.
BlockRemarks remarks_of(const model::Model& model, const Place& place, const FlatBlock& block,
                        Diagnostics& diagnostics);

}  // namespace orrery::compile
