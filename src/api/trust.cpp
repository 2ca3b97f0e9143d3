// SPDX-License-Identifier: Apache-2.0
// The file of trust, a line for each record: hash, capabilities, path.
#include "api/trust.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/environment.h"
#include "base/runnable.h"
#include "base/sha256.h"
#include "io/output_file.h"

namespace orrery::api {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_texts = 10'000;
constexpr std::uintmax_t most_text_bytes = std::uintmax_t{4} << 30;
constexpr std::string_view first_line = "orrery trust 1";

std::string real_path(const std::string& path) {
  std::error_code error;
  const fs::path found = fs::canonical(path, error);
  return error ? std::string() : found.string();
}

bool add_file(const fs::path& file, const std::string& name, Sha256& sum, Diagnostics& diagnostics) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat facts = {};
  bool good = descriptor >= 0 && ::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
  sum.add(fmt::format("{} {} {}\n", name.size(), name, good ? static_cast<long long>(facts.st_size) : -1));
  std::string buffer(1 << 18, '\0');
  ssize_t count = 0;
  while (good && (count = ::read(descriptor, buffer.data(), buffer.size())) > 0)
    sum.add(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)));
  good = good && count == 0;
  if (descriptor >= 0) ::close(descriptor);
  if (!good)
    diagnostics.error("file-unreadable", {file.string(), 0, 0, {}, {}}, "cannot be read, so it cannot be trusted");
  return good;
}

// Below the folder, in an order that does not depend on the file system. Links are followed to files, not to folders.
std::optional<std::vector<fs::path>> texts_below(const fs::path& folder, Diagnostics& diagnostics) {
  std::vector<fs::path> found;
  std::uintmax_t bytes = 0;
  std::size_t looked = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error)) {
    std::error_code gone;
    if (it->path().filename() == ".git" && it->is_directory(gone)) it.disable_recursion_pending();
    const bool text = can_run(it->path()) && it->is_regular_file(gone);
    if (text) found.push_back(it->path());
    if (text) bytes += it->file_size(gone);
    if (++looked > 50 * most_texts || found.size() > most_texts || bytes > most_text_bytes) {
      diagnostics.error("trust-too-much", {folder.string(), 0, 0, {}, {}},
                        fmt::format("there are more than {} texts or {} GB that can run below the folder", most_texts,
                                    most_text_bytes >> 30),
                        "give the model a folder of its own");
      return std::nullopt;
    }
  }
  if (error) {  // what comes after it would not be part of the hash
    diagnostics.error("file-unreadable", {folder.string(), 0, 0, {}, {}},
                      "not all that is below the folder can be listed: " + error.message(),
                      "give the model a folder of its own");
    return std::nullopt;
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Bytes that would break a line are written as %XX.
std::string escaped(const std::string& path) {
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte < 0x20 || byte == 0x7f || c == '%' ? fmt::format("%{:02x}", byte) : std::string(1, c);
  }
  return text;
}

std::string unescaped(const std::string& text) {
  std::string path;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '%' || k + 2 >= text.size()) {
      path += text[k];
      continue;
    }
    path += static_cast<char>(std::strtol(text.substr(k + 1, 2).c_str(), nullptr, 16));
    k += 2;
  }
  return path;
}

std::optional<TrustRecord> read_record(const std::string& line) {
  const std::size_t first = line.find(' '), second = line.find(' ', first + 1);
  if (first != 64 || second == std::string::npos || second + 1 >= line.size() || line[second + 1] != '/')
    return std::nullopt;
  std::string unknown;
  const auto allowed = parse_capabilities(line.substr(first + 1, second - first - 1), unknown);
  if (!allowed) return std::nullopt;
  return TrustRecord{unescaped(line.substr(second + 1)), *allowed, line.substr(0, first)};
}

bool write_trust(const std::vector<TrustRecord>& records, Diagnostics& diagnostics) {
  const std::string file = trust_file();
  if (file.empty()) {
    diagnostics.error("output-unwritable", {}, "there is no place to record trust", "set HOME");
    return false;
  }
  std::error_code error;
  fs::create_directories(fs::path(file).parent_path(), error);
  std::string text = std::string(first_line) + "\n";
  for (const TrustRecord& record : records)
    text += fmt::format("{} {} {}\n", record.hash, to_text(record.allowed), escaped(record.path));
  const mode_t before = ::umask(0077);
  const bool written = io::write_file(file, text, diagnostics);
  ::umask(before);
  if (written) ::chmod(file.c_str(), 0600);
  return written;
}

