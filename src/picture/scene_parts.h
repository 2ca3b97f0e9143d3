// SPDX-License-Identifier: Apache-2.0
// Pieces that a scene is made of, and made anew where something changes.
#pragma once

#include <functional>

#include "picture/look.h"
#include "picture/route.h"

namespace orrery::picture {

// A block without its labels.
SceneBlock draw_block(const model::BlockInstance& block, const BlockFacts& facts, const Look& look, const Box& box,
                      model::Flow flow, std::vector<ScenePort> ports);
// Below the block, unless it is crowded there: then beside, or above.
void place_labels(SceneBlock& block, const std::vector<std::string>& lines, bool faint,
                  const std::function<bool(const Box&)>& crowded);
std::vector<SceneNote> draw_notes(const model::Diagram& diagram);

// Points where branches leave what is drawn before them; such points become part of their ways.
void find_junctions(SceneLink& link);
void name_link(SceneLink& link);
std::vector<Crossing> find_crossings(const std::vector<SceneLink>& links);
bool same_targets(const SceneLink& a, const SceneLink& b);
// The ways of a link that is still good: its ends are where they were, and it meets no block that has moved. Else none.
std::vector<Path> kept_way(const SceneLink& link, const RouteNet& net, const std::vector<Box>& moved);

Box bounds_of(const Scene& scene);

}  // namespace orrery::picture
