// SPDX-License-Identifier: Apache-2.0
// The palette BusOperations: signals with names that share a link. The compiler follows the names, so nothing runs.
#pragma once

#include <utility>

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType bus_creator;
extern const BlockType bus_extractor;
extern const BlockType bus_assignment;
extern const BlockType bus_constant;
extern const BlockType bus_input;
extern const BlockType bus_output;
extern const BlockType set_bus_signal;
extern const BlockType get_bus_signal;
extern const BlockType bus_signal_scoping;

// The parameter `names` of a bus block. Dotted: a name may lead into buses within the bus.
std::vector<std::string> bus_signals(const Parameters& parameters, bool dotted);
// The numbers of a table of tables, under their dotted names.
void list_bus_constants(const Parameters& parameters, std::vector<std::pair<std::string, Value>>& numbers);

}  // namespace orrery::blocks
