// SPDX-License-Identifier: Apache-2.0
// A line for each point, numbers as hexadecimal fractions so that they come back bit for bit.
#include "api/point_store.h"

#include <fmt/format.h>

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

bool PointStore::open(const std::string& path, const std::string& identity, bool fresh, Diagnostics& diagnostics) {
  bool busy = false;
  auto file = KeptFile::open(path, busy, diagnostics);
  if (busy)
    diagnostics.error("search-running", {path, 0, 0, {}, {}}, "another search keeps its points here right now",
                      "wait for it, or name another file with --points");
  if (!file) return false;
  file_.emplace(std::move(*file));
  Sha256 digest;
  digest.add(identity);
  const std::string head = "orrery points " + digest.digits() + "\n";
  const std::string text = fresh ? std::string() : file_->read_all();
  if (text.starts_with(head)) {
    end_ = static_cast<std::int64_t>(head.size());
    for (std::size_t at = head.size(); at < text.size();) {
      const std::size_t end = text.find('\n', at);
      if (end == std::string::npos) break;  // the process was killed here
      const std::string line = text.substr(at, end - at);
      const char* next = line.c_str() + (line.empty() ? 0 : 1);
      auto x = read_numbers(next);
      auto numbers = x ? read_numbers(next) : std::nullopt;
      if (!numbers) break;
      points_[{line[0], std::move(*x)}] = std::move(*numbers);
      at = end + 1;
      end_ = static_cast<std::int64_t>(at);
    }
  }
  earlier_ = points_.size();
  error_ = file_->cut(end_);
  if (end_ == 0) add(head);
  if (error_ != 0)
    diagnostics.error("output-unwritable", {path, 0, 0, {}, {}},
                      fmt::format("cannot be written: {}", std::strerror(error_)), "make room, or name another file");
  return error_ == 0;
}

void PointStore::add(const std::string& line) {
  if (!file_ || error_ != 0) return;
  error_ = file_->write(line, end_);
  end_ += static_cast<std::int64_t>(line.size());
}

const std::vector<double>* PointStore::find(char kind, const std::vector<double>& x) const {
  const auto found = points_.find({kind, x});
  return found == points_.end() ? nullptr : &found->second;
}

void PointStore::put(char kind, const std::vector<double>& x, const std::vector<double>& numbers) {
  points_[{kind, x}] = numbers;
  add(fmt::format("{}{} ;{} ;\n", kind, numbers_text(x), numbers_text(numbers)));
}

void PointStore::remove() const {
  if (file_) file_->remove();
}

}  // namespace orrery::api