bool covers(const TrustRecord& record, const std::string& model) {
  return record.path == model || model.starts_with(record.path + "/") || record.path == "/";
}

}  // namespace

std::string trust_file() {
  const std::string config = config_folder();
  return config.empty() ? std::string() : config + "/orrery/trust";
}

std::optional<std::string> hash_of_texts(const std::string& path, Diagnostics& diagnostics) {
  const std::string real = real_path(path);
  std::error_code error;
  const bool is_folder = fs::is_directory(real, error);
  if (real.empty() || (!is_folder && !fs::is_regular_file(real, error))) {
    diagnostics.error("file-unreadable", {path, 0, 0, {}, {}}, "there is no such model or folder",
                      "check the spelling of the path");
    return std::nullopt;
  }
  const fs::path folder = is_folder ? fs::path(real) : fs::path(real).parent_path();
  const auto texts = texts_below(folder, diagnostics);
  if (!texts) return std::nullopt;
  Sha256 sum;
  if (!is_folder && !can_run(real) && !add_file(real, real, sum, diagnostics)) return std::nullopt;
  for (const fs::path& text : *texts) {
    if (!add_file(text, text.lexically_relative(folder).string(), sum, diagnostics)) return std::nullopt;
  }
  return sum.digits();
}

std::vector<TrustRecord> read_trust(Diagnostics& diagnostics) {
  const std::string file = trust_file();
  const auto ignored = [&](const std::string& why) {
    diagnostics.warning("trust-ignored", {file, 0, 0, {}, {}}, "recorded trust is ignored: " + why,
                        "make the file your own with mode 0600, or remove it");
    return std::vector<TrustRecord>();
  };
  const int descriptor = file.empty() ? -1 : ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return errno == ELOOP ? ignored("the file is a link") : std::vector<TrustRecord>();
  struct stat facts = {};
  const bool known = ::fstat(descriptor, &facts) == 0;
  std::string text(known && facts.st_size < (1 << 24) ? static_cast<std::size_t>(facts.st_size) : 0, '\0');
  const ssize_t got = ::read(descriptor, text.data(), text.size());
  ::close(descriptor);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  if (!known || !S_ISREG(facts.st_mode) || facts.st_uid != ::geteuid() || (facts.st_mode & 022) != 0)
    return ignored("others can change the file");
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != first_line) return ignored("the file is damaged");
  std::vector<TrustRecord> records;
  while (std::getline(lines, line)) {
    auto record = read_record(line);
    if (!record) return ignored("the file is damaged");
    records.push_back(std::move(*record));
  }
  return records;
}

bool record_trust(const std::string& path, Capabilities allowed, Diagnostics& diagnostics) {
  const auto hash = hash_of_texts(path, diagnostics);
  if (!hash) return false;
  std::vector<TrustRecord> records = read_trust(diagnostics);
  const std::string real = real_path(path);
  std::erase_if(records, [&](const TrustRecord& record) { return record.path == real; });
  records.push_back({real, allowed, *hash});
  return write_trust(records, diagnostics);
}

bool remove_trust(const std::string& path, Diagnostics& diagnostics) {
  std::vector<TrustRecord> records = read_trust(diagnostics);
  std::error_code error;
  const std::string real = real_path(path);
  const std::string named = real.empty() ? fs::absolute(path, error).lexically_normal().string() : real;
  if (std::erase_if(records, [&](const TrustRecord& record) { return record.path == named; }) > 0)
    return write_trust(records, diagnostics);
  diagnostics.error("not-trusted", {path, 0, 0, {}, {}}, "no trust is recorded for it",
                    "`orrery trust --list` shows all records");
  return false;
}

Capabilities trusted(const std::string& model_file, std::string& note, Diagnostics& diagnostics) {
  Capabilities allowed;
  const std::string model = real_path(model_file);
  if (model.empty()) return allowed;
  for (const TrustRecord& record : read_trust(diagnostics)) {
    if (!covers(record, model)) continue;
    Diagnostics unread;
    const auto hash = hash_of_texts(record.path, unread);
    if (hash && *hash == record.hash) {
      allowed = allowed | record.allowed;
    } else {
      note = "trust was recorded for " + record.path + ", but something there that can run has changed since";
    }
  }
  return allowed;
}

}  // namespace orrery::api
