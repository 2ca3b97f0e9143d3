// SPDX-License-Identifier: Apache-2.0
// What was computed at the points of a search, in memory and in a file: a search that stops in the middle and begins
// again goes the same way, and finds what it has computed before.
#pragma once

#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace orrery::api {

class PointStore {
 public:
  PointStore() = default;
  ~PointStore();
  PointStore(const PointStore&) = delete;
  PointStore& operator=(const PointStore&) = delete;

  // `identity` is everything by which two searches differ; points of another one are forgotten. False, and a
  // diagnostic, when the file cannot be written.
  [[nodiscard]] bool open(const std::string& path, const std::string& identity, bool fresh, Diagnostics& diagnostics);
  // The kind separates values from derivatives.
  const std::vector<double>* find(char kind, const std::vector<double>& x) const;
  void put(char kind, const std::vector<double>& x, const std::vector<double>& numbers);
  std::size_t earlier() const { return earlier_; }
  void remove();  // the search is over

 private:
  std::size_t read_points(const std::string& head);

  std::map<std::pair<char, std::vector<double>>, std::vector<double>> points_;
  std::size_t earlier_ = 0;
  std::string path_;
  std::FILE* file_ = nullptr;
};

}  // namespace orrery::api
