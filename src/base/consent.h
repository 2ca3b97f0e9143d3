// SPDX-License-Identifier: Apache-2.0
// What a model may do besides computing: nothing, until its user says so. docs/security.md tells the whole story.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace orrery {

enum class Capability : std::uint8_t {
  read,         // files outside of the model's folder, and hidden ones
  write,        // files: make, change, rename, remove
  shell,        // other programs
  environment,  // variables of the process, its current folder
  native,       // machine code of the model: C texts, FMUs, Python, shared libraries; they can do all of the above
  network,      // other machines
};
inline constexpr int capability_count = 6;

const char* name_of(Capability capability);     // "write": as --allow has it
const char* meaning_of(Capability capability);  // "write files"

// A set of them.
class Capabilities {
 public:
  constexpr Capabilities() = default;
  constexpr Capabilities(Capability one) : bits_(static_cast<std::uint8_t>(1U << static_cast<unsigned>(one))) {}
  static constexpr Capabilities all() {
    Capabilities every;
    every.bits_ = (1U << capability_count) - 1;
    return every;
  }
  constexpr bool has(Capability one) const { return (bits_ & Capabilities(one).bits_) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr Capabilities operator|(Capabilities other) const {
    other.bits_ |= bits_;
    return other;
  }
  constexpr bool operator==(const Capabilities&) const = default;

 private:
  std::uint8_t bits_ = 0;
};

constexpr Capabilities operator|(Capability a, Capability b) { return Capabilities(a) | Capabilities(b); }

// "read,write"; empty for none.
std::string to_text(Capabilities capabilities);
// The same backwards, also "all". Nothing, and the word, when one is unknown.
std::optional<Capabilities> parse_capabilities(std::string_view text, std::string& unknown);

// What one model, with all that it runs, has been allowed.
struct Consent {
  Capabilities allowed;
  // Files below it may be read without Capability::read: an absolute path without links; empty: there are none.
  std::string folder = {};
  std::string model = {};  // its file, for messages
  std::string note = {};   // for messages: why trust that was recorded does not hold any more

  // For what the user has written or started himself.
  static Consent everything() { return {Capabilities::all()}; }
  static Consent of_model(const std::string& file, Capabilities allowed);

  bool may(Capability capability) const { return allowed.has(capability); }
  // Ordinary files and folders below the model's folder, wherever links lead, that are not hidden; others with read.
  bool may_read(const std::string& path) const;
};

// error[needs-consent] at the place: what was wanted, and how to allow it. `what` may be empty, or the words that
// wanted it: "fopen('log.txt', 'w')".
Diagnostic refusal(const Consent& consent, Capability wanted, Place place, const std::string& what);

}  // namespace orrery
