// SPDX-License-Identifier: Apache-2.0
// Who may speak with the server: hosts, origins, secrets and launch codes. Nothing here knows a network library.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::server {

// The headers of a request that decide; empty: not sent.
struct Caller {
  std::string host, origin, site;  // Host, Origin, Sec-Fetch-Site
  std::string secret;              // of Authorization: Bearer, or of a WebSocket's subprotocols
};

enum class Access : std::uint8_t { page, session, secret };  // what a path asks for
// 0: let in; else the status of the refusal.
struct Verdict {
  unsigned status = 0;
  const char* code = "";
  const char* message = "";
};

// As many bytes from the system's source of randomness, as hexadecimal digits.
std::string random_hex(std::size_t bytes);
// Takes as long whatever the texts are, as long as their lengths are.
bool equal_in_constant_time(std::string_view a, std::string_view b);
// The token of "Bearer TOKEN"; empty: it is something else.
std::string bearer_token(std::string_view authorization);

class Guard {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Guard(std::uint16_t port, std::string other_host = {});

  Verdict judge(const Caller& caller, Access access) const;
  // A code for one exchange within a minute. Old ones stay valid until then; there are never more than a few.
  std::string make_code(Clock::time_point now = Clock::now());
  // The secret, for a code that is valid; empty: it is not. Whatever the code, it is used up.
  std::string exchange(std::string_view code, Clock::time_point now = Clock::now());
  const std::string& secret() const { return secret_; }
  // Instead of one that was made: for tests, and for --token-file.
  void set_secret(std::string secret) { secret_ = std::move(secret); }
  std::uint16_t port() const { return port_; }

 private:
  struct LaunchCode {
    std::string text;
    Clock::time_point until;
  };
  bool own_host(std::string_view host) const;
  bool own_origin(std::string_view origin) const;

  std::uint16_t port_;
  std::vector<std::string> hosts_;  // "127.0.0.1:8000"
  std::string secret_;
  std::mutex mutex_;
  std::vector<LaunchCode> codes_;
};

}  // namespace orrery::server
