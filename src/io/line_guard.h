// SPDX-License-Identifier: Apache-2.0
// A file of lines has whole lines only, even when the process that writes it is killed in the middle of one.
#pragma once

#include <sys/types.h>

namespace orrery::io {

// A kill ends a write() at any page of memory, so only someone else can put things right: a small process that sleeps
// until the writer is gone, and cuts off what follows the last end of a line. While this object lives it is on guard.
class LineGuard {
 public:
  // The file must be open for reading, too. Where no process can be started, there is no guard.
  explicit LineGuard(int file);
  LineGuard(const LineGuard&) = delete;
  LineGuard& operator=(const LineGuard&) = delete;
  ~LineGuard();

 private:
  int words_ = -1;
  pid_t process_ = -1;
};

}  // namespace orrery::io
