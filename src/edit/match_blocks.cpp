// SPDX-License-Identifier: Apache-2.0
// Which block is which when names have changed.
#include <algorithm>
#include <set>
#include <tuple>

#include "edit/compare.h"

namespace orrery::edit {
namespace {

using Ends = std::multiset<std::tuple<bool, bool, int, std::string, int>>;  // kind, direction, own port, other end

Ends ends_of(const model::Diagram& diagram, const std::string& name, const std::map<std::string, std::string>& names) {
  const auto known = [&](const std::string& block) {
    const auto found = names.find(block);
    return found == names.end() ? "?" : found->second;
  };
  Ends ends;
  for (const model::Link& link : diagram.links) {
    for (const model::PortRef& to : link.to) {
      if (link.from.block == name) ends.emplace(link.activation, true, link.from.port, known(to.block), to.port);
      if (to.block == name) ends.emplace(link.activation, false, to.port, known(link.from.block), link.from.port);
    }
  }
  return ends;
}

double overlap(const Ends& a, const Ends& b) {
  if (a.empty() && b.empty()) return 0.5;  // says little either way
  std::vector<Ends::value_type> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return static_cast<double>(both.size()) / static_cast<double>(std::max(a.size(), b.size()));
}

double alike(const model::BlockInstance& a, const model::BlockInstance& b) {
  std::size_t same = 0;
  const std::size_t count = std::max(a.parameters.size(), b.parameters.size());
  for (const model::Parameter& parameter : a.parameters) {
    const model::Parameter* other = b.find_parameter(parameter.name);
    if (other != nullptr && other->value == parameter.value) ++same;
  }
  double share = count == 0 ? 1.0 : static_cast<double>(same) / static_cast<double>(count);
  if (a.diagram && b.diagram) {
    // Super blocks are alike when their insides are.
    std::multiset<std::pair<std::string, std::string>> inside_a, inside_b;
    for (const auto& block : a.diagram->blocks) inside_a.emplace(block.name, block.type);
    for (const auto& block : b.diagram->blocks) inside_b.emplace(block.name, block.type);
    std::vector<std::pair<std::string, std::string>> both;
    std::set_intersection(inside_a.begin(), inside_a.end(), inside_b.begin(), inside_b.end(), std::back_inserter(both));
    const std::size_t most = std::max<std::size_t>({inside_a.size(), inside_b.size(), 1});
    share = static_cast<double>(both.size()) / static_cast<double>(most);
  }
  return share;
}

struct Guess {
  double score;
  std::size_t a, b;
};

}  // namespace

std::map<std::string, std::string> match_blocks(const model::Diagram& a, const model::Diagram& b) {
  std::set<std::string> in_a, in_b;
  for (const auto& block : a.blocks) in_a.insert(block.name);
  for (const auto& block : b.blocks) in_b.insert(block.name);
  std::map<std::string, std::string> matched, own;
  for (const std::string& name : in_b) {
    if (in_a.contains(name)) matched[name] = own[name] = name;
  }
  std::vector<std::size_t> gone, come;
  for (std::size_t k = 0; k < a.blocks.size(); ++k) {
    if (!in_b.contains(a.blocks[k].name)) gone.push_back(k);
  }
  for (std::size_t k = 0; k < b.blocks.size(); ++k) {
    if (!in_a.contains(b.blocks[k].name)) come.push_back(k);
  }
  // Twice: neighbours that were renamed as well are known in the second round. Many at once are another model.
  constexpr std::size_t most = 300;
  for (int round = 0; round < 2 && gone.size() <= most && come.size() <= most; ++round) {
    std::vector<Guess> guesses;
    for (const std::size_t i : gone) {
      for (const std::size_t j : come) {
        const model::BlockInstance &x = a.blocks[i], &y = b.blocks[j];
        if (x.type != y.type || (x.diagram == nullptr) != (y.diagram == nullptr) || matched.contains(y.name)) continue;
        const double links = overlap(ends_of(a, x.name, own), ends_of(b, y.name, matched));
        const double score = 0.5 * links + 0.5 * alike(x, y);
        if (score >= 0.5) guesses.push_back({score, i, j});
      }
    }
    std::stable_sort(guesses.begin(), guesses.end(), [](const Guess& p, const Guess& q) { return p.score > q.score; });
    for (const Guess& guess : guesses) {
      const std::string &x = a.blocks[guess.a].name, &y = b.blocks[guess.b].name;
      if (own.contains(x) || matched.contains(y)) continue;
      own[x] = x;
      matched[y] = x;
    }
  }
  return matched;
}

}  // namespace orrery::edit
