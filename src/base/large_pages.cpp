// SPDX-License-Identifier: Apache-2.0
// Memory of the system, aligned so that it can be made of large pages.
#include "base/large_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace orrery {
namespace {

std::size_t whole_pages(std::size_t bytes) { return (bytes + large_page - 1) / large_page * large_page; }

}  // namespace

void* map_large_pages(std::size_t bytes) {
  const std::size_t wanted = whole_pages(bytes), mapped = wanted + large_page;
  void* const begin = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED) throw std::bad_alloc();
  char* const first = static_cast<char*>(begin);
  const std::size_t before = (large_page - reinterpret_cast<std::uintptr_t>(begin) % large_page) % large_page;
  if (before > 0) ::munmap(first, before);
  ::munmap(first + before + wanted, mapped - before - wanted);
  ::madvise(first + before, wanted, MADV_HUGEPAGE);  // where there are none, small ones do
  return first + before;
}

void unmap_large_pages(void* begin, std::size_t bytes) { ::munmap(begin, whole_pages(bytes)); }

}  // namespace orrery
