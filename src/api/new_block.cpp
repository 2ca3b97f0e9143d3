// SPDX-License-Identifier: Apache-2.0
// The texts of skeletons. Each block is y = k u, delayed by nothing: the least that has a parameter and can be tested.
#include "api/new_block.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "io/output_file.h"
#include "model/check_diagram.h"
#include "model/model.h"

namespace orrery::api {
namespace {

namespace fs = std::filesystem;

constexpr const char* c_text =
    "/* NAME: what the block does, in one sentence. */\n#include \"vss_block4.h\"\n"
    R"(
/* The simulator calls this with a flag that says what it wants. The macros give inputs, outputs, parameters and states;
 * their numbers begin at 1. docs/custom_blocks.md lists them all. */
VSS_EXPORT void NAME(vss_block* block, int flag) {
  switch (flag) {
    case VssFlag_Initialize: /* once, first: memory, files; inputs have no values yet */
      break;
    case VssFlag_OutputUpdate: { /* outputs from time, states and inputs; also at points that a solver only tries */
      const double* u = GetRealInPortPtrs(block, 1);
      double* y = GetRealOutPortPtrs(block, 1);
      const int n = GetInPortRows(block, 1) * GetInPortCols(block, 1);
      const double k = GetRparPtrs(block)[0];
      for (int i = 0; i < n; ++i) y[i] = k * u[i];
      break;
    }
    case VssFlag_StateUpdate:  /* an event (GetEventCode) or a crossing (-1): new GetDstate, GetState */
    case VssFlag_Derivatives:  /* GetDerState from GetState */
    case VssFlag_Terminate:    /* once, at the end, also after an error */
      break;
  }
}
)";

constexpr const char* oml_text = R"(% NAME: what the block does, in one sentence.
% Called with a flag that says what the simulator wants; docs/custom_blocks.md lists flags and functions.
function NAME(block, flag)
  if flag == vssBlockOutputUpdateFlag
    k = vssGetRealParameters(block);
    vssSetOutputData(block, 1, k(1) * vssGetInputData(block, 1));
  elseif flag == vssBlockStateUpdateFlag
    % an event: vssSetDiscreteState(block, ...)
  end
end
)";

constexpr const char* p_text = R"(% NAME: what the block does, in one sentence.
% Runs once, on signals, when the model is compiled; what it computes becomes native code (show block PCustomBlock).
function block = NAME(block, flag)
  if flag == 1                      % outputs: block.io has inputs, then outputs
    block.io{2} = block.params.k * block.io{1};
  elseif flag == -1                 % initial values of block.state{k} and block.x{1}
  elseif flag == 2                  % an event: new block.state{k}
  end
end
)";

constexpr const char* cpp_text = R"(// NAME: what the block does, in one sentence.
// A block of the same form as those of the library (docs/writing_blocks.md): formulas, so it has exact derivatives and native code.
)"
                                 "#include \"blocks/user_block.h\"\n"
                                 R"(
using namespace orrery::blocks;

const BlockType NAME = {
    .name = "NAME",
    .palette = "User",
    .summary = "Multiplies its input by a constant.",
    .parameters = {{"k", "1", "factor; a scalar, or of the size of the input"}},
    .ports = [](Ports& p) { p.input("u").output("y"); },
    .refine = only_numbers,
    .build = [](Block& b) { b.out(1, b.parameter("k", b.in().type()) * b.in()); },
};

ORRERY_BLOCKS(&NAME)
)";

constexpr const char* cpp_make = R"(# INCLUDE: where `make install` has put the headers of Orrery.
INCLUDE ?= /usr/local/include/orrery

NAME.so: NAME.cpp
	$(CXX) -std=c++20 -O2 -fPIC -shared -I$(INCLUDE) -o $@ $<
)";

std::string named(std::string text, const std::string& name) {
  for (std::size_t at = text.find("NAME"); at != std::string::npos; at = text.find("NAME", at + name.size()))
    text.replace(at, 4, name);
  return text;
}

