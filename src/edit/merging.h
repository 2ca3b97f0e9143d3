// SPDX-License-Identifier: Apache-2.0
// A merge under way: choosing between versions, and the conflicts found so far.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "edit/merge.h"
#include "model/model.h"

namespace orrery::edit {

// A block in the three versions; null where it is not.
struct ThreeBlocks {
  const model::BlockInstance* base = nullptr;
  const model::BlockInstance* ours = nullptr;
  const model::BlockInstance* theirs = nullptr;
};

class Merging {
 public:
  std::vector<Conflict> conflicts;

  // A value that may have changed on either side.
  template <typename Value, typename Show>
  Value choose(const Value& base, const Value& ours, const Value& theirs, const std::string& path,
               const std::string& what, Show show) {
    if (ours == theirs || theirs == base) return ours;
    if (ours == base) return theirs;
    conflicts.push_back({path.empty() ? "/" : path, what, show(base), show(ours), show(theirs)});
    return ours;
  }

  std::string choose(const std::string& base, const std::string& ours, const std::string& theirs,
                     const std::string& path, const std::string& what) {
    return choose(base, ours, theirs, path, what, [](const std::string& s) { return s; });
  }

  std::vector<std::string> lines(const std::vector<std::string>& base, const std::vector<std::string>& ours,
                                 const std::vector<std::string>& theirs, const std::string& path,
                                 const std::string& what);
  model::Diagram diagram(const model::Diagram& base, const model::Diagram& ours, const model::Diagram& theirs,
                         const std::string& path);
  // By name: a need of one side is kept, two needs of one library are those of ours.
  static std::vector<model::LibraryNeed> libraries(const std::vector<model::LibraryNeed>& base,
                                                   const std::vector<model::LibraryNeed>& ours,
                                                   const std::vector<model::LibraryNeed>& theirs) {
    const auto has = [](const std::vector<model::LibraryNeed>& list, const std::string& name) {
      return std::any_of(list.begin(), list.end(), [&](const model::LibraryNeed& need) { return need.name == name; });
    };
    std::vector<model::LibraryNeed> merged;
    for (const model::LibraryNeed& need : ours) {
      if (!has(base, need.name) || has(theirs, need.name)) merged.push_back(need);
    }
    for (const model::LibraryNeed& need : theirs) {
      if (!has(base, need.name) && !has(ours, need.name)) merged.push_back(need);
    }
    return merged;
  }
  model::Settings settings(const model::Settings& base, const model::Settings& ours, const model::Settings& theirs);

 private:
  model::BlockInstance block(const ThreeBlocks& three, const std::string& name, const std::string& path);
  std::vector<model::Parameter> parameters(const ThreeBlocks& three, const std::string& path);
  std::vector<model::BlockSetting> block_settings(const std::vector<model::BlockSetting>& base,
                                                  const std::vector<model::BlockSetting>& ours,
                                                  const std::vector<model::BlockSetting>& theirs,
                                                  const std::string& what);
};

}  // namespace orrery::edit
