// SPDX-License-Identifier: Apache-2.0
// Arrays of many megabytes that are read in no order: on large pages, where the system has them, an access costs half.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace orrery {

constexpr std::size_t large_page = std::size_t{2} << 20;
constexpr std::size_t worth_large_pages = 2 * large_page;

void* map_large_pages(std::size_t bytes);  // throws std::bad_alloc
void unmap_large_pages(void* begin, std::size_t bytes);

template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class Other>
  LargePages(const LargePages<Other>&) {}

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
    if (count * sizeof(T) >= worth_large_pages) return static_cast<T*>(map_large_pages(count * sizeof(T)));
    return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(alignof(T))));
  }
  void deallocate(T* begin, std::size_t count) {
    if (count * sizeof(T) >= worth_large_pages) return unmap_large_pages(begin, count * sizeof(T));
    ::operator delete(begin, std::align_val_t(alignof(T)));
  }
  bool operator==(const LargePages&) const = default;
};

template <class T>
using LargeArray = std::vector<T, LargePages<T>>;

}  // namespace orrery
