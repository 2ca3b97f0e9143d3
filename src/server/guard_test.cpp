// SPDX-License-Identifier: Apache-2.0
// Hosts, origins, secrets and launch codes.
#include "server/guard.h"

#include <gtest/gtest.h>

namespace orrery::server {
namespace {

TEST(Guard, LetsInOnlyItsOwnNames) {
  const Guard guard(8123);
  Caller good{"127.0.0.1:8123", "http://127.0.0.1:8123", "same-origin", guard.secret()};
  EXPECT_EQ(guard.judge(good, Access::secret).status, 0U);
  for (const char* host : {"localhost:8123", "[::1]:8123"}) {
    Caller other = good;
    other.host = host;
    other.origin = "http://" + std::string(host);
    EXPECT_EQ(guard.judge(other, Access::secret).status, 0U) << host;
  }
  for (const char* host :
       {"", "127.0.0.1", "127.0.0.1:81234", "127.0.0.1:812", "127.0.0.1:8123.evil", "LOCALHOST:8123", "evil:8123"}) {
    Caller other = good;
    other.host = host;
    EXPECT_EQ(guard.judge(other, Access::page).status, 421U) << host;
  }
  Caller other = good;
  other.origin = "http://127.0.0.1:8124";
  EXPECT_EQ(guard.judge(other, Access::session).status, 403U);
  other = good;
  other.secret.back() = other.secret.back() == '0' ? '1' : '0';
  EXPECT_EQ(guard.judge(other, Access::secret).status, 401U);
  EXPECT_EQ(guard.judge(other, Access::session).status, 0U);
}

TEST(Guard, CodesAreGoodOnceAndForAMinute) {
  Guard guard(1);
  const auto now = Guard::Clock::now();
  const std::string code = guard.make_code(now);
  EXPECT_EQ(code.size(), 32U);
  EXPECT_EQ(guard.exchange("", now), "");
  EXPECT_EQ(guard.exchange(code.substr(1), now), "");
  EXPECT_EQ(guard.exchange(code, now), guard.secret());
  EXPECT_EQ(guard.exchange(code, now), "");
  const std::string late = guard.make_code(now);
  EXPECT_EQ(guard.exchange(late, now + std::chrono::seconds(61)), "");
  const std::string first = guard.make_code(now);
  for (int k = 0; k < 20; ++k) guard.make_code(now);
  EXPECT_EQ(guard.exchange(first, now), "");  // too many came after it
}

TEST(Guard, SecretsAreRandom) {
  EXPECT_NE(Guard(1).secret(), Guard(1).secret());
  EXPECT_EQ(Guard(1).secret().size(), 64U);
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
  EXPECT_EQ(bearer_token("Bearer x"), "x");
  EXPECT_EQ(bearer_token("bearer x"), "");
}

}  // namespace
}  // namespace orrery::server
