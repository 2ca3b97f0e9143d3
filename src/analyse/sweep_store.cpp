// SPDX-License-Identifier: Apache-2.0
// Records of fixed size, each with a checksum over what it holds and which run it is.
#include "analyse/sweep_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace orrery::analyse {
namespace {

constexpr std::size_t head_size = 64, code_size = 40;
constexpr char magic[8] = {'O', 'R', 'R', 'S', 'W', 'P', '0', '1'};

// Fowler, Noll, Vo: good enough against torn records; nobody attacks a file of one's own.
std::uint64_t checksum(std::uint64_t start, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint64_t hash = 14695981039346656037u ^ start;
  for (std::size_t k = 0; k < size; ++k) hash = (hash ^ bytes[k]) * 1099511628211u;
  return hash | 1;  // never that of a hole
}

struct Head {
  char magic[8];
  std::uint64_t what, runs, columns;
  char unused[head_size - 32];
};
static_assert(sizeof(Head) == head_size);

bool write_all(int file, const void* data, std::size_t size, std::int64_t at) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::pwrite(file, bytes, size, at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    at += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

std::size_t SweepStore::record_size() const { return sizeof(std::uint64_t) + code_size + 8 * columns_; }

std::int64_t SweepStore::place_of(std::size_t run) const {
  return static_cast<std::int64_t>(head_size + run * record_size());
}

std::optional<SweepStore> SweepStore::open(const std::string& path, const std::string& what, std::size_t runs,
                                           std::size_t columns, Diagnostics& diagnostics) {
  const Place place{path, 0, 0, {}, {}};
  SweepStore store;
  store.path_ = path;
  store.runs_ = runs;
  store.columns_ = columns;
  store.file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (store.file_ < 0) {
    diagnostics.error("output-unwritable", place, fmt::format("cannot be written: {}", std::strerror(errno)),
                      "choose another place for the results");
    return std::nullopt;
  }
  // In a folder that others can write, somebody may have made it before, to see the results or to give us his.
  struct stat status = {};
  if (::fstat(store.file_, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) {
    diagnostics.error("output-unwritable", place, "is there already, and belongs to another user",
                      "choose another place for the results");
    return std::nullopt;
  }
  if (::flock(store.file_, LOCK_EX | LOCK_NB) != 0) {
    diagnostics.error("sweep-running", place, "another sweep writes these results right now",
                      "wait for it, or choose another name for the results");
    return std::nullopt;
  }
  Head head{};
  std::memcpy(head.magic, magic, sizeof magic);
  head.what = checksum(0, what.data(), what.size());
  head.runs = runs;
  head.columns = columns;
  Head found{};
  const ssize_t read = ::pread(store.file_, &found, sizeof found, 0);
  if (read == 0) {
    if (write_all(store.file_, &head, sizeof head, 0)) return store;
    diagnostics.error("output-unwritable", place, fmt::format("cannot be written: {}", std::strerror(errno)),
                      "make room, or choose another place for the results");
    return std::nullopt;
  }
  if (read != sizeof found || std::memcmp(&found, &head, sizeof head) != 0) {
    diagnostics.error(
        "sweep-differs", place,
        "holds the runs of another sweep: other variables, values, settings, a changed model, or what "
        "is kept differ",
        "repeat the command it was begun with, remove the file (--fresh does), or choose another name for "
        "the results");
    return std::nullopt;
  }
  return store;
}

SweepStore::SweepStore(SweepStore&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      runs_(other.runs_),
      columns_(other.columns_) {}

SweepStore::~SweepStore() {
  if (file_ >= 0) ::close(file_);
}

bool SweepStore::read(std::size_t run, SweepOutcome& outcome) const {
  std::vector<char> bytes(record_size());
  const ssize_t read = ::pread(file_, bytes.data(), bytes.size(), place_of(run));
  if (read != static_cast<ssize_t>(bytes.size())) return false;
  std::uint64_t sum;
  std::memcpy(&sum, bytes.data(), sizeof sum);
  if (sum != checksum(run, bytes.data() + sizeof sum, bytes.size() - sizeof sum)) return false;
  const char* code = bytes.data() + sizeof sum;
  outcome.failure.assign(code, ::strnlen(code, code_size));
  outcome.kept.resize(columns_);
  std::memcpy(outcome.kept.data(), code + code_size, 8 * columns_);
  return true;
}

bool SweepStore::has(std::size_t run) const {
  SweepOutcome outcome;
  return read(run, outcome);
}

int SweepStore::write(std::size_t run, const SweepOutcome& outcome) const {
  std::vector<char> bytes(record_size(), '\0');
  char* code = bytes.data() + sizeof(std::uint64_t);
  std::memcpy(code, outcome.failure.data(), std::min(outcome.failure.size(), code_size - 1));
  std::memcpy(code + code_size, outcome.kept.data(), 8 * columns_);
  const std::uint64_t sum = checksum(run, code, bytes.size() - sizeof(std::uint64_t));
  std::memcpy(bytes.data(), &sum, sizeof sum);
  if (write_all(file_, bytes.data(), bytes.size(), place_of(run))) return 0;
  return errno != 0 ? errno : EIO;
}

void SweepStore::remove() { ::unlink(path_.c_str()); }

}  // namespace orrery::analyse
