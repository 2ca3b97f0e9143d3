// SPDX-License-Identifier: Apache-2.0
// The two sides of an FMU in its own process.
#include "fmi/safe_process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "base/confine.h"
#include "base/environment.h"
#include "base/keeper.h"
#include "fmi/caller.h"
#include "fmi/shared_channel.h"

namespace orrery::fmi {
namespace {

using Clock = std::chrono::steady_clock;
using Turn = SharedChannel::Turn;

constexpr std::size_t most_queued = 100'000;        // bytes
constexpr auto farewell = std::chrono::seconds(2);  // for the end of the child's process

// What was wrong at the start, as bytes.
void put_diagnostics(PacketWriter& out, const Diagnostics& diagnostics) {
  out.put(static_cast<std::uint64_t>(diagnostics.all().size()));
  for (const Diagnostic& item : diagnostics.all()) {
    out.put(item.severity == Severity::error);
    out.put(item.code);
    out.put(item.message);
    out.put(item.help);
    out.put(std::span<const std::string>(item.notes));
  }
}

void take_diagnostics(PacketReader& in, const std::string& fmu, Diagnostics& diagnostics) {
  const auto count = in.take<std::uint64_t>();
  for (std::uint64_t k = 0; k < count; ++k) {
    Diagnostic item;
    item.severity = in.take<bool>() ? Severity::error : Severity::warning;
    item.place.file = fmu;
    in.take(item.code);
    in.take(item.message);
    in.take(item.help);
    in.take(item.notes);
    diagnostics.add(std::move(item));
  }
}

struct Child {
  const Description& description;
  std::unique_ptr<Binary> binary;
  Log& log;
  const InstanceOptions& options;
  SharedChannel& channel;
  pid_t simulator, parent;  // the parent is its keeper

  // Never returns: nothing of the parent's is destroyed in here.
  [[noreturn]] void run(const SafeLimits& limits) noexcept {
    settle(limits);
    Diagnostics diagnostics;
    std::unique_ptr<Instance> instance;
    if (binary->load(diagnostics)) {
      instance = instantiate(description, std::move(binary), log, options, diagnostics);
    }
    PacketWriter answer;
    answer.put(instance != nullptr);
    put_diagnostics(answer, diagnostics);
    channel.hand_over(Turn::simulator, Call::has_directional_derivatives, answer.bytes());
    if (!instance) _exit(0);
    serve(*instance, answer);
    finish(instance);
  }

 private:
  void settle(const SafeLimits& limits) {
    forget_ends();
    setpgid(0, 0);  // so that what the FMU starts can be ended with it
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    dup2(STDERR_FILENO, STDOUT_FILENO);  // results go to standard output; chatter does not
    entered_function = &channel.entered_function();
    if (access(".", W_OK) != 0 && chdir(binary->folder().c_str()) != 0) _exit(1);
    log.send_to([this](Status status, const char* category, const char* text) { channel.say(status, category, text); });
    if (limits.memory_bytes > 0) limit_memory(limits.memory_bytes);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    limit_reach();
  }

  // Where the kernel can: it writes below its own folder, the working folder and the temporary one only, and cannot end
  // the processes that watch over it.
  void limit_reach() {
    Confinement limits;
    const char* temporary = environment_variable("TMPDIR");
    limits.writable = {binary->folder(), ".", temporary != nullptr && *temporary != '\0' ? temporary : "/tmp"};
    limits.protect = {simulator, parent, getpgid(simulator)};
    confine(limits);
  }

  void serve(Instance& instance, PacketWriter& answer) {
    Dispatcher dispatcher(instance);
    const auto alive = [this] { return getppid() == parent; };
    std::vector<char> request;
    while (channel.wait_for(Turn::fmu, alive)) {
      const Call call = channel.call();
      if (call == Call::free_instance) return;
      PacketReader message(channel.message());
      // Calls that were put off come first; one that fails answers for all.
      bool good = true;
      while (good) {
        const bool put_off = message.take<bool>();
        const Call next = static_cast<Call>(message.take<std::uint32_t>());
        message.take(request);
        dispatcher.execute(next, PacketReader(request), answer);
        if (!put_off || message.at_end()) break;
        good = succeeded(PacketReader(answer.bytes()).take<Status>());
      }
      if (!channel.hand_over(Turn::simulator, call, answer.bytes())) _exit(1);
    }
    _exit(1);
  }

