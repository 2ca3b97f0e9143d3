// SPDX-License-Identifier: Apache-2.0
// Checks of names and link ends in one diagram.
#include "model/check_diagram.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "model/closest_name.h"
#include "model/limits.h"

namespace orrery::model {
namespace {

class DiagramCheck {
 public:
  DiagramCheck(const Diagram& diagram, const std::string& file, const std::string& path, Diagnostics& diagnostics)
      : diagram_(diagram), file_(file), path_(path), diagnostics_(diagnostics) {}

  void names() {
    lines_.reserve(diagram_.blocks.size());
    for (const BlockInstance& block : diagram_.blocks) {
      if (full()) return;
      const auto [first, is_new] = lines_.emplace(block.name, block.line);
      if (is_new || block.name.empty()) continue;
      diagnostics_
          .error("duplicate-block", place(block.line, block.name),
                 "a block called " + in_quotes(block.name) + " is already in this diagram", "rename one of the two")
          .notes.push_back("the first one is in line " + std::to_string(first->second));
    }
  }

  void links() {
    for (const Link& link : diagram_.links) {
      end_of(link, link.from);
      for (const PortRef& target : link.to) end_of(link, target);
      if (full()) return;
    }
  }

  // Stale drawing data does no harm to a simulation, so it only warns.
  void layout() {
    for (const LayoutItem& item : diagram_.layout) {
      if (lines_.contains(item.block)) continue;
      if (++layout_warnings_ > most_errors) return;
      diagnostics_.warning("dangling-layout", place(item.line, {}),
                           "the layout places " + in_quotes(item.block) + ", which is not a block of this diagram",
                           "remove the entry");
    }
  }

  void bends() {
    if (diagram_.bends.empty()) return;
    std::unordered_set<std::string> branches;
    for (const Link& link : diagram_.links) {
      for (const PortRef& to : link.to) branches.insert(branch_text({link.activation, link.from, to, {}, 0}));
    }
    for (const Bends& item : diagram_.bends) {
      if (item.from.block.empty() || branches.contains(branch_text(item))) continue;
      if (++layout_warnings_ > most_errors) return;
      diagnostics_.warning("dangling-layout", place(item.line, {}),
                           in_quotes(branch_text(item)) + " is bent, which is not a link of this diagram",
                           "remove the entry");
    }
  }

 private:
  bool full() const { return diagnostics_.error_count() >= most_errors; }

  Place place(int line, std::string_view block) const {
    return place_in(file_, line, block.empty() ? path_ : path_ + '/' + std::string(block));
  }

  void end_of(const Link& link, const PortRef& end) {
    // An empty name means that the reference itself was bad and has been reported.
    if (end.block.empty() || lines_.contains(end.block) || full()) return;
    if (candidates_.empty()) {
      for (const BlockInstance& block : diagram_.blocks) candidates_.push_back(block.name);
    }
    std::string help = did_you_mean(end.block, candidates_);
    if (help.empty()) help = "add the block, or remove the link";
    diagnostics_.error("dangling-link", place(link.line, {}),
                       "the link names " + in_quotes(end.block) + ", which is not a block of this diagram",
                       std::move(help));
  }

  const Diagram& diagram_;
  const std::string& file_;
  const std::string& path_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string_view, int> lines_;
  std::vector<std::string_view> candidates_;
  int layout_warnings_ = 0;
};

}  // namespace

void check_diagram(const Diagram& diagram, const std::string& file, const std::string& path, Diagnostics& diagnostics) {
  DiagramCheck check(diagram, file, path, diagnostics);
  check.names();
  check.links();
  check.layout();
  check.bends();
}

void check_unique(std::vector<NamedLine> names, std::string_view what, const Place& place, Diagnostics& diagnostics) {
  std::stable_sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  for (std::size_t i = 1; i < names.size() && diagnostics.error_count() < most_errors; ++i) {
    if (names[i].name != names[i - 1].name) continue;
    Place here = place;
    here.line = names[i].line;
    diagnostics.error("duplicate-field", std::move(here),
                      std::string(what) + " " + in_quotes(names[i].name) + " is given twice", "keep one of the two");
  }
}

Place place_in(const std::string& file, int line, std::string block) {
  Place place;
  place.file = file;
  place.line = line;
  place.block = std::move(block);
  return place;
}

std::string_view name_fault(std::string_view name) {
  if (name.empty()) return "is empty";
  for (const char c : name) {
    if (c == '/') return "contains '/', which separates the parts of a path";
    if (c == ':') return "contains ':', which separates a block from its port";
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return "contains a control character";
  }
  return {};
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result = "\"";
  std::size_t end = std::min(text.size(), longest);
  // Never cut inside a UTF-8 sequence: its later bytes are 10xxxxxx.
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  for (const char c : text.substr(0, end)) result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  return result + (end < text.size() ? "…\"" : "\"");
}

}  // namespace orrery::model
