// SPDX-License-Identifier: Apache-2.0
// Advance widths of Inter Regular (OFL), in thousandths of the font size.
#include "picture/text_widths.h"

#include <cstddef>

namespace orrery::picture {
namespace {

// Characters 32 to 126.
constexpr short ascii_widths[] = {281, 278, 403, 631, 638, 812, 639, 222, 362, 362, 500, 659, 280, 460, 276, 357,
                                  625, 464, 605, 636, 642, 608, 624, 571, 616, 624, 276, 280, 659, 659, 659, 507,
                                  936, 676, 651, 727, 719, 598, 587, 743, 740, 264, 543, 652, 562, 889, 753, 761,
                                  635, 761, 639, 638, 642, 741, 676, 949, 642, 665, 625, 362, 357, 362, 469, 452,
                                  497, 564, 621, 558, 621, 582, 361, 609, 591, 237, 237, 544, 237, 869, 585, 597,
                                  609, 609, 372, 523, 364, 581, 557, 812, 540, 557, 541, 362, 327, 362, 659};

double advance(unsigned code) {
  if (code >= 32 && code <= 126) return ascii_widths[code - 32];
  switch (code) {
    case 0x222b: return 278;  // ∫
    case 0xb7: return 276;    // ·
    case 0x2026: return 821;  // …
    case 0xb2: return 420;    // ²
    case 0xb3: return 430;    // ³
    case 0xb9: return 313;    // ¹
    case 0x207b: return 439;  // superscript minus
    case 0x221e: return 930;  // ∞
    default: break;
  }
  return code >= 0x2e80 ? 1000 : 659;  // ideographs are square; mathematical signs and most letters are below 659
}

// The character at a byte, and how many bytes it has; bytes that are no UTF-8 count as one character each.
struct Character {
  unsigned code;
  std::size_t bytes;
};
Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[at + k]); };
  const unsigned first = byte(0);
  const std::size_t bytes = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  if (bytes == 1 || at + bytes > text.size()) return {first, 1};
  unsigned code = first & (0xffu >> (bytes + 1));
  for (std::size_t k = 1; k < bytes; ++k) code = code << 6 | (byte(k) & 0x3fu);
  return {code, bytes};
}

}  // namespace

double text_width(std::string_view utf8, double size) {
  double width = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const Character c = character_at(utf8, at);
    width += advance(c.code);
    at += c.bytes;
  }
  return width * size / 1000;
}

std::string fit_text(std::string_view utf8, double size, double width) {
  if (text_width(utf8, size) <= width) return std::string(utf8);
  double left = width * 1000 / size - advance(0x2026);
  std::size_t end = 0;
  while (end < utf8.size()) {
    const Character c = character_at(utf8, end);
    left -= advance(c.code);
    if (left < 0) break;
    end += c.bytes;
  }
  return std::string(utf8.substr(0, end)) + "…";
}

}  // namespace orrery::picture
