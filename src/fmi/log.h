// SPDX-License-Identifier: Apache-2.0
// What an FMU says while it runs: kept in bounds, written to a file when asked, the last words kept for diagnostics.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "fmi/description.h"

namespace orrery::fmi {

enum class [[nodiscard]] Status{ok, warning, discard, error, fatal, pending};
const char* name_of(Status status);
// The least severe status that a level of logging lets through: fatal, error, warning, and all with info or verbose.
Status least_of_level(std::string_view level);

// FMUs speak whenever they like: from threads of their own, and after their end. Messages of a log that is gone are
// lost.
class Log {
 public:
  // fmu: the archive, for messages.
  Log(const Description& description, std::string fmu);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // "-" and "stderr" are standard error.
  [[nodiscard]] bool open(const std::string& path, Diagnostics& diagnostics);
  void set_least(Status least) { least_ = least; }  // what is less severe is not written
  // Other categories are not written; empty: all are. FMUs are asked too, but not all of them listen.
  void set_categories(std::vector<std::string> categories) { categories_ = std::move(categories); }
  // Another process takes the messages instead.
  using Sink = std::function<void(Status, const char* category, const char* text)>;
  void send_to(Sink sink) { sink_ = std::move(sink); }

  void message(Status status, const char* category, const char* text);
  // What the importer itself has to say, for the file alone.
  void note(Status status, const std::string& text);
  // FMI 1.0 and 2.0: a printf format, with "#r12#" for the name of Real 12 (FMI 2.0: 2.1.5).
  void format(Status status, const char* category, const char* format, std::va_list arguments);
  // The same for a log an FMU was told of; null: the one that was made last.
  static void message(void* environment, int status, const char* category, const char* text);
  static void format(void* environment, int status, const char* category, const char* format, std::va_list arguments);

  // The last messages that were warnings or worse, oldest first.
  std::vector<std::string> last_words() const;
  long count() const { return count_; }
  const std::string& fmu() const { return fmu_; }

 private:
  std::string expand_references(std::string text) const;
  void keep(Status status, const std::string& category, std::string text);
  void write(const std::string& line);

  const Description& description_;
  std::string fmu_;
  Sink sink_;
  mutable std::mutex mutex_;
  std::FILE* file_ = nullptr;
  std::string path_;
  Status least_ = Status::ok;
  std::vector<std::string> categories_;
  long count_ = 0;
  std::vector<std::string> last_;
};

// The path of a log that could not be written as a whole, the first since the last question; empty: there was none.
std::string take_unwritten_log();

}  // namespace orrery::fmi
