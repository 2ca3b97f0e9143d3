// SPDX-License-Identifier: Apache-2.0
// What stands where an FMU is to write its answer, so that an FMU that returns ok and writes nothing is seen: values
// that nobody writes. Some FMUs rely on what stood there before, and what is right for them depends on the question.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace orrery::fmi {

// Booleans are a char (FMI 1.0) or an int (2.0), of which FMUs write 0, 1 and, for true, -1.
template <class Boolean>
constexpr Boolean unwritten_flag = static_cast<Boolean>(0x5a5a5a5a);

template <class Boolean>
constexpr bool is_written(Boolean flag) {
  return flag != unwritten_flag<Boolean>;
}
// The answer; `otherwise` where there is none.
template <class Boolean>
constexpr bool flag_or(Boolean flag, bool otherwise) {
  return is_written(flag) ? flag != Boolean{} : otherwise;
}

// Not a number, with a payload that no computation gives.
inline constexpr double unwritten_number = std::bit_cast<double>(std::uint64_t{0x7ff80a5a5a5a5a5a});
inline bool is_written(double number) {
  return std::bit_cast<std::uint64_t>(number) != std::bit_cast<std::uint64_t>(unwritten_number);
}

// A boolean the FMU is given the address of. The bool of FMI 3.0 has no third value, but its byte has.
template <class Boolean>
class AnswerFlag {
 public:
  Boolean* place() { return reinterpret_cast<Boolean*>(&raw_); }
  bool value_or(bool otherwise) const { return flag_or(raw_, otherwise); }

 private:
  using Raw = std::conditional_t<std::is_same_v<Boolean, bool>, unsigned char, Boolean>;
  Raw raw_ = unwritten_flag<Raw>;
};

}  // namespace orrery::fmi
