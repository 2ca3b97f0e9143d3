// SPDX-License-Identifier: Apache-2.0
// The examples of FIPS 180-4, and lengths around the ends of blocks.
#include "base/sha256.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

std::string hash(std::string_view text) {
  Sha256 sum;
  sum.add(text);
  return sum.digits();
}

TEST(Sha256, GivesThePublishedValues) {
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesMakeNoDifference) {
  for (std::size_t length = 0; length < 200; ++length) {
    const std::string text(length, 'q');
    for (const std::size_t cut : {std::size_t{0}, length / 3, length}) {
      Sha256 sum;
      sum.add(std::string_view(text).substr(0, cut));
      sum.add(std::string_view(text).substr(cut));
      EXPECT_EQ(sum.digits(), hash(text)) << length;
    }
  }
}

}  // namespace
}  // namespace orrery
