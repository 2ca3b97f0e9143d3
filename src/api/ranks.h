// SPDX-License-Identifier: Apache-2.0
// The processes that mpirun has started, one of which hands out work to the others.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/diagnostic.h"

namespace orrery::api {

// Speaks MPI through a library that is loaded only now (tools/mpi/orrery_mpi.c): the program itself does not depend on
// it. All calls come from one thread.
class Ranks {
 public:
  using Message = std::array<std::int64_t, 4>;

  // Nothing, and a diagnostic, where that library is not installed.
  static std::unique_ptr<Ranks> join(Diagnostics& diagnostics);
  // Waits for the others, who must come to their end as well.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  void send(int to, const Message& message) const { send_(to, message.data()); }
  // The rank it came from; -1: nothing has come. Who waits sleeps between calls: MPI itself would keep a core busy.
  int receive(Message& message) const { return receive_(message.data()); }
  // Ends all of them, now.
  void abort(int code) const { abort_(code); }

 private:
  Ranks() = default;
  int rank_ = 0, size_ = 1;
  int (*send_)(int, const std::int64_t*) = nullptr;
  int (*receive_)(std::int64_t*) = nullptr;
  void (*end_)() = nullptr;
  void (*abort_)(int) = nullptr;
};

}  // namespace orrery::api
