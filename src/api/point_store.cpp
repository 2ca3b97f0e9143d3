// SPDX-License-Identifier: Apache-2.0
// A line for each point, numbers as hexadecimal fractions so that they come back bit for bit.
#include "api/point_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/sha256.h"

namespace orrery::api {
namespace {

std::string numbers_text(const std::vector<double>& numbers) {
  std::string text;
  for (const double x : numbers) text += fmt::format(" {:a}", x);
  return text;
}

// Of " 0x1p0 0x1.8p1 ;"; nothing where the line was cut off.
std::optional<std::vector<double>> read_numbers(const char*& at) {
  std::vector<double> numbers;
  while (*at == ' ') {
    char* end = nullptr;
    const double x = std::strtod(at, &end);
    if (end == at) break;
    numbers.push_back(x);
    at = end;
  }
  if (std::strncmp(at, " ;", 2) != 0) return std::nullopt;
  at += 2;
  return numbers;
}

}  // namespace

PointStore::~PointStore() {
  if (file_ != nullptr) std::fclose(file_);
}

bool PointStore::open(const std::string& path, const std::string& identity, bool fresh, Diagnostics& diagnostics) {
  path_ = path;
  const auto unwritable = [&](const std::string& why) {
    diagnostics.error("output-unwritable", {path, 0, 0, {}, {}}, why,
                      "name another file with --points, or make the folder writable");
    return false;
  };
  // The name follows from that of the specification: a link may have come with its folder, to lead elsewhere.
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  struct stat status = {};
  if (file >= 0 && ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid())
    file_ = ::fdopen(file, "r+");
  if (file_ == nullptr) {
    const std::string why = file < 0 ? fmt::format("cannot be written: {}", std::strerror(errno))
                                     : "is there already, and no file of yours";
    if (file >= 0) ::close(file);
    return unwritable(why);
  }
  Sha256 digest;
  digest.add(identity);
  const std::string head = "orrery points " + digest.digits() + "\n";
  const std::size_t whole = fresh ? 0 : read_points(head);
  earlier_ = points_.size();
  // What was cut off when the process was killed goes, the rest stays where it is.
  if (::ftruncate(file, static_cast<off_t>(whole)) != 0 || std::fseek(file_, 0, SEEK_END) != 0 ||
      (whole == 0 && std::fputs(head.c_str(), file_) == EOF) || std::fflush(file_) != 0)
    return unwritable(fmt::format("cannot be written: {}", std::strerror(errno)));
  return true;
}

// How many bytes are head and points of this search.
std::size_t PointStore::read_points(const std::string& head) {
  std::string text;
  char buffer[1 << 16];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file_)) > 0;) text.append(buffer, n);
  if (!text.starts_with(head)) return 0;
  std::size_t whole = head.size();
  for (std::size_t end; (end = text.find('\n', whole)) != std::string::npos; whole = end + 1) {
    const std::string line = text.substr(whole, end - whole);
    if (line.empty()) continue;
    const char* at = line.c_str() + 1;
    auto x = read_numbers(at);
    auto numbers = x ? read_numbers(at) : std::nullopt;
    if (!numbers) break;
    points_[{line[0], std::move(*x)}] = std::move(*numbers);
  }
  return whole;
}

const std::vector<double>* PointStore::find(char kind, const std::vector<double>& x) const {
  const auto found = points_.find({kind, x});
  return found == points_.end() ? nullptr : &found->second;
}

void PointStore::put(char kind, const std::vector<double>& x, const std::vector<double>& numbers) {
  points_[{kind, x}] = numbers;
  if (file_ == nullptr) return;
  std::fprintf(file_, "%c%s ;%s ;\n", kind, numbers_text(x).c_str(), numbers_text(numbers).c_str());
  std::fflush(file_);
}

void PointStore::remove() {
  if (file_ != nullptr) std::fclose(file_);
  file_ = nullptr;
  std::remove(path_.c_str());
}

}  // namespace orrery::api
