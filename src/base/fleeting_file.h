// SPDX-License-Identifier: Apache-2.0
// Files that nobody wants when the process is ended at once: those that are still empty.
#pragma once

#include <string>

namespace orrery {

// While it lives, a request that ends the process at once removes the file first (signals.h). A fork leaves it alone.
class FleetingFile {
 public:
  explicit FleetingFile(const std::string& path);
  FleetingFile(FleetingFile&& other) noexcept;
  FleetingFile& operator=(FleetingFile&&) = delete;
  ~FleetingFile() { stays(); }
  void stays();

 private:
  int place_;  // -1: there was no room for it; it is not removed then
};

}  // namespace orrery
