// SPDX-License-Identifier: Apache-2.0
// Reads zip archives with libzip. Nothing an archive claims about sizes or places is trusted.
#include "fmi/unpack.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unordered_set>

namespace orrery::fmi {
namespace {

constexpr std::size_t piece_bytes = 1 << 16;

bool is_link(zip* archive, std::uint64_t entry) {
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  if (zip_file_get_external_attributes(archive, entry, 0, &system, &attributes) != 0) return false;
  return system == ZIP_OPSYS_UNIX && S_ISLNK(attributes >> 16);
}

// Packed files that lie one behind the other are together no longer than the archive. Where they are longer, the same
// bytes would be unpacked again and again.
bool entries_overlap(zip* archive, std::uint64_t count, const std::string& path) {
  struct stat facts = {};
  if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  std::uint64_t packed = 0;
  for (std::uint64_t entry = 0; entry < count; ++entry) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    if (zip_stat_index(archive, entry, 0, &stat) != 0 || (stat.valid & ZIP_STAT_COMP_SIZE) == 0) continue;
    if (stat.comp_size > static_cast<std::uint64_t>(facts.st_size) - packed) return true;
    packed += stat.comp_size;
  }
  return false;
}

// Writes all of it; retries what a signal cut short.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(descriptor, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

}  // namespace

std::optional<std::string> safe_name(std::string_view name) {
  std::string result;
  std::size_t at = 0;
  if (name.empty() || name.size() > 2000 || name.find('\0') != std::string_view::npos) return std::nullopt;
  if (name[0] == '/' || name[0] == '\\' || (name.size() > 1 && name[1] == ':')) return std::nullopt;
  while (at <= name.size()) {
    const std::size_t end = std::min(name.find_first_of("/\\", at), name.size());
    const std::string_view part = name.substr(at, end - at);
    at = end + 1;
    if (part == "..") return std::nullopt;
    if (part.empty() || part == ".") continue;
    if (part.size() > 255) return std::nullopt;
    if (!result.empty()) result += '/';
    result += part;
  }
  if (result.empty()) return std::nullopt;
  return result;
}

std::unique_ptr<Archive> Archive::open(const std::string& path, Diagnostics& diagnostics, UnpackLimits limits) {
  std::unique_ptr<Archive> archive(new Archive(path, limits));
  int code = 0;
  archive->zip_ = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (archive->zip_ == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    diagnostics.error(code == ZIP_ER_NOENT ? "fmi-no-file" : "fmi-bad-archive", {path, 0, 0, {}, {}},
                      fmt::format("the FMU cannot be opened: {}", zip_error_strerror(&error)));
    zip_error_fini(&error);
    return nullptr;
  }
  if (!archive->list(diagnostics)) return nullptr;
  return archive;
}

Archive::~Archive() {
  if (zip_ != nullptr) zip_discard(zip_);
}

bool Archive::list(Diagnostics& diagnostics) {
  const auto count = static_cast<std::uint64_t>(std::max<zip_int64_t>(zip_get_num_entries(zip_, 0), 0));
  if (count > limits_.files) {
    diagnostics.error("fmi-archive-limit", {path_, 0, 0, {}, {}},
                      fmt::format("the archive holds {} files, more than {}", count, limits_.files));
    return false;
  }
  if (entries_overlap(zip_, count, path_)) {
    diagnostics.error("fmi-archive-limit", {path_, 0, 0, {}, {}},
                      "the files of the archive lie over each other: it looks like a zip bomb");
    return false;
  }
  std::unordered_set<std::string> seen;
  for (std::uint64_t entry = 0; entry < count; ++entry) {
    const char* raw = zip_get_name(zip_, entry, 0);
    if (raw == nullptr) continue;
    const std::string_view name = raw;
    const auto safe = safe_name(name);
    if (!safe || is_link(zip_, entry)) {
      refused_.emplace_back(name);
      continue;
    }
    if (name.ends_with('/') || name.ends_with('\\')) continue;
    if (!seen.insert(*safe).second) continue;
    files_.push_back(*safe);
    entry_.push_back(entry);
  }
  leave_folder(diagnostics);
  if (!refused_.empty()) {
    Diagnostic& warning = diagnostics.warning(
        "fmi-unsafe-entry", {path_, 0, 0, {}, {}},
        fmt::format("{} entries of the archive lead out of its folder or are links; they are not unpacked",
                    refused_.size()));
    for (std::size_t k = 0; k < std::min<std::size_t>(refused_.size(), 5); ++k) warning.notes.push_back(refused_[k]);
  }
  return true;
}

