// SPDX-License-Identifier: Apache-2.0
// Keeps the volume in bounds: some FMUs warn in every step.
#include "fmi/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/new_file.h"
#include "base/printable.h"
#include "fmi/guard.h"
#include "fmi/number_list.h"

namespace orrery::fmi {
namespace {

constexpr long most_messages = 10'000;  // into the file
constexpr std::size_t most_last = 5;    // kept for diagnostics
constexpr std::size_t most_length = 4096;

// The logs that are there, the newest last. Never destroyed: threads of an FMU may speak while the program ends.
struct Living {
  std::mutex mutex;
  std::vector<Log*> logs;
};
Living& living() {
  static Living* const all = new Living;
  return *all;
}

// The first file of a log that could not be written, of all since somebody asked.
struct Unwritten {
  std::mutex mutex;
  std::string path;
};
Unwritten& unwritten() {
  static Unwritten* const first = new Unwritten;
  return *first;
}

Status status_of(int number) {
  return number < 0 || number > static_cast<int>(Status::pending) ? Status::error : static_cast<Status>(number);
}

// What the FMU points at is read before anything is locked: it may point nowhere.
std::string copied(const char* text) { return text == nullptr ? "" : std::string(text, strnlen(text, most_length)); }

// "%n" writes to memory; in a message it stands in a text that was never meant as a format.
bool writes_memory(std::string_view format) {
  for (std::size_t at = format.find('%'); at != std::string_view::npos; at = format.find('%', at + 1)) {
    if (at + 1 < format.size() && format[at + 1] == '%') {
      ++at;
      continue;
    }
    const std::size_t letter = format.find_first_not_of("0123456789.*+- #'hljztLq$", at + 1);
    if (letter != std::string_view::npos && format[letter] == 'n') return true;
  }
  return false;
}

// FMUs give finished texts as formats: "90%s" then takes an argument that is not there.
std::string formatted(const char* format, std::va_list arguments) {
  if (format == nullptr) return {};
  char text[most_length];
  text[0] = '\0';
  Death ignored;
  const auto body = [&] { std::vsnprintf(text, sizeof text, format, arguments); };
  const char* caller = current_call != nullptr ? current_call->function : "logger";
  if (writes_memory(format) || !guarded(nullptr, caller, body, ignored)) return copied(format);
  return text;
}

}  // namespace

const char* name_of(Status status) {
  constexpr const char* names[] = {"ok", "warning", "discard", "error", "fatal", "pending"};
  return names[static_cast<int>(status)];
}

Status least_of_level(std::string_view level) {
  if (level == "fatal") return Status::fatal;
  if (level == "error") return Status::error;
  return level == "warning" ? Status::warning : Status::ok;
}

Log::Log(const Description& description, std::string fmu) : description_(description), fmu_(std::move(fmu)) {
  const std::lock_guard lock(living().mutex);
  living().logs.push_back(this);
}

Log::~Log() {
  {
    const std::lock_guard lock(living().mutex);
    std::erase(living().logs, this);
  }
  if (file_ != nullptr && count_ > most_messages) {
    write(fmt::format("({} more messages)\n", count_ - most_messages));
  }
  if (file_ != nullptr && file_ != stderr) std::fclose(file_);
}

bool Log::open(const std::string& path, Diagnostics& diagnostics) {
  const bool shown = path == "-" || path == "stderr";
  const auto target = shown ? std::nullopt : final_target(path);
  errno = EACCES;
  file_ = shown ? stderr : target ? std::fopen(target->c_str(), "we") : nullptr;
  path_ = path;
  if (file_ != nullptr) return true;
  diagnostics.error("output-unwritable", {path, 0, 0, {}, {}},
                    fmt::format("cannot be written: {}", std::strerror(errno)));
  return false;
}

// Every line at once, so that it is there when the FMU dies, and a full disk is known.
void Log::write(const std::string& line) {
  if (std::fwrite(line.data(), 1, line.size(), file_) == line.size() && std::fflush(file_) == 0) return;
  const std::lock_guard lock(unwritten().mutex);
  if (unwritten().path.empty()) unwritten().path = path_;
}

std::string take_unwritten_log() {
  const std::lock_guard lock(unwritten().mutex);
  return std::exchange(unwritten().path, {});
}

void Log::message(Status status, const char* category, const char* text) {
  const std::string group = copied(category);
  keep(status, group, copied(text));
}

void Log::note(Status status, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (file_ != nullptr && status >= least_) write(fmt::format("{} [orrery] {}\n", name_of(status), printable(text)));
}

void Log::format(Status status, const char* category, const char* format, std::va_list arguments) {
  message(status, category, formatted(format, arguments).c_str());
}

void Log::message(void* environment, int status, const char* category, const char* text) {
  const std::string group = copied(category), words = copied(text);
  const std::lock_guard lock(living().mutex);
  const std::vector<Log*>& logs = living().logs;
  Log* log = environment == nullptr && !logs.empty() ? logs.back() : nullptr;
  for (Log* known : logs) {
    if (known == environment) log = known;
  }
  if (log != nullptr) log->keep(status_of(status), group, words);
}

void Log::format(void* environment, int status, const char* category, const char* format, std::va_list arguments) {
  message(environment, status, category, formatted(format, arguments).c_str());
}

void Log::keep(Status status, const std::string& category, std::string text) {
  const std::lock_guard lock(mutex_);
  ++count_;
  if (count_ > most_messages && status < Status::error) return;
  std::string line = expand_references(std::move(text));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  if (sink_) return sink_(status, category.c_str(), line.c_str());
  const bool wanted =
      categories_.empty() || std::find(categories_.begin(), categories_.end(), category) != categories_.end();
  if (file_ != nullptr && count_ <= most_messages && status >= least_ && wanted) {
    const std::string shown = printable_line(category), words = printable(line);
    write(fmt::format("{} [{}] {}\n", name_of(status), shown, words));
  }
  if (status == Status::ok || status == Status::pending) return;
  if (last_.size() == most_last) last_.erase(last_.begin());
  last_.push_back(std::move(line));
}

std::vector<std::string> Log::last_words() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

std::string Log::expand_references(std::string text) const {
  if (text.find('#') == std::string::npos) return text;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '#' ? text.find('#', at + 1) : std::string::npos;
    if (end == at + 1) {
      result += '#';
      at += 2;
      continue;
    }
    const auto reference =
        end != std::string::npos ? parse_natural(std::string_view(text).substr(at + 2, end - at - 2)) : std::nullopt;
    const Variable* found = nullptr;
    if (reference) {
      const char letter = text[at + 1];
      const Type type = letter == 'i'   ? Type::int32
                        : letter == 'b' ? Type::boolean
                        : letter == 's' ? Type::string
                                        : Type::float64;
      for (const Variable& variable : description_.variables) {
        if (variable.reference == *reference && variable.type == type && found == nullptr) found = &variable;
      }
    }
    if (found != nullptr) {
      result += found->name;
      at = end + 1;
    } else {
      result += text[at++];
    }
  }
  return result;
}

}  // namespace orrery::fmi
