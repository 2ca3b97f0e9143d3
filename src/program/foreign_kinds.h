// SPDX-License-Identifier: Apache-2.0
// The kinds of foreign code that runs can open: what each is called, what can be set, and how it is opened.
#pragma once

#include <string>
#include <vector>

#include "program/foreign.h"

namespace orrery::program {

struct ForeignSetting {
  enum class Type : std::uint8_t { text, file, whole_number, flag };  // a flag that is given is "1"
  std::string name;
  Type type = Type::text;
  bool repeated = false;  // may be given several times
};

struct ForeignKind {
  std::string name;                      // ForeignObject::kind
  std::vector<ForeignSetting> settings;  // those that ForeignObject::settings may have
  OpenForeign open;
};

// Opens each object by its kind. The list of kinds is written out by whoever makes runs; an object of another kind is
// an error at its place, settings that its kind does not know or of another type are a mistake of ours.
OpenForeign open_by_kind(std::vector<ForeignKind> kinds);

}  // namespace orrery::program
