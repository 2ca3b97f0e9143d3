// SPDX-License-Identifier: Apache-2.0
// ExecOMLScript: a script that travels with the model and is run when somebody asks for it (Activate, chapter 21).
#include "blocks/custom_blocks/custom_blocks.h"

namespace orrery::blocks {

const BlockType exec_oml_script = {
    .name = "ExecOMLScript",
    .palette = "CustomBlocks",
    .summary = "Holds a script that is run on demand, not by simulations.",
    .description =
        "`orrery exec MODEL BLOCK` runs it, and so does `orrery run MODEL --exec BLOCK` before a simulation. It works "
        "in "
        "the base workspace: what it leaves there contexts find with GetFromBase. bdeGetCurrentModel is the model the "
        "block is in, so a script can linearise a part of it and design a controller. A simulation does nothing with "
        "the block.",
    .icon = {.text = "OML"},
    .parameters = {{"script", "", "the script, as it stands (no quotes around it)", {}, true}},
    .activation = Activation::initial,
    .ports = [](Ports& p) { p.parameters().text("script"); },
    .build = [](Block&) {},
};

}  // namespace orrery::blocks
