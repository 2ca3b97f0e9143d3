// SPDX-License-Identifier: Apache-2.0
// Seconds since a run began.
#include "foreign/wall_clock.h"

#include <chrono>
#include <cstring>

namespace orrery::foreign {
namespace {

class WallClock final : public program::ForeignInstance {
 public:
  program::ForeignOutcome open(std::span<double>) override {
    begun_ = now();
    return {};
  }

  // A function as long as the count is the same: it is asked again where the same event is evaluated again.
  void compute(int, const void* const* arguments, void* const* results) noexcept override {
    std::int32_t count = 0;
    std::memcpy(&count, arguments[0], sizeof count);
    if (count != reading_.count) reading_ = {count, now() - begun_};
    std::memcpy(results[0], &reading_.seconds, sizeof reading_.seconds);
  }

  program::ForeignOutcome perform(int, double, std::span<const double>, std::span<double>) override { return {}; }
  program::ForeignHealth health() noexcept override { return program::ForeignHealth::well; }
  void report(const Place&, double, Diagnostics&) override {}

  bool save(std::vector<std::byte>& bytes) override {
    const Reading saved{reading_.count, now() - begun_};
    bytes.resize(sizeof saved);
    std::memcpy(bytes.data(), &saved, sizeof saved);
    return true;
  }
  // The time while nothing ran does not count.
  bool restore(std::span<const std::byte> bytes) override {
    if (bytes.size() != sizeof reading_) return false;
    std::memcpy(&reading_, bytes.data(), sizeof reading_);
    begun_ = now() - reading_.seconds;
    return true;
  }

 private:
  struct Reading {
    std::int32_t count = -1;
    double seconds = 0;
  };
  static double now() noexcept {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  double begun_ = 0;
  Reading reading_;
};

}  // namespace

program::ForeignKind wall_clock_kind() {
  return {"wall_clock", {}, [](const program::ForeignObject&, const program::ForeignRun&, const Place&, Diagnostics&) {
            return std::unique_ptr<program::ForeignInstance>(std::make_unique<WallClock>());
          }};
}

}  // namespace orrery::foreign
