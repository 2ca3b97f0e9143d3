// SPDX-License-Identifier: Apache-2.0
// Comparison and hash of block instances, diagrams inside them included.
#include "compile/same_instance.h"

#include <algorithm>
#include <functional>

namespace orrery::compile {
namespace {

using model::BlockInstance;
using model::Diagram;

// Lines are compared by their distance from those of the two super blocks; 0 is no line.
struct Lines {
  int a = 0, b = 0;
  bool same(int in_a, int in_b) const { return in_a == 0 || in_b == 0 ? in_a == in_b : in_a - a == in_b - b; }
};

template <class Item, class Same>
bool equal_lists(const std::vector<Item>& a, const std::vector<Item>& b, Same&& same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool same_diagram(const Diagram& a, const Diagram& b, const Lines& lines);

bool same_parameters(const BlockInstance& a, const BlockInstance& b) {
  return equal_lists(a.parameters, b.parameters, [](const model::Parameter& x, const model::Parameter& y) {
    return x.name == y.name && x.value == y.value;
  });
}

bool same_block(const BlockInstance& a, const BlockInstance& b, const Lines& lines) {
  return a.name == b.name && a.type == b.type && a.activation == b.activation && a.off == b.off &&
         lines.same(a.line, b.line) && same_parameters(a, b) && !a.diagram == !b.diagram &&
         (!a.diagram || same_diagram(*a.diagram, *b.diagram, lines));
}

bool same_mask(const model::MaskParameter& a, const model::MaskParameter& b) {
  return a.name == b.name && a.value == b.value && a.kind == b.kind && a.choices == b.choices && a.valid == b.valid &&
         a.message == b.message;
}

bool same_diagram(const Diagram& a, const Diagram& b, const Lines& lines) {
  if (a.atomic != b.atomic || a.for_each != b.for_each || a.count != b.count || a.program != b.program ||
      a.context != b.context || !lines.same(a.context_line, b.context_line))
    return false;
  return equal_lists(a.mask, b.mask, same_mask) &&
         equal_lists(a.blocks, b.blocks,
                     [&](const BlockInstance& x, const BlockInstance& y) { return same_block(x, y, lines); }) &&
         equal_lists(a.links, b.links, [&](const model::Link& x, const model::Link& y) {
           return x.activation == y.activation && x.from == y.from && x.to == y.to;
         });
}

void mix(std::uint64_t& hash, std::uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15u + (hash >> 29); }
void mix(std::uint64_t& hash, const std::string& text) { mix(hash, std::hash<std::string>{}(text)); }

void mix_block(std::uint64_t& hash, const BlockInstance& block, int line) {
  mix(hash, block.type);
  for (const model::Parameter& parameter : block.parameters) {
    mix(hash, parameter.name);
    mix(hash, parameter.value);
  }
  if (!block.diagram) return;
  mix(hash, block.diagram->blocks.size());
  for (const BlockInstance& inner : block.diagram->blocks) {
    mix(hash, inner.name);
    mix(hash, inner.line == 0 ? 0 : static_cast<std::uint64_t>(inner.line - line));
    mix_block(hash, inner, line);
  }
  for (const model::Link& link : block.diagram->links) mix(hash, link.from.block);
}

}  // namespace

bool is_same_instance(const BlockInstance& a, const BlockInstance& b) {
  return a.type == b.type && same_parameters(a, b) && !a.diagram == !b.diagram &&
         (!a.diagram || same_diagram(*a.diagram, *b.diagram, {a.line, b.line}));
}

std::uint64_t instance_hash(const BlockInstance& block) {
  std::uint64_t hash = 0;
  mix_block(hash, block, block.line);
  return hash;
}

}  // namespace orrery::compile
