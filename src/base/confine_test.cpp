// SPDX-License-Identifier: Apache-2.0
// What a confined process cannot do any more, tried in one.
#include "base/confine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace orrery {
namespace {

struct Attempt {
  const char* name;
  std::function<bool()> succeeds;
  bool needs_files = false;  // Landlock holds it; else seccomp does
};

// Which of the attempts succeed in a child that is confined; their names, joined. Nothing where the kernel cannot.
std::string what_succeeds(const Confinement& limits, const std::vector<Attempt>& attempts) {
  int ends[2] = {};
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    const Confined done = confine(limits);
    std::string names;
    for (const Attempt& attempt : attempts) {
      if (attempt.needs_files ? !done.files : !done.calls) continue;
      if (attempt.succeeds()) names += std::string(names.empty() ? "" : " ") + attempt.name;
    }
    ::_exit(::write(ends[1], names.data(), names.size()) < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  char text[1000];
  const ssize_t got = ::read(ends[0], text, sizeof text);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  return {text, static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

class Confining : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "confine-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    const int file = ::open((folder_ + "/kept").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(::write(file, "text", 4), 4);
    ::close(file);
  }
  void TearDown() override { ASSERT_EQ(std::system(("rm -rf '" + folder_ + "'").c_str()), 0); }
  std::string folder_;
};

TEST_F(Confining, WhoComputesOnlyReadsAndNothingElse) {
  const std::string kept = folder_ + "/kept", made = folder_ + "/made";
  const pid_t parent = ::getpid();
  Confinement limits;
  limits.computes_only = true;
  const auto forks = [] {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    return child > 0;
  };
  EXPECT_EQ(what_succeeds(limits, {{"read", [&] { return ::open(kept.c_str(), O_RDONLY) >= 0; }},
                                   {"make", [&] { return ::open(made.c_str(), O_WRONLY | O_CREAT, 0600) >= 0; }},
                                   {"change", [&] { return ::open(kept.c_str(), O_RDWR) >= 0; }},
                                   {"truncate", [&] { return ::truncate(kept.c_str(), 0) == 0; }},
                                   {"remove", [&] { return ::unlink(kept.c_str()) == 0; }},
                                   {"remove-at", [&] { return ::unlinkat(AT_FDCWD, kept.c_str(), 0) == 0; }},
                                   {"rename", [&] { return ::rename(kept.c_str(), made.c_str()) == 0; }},
                                   {"link", [&] { return ::link(kept.c_str(), made.c_str()) == 0; }},
                                   {"symlink", [&] { return ::symlink("/", made.c_str()) == 0; }},
                                   {"mkdir", [&] { return ::mkdir(made.c_str(), 0700) == 0; }},
                                   {"chmod", [&] { return ::chmod(kept.c_str(), 0777) == 0; }},
                                   {"fork", forks},
                                   {"execute",
                                    [] {
                                      ::execl("/bin/true", "true", nullptr);
                                      return errno != EPERM;
                                    }},
                                   {"connect", [] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; }},
                                   {"signal", [&] { return ::kill(parent, 0) == 0; }}}),
            "read");
  EXPECT_EQ(::access(kept.c_str(), F_OK), 0);
}

TEST_F(Confining, AnFmuReachesNobodyElse) {
  const std::string inside = folder_ + "/inside", outside = folder_ + "/kept";
  ASSERT_EQ(::mkdir(inside.c_str(), 0700), 0);
  const pid_t parent = ::getpid();
  std::atomic<pid_t> thread_number{0};
  std::atomic<bool> over{false};
  std::thread other([&] {
    thread_number = static_cast<pid_t>(::syscall(SYS_gettid));
    while (!over) ::usleep(1000);
  });
  while (thread_number == 0) ::usleep(1000);
  const pid_t thread_of_parent = thread_number;
  const bool scoped = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1U) >= 6;
  Confinement limits;
  limits.writable = {inside};
  limits.protect = {parent};
  const auto by_descriptor = [&] {
    const int process = ::open(("/proc/" + std::to_string(parent)).c_str(), O_RDONLY | O_DIRECTORY);
    return ::syscall(SYS_pidfd_send_signal, process, 0, nullptr, 0) == 0;
  };
  const auto memory = [&] { return ::open(("/proc/" + std::to_string(parent) + "/mem").c_str(), O_RDWR) >= 0; };
  EXPECT_EQ(
      what_succeeds(
          limits,
          {{"write-inside", [&] { return ::open((inside + "/a").c_str(), O_WRONLY | O_CREAT, 0600) >= 0; }, true},
           {"write-outside", [&] { return ::open((folder_ + "/a").c_str(), O_WRONLY | O_CREAT, 0600) >= 0; }, true},
           {"change-outside", [&] { return ::open(outside.c_str(), O_WRONLY) >= 0; }, true},
           {"truncate-outside", [&] { return ::truncate(outside.c_str(), 0) == 0; }, true},
           {"memory-of-parent", memory, true},
           {"kill", [&] { return ::kill(parent, 0) == 0; }},
           {"kill-group", [&] { return ::kill(-parent, 0) == 0; }},
           {"kill-all", [] { return ::kill(-1, 0) == 0; }},
           {"kill-thread", [&] { return scoped && ::kill(thread_of_parent, 0) == 0; }},
           {"tkill", [&] { return ::syscall(SYS_tkill, thread_of_parent, 0) == 0; }},
           {"tgkill", [&] { return ::syscall(SYS_tgkill, parent, thread_of_parent, 0) == 0; }},
           {"descriptor", by_descriptor},
           {"type", [] { return ::ioctl(0, TIOCSTI, "x") == 0 || errno != EPERM; }},
           {"ring", [] { return ::syscall(SYS_io_uring_setup, 1, nullptr) >= 0 || errno != EPERM; }},
           {"shared-memory", [] { return ::syscall(SYS_shmget, IPC_PRIVATE, 4096, 01600) >= 0 || errno != EPERM; }},
           {"semaphore", [] { return ::syscall(SYS_semget, IPC_PRIVATE, 1, 01600) >= 0 || errno != EPERM; }},
           {"queue", [] { return ::syscall(SYS_msgget, IPC_PRIVATE, 01600) >= 0 || errno != EPERM; }},
           {"limit-of-parent",
            [&] {
              const rlimit none{0, 0};
              return ::prlimit(parent, RLIMIT_CORE, &none, nullptr) == 0;
            }},
           {"priority-of-parent", [&] { return ::setpriority(PRIO_PROCESS, static_cast<id_t>(parent), 0) == 0; }},
           {"raise", [] { return ::kill(::getpid(), 0) == 0; }}}),
      "write-inside raise");
  over = true;
  other.join();
}

}  // namespace
}  // namespace orrery
