// SPDX-License-Identifier: Apache-2.0
// A counting allocator, so that one script cannot eat the machine.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace orrery::oml {

// Bytes held by arrays of this thread's interpreters, and the limit above which a request becomes an error.
struct MemoryAccount {
  std::size_t used = 0;
  std::size_t limit = std::size_t{2} << 30;
};

MemoryAccount& memory_account();
// Throws OmlError when `bytes` more would pass the limit.
void charge_memory(std::size_t bytes);

// Leaves plain numbers uninitialised on resize; arrays are filled by whoever makes them.
template <class T>
struct CountingAllocator {
  using value_type = T;
  CountingAllocator() = default;
  template <class U>
  CountingAllocator(const CountingAllocator<U>&) {}

  T* allocate(std::size_t n) {
    if (n > (std::size_t{1} << 48) / sizeof(T)) charge_memory(std::size_t{1} << 48);
    charge_memory(n * sizeof(T));
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* p, std::size_t n) {
    memory_account().used -= n * sizeof(T);
    std::allocator<T>().deallocate(p, n);
  }
  template <class U>
  void construct(U* p) {
    ::new (static_cast<void*>(p)) U;
  }
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }
  template <class U>
  bool operator==(const CountingAllocator<U>&) const {
    return true;
  }
};

template <class T>
using Buffer = std::vector<T, CountingAllocator<T>>;

}  // namespace orrery::oml
