// SPDX-License-Identifier: Apache-2.0
// Reads requests, queues the long ones, answers each by its number.
#include "server/worker_process.h"

#include <sys/sysinfo.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "api/session.h"
#include "base/confine.h"
#include "native/cache.h"
#include "oml/interpreter.h"
#include "server/json.h"

namespace orrery::server {
namespace {

constexpr int channel_descriptor = 3;

// Files may be written where compilers and caches need it and, when the user has said so, everywhere.
void confine_worker(Capabilities allowed) {
  const bool trusted =
      allowed.has(Capability::write) || allowed.has(Capability::native) || allowed.has(Capability::shell);
  if (!trusted) {
    std::error_code ignored;
    Confinement limits;
    limits.writable = {std::filesystem::temp_directory_path(ignored).string()};
    const std::string cache = native::default_cache_directory().string();
    std::string why;
    if (!cache.empty() && native::prepare_cache(cache, why)) limits.writable.push_back(cache);
    limits.protect = {::getppid()};
    confine(limits);
  }
  struct sysinfo machine {};
  constexpr std::uint64_t least = std::uint64_t{8} << 30;
  if (::sysinfo(&machine) == 0) limit_memory(std::max<std::uint64_t>(least, machine.totalram * machine.mem_unit));
}

}  // namespace

int run_worker(const WorkerArguments& arguments) {
  std::string unknown;
  const auto allowed = parse_capabilities(arguments.allow, unknown);
  if (!allowed || ::chdir(arguments.root.c_str()) != 0) return 2;
  confine_worker(*allowed);
  Channel channel(channel_descriptor);
  {
    WorkerProcess worker(channel, arguments.file, *allowed);
    Message message;
    while (channel.receive(message)) {
      Json request = parse_json(message.bytes);
      if (request.is_object()) worker.take(std::move(request));
    }
    std::_Exit(0);  // the server is gone: whatever runs has nobody to tell
  }
}

WorkerProcess::WorkerProcess(Channel& channel, std::string file, Capabilities allowed)
    : channel_(channel), file_(std::move(file)), allowed_(allowed), run_(channel, file_, allowed), thread_([this] {
        work();
      }) {}

WorkerProcess::~WorkerProcess() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  cancel_check_ = interrupt_ = true;
  wake_.notify_all();
  thread_.join();
}

void WorkerProcess::take(Json request) {
  const std::string what = text_field(request, "do");
  if (what == "interrupt") {
    interrupt_ = true;
    return;
  }
  if (run_.takes(what)) return run_.take(std::move(request));
  const std::lock_guard lock(mutex_);
  if (what == "check") {
    for (auto item = waiting_.begin(); item != waiting_.end();) {
      const bool old = text_field(*item, "do") == "check";
      if (old) channel_.send(MessageKind::json, dump({{"n", (*item)["n"]}, {"old", true}}));
      item = old ? waiting_.erase(item) : item + 1;
    }
    if (checking_) cancel_check_ = true;
  }
  waiting_.push_back(std::move(request));
  wake_.notify_all();
}

void WorkerProcess::work() {
  for (;;) {
    Json request;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return over_ || !waiting_.empty(); });
      if (over_) return;
      // What somebody types waits for no check.
      auto next = std::find_if(waiting_.begin(), waiting_.end(),
                               [](const Json& item) { return text_field(item, "do") != "check"; });
      if (next == waiting_.end()) next = waiting_.begin();
      request = std::move(*next);
      waiting_.erase(next);
      checking_ = text_field(request, "do") == "check";
      cancel_check_ = false;
      interrupt_ = false;
    }
    Json result = answer(request);
    {
      const std::lock_guard lock(mutex_);
      if (checking_ && cancel_check_) result = {{"old", true}};
      checking_ = false;
    }
    result["n"] = request["n"];
    if (!channel_.send(MessageKind::json, dump(result))) return;
  }
}

std::optional<model::Model> WorkerProcess::read(const Json& request, Diagnostics& diagnostics) const {
  return api::read_model(text_field(request, "text"), file_, diagnostics);
}

Json WorkerProcess::answer(const Json& request) {
  const std::string what = text_field(request, "do");
  if (what == "check") return check(request);
  if (what == "evaluate") return evaluate(request);
  if (what == "complete") return complete(request);
  if (what == "console") return console(request);
  if (what == "help") return help(request);
  if (what == "schedule") return schedule(request);
  if (what == "linearise") return linearise(request);
  if (what == "execute") return execute(request);
  return {{"error", diagnostic_json(make_error("bad-request", "the worker does not know " + what))}};
}

}  // namespace orrery::server
