// SPDX-License-Identifier: Apache-2.0
// Runs in the worker process: one at a time, the newest wins; paused, stepped, paced, broken by conditions.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api/model.h"
#include "api/run.h"
#include "server/channel.h"
#include "server/json.h"

namespace orrery::server {

class RunStream;
class BreakConditions;

class WorkerRun {
 public:
  WorkerRun(Channel& channel, std::string file, Capabilities allowed);
  ~WorkerRun();

  static bool takes(const std::string& what);
  void take(Json request);

 private:
  enum class Mode { running, paused, by_step, by_event };
  struct Control {
    Mode mode = Mode::running;
    long count = 1;    // of steps or events to go
    double speed = 0;  // simulated seconds a second; 0: as fast as possible
    std::string reason = "asked";
    double share = 0.01;  // of the horizon that is run between two looks at requests
  };

  void work();
  void perform(const Json& request);
  api::RunState go(api::Run& run, const Json& request, RunStream& stream, BreakConditions& breaks);
  // False: the run is to end.
  bool obey(api::Run& run, RunStream& stream, BreakConditions& breaks, Control& control);
  void obey_one(const Json& request, api::Run& run, RunStream& stream, BreakConditions& breaks, Control& control);
  void tell_paused(api::Run& run, RunStream& stream, const Control& control, const std::string& condition);
  Json values(api::Run& run, const Json& request);
  void send(const Json& message);
  void end_run(const Json& request, const char* state, const Diagnostics& diagnostics, const api::Run* run,
               double compile_seconds);

  Channel& channel_;
  const std::string file_;
  const Capabilities allowed_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Json> wanted_;    // the run that comes next, or none
  std::vector<Json> requests_;  // to the run that there is
  std::uint32_t number_ = 0;    // of the run that there is; 0: none
  api::Run* current_ = nullptr;
  std::atomic<bool> stop_ = false;  // the run that there is
  bool over_ = false;
  std::thread thread_;
};

}  // namespace orrery::server
