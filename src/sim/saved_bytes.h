// SPDX-License-Identifier: Apache-2.0
// The parts of a saved run, one after the other, each with its size before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace orrery::sim {

class SaveWriter {
 public:
  explicit SaveWriter(std::vector<std::byte>& out) : out_(out) {}

  template <class T>
  void write(const T* data, std::size_t count) {
    const auto* bytes = reinterpret_cast<const std::byte*>(data);
    const std::uint64_t size = count * sizeof(T);
    const auto* head = reinterpret_cast<const std::byte*>(&size);
    out_.insert(out_.end(), head, head + sizeof size);
    out_.insert(out_.end(), bytes, bytes + size);
  }
  template <class Range>
  void write(const Range& range) {
    write(range.data(), range.size());
  }

 private:
  std::vector<std::byte>& out_;
};

// Reads back what SaveWriter wrote; false when the bytes are not what is expected.
class SaveReader {
 public:
  explicit SaveReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  [[nodiscard]] bool read(std::vector<T>& out) {
    std::uint64_t size = 0;
    if (bytes_.size() < sizeof size) return false;
    std::memcpy(&size, bytes_.data(), sizeof size);
    bytes_ = bytes_.subspan(sizeof size);
    if (size > bytes_.size() || size % sizeof(T) != 0) return false;
    out.resize(size / sizeof(T));
    if (size > 0) std::memcpy(out.data(), bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
    return true;
  }
  // Of as many as there are already.
  template <class T>
  [[nodiscard]] bool read_same(std::vector<T>& out) {
    const std::size_t count = out.size();
    std::vector<T> values;
    if (!read(values) || values.size() != count) return false;
    out.swap(values);
    return true;
  }
  [[nodiscard]] bool read(std::string& out) {
    std::vector<char> text;
    if (!read(text)) return false;
    out.assign(text.begin(), text.end());
    return true;
  }
  std::span<const std::byte> rest() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace orrery::sim
