// SPDX-License-Identifier: Apache-2.0
// posix_spawn of our own executable, with one end of a socket pair as its descriptor 3.
#include "server/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

namespace orrery::server {
namespace {

constexpr int worker_descriptor = 3;

pid_t spawn_worker(const WorkerLaunch& launch, int descriptor) {
  std::vector<std::string> words{launch.executable, "serve-worker", "--file",  launch.file,
                                 "--root",          launch.root,    "--allow", launch.allow};
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, descriptor, worker_descriptor);
  // A group of its own: Ctrl-C on the terminal is for the server alone.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t process = -1;
  if (posix_spawn(&process, launch.executable.c_str(), &actions, &attributes, pointers.data(), environ) != 0)
    process = -1;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return process;
}

}  // namespace

Worker::Worker(const WorkerLaunch& launch, std::function<void(Message)> receive, std::function<void(int)> ended) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  // dup2 of a descriptor onto itself would keep it closed on exec.
  if (ends[1] == worker_descriptor) ends[1] = ::fcntl(ends[1], F_DUPFD_CLOEXEC, 10);
  process_ = spawn_worker(launch, ends[1]);
  ::close(ends[1]);
  channel_ = std::make_unique<Channel>(ends[0]);
  if (process_ < 0) return;
  reader_ =
      std::thread([this, on_message = std::move(receive), on_end = std::move(ended)] { listen(on_message, on_end); });
}

Worker::~Worker() {
  if (process_ > 0) ::kill(process_, SIGKILL);
  if (channel_) channel_->shut();
  if (reader_.joinable()) reader_.join();
}

bool Worker::send(const Json& message) { return good() && channel_->send(MessageKind::json, dump(message)); }

void Worker::listen(const std::function<void(Message)>& receive, const std::function<void(int)>& ended) {
  Message message;
  while (channel_->receive(message)) receive(std::move(message));
  int status = 0;
  ::kill(process_, SIGKILL);  // it has closed its end: there is nothing more to hear of it
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  ended(status);
}

}  // namespace orrery::server
