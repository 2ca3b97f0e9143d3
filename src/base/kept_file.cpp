// SPDX-License-Identifier: Apache-2.0
// Opened without following links, locked, written in place.
#include "base/kept_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace orrery {
namespace {

template <class Write>
int write_pieces(std::string_view bytes, Write&& write) {
  while (!bytes.empty()) {
    const ssize_t count = write(bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return EIO;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

}  // namespace

int write_all(int descriptor, std::string_view bytes) {
  return write_pieces(bytes, [=](std::string_view rest) { return ::write(descriptor, rest.data(), rest.size()); });
}

int write_all_at(int descriptor, std::string_view bytes, std::int64_t at) {
  return write_pieces(bytes, [=, size = bytes.size()](std::string_view rest) {
    return ::pwrite(descriptor, rest.data(), rest.size(), at + static_cast<std::int64_t>(size - rest.size()));
  });
}

std::optional<KeptFile> KeptFile::open(const std::string& path, bool& busy, Diagnostics& diagnostics) {
  busy = false;
  const auto unwritable = [&](const std::string& why) {
    diagnostics.error("output-unwritable", {path, 0, 0, {}, {}}, why, "choose another place for the results");
    return std::nullopt;
  };
  KeptFile kept;
  kept.path_ = path;
  kept.file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (kept.file_ < 0) return unwritable(std::string("cannot be written: ") + std::strerror(errno));
  struct stat status = {};
  if (::fstat(kept.file_, &status) != 0 || !S_ISREG(status.st_mode)) return unwritable("is no ordinary file");
  if (status.st_uid != ::geteuid()) return unwritable("is there already and belongs to another user");
  busy = ::flock(kept.file_, LOCK_EX | LOCK_NB) != 0;
  if (busy) return std::nullopt;
  return kept;
}

KeptFile::KeptFile(KeptFile&& other) noexcept : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

KeptFile::~KeptFile() {
  if (file_ >= 0) ::close(file_);
}

std::string KeptFile::read(std::int64_t at, std::size_t most) const {
  std::string bytes(most, '\0');
  std::size_t got = 0;
  while (got < most) {
    const ssize_t count = ::pread(file_, bytes.data() + got, most - got, at + static_cast<std::int64_t>(got));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    got += static_cast<std::size_t>(count);
  }
  bytes.resize(got);
  return bytes;
}

std::string KeptFile::read_all() const {
  struct stat status = {};
  return ::fstat(file_, &status) == 0 ? read(0, static_cast<std::size_t>(status.st_size)) : std::string();
}

int KeptFile::cut(std::int64_t size) const { return ::ftruncate(file_, size) == 0 ? 0 : errno; }

void KeptFile::remove() const { ::unlink(path_.c_str()); }

}  // namespace orrery
