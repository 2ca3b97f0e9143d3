// SPDX-License-Identifier: Apache-2.0
// A table in plain memory, which is all that a signal handler may look at.
#include "base/fleeting_file.h"

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "base/signals.h"

namespace orrery {
namespace {

enum Use : int { empty, being_written, holds };
struct FleetingPath {
  std::atomic<int> use{empty};
  pid_t owner = 0;
  char path[1024] = {};
};
FleetingPath fleeting[32];

void remove_fleeting() {
  for (FleetingPath& place : fleeting) {
    if (place.use.load() == holds && place.owner == ::getpid()) ::unlink(place.path);
  }
}

}  // namespace

FleetingFile::FleetingFile(const std::string& path) : place_(-1) {
  before_sudden_end(remove_fleeting);
  if (path.size() >= sizeof fleeting[0].path) return;
  for (int k = 0; k < static_cast<int>(std::size(fleeting)); ++k) {
    int expected = empty;
    if (!fleeting[k].use.compare_exchange_strong(expected, being_written)) continue;
    std::memcpy(fleeting[k].path, path.c_str(), path.size() + 1);
    fleeting[k].owner = ::getpid();
    fleeting[k].use = holds;
    place_ = k;
    return;
  }
}

FleetingFile::FleetingFile(FleetingFile&& other) noexcept : place_(std::exchange(other.place_, -1)) {}

void FleetingFile::stays() {
  if (place_ >= 0) fleeting[place_].use = empty;
  place_ = -1;
}

}  // namespace orrery
