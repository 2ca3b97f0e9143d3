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

}  // namespace orrery::cssl
