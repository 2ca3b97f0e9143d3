// SPDX-License-Identifier: Apache-2.0
// Memory that two processes share: one request, one answer, a turn that says whose move it is, and what an FMU says.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "fmi/log.h"
#include "fmi/message.h"

namespace orrery::fmi {

class SharedChannel {
 public:
  enum class Turn : std::uint32_t { simulator, fmu };

  // Nothing when the machine gives no memory.
  static std::unique_ptr<SharedChannel> create();
  ~SharedChannel();
  SharedChannel(const SharedChannel&) = delete;
  SharedChannel& operator=(const SharedChannel&) = delete;

  // Writes a message and hands the turn over; false when the message is too long.
  bool hand_over(Turn to, Call call, std::span<const char> message);
  // Waits for the turn. `alive` is asked now and then; false ends the waiting.
  bool wait_for(Turn own, const std::function<bool()>& alive);
  Call call() const;
  std::span<const char> message() const;

  // The FMU's side: what it says, kept even when it dies in the same call.
  void say(Status status, const char* category, const char* text);
  // The simulator's side: takes all of it.
  void listen(Log& log);

  std::atomic<const char*>& entered_function();

 private:
  struct Layout;
  explicit SharedChannel(Layout* layout);
  Layout* layout_;
  double spin_seconds_;  // of this side: longer while it pays
};

}  // namespace orrery::fmi
