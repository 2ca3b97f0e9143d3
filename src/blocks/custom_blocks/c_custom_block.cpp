// SPDX-License-Identifier: Apache-2.0
// CCustomBlock and OmlCustomBlock: blocks that a function in C, or in OML, computes when the simulator calls it.
#include "blocks/custom_blocks/custom_blocks.h"
#include "blocks/custom_blocks/flag_block.h"

namespace orrery::blocks {
namespace {

const char* const flags_description =
    "The function is called with a flag that says what is wanted: outputs, derivatives or residuals, new discrete "
    "states at "
    "events, delays of the events it programs, zero-crossing functions and modes, constraints, its Jacobian. All other "
    "blocks stay formulas; this one is a foreign function to them. A block with continuous states or surfaces is "
    "always "
    "active, and one without activation links inherits. docs/custom_blocks.md has the interface and examples.";

std::vector<ParameterSpec> with_own(std::vector<ParameterSpec> own) {
  const std::vector<ParameterSpec> shared = flag_parameters();
  own.insert(own.end(), shared.begin(), shared.end());
  return own;
}

void build_c_block(Block& b) {
  FlagSettings settings;
  for (const char* name : {"code", "source", "library"}) {
    if (!b.text(name).empty()) settings.emplace_back(name, b.text(name));
  }
  if (settings.size() != 1)
    b.fail("code", "give one of: the code of the block, a file with it, a shared library",
           "set one of code, source and library");
  if (b.text("function").empty()) b.fail("function", "must be the name of the function");
  settings.emplace_back("function", b.text("function"));
  if (b.flag("safe")) settings.emplace_back("safe", "1");
  build_flag_block(b, "c_block", std::move(settings));
}

void build_oml_block(Block& b) {
  FlagSettings settings;
  if (b.text("code").empty()) b.fail("code", "must be a function in OML, or the name of one");
  settings.emplace_back("code", b.text("code"));
  build_flag_block(b, "oml_block", std::move(settings));
}

}  // namespace

const BlockType c_custom_block = {
    .name = "CCustomBlock",
    .palette = "CustomBlocks",
    .summary = "A block written in C against vss_block4.h.",
    .description = std::string(flags_description) +
                   "\n\nThe code is kept in the model and compiled with the machine's C compiler, or in memory where "
                   "there is none; or "
                   "the function is in a shared library beside the model. It runs with all rights of the simulator: "
                   "with safe set to 1 in "
                   "a process of its own, whose crashes are messages.",
    .parameters = with_own({{"code", "", "the C code, as it stands (no quotes around it)", {}, true},
                            {"source", "''", "path of a file with the C code, relative to the model's file"},
                            {"library", "''", "path of a shared library, relative to the model's file"},
                            {"function", "'block'", "name of the function void block(vss_block*, int)"},
                            {"safe", "0", "1: in a process of its own"}}),
    .ports = declare_flag_ports,
    .build = build_c_block,
    .foreign = true,
};

const BlockType oml_custom_block = {
    .name = "OmlCustomBlock",
    .palette = "CustomBlocks",
    .summary = "A block whose function is interpreted in OML.",
    .description = std::string(flags_description) +
                   "\n\nThe function is called as f(block, flag) whenever the simulator needs something, and reads and "
                   "writes through "
                   "vssGetInputData(block, n), vssSetOutputData(block, n, value) and the like. It is slow beside a "
                   "PCustomBlock, which becomes "
                   "native code; what only an interpreter can do is what it is for. Numbers are doubles.",
    .parameters =
        with_own({{"code", "", "the function, as it stands (no quotes around it), or the name of one", {}, true}}),
    .ports = declare_flag_ports,
    .build = build_oml_block,
    .foreign = true,
};

const BlockType cpp_block = {
    .name = "CppBlock",
    .palette = "CustomBlocks",
    .summary = "A block type in a shared library of a user.",
    .description =
        "The library has block types of the same form as those of Orrery itself, built against the installed headers "
        "(blocks/user_block.h): declarations and formulas, so such a block has exact derivatives and native code like "
        "any "
        "other. The other parameters are those that the type declares. docs/custom_blocks.md shows how.",
    .parameters = {{"library", "''", "path of the shared library, relative to the model's file"},
                   {"block", "''", "name of the block type in it"}},
    .role = Role::user_type,
    .ports = [](Ports& p) { p.activation_inputs(1); },
};

}  // namespace orrery::blocks
