// SPDX-License-Identifier: Apache-2.0
// MAT files are read in a process of its own: the library for them trusts what they say about themselves.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>

#include "base/confine.h"
#include "base/keeper.h"
#include "oml/builtins/mat_files.h"
#include "oml/error.h"
#include "oml/interrupt.h"
#include "oml/memory.h"
#include "oml/value_bytes.h"

namespace orrery::oml {
namespace {

constexpr char all_is_well = '+', error_follows = '-';

void write_out(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(descriptor, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) ::_exit(1);
    text.remove_prefix(static_cast<std::size_t>(done));
  }
}

// Of the worker: nothing but reading, and no more memory than the script may use.
void limit_reader() {
  limit_memory(2 * static_cast<std::uint64_t>(memory_account().limit) + (std::uint64_t{256} << 20));
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  Confinement limits;
  limits.computes_only = true;
  confine(limits);
}

[[noreturn]] void read_apart(const std::function<NamedValues()>& read, int descriptor) {
  limit_reader();
  std::string error;
  try {
    const std::string bytes = to_bytes(read());
    write_out(descriptor, std::string_view(&all_is_well, 1));
    write_out(descriptor, bytes);
    ::_exit(0);
  } catch (const OmlError& e) {
    error = e.message;
  } catch (const std::bad_alloc&) {
    error = "out of memory";
  } catch (const std::exception& e) {
    error = e.what();
  }
  write_out(descriptor, std::string_view(&error_follows, 1));
  write_out(descriptor, error.substr(0, 1000));
  ::_exit(0);
}

// All that comes, until the other side closes; Ctrl-C and the memory of scripts end it.
std::string read_in(int descriptor) {
  std::string text;
  std::string buffer(1 << 18, '\0');
  for (;;) {
    pollfd event{descriptor, POLLIN, 0};
    const int ready = ::poll(&event, 1, 50);
    poll_interrupt();
    if (ready <= 0) continue;
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    if (memory_account().used + text.size() + static_cast<std::size_t>(got) > memory_account().limit)
      fail("out of memory");
    text.append(buffer, 0, static_cast<std::size_t>(got));
  }
}

struct Descriptor {
  int number;
  ~Descriptor() { ::close(number); }
};

}  // namespace

NamedValues read_in_process(const std::string& path, const char* kind, const std::function<NamedValues()>& read) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) fail(std::string("cannot read ") + path + ": " + std::strerror(errno));
  const Descriptor ours{ends[0]};
  KeptProcess reader;
  {
    const Descriptor theirs{ends[1]};
    if (!reader.start([&](pid_t) { read_apart(read, ends[1]); })) fail("no process can be made to read " + path);
  }
  const std::string answer = read_in(ends[0]);
  reader.end();
  if (WIFSIGNALED(reader.status()) || answer.empty()) {
    fail(fmt::format("the {} file {} is damaged: reading it ended with {}", kind, path,
                     WIFSIGNALED(reader.status()) ? strsignal(WTERMSIG(reader.status())) : "an error"));
  }
  if (answer[0] != all_is_well) fail(answer.substr(1));
  try {
    return from_bytes(std::string_view(answer).substr(1));
  } catch (const OmlError& e) {
    fail(fmt::format("the {} file {} is damaged: {}", kind, path, e.message));
  }
}

NamedValues read_mat_file(const std::string& path) {
  load_matio();
  return read_in_process(path, "MAT", [&] { return read_mat_file_here(path); });
}

}  // namespace orrery::oml
