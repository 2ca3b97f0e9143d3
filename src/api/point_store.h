// SPDX-License-Identifier: Apache-2.0
// What was computed at the points of a search, in memory and in a file: a search that stops in the middle and begins
// again goes the same way, and finds what it has computed before.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/kept_file.h"

namespace orrery::api {

class PointStore {
 public:
  // `identity` is everything by which two searches differ; points of another one are forgotten. False, and a
  // diagnostic, when the file cannot be written, or another search writes it.
  [[nodiscard]] bool open(const std::string& path, const std::string& identity, bool fresh, Diagnostics& diagnostics);
  // The kind separates values from derivatives.
  const std::vector<double>* find(char kind, const std::vector<double>& x) const;
  void put(char kind, const std::vector<double>& x, const std::vector<double>& numbers);
  std::size_t earlier() const { return earlier_; }
  int error() const { return error_; }  // errno of what could not be kept, or 0
  void remove() const;                  // the search is over

 private:
  void add(const std::string& line);

  std::map<std::pair<char, std::vector<double>>, std::vector<double>> points_;
  std::size_t earlier_ = 0;
  std::optional<KeptFile> file_;
  std::int64_t end_ = 0;  // of what is in it
  int error_ = 0;
};

}  // namespace orrery::api
