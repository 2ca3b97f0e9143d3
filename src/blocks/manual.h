// SPDX-License-Identifier: Apache-2.0
// The block manual, generated from the declarations of the library and from nothing else.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "blocks/block.h"

namespace orrery::blocks {

// The value of a parameter text; nothing when it has none. Needed to show the ports a block has by default.
using TextEvaluator = std::function<std::optional<Value>(std::string_view text)>;

// All blocks, a line each, by palette.
std::string list_blocks();
// The page of one block, for a terminal.
std::string describe_block(const BlockType& type, const TextEvaluator& evaluate);
// All pages and an index in one HTML file that needs no other. `example` gives what stands at the end of a page.
using ExampleHtml = std::function<std::string(const BlockType& type)>;
std::string manual_html(const TextEvaluator& evaluate, const ExampleHtml& example = {});

// The parameters as declared; nothing when a text has no value.
std::optional<Parameters> default_parameters(const BlockType& type, const TextEvaluator& evaluate);

}  // namespace orrery::blocks
