// SPDX-License-Identifier: Apache-2.0
// What goes wrong in native code: indices outside, loops without end, assertions of functions (program::Site).
#pragma once

#include <cstddef>
#include <cstring>

#include "base/diagnostic.h"
#include "program/procedure.h"

namespace orrery::sim {

// Looks at the record in a run's memory. At a point that a solver only tries, trouble asks for a smaller step; anywhere
// else it ends the run.
class TroubleWatch {
 public:
  TroubleWatch(const program::Program& program, const program::Layout& layout)
      : program_(program), offset_(layout.trouble) {}

  bool empty() const { return offset_ == 0; }
  void clear(std::byte* memory) const {
    if (offset_ > 0) std::memset(memory + offset_, 0, sizeof(program::TroubleRecord));
  }
  // Whether there was trouble since it was cleared, which is remembered and cleared.
  bool look(std::byte* memory, double t);
  void forget() { last_.site = 0; }
  // Says what was found last, if that was not before t; false: there is nothing to say.
  bool report(double t, Diagnostics& diagnostics);

 private:
  const program::Program& program_;
  std::uint32_t offset_;
  program::TroubleRecord last_;
  double when_ = 0;
};

}  // namespace orrery::sim
