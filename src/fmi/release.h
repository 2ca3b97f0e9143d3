// SPDX-License-Identifier: Apache-2.0
// The end of FMUs, which may be put off until all results are out: some crash there.
#pragma once

#include <memory>

#include "fmi/instance.h"

namespace orrery::fmi {

// An instance that is not needed any more, with what it stands on.
struct ClosedFmu {
  std::shared_ptr<const void> owner;  // of the description
  std::unique_ptr<Log> log;
  std::unique_ptr<Instance> instance;
  bool terminated = false;
  bool alone = false;  // there may be no other instance beside it
};

// From here on instances wait, as far as there are few of them.
void put_off_release();
void release(ClosedFmu fmu);
// All results are out: those that wait are released. Whatever they do, the process ends with this code.
void release_all(int code);

}  // namespace orrery::fmi
