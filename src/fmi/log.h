// SPDX-License-Identifier: Apache-2.0
// What an FMU says while it runs: kept in bounds, written to a file when asked, the last words kept for diagnostics.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>
#include <vector>

#include "fmi/description.h"

namespace orrery::fmi {

enum class Status { ok, warning, discard, error, fatal, pending };
const char* name_of(Status status);

class Log {
 public:
  explicit Log(const Description& description) : description_(description) {}
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // "-" is standard error.
  bool open(const std::string& path, Diagnostics& diagnostics);
  void message(Status status, const char* category, const char* text);
  // FMI 1.0 and 2.0: a printf format, with "#r12#" for the name of Real 12 (FMI 2.0: 2.1.5).
  void format(Status status, const char* category, const char* format, std::va_list arguments);
  // The last messages of the given severity or worse, oldest first.
  std::vector<std::string> last_words() const { return last_; }
  long count() const { return count_; }

 private:
  std::string expand_references(std::string text) const;

  const Description& description_;
  std::FILE* file_ = nullptr;
  long count_ = 0;
  std::vector<std::string> last_;
};

}  // namespace orrery::fmi
