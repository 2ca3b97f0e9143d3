// SPDX-License-Identifier: Apache-2.0
// Buffered writing to a temporary file beside the target, and the rename that publishes it.
#include "io/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/kept_file.h"
#include "base/new_file.h"

namespace orrery::io {
namespace {

std::string error_text(int number) { return std::generic_category().message(number); }

void unwritable(const std::string& path, int number, Diagnostics& diagnostics, const std::string& rest = {}) {
  Place place;
  place.file = path;
  diagnostics.error("output-unwritable", std::move(place), "cannot write " + path + ": " + error_text(number) + rest,
                    "check that the folder exists, is writable and has room");
}

}  // namespace

std::optional<OutputFile> OutputFile::open(const std::string& path, Diagnostics& diagnostics) {
  OutputFile file;
  file.path_ = path;
  if (path == "-") {
    file.descriptor_ = STDOUT_FILENO;
    return file;
  }
  const auto target = final_target(path);
  if (!target) {
    unwritable(path, EACCES, diagnostics, " (a link there belongs to another user)");
    return std::nullopt;
  }
  file.target_ = *target;
  struct stat status = {};
  const bool exists = ::stat(file.target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    unwritable(path, EISDIR, diagnostics);
    return std::nullopt;
  }
  const bool direct = exists && !S_ISREG(status.st_mode);
  if (!direct) file.temporary_ = file.target_ + "." + std::to_string(::getpid()) + ".part";
  file.descriptor_ =
      direct ? ::open(file.target_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC) : open_new(file.temporary_, 0666);
  if (file.descriptor_ < 0) {
    unwritable(path, errno, diagnostics);
    return std::nullopt;
  }
  if (!direct) file.fleeting_.emplace(file.temporary_);
  if (exists && !direct && ::fchmod(file.descriptor_, status.st_mode & 0777) != 0) file.error_ = errno;
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      held_(std::exchange(other.held_, {})),
      fleeting_(std::move(other.fleeting_)),
      buffer_(std::move(other.buffer_)),
      guarded_(other.guarded_),
      disarms_formulas_(other.disarms_formulas_),
      guard_(std::move(other.guard_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      direct_(std::exchange(other.direct_, -1)),
      bytes_(other.bytes_),
      given_away_(other.given_away_),
      error_(other.error_) {}

OutputFile::~OutputFile() {
  if (!held_.empty()) ::unlink(held_.c_str());
  if (direct_ >= 0 && direct_ != STDOUT_FILENO) ::close(direct_);
  if (descriptor_ < 0) return;
  if (descriptor_ != STDOUT_FILENO) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool OutputFile::write_all(int descriptor, std::string_view text) {
  if (error_ == 0) error_ = orrery::write_all(descriptor, text);
  return error_ == 0;
}

bool OutputFile::flush() {
  if (guarded_ && !guard_ && !temporary_.empty() && !buffer_.empty()) guard_ = std::make_unique<LineGuard>(descriptor_);
  if (!buffer_.empty()) fleeting_.reset();
  if (write_all(descriptor_, buffer_)) bytes_ += buffer_.size();
  buffer_.clear();
  return error_ == 0;
}

void OutputFile::hold() {
  if (!temporary_.empty() || direct_ >= 0 || bytes_ > 0) return;
  std::error_code error;
  const std::string folder = std::filesystem::temp_directory_path(error).string();
  std::string name = folder + "/orrery-XXXXXX";
  const int held = error ? -1 : ::mkostemp(name.data(), O_CLOEXEC);
  if (held < 0) {
    fail(error ? error.value() : errno);
    return;
  }
  held_ = std::move(name);
  direct_ = std::exchange(descriptor_, held);
}

bool OutputFile::rewind() {
  buffer_.clear();
  if (bytes_ == 0) return true;
  if (temporary_.empty() && direct_ < 0) return false;
  if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) fail(errno);
  bytes_ = 0;
  return true;
}

std::string OutputFile::place_to_write() {
  hold();
  if (error_ != 0) return {};
  given_away_ = true;
  fleeting_.reset();
  return temporary_.empty() ? held_ : temporary_;
}

// The end of what was held.
void OutputFile::copy_held() {
  std::string piece(buffer_size, '\0');
  if (::lseek(descriptor_, 0, SEEK_SET) != 0) fail(errno);
  while (error_ == 0) {
    const ssize_t count = ::read(descriptor_, piece.data(), piece.size());
    if (count == 0) break;
    if (count > 0) write_all(direct_, {piece.data(), static_cast<std::size_t>(count)});
    if (count < 0 && errno != EINTR) error_ = errno;
  }
  ::close(std::exchange(descriptor_, std::exchange(direct_, -1)));
}

bool OutputFile::commit(Diagnostics& diagnostics) {
  guarded_ = false;
  flush();
  guard_.reset();
  if (direct_ >= 0) copy_held();
  if (descriptor_ != STDOUT_FILENO && ::close(descriptor_) != 0 && error_ == 0) error_ = errno;
  descriptor_ = -1;
  if (!temporary_.empty()) {
    if (error_ == 0 && ::rename(temporary_.c_str(), target_.c_str()) != 0) error_ = errno;
    if (error_ != 0) ::unlink(temporary_.c_str());
    if (error_ == 0) remove_stale_parts(target_);
  }
  if (error_ != 0) unwritable(path_, error_, diagnostics);
  return error_ == 0;
}

void OutputFile::give_up(const std::string& what, Diagnostics& diagnostics) {
  guard_.reset();
  std::string rest;
  if (!temporary_.empty()) {
    // The end of the last write may be in the middle of a line.
    const bool cut = given_away_ || ::ftruncate(descriptor_, static_cast<off_t>(bytes_)) == 0;
    if (what.empty() || !cut) {
      ::unlink(temporary_.c_str());
    } else {
      rest = fmt::format("; {} are in {}", what, temporary_);
    }
  } else if (!what.empty() && direct_ < 0) {
    rest = fmt::format("; {} were written", what);
  }
  if (descriptor_ != STDOUT_FILENO) ::close(descriptor_);
  descriptor_ = -1;
  unwritable(path_, error_, diagnostics, rest);
}

bool write_file(const std::string& path, std::string_view text, Diagnostics& diagnostics) {
  std::optional<OutputFile> file = OutputFile::open(path, diagnostics);
  if (!file) return false;
  file->write(text);
  return file->commit(diagnostics);
}

std::optional<std::string> read_file(const std::string& path, Diagnostics& diagnostics) {
  const auto unreadable = [&](int number) {
    Place place;
    place.file = path;
    diagnostics.error("file-unreadable", std::move(place), "cannot read " + path + ": " + error_text(number),
                      number == ENOENT ? "check the spelling of the path" : "");
    return std::nullopt;
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return unreadable(errno);
  struct stat facts = {};
  const bool regular = ::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
  const std::size_t most = regular ? largest_file : largest_stream;
  const auto too_large = [&] {
    ::close(descriptor);
    diagnostics.error("file-too-large", {path, 0, 0, {}, {}},
                      fmt::format("there is more than {} MB in it, which is too much", most >> 20),
                      "divide it, or leave out what is not needed");
    return std::nullopt;
  };
  if (regular && static_cast<std::size_t>(facts.st_size) > most) return too_large();
  std::string text;
  std::string buffer(1 << 18, '\0');
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer, 0, static_cast<std::size_t>(count));
    if (text.size() > most) return too_large();
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int number = errno;
      ::close(descriptor);
      if (count < 0) return unreadable(number);
      return text;
    }
  }
}

}  // namespace orrery::io
