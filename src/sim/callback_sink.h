// SPDX-License-Identifier: Apache-2.0
// Hands every block of rows to a function.
#pragma once

#include <functional>
#include <utility>

#include "sim/sink.h"

namespace orrery::sim {

// The block is gone when the function returns. False ends the run.
class CallbackSink final : public Sink {
 public:
  explicit CallbackSink(std::function<bool(const Block&)> call) : call_(std::move(call)) {}

  [[nodiscard]] bool begin(const StreamHead& /*head*/) override { return true; }
  [[nodiscard]] bool rows(const Block& block) override { return call_(block); }

 private:
  std::function<bool(const Block&)> call_;
};

}  // namespace orrery::sim
