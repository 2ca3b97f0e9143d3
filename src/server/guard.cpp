// SPDX-License-Identifier: Apache-2.0
// Refusals, in the order in which they tell least to whoever should not be here.
#include "server/guard.h"

#include <sys/random.h>

#include <algorithm>

#include "base/check.h"

namespace orrery::server {
namespace {

constexpr std::chrono::seconds code_lifetime{60};
constexpr std::size_t most_codes = 8;
constexpr std::size_t code_bytes = 16, secret_bytes = 32;

}  // namespace

std::string random_hex(std::size_t bytes) {
  std::vector<unsigned char> raw(bytes);
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t count = getrandom(raw.data() + done, bytes - done, 0);
    ORRERY_CHECK(count > 0 || errno == EINTR);
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : raw) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[k]) ^ static_cast<unsigned char>(b[k]));
  return difference == 0;
}

std::string bearer_token(std::string_view authorization) {
  constexpr std::string_view scheme = "Bearer ";
  if (!authorization.starts_with(scheme)) return {};
  return std::string(authorization.substr(scheme.size()));
}

Guard::Guard(std::uint16_t port, std::string other_host) : port_(port), secret_(random_hex(secret_bytes)) {
  const std::string end = ":" + std::to_string(port);
  hosts_ = {"127.0.0.1" + end, "localhost" + end, "[::1]" + end};
  if (!other_host.empty()) hosts_.push_back(std::move(other_host) + end);
}

bool Guard::own_host(std::string_view host) const {
  return std::find(hosts_.begin(), hosts_.end(), host) != hosts_.end();
}

bool Guard::own_origin(std::string_view origin) const {
  constexpr std::string_view scheme = "http://";
  return origin.starts_with(scheme) && own_host(origin.substr(scheme.size()));
}

Verdict Guard::judge(const Caller& caller, Access access) const {
  // A name that leads here is not enough (DNS rebinding): only the names of this machine for itself count.
  if (!own_host(caller.host)) return {421, "wrong-host", "this server is for 127.0.0.1 and localhost only"};
  if (access == Access::page) return {};
  if (!caller.origin.empty() && !own_origin(caller.origin))
    return {403, "wrong-origin", "a page of another site may not ask this server"};
  if (!caller.site.empty() && caller.site != "same-origin" && caller.site != "none")
    return {403, "wrong-origin", "a page of another site may not ask this server"};
  if (access == Access::session) return {};
  if (!equal_in_constant_time(caller.secret, secret_))
    return {401, "no-session", "open the address that `orrery serve` has printed, which holds a code"};
  return {};
}

std::string Guard::make_code(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(codes_, [&](const LaunchCode& code) { return code.until < now; });
  if (codes_.size() >= most_codes) codes_.erase(codes_.begin());
  codes_.push_back({random_hex(code_bytes), now + code_lifetime});
  return codes_.back().text;
}

std::string Guard::exchange(std::string_view code, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  std::string answer;
  std::erase_if(codes_, [&](const LaunchCode& known) {
    const bool same = equal_in_constant_time(known.text, code);
    if (same && known.until >= now) answer = secret_;
    return same || known.until < now;
  });
  return answer;
}

}  // namespace orrery::server
