// SPDX-License-Identifier: Apache-2.0
// The folder the process works in. FMUs go elsewhere and do not come back.
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace orrery::fmi {

class WorkingFolder {
 public:
  WorkingFolder() : descriptor_(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)) {}
  ~WorkingFolder() {
    restore();
    if (descriptor_ >= 0) close(descriptor_);
  }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;
  void restore() const {
    const int ignored = descriptor_ >= 0 ? fchdir(descriptor_) : 0;
    static_cast<void>(ignored);
  }

 private:
  int descriptor_;
};

}  // namespace orrery::fmi
