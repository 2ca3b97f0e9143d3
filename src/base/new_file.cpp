// SPDX-License-Identifier: Apache-2.0
// O_EXCL and O_NOFOLLOW, and a second attempt.
#include "base/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace orrery {

int open_new(const std::string& path, mode_t mode) {
  constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const int descriptor = ::open(path.c_str(), flags, mode);
  if (descriptor >= 0 || errno != EEXIST || ::unlink(path.c_str()) != 0) return descriptor;
  return ::open(path.c_str(), flags, mode);
}

}  // namespace orrery
