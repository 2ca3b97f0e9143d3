// SPDX-License-Identifier: Apache-2.0
// The worker process of a model: whatever runs its texts. It holds no document, so its end loses nothing.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/consent.h"
#include "model/model.h"
#include "server/channel.h"
#include "server/json.h"
#include "server/worker_arguments.h"
#include "server/worker_run.h"

namespace orrery::oml {
class Interpreter;
}

namespace orrery::server {

// Talks over descriptor 3 until the other end is gone. The exit code.
int run_worker(const WorkerArguments& arguments);

class WorkerProcess {
 public:
  WorkerProcess(Channel& channel, std::string file, Capabilities allowed);
  ~WorkerProcess();

  // One request of the server. Long work is done elsewhere; of several checks that wait the newest is done.
  void take(Json request);

 private:
  void work();
  Json answer(const Json& request);
  // worker_check.cpp
  Json check(const Json& request);
  Json evaluate(const Json& request);
  Json complete(const Json& request);
  Json schedule(const Json& request);
  Json linearise(const Json& request);
  Json execute(const Json& request);
  // worker_console.cpp
  Json console(const Json& request);
  Json help(const Json& request);
  oml::Interpreter& interpreter();

  Consent consent() const { return Consent::of_model(file_, allowed_); }
  std::optional<model::Model> read(const Json& request, Diagnostics& diagnostics) const;

  Channel& channel_;
  const std::string file_;
  const Capabilities allowed_;
  WorkerRun run_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Json> waiting_;
  bool over_ = false;
  std::atomic<bool> cancel_check_ = false, interrupt_ = false;
  bool checking_ = false;
  std::unique_ptr<oml::Interpreter> interpreter_;
  std::string printed_;
  std::thread thread_;
};

}  // namespace orrery::server
