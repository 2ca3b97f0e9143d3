// SPDX-License-Identifier: Apache-2.0
// Single items of a diagram as the text that they have in a file, and back: what editing, journals and clipboards use.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace orrery::model {

std::string item_text(const BlockInstance& block);
std::string item_text(const Link& link);
std::string item_text(const MaskParameter& parameter);
std::string item_text(const Note& note);
std::string item_text(const LayoutItem& item);  // "\"Gain\": [0, 0, 70, 40]"
std::string item_text(const Bends& bends);
std::string lines_text(const std::vector<std::string>& lines);          // an array of strings
std::string settings_text(const Settings& settings);                    // an object
std::string options_text(const Diagram& diagram);                       // an object: atomic, for_each, count
std::string libraries_text(const std::vector<LibraryNeed>& libraries);  // an array

// Items of the list "mask", "blocks", "links", "notes", "layout" or "bends" as a diagram that holds nothing else; links
// may name blocks that are elsewhere. Nothing, and diagnostics, when a text is no such item.
std::optional<Diagram> parse_items(std::string_view list, const std::vector<std::string>& items,
                                   Diagnostics& diagnostics);
// The inverse of lines_text (as the context of the diagram) and of settings_text.
std::optional<std::vector<std::string>> parse_lines(std::string_view text, Diagnostics& diagnostics);
std::optional<Settings> parse_settings(std::string_view text, Diagnostics& diagnostics);
// The inverse of options_text: a diagram that has nothing else; and of libraries_text.
std::optional<Diagram> parse_options(std::string_view text, Diagnostics& diagnostics);
std::optional<std::vector<LibraryNeed>> parse_libraries(std::string_view text, Diagnostics& diagnostics);

BlockInstance copy_of(const BlockInstance& block);
Diagram copy_of(const Diagram& diagram);
Model copy_of(const Model& model);

}  // namespace orrery::model