// Packed by hand, with the folder around it.
void Archive::leave_folder(Diagnostics& diagnostics) {
  constexpr std::string_view description = "modelDescription.xml";
  if (files_.empty() || has(description)) return;
  const std::string folder = files_[0].substr(0, files_[0].find('/') + 1);
  if (folder.empty() || !has(folder + std::string(description))) return;
  for (const std::string& file : files_) {
    if (!file.starts_with(folder)) return;
  }
  for (std::string& file : files_) file.erase(0, folder.size());
  diagnostics.warning("fmi-inner-folder", {path_, 0, 0, {}, {}},
                      fmt::format("everything in the archive is in a folder of its own ({}); it is left out", folder));
}

bool Archive::has(std::string_view name) const { return std::find(files_.begin(), files_.end(), name) != files_.end(); }

bool Archive::inflate(std::size_t file, std::uint64_t most, const std::function<bool(std::string_view)>& sink,
                      Diagnostics& diagnostics) {
  const Place place{path_ + "/" + files_[file], 0, 0, {}, {}};
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat_index(zip_, entry_[file], 0, &stat) == 0 && (stat.valid & ZIP_STAT_COMP_SIZE) != 0 &&
      stat.comp_size < most / limits_.ratio) {
    most = std::min(most, std::max(stat.comp_size * limits_.ratio, limits_.free_bytes));
  }
  zip_file_t* handle = zip_fopen_index(zip_, entry_[file], 0);
  if (handle == nullptr) {
    diagnostics.error("fmi-bad-archive", place, fmt::format("cannot be unpacked: {}", zip_strerror(zip_)));
    return false;
  }
  std::vector<char> piece(piece_bytes);
  std::uint64_t total = 0;
  bool ok = true;
  for (;;) {
    const zip_int64_t got = zip_fread(handle, piece.data(), piece.size());
    if (got < 0) {
      diagnostics.error("fmi-bad-archive", place, fmt::format("cannot be unpacked: {}", zip_file_strerror(handle)));
      ok = false;
    }
    if (got <= 0) break;
    total += static_cast<std::uint64_t>(got);
    unpacked_ += static_cast<std::uint64_t>(got);
    if (total > most || unpacked_ > limits_.bytes) {
      diagnostics.error("fmi-archive-limit", place,
                        "the archive unpacks to more than it may: it looks like a zip bomb");
      ok = false;
      break;
    }
    ok = sink({piece.data(), static_cast<std::size_t>(got)});
    if (!ok) break;
  }
  zip_fclose(handle);
  return ok;
}

std::optional<std::string> Archive::read(const std::string& name, Diagnostics& diagnostics) {
  const auto found = std::find(files_.begin(), files_.end(), name);
  if (found == files_.end()) {
    diagnostics.error("fmi-missing-file", {path_, 0, 0, {}, {}}, fmt::format("the archive holds no {}", name),
                      "is this archive an FMU?");
    return std::nullopt;
  }
  std::string text;
  const auto keep = [&](std::string_view piece) {
    text += piece;
    return true;
  };
  if (!inflate(static_cast<std::size_t>(found - files_.begin()), limits_.description_bytes, keep, diagnostics)) {
    return std::nullopt;
  }
  return text;
}

bool Archive::unpack(const std::string& folder, const std::function<bool(std::string_view)>& wanted,
                     Diagnostics& diagnostics) {
  for (std::size_t file = 0; file < files_.size(); ++file) {
    if (!wanted(files_[file])) continue;
    const std::filesystem::path target = std::filesystem::path(folder) / files_[file];
    std::error_code error;
    std::filesystem::create_directories(target.parent_path(), error);
    // O_EXCL and O_NOFOLLOW: nothing that exists is written to.
    const int descriptor = ::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
    if (descriptor < 0) {
      diagnostics.error("fmi-unpack-failed", {target.string(), 0, 0, {}, {}},
                        fmt::format("cannot be written: {}", std::strerror(errno)));
      return false;
    }
    bool written = true;
    const bool read = inflate(
        file, limits_.bytes, [&](std::string_view piece) { return written = write_all(descriptor, piece); },
        diagnostics);
    const int failure = errno;
    ::close(descriptor);
    if (!written) {
      diagnostics.error("fmi-unpack-failed", {target.string(), 0, 0, {}, {}},
                        fmt::format("cannot be written: {}", std::strerror(failure)));
    }
    if (!read) return false;
  }
  return true;
}

}  // namespace orrery::fmi
