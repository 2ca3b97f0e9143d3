// SPDX-License-Identifier: Apache-2.0
// Writes to the standard streams.
#include "cli/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/printable.h"
#include "cli/command_line.h"
#include "fmi/log.h"

namespace orrery::cli {
namespace {

constexpr const char* bold = "\x1b[1m";
constexpr const char* plain = "\x1b[0m";

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    std::string text = value;
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

Terminal inspect(int descriptor) {
  Terminal terminal;
  terminal.is_terminal = ::isatty(descriptor) != 0;
  terminal.unicode = locale_is_utf8();
  const char* kind = std::getenv("TERM");
  const char* no_colour = std::getenv("NO_COLOR");
  terminal.colour = terminal.is_terminal && !(no_colour && *no_colour) && kind && std::string_view(kind) != "dumb";
  return terminal;
}

const char* colour_of(Severity severity) {
  switch (severity) {
    case Severity::note: return "\x1b[36m";
    case Severity::warning: return "\x1b[33m";
    case Severity::error: return "\x1b[31m";
  }
  return plain;
}

const char* word_of(Severity severity) {
  switch (severity) {
    case Severity::note: return "note[";
    case Severity::warning: return "warning[";
    case Severity::error: return "error[";
  }
  return "";
}

// Colours the words "error[code]" of a diagnostic's text.
std::string coloured(const Diagnostic& diagnostic) {
  std::string text = printable(to_text(diagnostic));
  const std::string words = word_of(diagnostic.severity) + diagnostic.code + "]";
  const std::size_t start = text.find(words);
  if (start == std::string::npos) return text;
  text.insert(start + words.size(), plain);
  text.insert(start, std::string(bold) + colour_of(diagnostic.severity));
  return text;
}

}  // namespace

Terminal standard_output() { return inspect(STDOUT_FILENO); }
Terminal standard_error() { return inspect(STDERR_FILENO); }

void print(std::string_view text) { print_drawing(printable(text)); }
void print_drawing(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }
void print_error(std::string_view text) {
  const std::string shown = printable(text);
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

int finish_output(int code) {
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) == 0 && !failed_before) return code;
  const bool closed = errno == EPIPE;  // the reader has seen enough, and knows it
  const std::string reason = failed_before ? "not all of it could be written" : std::strerror(errno);
  if (!closed) std::fprintf(stderr, "error[output-unwritable]: standard output: %s\n", reason.c_str());
  std::clearerr(stdout);
  return code == exit_ok ? exit_failed : code;
}

void print_diagnostics(const Diagnostics& diagnostics, bool json) {
  std::string text;
  if (json) {
    text = to_json(diagnostics) + "\n";
  } else if (standard_error().colour) {
    for (const Diagnostic& diagnostic : diagnostics.all()) text += coloured(diagnostic);
  } else {
    text = printable(to_text(diagnostics));
  }
  std::fflush(stdout);  // so that both streams keep their order when they go to one place
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void add_unwritten_log(Diagnostics& diagnostics) {
  const std::string path = fmi::take_unwritten_log();
  if (path.empty()) return;
  diagnostics.error("output-unwritable", {path, 0, 0, {}, {}}, "the log could not be written as a whole",
                    "check that the folder has room");
}

ProgressLine::ProgressLine(bool enabled) : enabled_(enabled && standard_error().is_terminal) {}

bool ProgressLine::is_due() {
  using std::chrono::milliseconds;
  if (!enabled_) return false;
  const Clock::time_point now = Clock::now();
  if (now - start_ < milliseconds(1000) || (shown_ && now - last_ < milliseconds(100))) return false;
  last_ = now;
  shown_ = true;
  return true;
}

void ProgressLine::show(const std::string& text) {
  if (!is_due()) return;
  const std::string line = "\r" + text + "\x1b[K";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void ProgressLine::show(double share, double t) {
  if (!is_due()) return;
  const double elapsed = std::chrono::duration<double>(last_ - start_).count();
  std::string rest;
  if (share > 0.01 && share <= 1) rest = fmt::format(", about {:.0f} s left", std::ceil(elapsed * (1 - share) / share));
  const std::string line = before_.empty()
                               ? fmt::format("\r{:3.0f} %  t = {:.6g}, {:.0f} s{}\x1b[K", 100 * share, t, elapsed, rest)
                               : fmt::format("\r{}  t = {:.6g}, {:.0f} s\x1b[K", before_, t, elapsed);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

}  // namespace orrery::cli
