// SPDX-License-Identifier: Apache-2.0
// Saving and restoring an integrator: a plain struct followed by vectors of known sizes.
#pragma once

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <span>
#include <vector>

namespace orrery::solve {

template <class At>
void save_bytes(const At& at, std::initializer_list<const std::vector<double>*> vectors, std::vector<std::byte>& out) {
  const auto append = [&out](const void* data, std::size_t size) {
    const std::byte* first = static_cast<const std::byte*>(data);
    out.insert(out.end(), first, first + size);
  };
  out.clear();
  append(&at, sizeof(At));
  for (const auto* v : vectors) append(v->data(), v->size() * sizeof(double));
}

// False, changing nothing, when the size or the id and n that every At begins with do not fit.
template <class At>
bool restore_bytes(std::span<const std::byte> in, At& at, std::initializer_list<std::vector<double>*> vectors) {
  std::size_t size = sizeof(At);
  for (const auto* v : vectors) size += v->size() * sizeof(double);
  if (in.size() != size) return false;
  At saved = at;
  std::memcpy(&saved, in.data(), sizeof(At));
  if (saved.id != at.id || saved.n != at.n) return false;
  at = saved;
  const std::byte* from = in.data() + sizeof(At);
  for (auto* v : vectors) {
    if (v->empty()) continue;
    std::memcpy(v->data(), from, v->size() * sizeof(double));
    from += v->size() * sizeof(double);
  }
  return true;
}

}  // namespace orrery::solve
