// SPDX-License-Identifier: Apache-2.0
// The palette Routing: which signal goes where.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType mux;
extern const BlockType demux;
extern const BlockType switch2;
extern const BlockType select_input;
extern const BlockType set_signal;
extern const BlockType get_signal;
extern const BlockType signal_scoping;
extern const BlockType set_activation_signal;
extern const BlockType get_activation_signal;
extern const BlockType activation_signal_scoping;
extern const BlockType extractor;
extern const BlockType select_output;
extern const BlockType conditional_select;
extern const BlockType conditional_n_select;
extern const BlockType switch_n;
extern const BlockType manual_switch;

// Parameters of links without a line.
inline ParameterSpec tag_spec() { return {"tag", "'s'", "name of the signal"}; }
inline ParameterSpec visibility_spec() {
  return {
      "visibility",
      "'scoped'",
      "where the name is known: in this diagram alone; in that of the nearest scoping block around, or in this one, "
      "and in those inside it; everywhere",
      {"local", "scoped", "global"}};
}

}  // namespace orrery::blocks
