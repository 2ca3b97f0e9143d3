// SPDX-License-Identifier: Apache-2.0
// For tests: a random but valid model, the same for the same seed, from all over the block library.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "diagram_builder.h"
#include "program/type.h"

namespace orrery::tests {

// Blocks are added one after the other; each reads signals and activations of blocks before it, so there are no
// algebraic loops. Blocks with states are also driven from behind: their inputs are linked last.
class RandomDiagram {
 public:
  explicit RandomDiagram(std::uint64_t seed, bool memories = true);  // some that remember in continuous time
  DiagramBuilder& diagram() { return diagram_; }

 private:
  struct Signal {
    std::string block;
    int port;
    program::Type type;
  };
  struct Event {
    std::string block;
    int port;
    bool periodic;
  };
  struct Open {  // an input of a state block that waits for its link
    std::string block;
    int port;
    program::Type type;
  };

  int below(int count);
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  const T& one_of(const std::vector<T>& items) {
    return items[static_cast<std::size_t>(below(static_cast<int>(items.size())))];
  }
  program::Type random_type();
  std::string number(program::Scalar scalar = program::Scalar::f64);  // a text that fits the type
  std::string matrix(program::Type type);                             // a text of this type and size
  std::string reals(int rows, int cols, program::Scalar scalar = program::Scalar::f64);

  Signal signal(const std::string& block, program::Type type, int port = 1);
  Signal any_signal(const std::function<bool(const program::Type&)>& suits);
  Signal of_type(program::Type type);
  Signal scalar_of(program::Scalar scalar) { return of_type({scalar, 1, 1}); }
  Signal element_of(Signal s);
  Signal limited(Signal s, const std::string& limit);
  void drive(const std::string& block, int port, const Signal& s) { diagram_.link(s.block, s.port, block, port); }
  void activate(const std::string& block, int port, const Event& e) { diagram_.event(e.block, e.port, block, port); }
  void open(const std::string& block, int port, program::Type type) { open_.push_back({block, port, type}); }

  void add_clock();
  void add_event_block();
  void add_event_loop();
  void add_conditional();
  void add_detector();
  void add_source();
  void add_unary();
  void add_function();
  void add_binary();
  void add_routing();
  void add_discrete();
  void add_continuous();
  void add_tagged();
  void add_memory();
  void add_sink();
  void close_inputs();
  void choose_settings();

  std::uint64_t state_;
  DiagramBuilder diagram_;
  std::vector<Signal> signals_;
  std::vector<Event> events_;
  std::vector<Open> open_;
};

}  // namespace orrery::tests