  [[noreturn]] void finish(std::unique_ptr<Instance>& instance) {
    instance.reset();
    PacketWriter answer;
    answer.put(Status::ok);
    answer.put(std::span<const char>());
    channel.hand_over(Turn::simulator, Call::free_instance, answer.bytes());
    std::fflush(nullptr);
    _exit(0);
  }
};

class ProcessTransport final : public Transport {
 public:
  ProcessTransport(std::unique_ptr<SharedChannel> channel, std::unique_ptr<Binary> binary, Log& log,
                   const SafeLimits& limits, KeptProcess child)
      : channel_(std::move(channel)), binary_(std::move(binary)), log_(log), limits_(limits), child_(std::move(child)) {
    agreed_.put(Status::ok);
    agreed_.put(std::span<const char>());
  }

  ~ProcessTransport() override {
    const auto until = Clock::now() + farewell;
    while (told_to_end_ && !child_.has_ended() && Clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    child_.end();
  }

  std::span<const char> exchange(Call call, std::span<const char> request) override {
    if (!death_.code.empty()) return {};
    // These two hardly ever fail and come before a question in any case: one trip for all.
    const bool put_off = call == Call::set_time || call == Call::set_states;
    queue_.put(put_off);
    queue_.put(static_cast<std::uint32_t>(call));
    queue_.put(request);
    if (put_off && queue_.bytes().size() < most_queued) return agreed_.bytes();
    told_to_end_ = call == Call::free_instance;
    const bool fits = channel_->hand_over(Turn::fmu, call, queue_.bytes());
    queue_.clear();
    if (!fits) {
      death_ =
          Death{"fmi-memory", fmt::format("a call of {} bytes is too long for a process of its own", request.size())};
      return {};
    }
    return wait(call);
  }
  const Death* death() const override { return death_.code.empty() ? nullptr : &death_; }

  // Also for the first answer, which nobody asked for.
  std::span<const char> wait(Call call) {
    Clock::time_point begin;
    bool timing = false, late = false;
    const auto alive = [&] {
      if (!timing) begin = Clock::now();
      timing = true;
      late = std::chrono::duration<double>(Clock::now() - begin).count() > limits_.call_seconds;
      return !late && !child_.has_ended();
    };
    const bool answered = channel_->wait_for(Turn::simulator, alive);
    channel_->listen(log_);
    if (answered) return channel_->message();
    const char* function = known_function(channel_->entered_function().load());
    if (function == nullptr) function = name_of(call);
    child_.end();
    if (late) {
      death_ = Death{"fmi-hang",
                     fmt::format("the FMU did not come back from {} within {} s", function, limits_.call_seconds)};
    } else {
      death_ = Death{"fmi-crash", obituary(function)};
    }
    return {};
  }

 private:
  std::string obituary(const char* function) const {
    const int status = child_.status();
    if (WIFSIGNALED(status)) return describe_crash(function, WTERMSIG(status));
    return fmt::format("the FMU ended its process in {} with exit code {}", function, WEXITSTATUS(status));
  }
  std::unique_ptr<SharedChannel> channel_;
  std::unique_ptr<Binary> binary_;  // the folder the child lives in
  Log& log_;
  SafeLimits limits_;
  KeptProcess child_;
  bool told_to_end_ = false;
  PacketWriter queue_, agreed_;  // calls that wait for the next question; the answer they get at once
  Death death_;
};

}  // namespace

std::unique_ptr<Instance> instantiate_safe(const Description& description, std::unique_ptr<Binary> binary, Log& log,
                                           const InstanceOptions& options, const SafeLimits& limits,
                                           Diagnostics& diagnostics) {
  const Place place{binary->fmu(), 0, 0, {}, {}};
  auto channel = SharedChannel::create();
  const pid_t simulator = getpid();
  std::fflush(nullptr);
  KeptProcess child;
  const auto work = [&](pid_t keeper) {
    Child{description, std::move(binary), log, options, *channel, simulator, keeper}.run(limits);
  };
  if (!channel || !child.start(work)) {
    diagnostics.error("fmi-no-process", place, fmt::format("no process can be made for the FMU: {}", strerror(errno)));
    return nullptr;
  }
  auto transport =
      std::make_unique<ProcessTransport>(std::move(channel), std::move(binary), log, limits, std::move(child));
  const std::span<const char> answer = transport->wait(Call::has_directional_derivatives);
  bool made = false;
  if (const Death* death = transport->death()) {
    diagnostics.error(death->code, place, death->message).notes = log.last_words();
    return nullptr;
  }
  Diagnostics told;
  try {
    PacketReader in(answer);
    made = in.take<bool>();
    take_diagnostics(in, place.file, told);
  } catch (const PacketError&) {
    made = false;
  }
  // What the FMU has said came to the log of this process.
  for (Diagnostic diagnostic : told.all()) {
    if (diagnostic.code == "fmi-no-instance" && diagnostic.notes.empty()) diagnostic.notes = log.last_words();
    diagnostics.add(std::move(diagnostic));
  }
  return made ? make_forwarding_instance(std::move(transport)) : nullptr;
}

}  // namespace orrery::fmi
