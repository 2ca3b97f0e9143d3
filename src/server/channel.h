// SPDX-License-Identifier: Apache-2.0
// Messages between the server and a worker process over a socket pair: a length, a kind, bytes.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace orrery::server {

enum class MessageKind : std::uint8_t {
  json,
  rows,     // u32 run, u32 columns, u32 rows; then times, values row by row (f64), phases (i8)
  relabel,  // u32 run, i8 phase: the row that came last
  events,   // u32 run, u32 count; then EventRecord, each
};

// As it goes over the channel; both ends are the same program.
struct EventRecord {
  double time, left, right;
  std::uint32_t source, origin;
  std::int32_t port;
  std::uint8_t cause, restarted;
  std::uint16_t unused = 0;
};

struct Message {
  MessageKind kind = MessageKind::json;
  std::string bytes;
};

// One end. Any thread may send, one may receive.
class Channel {
 public:
  explicit Channel(int descriptor) : descriptor_(descriptor) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // False: the other end is gone.
  bool send(MessageKind kind, std::string_view bytes);
  // Waits. False: the other end is gone, or sends nonsense.
  bool receive(Message& message);
  // Ends both directions; whoever waits in receive() returns.
  void shut();

 private:
  bool read_all(void* to, std::size_t count);
  int descriptor_;
  std::mutex mutex_;
};

}  // namespace orrery::server
