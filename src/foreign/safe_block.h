// SPDX-License-Identifier: Apache-2.0
// A process that calls a block, kept and confined as that of an FMU; pipes say whose turn it is.
#pragma once

#include <functional>
#include <string>

#include "base/keeper.h"

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

  KeptProcess process_;
  int requests_ = -1, answers_ = -1;  // -1: there is none, or none any more
};

}  // namespace orrery::foreign
