// SPDX-License-Identifier: Apache-2.0
// The guard and its process, which calls nothing but the system: other threads may have been anywhere when it was made.
#include "io/line_guard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace orrery::io {
namespace {

constexpr int word_place = 0, file_place = 1;

void cut_to_whole_lines(int file) {
  static char piece[1 << 16];
  off_t end = ::lseek(file, 0, SEEK_END);
  while (end > 0) {
    const off_t from = std::max<off_t>(end - static_cast<off_t>(sizeof piece), 0);
    const ssize_t count = ::pread(file, piece, static_cast<std::size_t>(end - from), from);
    if (count != end - from) return;
    for (ssize_t k = count; k-- > 0;) {
      if (piece[k] != '\n') continue;
      static_cast<void>(!::ftruncate(file, from + k + 1));
      return;
    }
    end = from;
  }
}

[[noreturn]] void stand_guard(int words, int file) {
  ::setsid();  // what is sent to the writer's terminal or group is not for us
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(signal, SIG_IGN);
  // Nothing else stays open: others may wait for its end.
  const int own_file = ::fcntl(file, F_DUPFD, 3), own_words = ::fcntl(words, F_DUPFD, 3);
  if (own_file < 0 || own_words < 0 || ::dup2(own_words, word_place) < 0 || ::dup2(own_file, file_place) < 0)
    ::_exit(1);
  ::close_range(2, ~0U, 0);
  char word = 0;
  ssize_t count = 0;
  do count = ::read(word_place, &word, 1);
  while (count < 0 && errno == EINTR);
  if (count == 0) cut_to_whole_lines(file_place);
  ::_exit(0);
}

}  // namespace

LineGuard::LineGuard(int file) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  process_ = ::fork();
  if (process_ < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return;
  }
  if (process_ == 0) {
    ::close(ends[1]);
    stand_guard(ends[0], file);
  }
  ::close(ends[0]);
  words_ = ends[1];
}

LineGuard::~LineGuard() {
  if (words_ < 0) return;
  const char word = 1;
  ::send(words_, &word, 1, MSG_NOSIGNAL);  // somebody may have killed the guard
  ::close(words_);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace orrery::io
