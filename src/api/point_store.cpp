// SPDX-License-Identifier: Apache-2.0
// A line for each point, numbers as hexadecimal fractions so that they come back bit for bit.
#include "api/point_store.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

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
  Sha256 digest;
  digest.add(identity);
  const std::string head = "orrery points " + digest.digits();
  if (!fresh) {
    std::ifstream in(path);
    std::string line;
    if (std::getline(in, line) && line == head) {
      while (std::getline(in, line)) {
        if (line.empty()) continue;
        const char* at = line.c_str() + 1;
        auto x = read_numbers(at);
        auto numbers = x ? read_numbers(at) : std::nullopt;
        if (!numbers) break;  // the process was killed here
        points_[{line[0], std::move(*x)}] = std::move(*numbers);
      }
    }
  }
  earlier_ = points_.size();
  file_ = std::fopen(path.c_str(), "w");
  if (file_ == nullptr) {
    diagnostics.error("output-unwritable", {path, 0, 0, {}, {}},
                      fmt::format("cannot be written: {}", std::strerror(errno)),
                      "name another file, or make the folder writable");
    return false;
  }
  std::fprintf(file_, "%s\n", head.c_str());
  for (const auto& [key, numbers] : points_)
    std::fprintf(file_, "%c%s ;%s ;\n", key.first, numbers_text(key.second).c_str(), numbers_text(numbers).c_str());
  std::fflush(file_);
  return true;
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
