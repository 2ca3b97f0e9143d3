// SPDX-License-Identifier: Apache-2.0
// A process that calls a block: it shares the memory of the block's structure, a pipe says whose turn it is.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace orrery::foreign {

class SafeBlock {
 public:
  using Invoke = std::function<void(int flag)>;

  SafeBlock() = default;
  ~SafeBlock();
  SafeBlock(const SafeBlock&) = delete;
  SafeBlock& operator=(const SafeBlock&) = delete;

  // Forks; the child makes the function it is to call. False when the machine gives no process.
  [[nodiscard]] bool start(const std::function<Invoke()>& make);
  // False, and the reason, when the process has died or takes longer than a minute.
  [[nodiscard]] bool call(int flag, std::string& death);

 private:
  [[noreturn]] static void serve(int requests, int answers, const std::function<Invoke()>& make);
  void stop();

  pid_t child_ = -1;
  int requests_ = -1, answers_ = -1;
};

}  // namespace orrery::foreign
