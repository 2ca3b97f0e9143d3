// SPDX-License-Identifier: Apache-2.0
// Hands the SVG to rsvg-convert through a pipe; the PNG appears when it is complete.
#include "io/png.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

extern char** environ;

namespace orrery::io {
namespace {

// A pipe whose reader has gone must be an error of write(), not the end of this process.
class PipeErrorsAreReturned {
 public:
  PipeErrorsAreReturned() { ::sigaction(SIGPIPE, &ignore(), &before_); }
  ~PipeErrorsAreReturned() { ::sigaction(SIGPIPE, &before_, nullptr); }
  PipeErrorsAreReturned(const PipeErrorsAreReturned&) = delete;
  PipeErrorsAreReturned& operator=(const PipeErrorsAreReturned&) = delete;

 private:
  static struct sigaction& ignore() {
    static struct sigaction action = [] {
      struct sigaction a = {};
      a.sa_handler = SIG_IGN;
      return a;
    }();
    return action;
  }
  struct sigaction before_ = {};
};

void feed(int descriptor, std::string_view text) {
  const PipeErrorsAreReturned guard;
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

bool write_png(const std::string& path, std::string_view svg, Diagnostics& diagnostics) {
  const std::string part = path + "." + std::to_string(::getpid()) + ".part";
  Place place;
  place.file = path;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    diagnostics.error("output-unwritable", std::move(place), "no pipe: " + std::generic_category().message(errno));
    return false;
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
  const char* const arguments[] = {"rsvg-convert", "--zoom", "2", "-o", part.c_str(), nullptr};
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, const_cast<char* const*>(arguments), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[0]);
  if (failed != 0) {
    ::close(ends[1]);
    diagnostics.error("png-unavailable", std::move(place), "PNG files need the program rsvg-convert, which is not here",
                      "install the package librsvg2-bin, or write an SVG file");
    return false;
  }
  feed(ends[1], svg);
  ::close(ends[1]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0 && std::rename(part.c_str(), path.c_str()) == 0) return true;
  ::unlink(part.c_str());
  diagnostics.error("output-unwritable", std::move(place), "the PNG file could not be written",
                    "check that the folder exists, is writable and has room");
  return false;
}

}  // namespace orrery::io
