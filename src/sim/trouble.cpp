// SPDX-License-Identifier: Apache-2.0
// Trouble of native code as messages.
#include "sim/trouble.h"

#include <fmt/format.h>

#include "program/function.h"

namespace orrery::sim {

bool TroubleWatch::look(std::byte* memory, double t) {
  if (offset_ == 0) return false;
  program::TroubleRecord record;
  std::memcpy(&record, memory + offset_, sizeof record);
  if (record.site == 0) return false;
  last_ = record;
  when_ = t;
  clear(memory);
  return true;
}

bool TroubleWatch::report(double t, Diagnostics& diagnostics) {
  if (last_.site == 0 || when_ < t) return false;
  const program::Site* site = program::find_site(program_.graph, static_cast<std::uint32_t>(last_.site - 1));
  last_.site = 0;
  const program::Site unknown;
  const program::Site& where = site != nullptr ? *site : unknown;
  Diagnostic& said = [&]() -> Diagnostic& {
    switch (where.kind) {
      case program::Site::Kind::turns:
        return diagnostics.error("endless-loop", where.place,
                                 fmt::format("the loop has not ended after {} turns", program::most_turns),
                                 "check the condition that ends it");
      case program::Site::Kind::check: return diagnostics.error("assertion-failed", where.place, where.text);
      default:
        return diagnostics.error("index-outside", where.place,
                                 fmt::format("the index {} is outside 1 to {}", last_.index + 1, last_.length),
                                 "keep the index inside with min and max, or use it only where a condition allows it");
    }
  }();
  said.time = when_;
  return true;
}

}  // namespace orrery::sim