model::BlockInstance instance(std::string name, std::string type,
                              std::vector<std::pair<std::string, std::string>> parameters) {
  model::BlockInstance block;
  block.name = std::move(name);
  block.type = std::move(type);
  for (auto& [key, value] : parameters) block.parameters.push_back({std::move(key), std::move(value), 0});
  return block;
}

model::Link link(const std::string& from, const std::string& to) {
  model::Link made;
  made.from = {from, 1};
  made.to.push_back({to, 1});
  return made;
}

// 3 * sin(t) from the block and from a Gain; an Assertion ends the run where they differ.
model::Model test_model(const std::string& name, model::BlockInstance block) {
  model::Model model;
  model.name = name + "_test";
  model.about = "The block against a formula: the run fails where they differ.";
  model.settings.stop.text = "10";
  model.root.blocks.push_back(instance("Input", "SineWaveGenerator", {}));
  model.root.blocks.push_back(std::move(block));
  model.root.blocks.push_back(instance("Expected", "Gain", {{"k", "3"}}));
  model.root.blocks.push_back(
      instance("Same", "MatrixExpression", {{"inputs", "2"}, {"expression", "'abs(u1 - u2) < 1e-12'"}}));
  model.root.blocks.push_back(instance("Check", "Assertion", {}));
  model.root.blocks.push_back(instance("Output", "Scope", {}));
  model.root.links.push_back(link("Input", "Block"));
  model.root.links.back().to.push_back({"Expected", 1});
  model.root.links.push_back(link("Block", "Same"));
  model.root.links.back().to.push_back({"Output", 1});
  model.root.links.push_back(link("Expected", "Same"));
  model.root.links.back().to[0].port = 2;
  model.root.links.push_back(link("Same", "Check"));
  return model;
}

}  // namespace

const char* block_skeleton(std::string_view type) {
  if (type == "CCustomBlock") return c_text;
  if (type == "OmlCustomBlock") return oml_text;
  if (type == "PCustomBlock") return p_text;
  if (type == "CppBlock") return cpp_text;
  return nullptr;
}

bool new_block(const std::string& kind, const std::string& name, const std::string& parent, Diagnostics& diagnostics) {
  const bool identifier =
      !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  if (!identifier) {
    diagnostics.error("bad-name", model::place_in(name), "the name of a block has letters, digits and '_'",
                      "choose a name such as my_filter");
    return false;
  }
  const fs::path folder = fs::path(parent) / name;
  std::error_code error;
  if (fs::exists(folder, error)) {
    diagnostics.error("file-unwritable", model::place_in(folder), "there is such a folder already",
                      "choose another name, or remove it");
    return false;
  }
  fs::create_directories(folder, error);
  model::BlockInstance block;
  bool ok = true;
  if (kind == "c") {
    ok = io::write_file(folder / (name + ".c"), named(c_text, name), diagnostics);
    block = instance("Block", "CCustomBlock",
                     {{"source", "'" + name + ".c'"}, {"function", "'" + name + "'"}, {"rpar", "3"}});
  } else if (kind == "oml") {
    ok = io::write_file(folder / (name + ".oml"), named(oml_text, name), diagnostics);
    block = instance("Block", "OmlCustomBlock", {{"code", named(oml_text, name)}, {"rpar", "3"}});
  } else if (kind == "p") {
    ok = io::write_file(folder / (name + ".oml"), named(p_text, name), diagnostics);
    block = instance("Block", "PCustomBlock", {{"code", named(p_text, name)}, {"params", "struct('k', 3)"}});
  } else {
    ok = io::write_file(folder / (name + ".cpp"), named(cpp_text, name), diagnostics) &&
         io::write_file(folder / "Makefile", named(cpp_make, name), diagnostics);
    block = instance("Block", "CppBlock", {{"library", "'" + name + ".so'"}, {"block", "'" + name + "'"}, {"k", "3"}});
  }
  const model::Model test = test_model(name, std::move(block));
  return ok && model::save(test, folder / (name + "_test.orr"), diagnostics);
}

}  // namespace orrery::api
