// SPDX-License-Identifier: Apache-2.0
// Reads and replaces .orr files on disk.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/new_file.h"
#include "model/check_diagram.h"
#include "model/limits.h"
#include "model/model.h"
#include "model/read_text.h"

namespace orrery::model {
namespace {

// Closes the descriptor when the scope ends, so that every early return is safe.
struct OpenFile {
  int descriptor;
  explicit OpenFile(int d) : descriptor(d) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

std::string error_text(int number) { return std::generic_category().message(number); }

void unreadable(const std::string& path, int number, Diagnostics& diagnostics) {
  diagnostics.error("file-unreadable", place_in(path), "cannot read " + path + ": " + error_text(number),
                    number == ENOENT ? "check the spelling of the path" : "");
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

std::optional<std::string> read_text(const std::string& path, Diagnostics& diagnostics) {
  OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (file.descriptor < 0 || ::fstat(file.descriptor, &status) != 0) {
    unreadable(path, errno, diagnostics);
    return std::nullopt;
  }
  std::string text;
  const auto too_large = [&] {
    diagnostics.error("file-too-large", place_in(path),
                      "the file has more than " + std::to_string(largest_file >> 20) + " MiB",
                      "split the model, or check that this is a model file");
    return std::nullopt;
  };
  if (S_ISREG(status.st_mode)) {
    if (static_cast<std::size_t>(status.st_size) > largest_file) return too_large();
    text.reserve(static_cast<std::size_t>(status.st_size));
  }
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = ::read(file.descriptor, buffer, sizeof buffer);
    if (count == 0) return text;
    if (count < 0) {
      if (errno == EINTR) continue;
      unreadable(path, errno, diagnostics);
      return std::nullopt;
    }
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > largest_file) return too_large();
  }
}

std::optional<Model> load(const std::string& path, Diagnostics& diagnostics) {
  const std::optional<std::string> text = read_text(path, diagnostics);
  if (!text) return std::nullopt;
  return parse(*text, path, diagnostics);
}

bool save(const Model& model, const std::string& path, Diagnostics& diagnostics) {
  const std::string text = write(model);
  const std::optional<std::string> found = final_target(path);
  const std::string target = found.value_or(path);
  const std::string temporary = target + "." + std::to_string(::getpid()) + ".part";
  const auto failed = [&](int number) {
    diagnostics.error("file-unwritable", place_in(path), "cannot write " + path + ": " + error_text(number),
                      "check that the folder exists, is writable and has room");
    return false;
  };
  if (!found) return failed(EACCES);
  struct stat there = {};
  if (::stat(target.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {  // nothing takes the place of a device
    OpenFile device(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
    return (device.descriptor >= 0 && write_all(device.descriptor, text)) || failed(errno);
  }
  {
    OpenFile file(open_new(temporary, 0666));
    if (file.descriptor < 0) return failed(errno);
    struct stat status = {};
    const bool replaces = ::stat(target.c_str(), &status) == 0;
    if (!write_all(file.descriptor, text) || (replaces && ::fchmod(file.descriptor, status.st_mode & 07777) != 0) ||
        ::fsync(file.descriptor) != 0) {
      const int number = errno;
      ::unlink(temporary.c_str());
      return failed(number);
    }
  }
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    const int number = errno;
    ::unlink(temporary.c_str());
    return failed(number);
  }
  remove_stale_parts(target);
  return true;
}

}  // namespace orrery::model
