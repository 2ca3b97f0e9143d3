// SPDX-License-Identifier: Apache-2.0
// Links without a line: where the name that a Set block gives is known, and which one a Get block means.
#include <fmt/format.h>

#include "compile/flattening.h"

namespace orrery::compile {
namespace {

const char* setter_type(TagKind kind) { return kind == TagKind::signal ? "SetSignal" : "SetActivationSignal"; }

}  // namespace

void Flattening::add_setter(Setters& setters, TagKind kind, const Level& level, std::uint32_t k) {
  const auto [at, fresh] = setters.try_emplace(level.tags.at(k).name, Setter{&level, k});
  if (fresh) return;
  const Setter& other = at->second;
  diagnostics_.error("duplicate-tag", place(level, level.diagram->blocks[k]),
                     fmt::format("another {} sets '{}' already: {}", setter_type(kind), at->first,
                                 place(*other.level, other.level->diagram->blocks[other.block]).block),
                     "give each a tag of its own");
}

// A local name is known in its own diagram. A scoped one in the diagram that has a scoping block for it, the nearest
// one around, and in all inside; without such a block in its own diagram and those inside. A global one everywhere.
void Flattening::find_setters(Level& level) {
  for (const auto& [k, tag] : level.tags) {
    const bool is_signal = level.roles[k] == BlockRole::set_signal;
    if (!is_signal && level.roles[k] != BlockRole::set_activation) continue;
    const TagKind kind = is_signal ? TagKind::signal : TagKind::activation;
    const auto number = static_cast<std::size_t>(kind);
    if (tag.visibility == "local") {
      add_setter(level.local_setters[number], kind, level, k);
    } else if (tag.visibility == "global") {
      add_setter(global_setters_[number], kind, level, k);
    } else {
      Level* scope = &level;
      while (scope != nullptr && !scope->scoped.contains({kind, tag.name})) scope = scope->parent;
      add_setter((scope == nullptr ? level : *scope).scoped_setters[number], kind, level, k);
    }
  }
  for (auto& [k, inside] : level.children) {
    for (const auto& child : inside.copies) find_setters(*child);
  }
}

// Moves (level, k) from a block that gets a signal or an activation to the one that sets it.
bool Flattening::follow_tag(TagKind kind, const Level*& level, std::uint32_t& k) {
  const std::string& tag = level->tags.at(k).name;
  const auto number = static_cast<std::size_t>(kind);
  const auto found_in = [&](const Setters& setters) {
    const auto setter = setters.find(tag);
    if (setter == setters.end()) return false;
    level = setter->second.level;
    k = setter->second.block;
    return true;
  };
  if (found_in(level->local_setters[number])) return true;
  for (const Level* at = level; at != nullptr; at = at->parent) {
    if (found_in(at->scoped_setters[number])) return true;
  }
  if (found_in(global_setters_[number])) return true;
  diagnostics_.error("unknown-tag", place(*level, level->diagram->blocks[k]),
                     fmt::format("no {} that is visible here sets '{}'", setter_type(kind), tag),
                     "add one with this tag here or in a diagram around this one, or make it global");
  return false;
}

}  // namespace orrery::compile
