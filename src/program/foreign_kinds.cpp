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
  for (const auto& [key, value] : object.settings) {
    const std::string& name = key;
    const auto known = std::find_if(kind.settings.begin(), kind.settings.end(),
                                    [&](const ForeignSetting& setting) { return setting.name == name; });
    ORRERY_CHECK(known != kind.settings.end());
    ORRERY_CHECK(fits(known->type, value));
    ORRERY_CHECK(seen.insert(name).second || known->repeated);
  }
}

const ForeignKind* kind_of(const ForeignObject& object, const std::vector<ForeignKind>& kinds) {
  const auto known =
      std::find_if(kinds.begin(), kinds.end(), [&](const ForeignKind& kind) { return kind.name == object.kind; });
  return known == kinds.end() ? nullptr : &*known;
}

// "fmu ball.fmu"
std::string words_of(const ForeignObject& object) {
  for (const auto& [name, value] : object.settings) {
    if (name == "file") return fmt::format("{} {}", object.kind, value);
  }
  return object.kind;
}

bool is_allowed(const ForeignObject& object, const ForeignKind& kind, const Consent& consent, const Place& place,
                Diagnostics& diagnostics) {
  for (int k = 0; k < capability_count; ++k) {
    const auto needed = static_cast<Capability>(k);
    if (!kind.needs.has(needed) || consent.may(needed)) continue;
    diagnostics.add(refusal(consent, needed, place, words_of(object)));
    return false;
  }
  return true;
}

}  // namespace

bool check_consent(const Program& program, const std::vector<ForeignKind>& kinds, const Consent& consent,
                   const std::string& file, Diagnostics& diagnostics) {
  bool allowed = true;
  for (const ForeignObject& object : program.foreign_objects) {
    const ForeignKind* kind = kind_of(object, kinds);
    const Origin& origin = program.origins[object.origin];
    const Place place{file, origin.line, 0, origin.path, {}};
    if (kind != nullptr) allowed = is_allowed(object, *kind, consent, place, diagnostics) && allowed;
  }
  return allowed;
}

OpenForeign open_by_kind(std::vector<ForeignKind> kinds, Consent consent) {
  return [kinds = std::move(kinds), consent = std::move(consent)](
             const ForeignObject& object, const ForeignRun& run, const Place& place,
             Diagnostics& diagnostics) -> std::unique_ptr<ForeignInstance> {
    const ForeignKind* kind = kind_of(object, kinds);
    if (kind == nullptr) {
      diagnostics.error("no-foreign-code", place,
                        fmt::format("nothing here can run an object of kind {}", object.kind));
      return nullptr;
    }
    check_settings(object, *kind);
    if (!is_allowed(object, *kind, consent, place, diagnostics)) return nullptr;
    return kind->open(object, run, place, diagnostics);
  };
}

}  // namespace orrery::program
