// SPDX-License-Identifier: Apache-2.0
// HTTP and WebSocket on one port. The only file pair that knows Boost.Beast.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "server/guard.h"
#include "server/messages.h"

namespace orrery::server {

// Who answers. All calls come from the one thread that run() uses.
class Answers {
 public:
  virtual ~Answers() = default;
  virtual void http(const HttpRequest& request, HttpReply reply) = 0;
  virtual void connected(const TabRef& tab) = 0;
  virtual void message(const TabRef& tab, const std::string& text) = 0;
  virtual void gone(const TabRef& tab) = 0;
  // Now and then, while nothing else happens.
  virtual void tick() = 0;
};

struct NetworkLimits {
  std::size_t message = std::size_t{8} << 20;
  std::size_t upload = std::size_t{64} << 20;
  std::size_t header = 16 << 10;
  int connections = 16;
  std::size_t waiting = std::size_t{64} << 20;  // bytes on their way to one page
};

class HttpServer {
 public:
  // Binds at once; port 0 takes a free one. `address` is that of the loopback unless the user insists.
  HttpServer(const std::string& address, std::uint16_t port, const NetworkLimits& limits = {});
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  bool good() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  std::uint16_t port() const { return port_; }
  // Until stop() or `end` becomes true.
  void run(Guard& guard, Answers& answers, const std::atomic<bool>& end);
  void stop();

 private:
  struct Data;
  std::unique_ptr<Data> data_;
  std::string error_;
  std::uint16_t port_ = 0;
};

}  // namespace orrery::server
