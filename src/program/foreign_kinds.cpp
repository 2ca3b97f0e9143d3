// SPDX-License-Identifier: Apache-2.0
// Finding the kind of a foreign object.
#include "program/foreign_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/check.h"

namespace orrery::program {
namespace {

bool fits(ForeignSetting::Type type, const std::string& value) {
  if (type == ForeignSetting::Type::flag) return value == "1";
  if (type != ForeignSetting::Type::whole_number) return true;
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc{} && end == value.data() + value.size();
}

void check_settings(const ForeignObject& object, const ForeignKind& kind) {
  std::set<std::string> seen;
  for (const auto& [name, value] : object.settings) {
    const auto known = std::find_if(kind.settings.begin(), kind.settings.end(),
                                    [&](const ForeignSetting& setting) { return setting.name == name; });
    ORRERY_CHECK(known != kind.settings.end());
    ORRERY_CHECK(fits(known->type, value));
    ORRERY_CHECK(seen.insert(name).second || known->repeated);
  }
}

}  // namespace

OpenForeign open_by_kind(std::vector<ForeignKind> kinds) {
  return [kinds = std::move(kinds)](const ForeignObject& object, const ForeignRun& run, const Place& place,
                                    Diagnostics& diagnostics) -> std::unique_ptr<ForeignInstance> {
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const ForeignKind& known) { return known.name == object.kind; });
    if (kind == kinds.end()) {
      diagnostics.error("no-foreign-code", place,
                        fmt::format("nothing here can run an object of kind {}", object.kind));
      return nullptr;
    }
    check_settings(object, *kind);
    return kind->open(object, run, place, diagnostics);
  };
}

}  // namespace orrery::program
