// SPDX-License-Identifier: Apache-2.0
// Looking things up while editing, and replacing single items.
#pragma once

#include "edit/commands.h"

namespace orrery::edit {

// Null, and a complaint, when there is none.
const model::Diagram* find_diagram_for(Edit& edit, const std::string& path);
std::optional<std::size_t> find_block(Edit& edit, const BlockPath& block);
std::optional<std::size_t> index_of(const model::Diagram& diagram, std::string_view block);
std::optional<std::size_t> layout_index(const model::Diagram& diagram, std::string_view block);
// The number of a link with this branch.
std::optional<std::size_t> link_with(const model::Diagram& diagram, const Branch& branch);
std::string unique_name(const model::Diagram& diagram, const std::string& wanted);
bool same_diagram(Edit& edit, const std::vector<BlockPath>& blocks);

// Changes a copy of a block and puts it back.
void change_block(Edit& edit, const BlockPath& block, const std::function<void(model::BlockInstance&)>& change);
void replace_block(Edit& edit, const std::string& diagram, std::size_t index, const model::BlockInstance& block);
void replace_link(Edit& edit, const std::string& diagram, std::size_t index, const model::Link& link);
void remove_bends(Edit& edit, const std::string& diagram, const std::vector<Branch>& branches);
// Paths of blocks in the settings follow a renamed block; an empty new path removes them.
void move_settings(Edit& edit, const std::string& from, const std::string& to);

}  // namespace orrery::edit
