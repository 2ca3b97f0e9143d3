// SPDX-License-Identifier: Apache-2.0
// Conditions in OML that pause a run: t is the time, v('/Plant/Mass') a block output now.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/run.h"

namespace orrery::oml {
class Interpreter;
}

namespace orrery::server {

class BreakConditions {
 public:
  explicit BreakConditions(std::vector<std::string> texts);
  ~BreakConditions();
  BreakConditions(BreakConditions&&) noexcept;
  BreakConditions& operator=(BreakConditions&&) noexcept;

  bool empty() const { return conditions_.empty(); }
  void begin();  // of a run: all count as false
  // The first that has become true; empty: none. One with an error pauses too, and is said with it.
  std::string met(api::Run& run);

 private:
  struct Condition {
    std::string text;
    bool wrong = false;  // it has no value
    bool held = false;
  };
  std::vector<Condition> conditions_;
  std::unique_ptr<oml::Interpreter> interpreter_;
};

}  // namespace orrery::server
