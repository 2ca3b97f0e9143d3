// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4): names of contents that nobody can make twice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace orrery {

class Sha256 {
 public:
  void add(std::string_view bytes);
  // 64 hexadecimal digits; nothing may be added afterwards.
  std::string digits();

 private:
  void add_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};  // its first part waits to be filled
  std::uint64_t size_ = 0;                 // bytes so far
};

}  // namespace orrery
