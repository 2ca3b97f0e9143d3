// SPDX-License-Identifier: Apache-2.0
// Sockets, frames and a process.
#include "client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>

#include "base/folders_for_tests.h"

namespace orrery::tests {
namespace {

bool send_all(int descriptor, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::send(descriptor, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string host(int port) { return "127.0.0.1:" + std::to_string(port); }

}  // namespace

ServerProcess::ServerProcess(const std::string& model_or_folder, const std::string& state) {
  int ends[2];
  if (::pipe(ends) != 0) return;
  std::filesystem::create_directories(state);
  process_ = ::fork();
  if (process_ == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, STDIN_FILENO);
    ::setenv("XDG_STATE_HOME", (state + "/state").c_str(), 1);
    ::setenv("XDG_CONFIG_HOME", (state + "/config").c_str(), 1);
    ::execl(orrery_binary().c_str(), "orrery", "serve", model_or_folder.c_str(), "--no-browser", nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  output_ = ends[0];
  std::string text;
  char part[512];
  while (text.find("Ctrl-C ends") == std::string::npos) {
    const ssize_t count = ::read(output_, part, sizeof part);
    if (count <= 0) break;
    text.append(part, static_cast<std::size_t>(count));
  }
  const std::size_t at = text.find("http://127.0.0.1:"), hash = text.find("/#code=");
  if (at == std::string::npos || hash == std::string::npos) return;
  port_ = std::stoi(text.substr(at + 17));
  code_ = text.substr(hash + 7, 32);
}

ServerProcess::~ServerProcess() {
  end();
  if (output_ >= 0) ::close(output_);
}

void ServerProcess::kill_hard() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

int ServerProcess::end() {
  if (process_ <= 0) return -1;
  ::kill(process_, SIGTERM);
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool ServerProcess::begin_session() {
  const Answer answer = ask(*this, "POST", "/session", Json{{"code", code_}}.dump());
  const Json body = Json::parse(answer.body, nullptr, false);
  if (answer.status != 200 || !body.is_object()) return false;
  secret_ = body.value("secret", "");
  return secret_.size() == 64;
}

int connect_to(int port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(port));
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(descriptor, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

Answer exchange(int port, const std::string& request) {
  Answer answer;
  const int descriptor = connect_to(port);
  if (descriptor < 0) return answer;
  send_all(descriptor, request);
  timeval patience{10, 0};
  ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  std::string text;
  char part[65536];
  std::size_t wanted = std::string::npos;
  while (text.size() < wanted) {
    const ssize_t count = ::recv(descriptor, part, sizeof part, 0);
    if (count <= 0) break;
    text.append(part, static_cast<std::size_t>(count));
    const std::size_t end = text.find("\r\n\r\n");
    if (wanted == std::string::npos && end != std::string::npos) {
      const std::size_t length = text.find("Content-Length: ");
      wanted = end + 4 + (length < end ? std::stoul(text.substr(length + 16)) : 0);
    }
  }
  ::close(descriptor);
  const std::size_t end = text.find("\r\n\r\n");
  if (text.size() < 12 || end == std::string::npos) return answer;
  answer.status = std::stoi(text.substr(9, 3));
  answer.head = text.substr(0, end + 2);
  answer.body = text.substr(end + 4);
  return answer;
}

Answer ask(const ServerProcess& server, const std::string& method, const std::string& target, const std::string& body,
           const std::string& more) {
  std::string text = method + " " + target + " HTTP/1.1\r\nHost: " + host(server.port()) + "\r\nConnection: close\r\n";
  if (!server.secret().empty()) text += "Authorization: Bearer " + server.secret() + "\r\n";
  if (method == "POST" && more.find("Content-Type") == std::string::npos) text += "Content-Type: application/json\r\n";
  if (!body.empty() || method == "POST") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return exchange(server.port(), text + more + "\r\n" + body);
}

WebSocketClient::WebSocketClient(const ServerProcess& server, const std::string& head) {
  descriptor_ = connect_to(server.port());
  if (descriptor_ < 0) return;
  const std::string fields = !head.empty()
                                 ? head
                                 : "Host: " + host(server.port()) + "\r\nOrigin: http://" + host(server.port()) +
                                       "\r\nSec-WebSocket-Protocol: orrery, " + server.secret() + "\r\n";
  send_all(descriptor_, "GET /socket HTTP/1.1\r\n" + fields +
                            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  const double until = now() + 10;
  while (buffer_.find("\r\n\r\n") == std::string::npos && now() < until && read_some(10)) {
  }
  const std::size_t end = buffer_.find("\r\n\r\n");
  if (end != std::string::npos) {
    status_ = std::stoi(buffer_.substr(9, 3));
    buffer_.erase(0, end + 4);
  }
  if (status_ == 101) return;
  ::close(descriptor_);
  descriptor_ = -1;
}

WebSocketClient::~WebSocketClient() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

WebSocketClient::WebSocketClient(WebSocketClient&& other) noexcept { *this = std::move(other); }

WebSocketClient& WebSocketClient::operator=(WebSocketClient&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(status_, other.status_);
  std::swap(next_, other.next_);
  std::swap(buffer_, other.buffer_);
  std::swap(pushes, other.pushes);
  std::swap(frames, other.frames);
  std::swap(closed, other.closed);
  return *this;
}

bool WebSocketClient::read_some(double seconds) {
  pollfd input{descriptor_, POLLIN, 0};
  if (::poll(&input, 1, static_cast<int>(seconds * 1000)) <= 0) return false;
  char part[65536];
  const ssize_t count = ::recv(descriptor_, part, sizeof part, 0);
  if (count <= 0) {
    closed = true;
    return false;
  }
  buffer_.append(part, static_cast<std::size_t>(count));
  return true;
}

bool WebSocketClient::send_raw(const std::string& bytes) { return send_all(descriptor_, bytes); }

bool WebSocketClient::send(const std::string& text, int opcode) {
  std::string frame(1, static_cast<char>(0x80 | opcode));
  if (text.size() < 126) {
    frame += static_cast<char>(0x80 | text.size());
  } else if (text.size() < 65536) {
    frame += static_cast<char>(0x80 | 126);
    frame += static_cast<char>(text.size() >> 8);
    frame += static_cast<char>(text.size() & 255);
  } else {
    frame += static_cast<char>(0x80 | 127);
    for (int k = 7; k >= 0; --k) frame += static_cast<char>((text.size() >> (8 * k)) & 255);
  }
  const char mask[4] = {0x12, 0x34, 0x56, 0x78};
  frame.append(mask, 4);
  for (std::size_t k = 0; k < text.size(); ++k) frame += static_cast<char>(text[k] ^ mask[k % 4]);
  return send_all(descriptor_, frame);
}

std::string WebSocketClient::receive(double seconds) {
  const double until = now() + seconds;
  for (;;) {
    while (buffer_.size() >= 2) {
      std::size_t size = static_cast<unsigned char>(buffer_[1]) & 127U, head = 2;
      if (size == 126) head = 4;
      if (size == 127) head = 10;
      if (buffer_.size() < head) break;
      if (head > 2) {
        size = 0;
        for (std::size_t k = 2; k < head; ++k) size = size << 8 | static_cast<unsigned char>(buffer_[k]);
      }
      if (buffer_.size() < head + size) break;
      const int opcode = buffer_[0] & 15;
      const std::string payload = buffer_.substr(head, size);
      buffer_.erase(0, head + size);
      if (opcode == 1) return payload;
      if (opcode == 2) frames.push_back(payload);
      if (opcode == 9) send(payload, 10);
      if (opcode == 8) {
        closed = true;
        return {};
      }
      if (opcode == 2) return {};
    }
    const double left = until - now();
    if (left <= 0 || !read_some(left)) return {};
  }
}

Json WebSocketClient::request(Json message, double seconds) {
  const int id = ++next_;
  message["id"] = id;
  if (!send(message.dump())) return {};
  const double until = now() + seconds;
  while (now() < until && !closed) {
    const std::string text = receive(until - now());
    if (text.empty()) continue;
    Json json = Json::parse(text, nullptr, false);
    if (json.is_object() && json.value("id", Json()) == Json(id)) return json;
    if (json.is_object() && json.contains("on")) pushes.push_back(std::move(json));
  }
  return {};
}

Json WebSocketClient::wait_for(const std::string& push, double seconds) {
  const double until = now() + seconds;
  for (;;) {
    for (auto item = pushes.begin(); item != pushes.end(); ++item) {
      if ((*item)["on"] != push) continue;
      Json found = std::move(*item);
      pushes.erase(item);
      return found;
    }
    if (now() >= until || closed) return {};
    const std::string text = receive(until - now());
    Json json = text.empty() ? Json() : Json::parse(text, nullptr, false);
    if (json.is_object() && json.contains("on")) pushes.push_back(std::move(json));
  }
}

}  // namespace orrery::tests
