// SPDX-License-Identifier: Apache-2.0
// Looking names up.
#include "cssl/program.h"

#include <algorithm>

namespace orrery::cssl {
namespace {

template <class List>
auto find_named(const List& list, const std::string& name) -> decltype(list.data()) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.name == name; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

const Declared* Program::find(const std::string& name) const {
  const auto found = place_.find(name);
  return found == place_.end() ? nullptr : &declared[found->second];
}

Declared& Program::declare(const std::string& name, Position at) {
  const auto [found, fresh] = place_.emplace(name, declared.size());
  if (fresh) {
    Declared item;
    item.name = name;
    item.at = at;
    declared.push_back(std::move(item));
  }
  return declared[found->second];
}

const Table* Program::find_table(const std::string& name) const { return find_named(tables, name); }
const Subprogram* Program::find_subprogram(const std::string& name) const { return find_named(subprograms, name); }

void Program::set_runs(const std::vector<std::unordered_map<std::string, double>>& list) {
  if (list.size() < 2) return;
  runs = static_cast<int>(list.size());
  for (Declared& item : declared) {
    if (!item.constant || item.array) continue;
    std::vector<double> values;
    bool changes = false;
    for (const auto& run : list) {
      const auto found = run.find(item.name);
      values.push_back(found != run.end() ? found->second : item.values[0]);
      changes = changes || values.back() != values[0];
    }
    if (changes || values[0] != item.values[0]) item.by_run = std::move(values);
  }
  Declared& left = declare(runs_to_come, {});
  left.values = {0};
  left.constant = true;
}

}  // namespace orrery::cssl
