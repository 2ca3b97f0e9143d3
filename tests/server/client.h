// SPDX-License-Identifier: Apache-2.0
// A client of `orrery serve` that speaks HTTP and WebSocket by hand, so that it can also speak them wrongly.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace orrery::tests {

using Json = nlohmann::json;

struct Answer {
  int status = 0;  // 0: the connection was closed without one
  std::string head, body;
};

// A server of its own, on a free port, for a folder.
class ServerProcess {
 public:
  // `state` is where journals, preferences and trust go.
  ServerProcess(const std::string& model_or_folder, const std::string& state);
  ~ServerProcess();  // SIGTERM, and waits
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  bool good() const { return port_ > 0; }
  int port() const { return port_; }
  int process() const { return process_; }
  const std::string& secret() const { return secret_; }
  const std::string& code() const { return code_; }
  void kill_hard();  // SIGKILL
  int end();         // SIGTERM; the exit code
  // Exchanges the launch code for the secret.
  bool begin_session();

 private:
  int process_ = -1, port_ = 0, output_ = -1;
  std::string code_, secret_;
};

int connect_to(int port);  // a descriptor; -1
Answer exchange(int port, const std::string& request);
// A request as a page makes it; `more` are further headers, each with \r\n.
Answer ask(const ServerProcess& server, const std::string& method, const std::string& target,
           const std::string& body = {}, const std::string& more = {});

class WebSocketClient {
 public:
  WebSocketClient() = default;
  // `head` replaces all headers that a page would send.
  WebSocketClient(const ServerProcess& server, const std::string& head = {});
  ~WebSocketClient();
  WebSocketClient(WebSocketClient&& other) noexcept;
  WebSocketClient& operator=(WebSocketClient&& other) noexcept;

  bool good() const { return descriptor_ >= 0; }
  int status() const { return status_; }  // of the handshake
  bool send(const std::string& text, int opcode = 1);
  bool send_raw(const std::string& bytes);
  // The next message; empty: none came in time, or the connection is closed. Binary ones go to `frames`.
  std::string receive(double seconds = 10);
  // Sends a request and waits for its answer; pushes on the way are kept.
  Json request(Json message, double seconds = 20);
  // A push that came already, or comes.
  Json wait_for(const std::string& push, double seconds = 20);
  std::vector<Json> pushes;
  std::vector<std::string> frames;
  bool closed = false;

 private:
  bool read_some(double seconds);
  int descriptor_ = -1, status_ = 0, next_ = 0;
  std::string buffer_;
};

}  // namespace orrery::tests
