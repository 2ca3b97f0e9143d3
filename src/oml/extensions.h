// SPDX-License-Identifier: Apache-2.0
// What families of builtins keep in an interpreter (open files, figures, ...), one object for each type.
#pragma once

#include <algorithm>
#include <memory>
#include <typeindex>
#include <utility>
#include <vector>

namespace orrery::oml {

// An object is made when somebody first asks for it and lives until the interpreter ends; then they go in the reverse
// order of their making, after all variables. It must not call the interpreter from its destructor, and whoever puts
// pointers to shorter lives in it takes them out in time.
class Extensions {
 public:
  Extensions() = default;
  Extensions(const Extensions&) = delete;
  Extensions& operator=(const Extensions&) = delete;
  ~Extensions() { clear(); }

  template <typename T>
  T& get() {
    if (void* found = find(typeid(T))) return *static_cast<T*>(found);
    slots_.push_back({typeid(T), std::make_shared<T>()});
    return *static_cast<T*>(slots_.back().object.get());
  }

  void clear() {
    while (!slots_.empty()) slots_.pop_back();
  }

 private:
  struct Slot {
    std::type_index type;
    std::shared_ptr<void> object;  // remembers how to destroy it
  };

  // A few slots at most: looking at them all is as fast as any table.
  void* find(std::type_index type) const {
    const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) { return slot.type == type; });
    return found == slots_.end() ? nullptr : found->object.get();
  }

  std::vector<Slot> slots_;
};

}  // namespace orrery::oml
