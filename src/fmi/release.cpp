// SPDX-License-Identifier: Apache-2.0
// A list of instances that wait for their end.
#include "fmi/release.h"

#include <mutex>

namespace orrery::fmi {
namespace {

constexpr std::size_t most_waiting = 64;  // a run that is started again and again must not fill the memory

struct Waiting {
  std::mutex mutex;
  bool put_off = false;
  std::vector<ClosedFmu> list;
};
// Never destroyed: what still waits when the program ends is left alone.
Waiting& waiting() {
  static Waiting* const all = new Waiting;
  return *all;
}

void end(ClosedFmu& fmu) {
  if (fmu.instance && !fmu.terminated && fmu.instance->death() == nullptr) static_cast<void>(fmu.instance->terminate());
  fmu.instance.reset();
}

}  // namespace

void put_off_release() {
  expect_end(-1);
  const std::lock_guard lock(waiting().mutex);
  waiting().put_off = true;
}

void release(ClosedFmu fmu) {
  {
    const std::lock_guard lock(waiting().mutex);
    if (waiting().put_off && !fmu.alone && waiting().list.size() < most_waiting) {
      waiting().list.push_back(std::move(fmu));
      return;
    }
  }
  end(fmu);
}

void release_all(int code) {
  expect_end(code);
  std::vector<ClosedFmu> list;
  {
    const std::lock_guard lock(waiting().mutex);
    list.swap(waiting().list);
    waiting().put_off = false;
  }
  for (ClosedFmu& fmu : list) end(fmu);
}

}  // namespace orrery::fmi
