// SPDX-License-Identifier: Apache-2.0
// Memory that two processes share: one request, one answer, a turn that says whose move it is, and what an FMU says.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

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
  // Waits for the turn and takes the message. `alive` is asked now and then; false ends the waiting.
  bool wait_for(Turn own, const std::function<bool()>& alive);
  // Of the message that has come: a copy, made once when the turn was taken, as the other side may go on writing. Its
  // length is that which the copy was made with.
  Call call() const { return call_; }
  std::span<const char> message() const { return copy_; }

  // The FMU's side: what it says, kept even when it dies in the same call.
  void say(Status status, const char* category, const char* text);
  // The simulator's side: takes all of it.
  void listen(Log& log);

  // The FMU's side writes the address of a name there. The other side never follows it: known_function() looks for
  // it among the names of its own.
  std::atomic<const char*>& entered_function();

 private:
  struct Layout;
  explicit SharedChannel(Layout* layout);
  bool wait(std::uint32_t mine, const std::function<bool()>& alive);
  Layout* layout_;
  double spin_seconds_;  // of this side: longer while it pays
  Call call_{};
  std::vector<char> copy_;
};

}  // namespace orrery::fmi
