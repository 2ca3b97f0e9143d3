// SPDX-License-Identifier: Apache-2.0
// A loop that is being written down (record_loops.cpp).
#pragma once

#include <vector>

#include "oml/interpreter.h"

namespace orrery::oml {

struct LoopRecording {
  Frame* frame = nullptr;
  LoopWriter* writer = nullptr;
  std::vector<int> slots;     // that statements assign
  std::vector<Value> places;  // by slots; none: it has no value yet
  int carried_out = 0;        // loops inside that run turn by turn
};

// While a loop runs turn by turn.
class CarriedOut {
 public:
  CarriedOut(LoopRecording* recording, const Frame* frame)
      : recording_(recording != nullptr && recording->frame == frame ? recording : nullptr) {
    if (recording_ != nullptr) ++recording_->carried_out;
  }
  ~CarriedOut() {
    if (recording_ != nullptr) --recording_->carried_out;
  }
  CarriedOut(const CarriedOut&) = delete;
  CarriedOut& operator=(const CarriedOut&) = delete;

 private:
  LoopRecording* recording_;
};

}  // namespace orrery::oml
