// SPDX-License-Identifier: Apache-2.0
// The server's side of a worker process: starts it, sends to it, reads from it, notices its end.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "server/channel.h"
#include "server/json.h"

namespace orrery::server {

struct WorkerLaunch {
  std::string executable;  // this program
  std::string file;        // of the model, absolute
  std::string root;
  std::string allow;  // "read,write"
};

class Worker {
 public:
  // The functions are called from a thread of the worker's own.
  Worker(const WorkerLaunch& launch, std::function<void(Message)> receive, std::function<void(int status)> ended);
  ~Worker();  // kills it
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  bool good() const { return process_ > 0; }
  pid_t process() const { return process_; }
  bool send(const Json& message);

 private:
  void listen(const std::function<void(Message)>& receive, const std::function<void(int)>& ended);

  pid_t process_ = -1;
  std::unique_ptr<Channel> channel_;
  std::thread reader_;
};

}  // namespace orrery::server
