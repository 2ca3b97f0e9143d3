// SPDX-License-Identifier: Apache-2.0
// The kinds of foreign code that runs can open: what each is called, what can be set, and how it is opened.
#pragma once

#include <string>
#include <vector>

#include "base/consent.h"
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
  Capabilities needs = {};  // what the user of the model must have allowed before one is opened
};

// An error at the place of each object whose kind needs what has not been allowed. Nothing is opened.
bool check_consent(const Program& program, const std::vector<ForeignKind>& kinds, const Consent& consent,
                   const std::string& file, Diagnostics& diagnostics);

// Opens each object by its kind, unless that needs what has not been allowed. The list of kinds is written out by
// whoever makes runs; an object of another kind is an error at its place, settings that its kind does not know or of
// another type are a mistake of ours.
OpenForeign open_by_kind(std::vector<ForeignKind> kinds, Consent consent);

}  // namespace orrery::program
