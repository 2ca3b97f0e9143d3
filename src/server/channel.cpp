// SPDX-License-Identifier: Apache-2.0
// Whole messages over a stream.
#include "server/channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace orrery::server {
namespace {

constexpr std::uint32_t largest_message = 1U << 30;
constexpr std::size_t head_bytes = 5;

bool send_bytes(int descriptor, const char* from, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = ::send(descriptor, from, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    from += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace

Channel::~Channel() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Channel::shut() { ::shutdown(descriptor_, SHUT_RDWR); }

bool Channel::send(MessageKind kind, std::string_view bytes) {
  if (bytes.size() > largest_message) return false;
  const std::lock_guard lock(mutex_);
  std::array<char, head_bytes> head;
  const auto size = static_cast<std::uint32_t>(bytes.size());
  std::memcpy(head.data(), &size, sizeof size);
  head[4] = static_cast<char>(kind);
  return send_bytes(descriptor_, head.data(), head.size()) && send_bytes(descriptor_, bytes.data(), bytes.size());
}

bool Channel::read_all(void* to, std::size_t count) {
  auto* at = static_cast<char*>(to);
  while (count > 0) {
    const ssize_t got = ::recv(descriptor_, at, count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

bool Channel::receive(Message& message) {
  std::array<char, head_bytes> head;
  if (!read_all(head.data(), head.size())) return false;
  std::uint32_t size = 0;
  std::memcpy(&size, head.data(), sizeof size);
  if (size > largest_message || static_cast<unsigned char>(head[4]) > static_cast<unsigned char>(MessageKind::events))
    return false;
  message.kind = static_cast<MessageKind>(head[4]);
  message.bytes.resize(size);
  return read_all(message.bytes.data(), size);
}

}  // namespace orrery::server
