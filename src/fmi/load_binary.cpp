// SPDX-License-Identifier: Apache-2.0
// Finds, unpacks and loads the library of an FMU.
#include "fmi/load_binary.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "fmi/guard.h"
#include "fmi/mend_library.h"

namespace orrery::fmi {
namespace {

#if defined(__x86_64__)
constexpr const char* own_folders[] = {"x86_64-linux", "linux64"};
#elif defined(__aarch64__)
constexpr const char* own_folders[] = {"aarch64-linux", "linux64"};
#else
constexpr const char* own_folders[] = {"linux32", "x86-linux"};
#endif

// RTLD_DEEPBIND makes the FMU see its own symbols before ours. It must not be used under a sanitizer, whose allocator
// the FMU has to share, nor when the executable holds a copy of std::cout: the FMU would then find the original, which
// was never constructed.
int deep_binding() {
#if defined(__SANITIZE_ADDRESS__)
  return 0;
#else
  void* library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return RTLD_DEEPBIND;
  const bool one_stream = dlsym(RTLD_DEFAULT, "_ZSt4cout") == dlsym(library, "_ZSt4cout") &&
                          dlsym(RTLD_DEFAULT, "_ZSt4cerr") == dlsym(library, "_ZSt4cerr");
  dlclose(library);
  return one_stream ? RTLD_DEEPBIND : 0;
#endif
}

// "libfoo.so.3: cannot open shared object file: ..." names what is missing.
std::string missing_library(const std::string& message, const std::string& own) {
  const std::size_t colon = message.find(": cannot open shared object file");
  if (colon == std::string::npos) return {};
  const std::string name = message.substr(0, colon);
  return name == own ? std::string() : name;
}

// What may help against a refusal of the loader.
std::string help_for(const std::string& message) {
  static const std::pair<const char*, const char*> known[] = {
      {"failed to map segment", "the temporary folder may not hold programs; set TMPDIR to another one"},
      {"' not found (required by", "the FMU was made on a newer system than this one"},
      {"wrong ELF class", "libraries for 32 bits cannot be loaded into a program for 64 bits"},
      {"static TLS block", "set GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384"},
      {"invalid ELF header", "the file is no library for Linux"},
      {"file too short", "the file is not whole"}};
  for (const auto& [words, help] : known) {
    if (message.find(words) != std::string::npos) return help;
  }
  return {};
}

void explain_failure(const std::string& message, const std::string& library, const std::string& fmu,
                     Diagnostics& diagnostics) {
  const std::string missing = missing_library(message, library);
  if (missing.empty()) {
    diagnostics.error("fmi-load-failed", {fmu, 0, 0, {}, {}},
                      fmt::format("the library of the FMU cannot be loaded: {}", message), help_for(message));
    return;
  }
  const std::string package = debian_package(missing);
  diagnostics.error("fmi-missing-library", {fmu, 0, 0, {}, {}},
                    fmt::format("the FMU needs the shared library {}, which is not on this machine", missing),
                    package.empty() ? "install it, or name its folder in LD_LIBRARY_PATH"
                                    : fmt::format("the Debian package {} may hold it; or name its folder in "
                                                  "LD_LIBRARY_PATH",
                                                  package));
}

// dlopen runs code of the library. A crash in there ends the program, with the name of the FMU.
void* open_library(const std::string& path, const std::string& fmu, int mode, std::string& message,
                   Diagnostics& diagnostics) {
  void* handle = nullptr;
  Death death;
  const int flags = mode | RTLD_LOCAL | deep_binding();
  message.clear();
  const auto body = [&] { handle = dlopen(path.c_str(), flags); };
  if (!guarded(fmu.c_str(), opening_library, body, death, false)) {
    diagnostics.error(death.code, {fmu, 0, 0, {}, {}}, death.message);
    return nullptr;
  }
  float_control.restore();
  if (handle != nullptr) return handle;
  const char* words = dlerror();
  message = words != nullptr ? words : "unknown reason";
  return nullptr;
}

// A file of this name anywhere below the folder, or one with a longer version number, as links in archives are not
// unpacked; empty: none.
std::string find_file(const std::string& folder, const std::string& name) {
  std::error_code ignored;
  std::string longer;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, ignored)) {
    const std::string other = entry.path().filename().string();
    if (other == name) return entry.path().string();
    if (other.starts_with(name + ".")) longer = entry.path().string();
  }
  return longer;
}

// The shared libraries in the folder of one of them.
std::vector<std::string> libraries_beside(const std::string& library) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(library).parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file(ignored) && (name.ends_with(".so") || name.find(".so.") != std::string::npos)) {
      found.push_back(entry.path().string());
    }
  }
  return found;
}

// Of this process, by their numbers.
std::set<std::string> running_threads() {
  std::set<std::string> threads;
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    threads.insert(task.path().filename().string());
  }
  return threads;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// A library of the folder that must be meant: the name with "lib" before it or in other letters, or the only one there.
std::string similar_library(const Archive& archive, const std::string& prefix, const std::string& identifier) {
  std::vector<std::string> others;
  const std::string name = lower(identifier) + ".so";
  for (const std::string& file : archive.files()) {
    if (!file.starts_with(prefix) || !file.ends_with(".so")) continue;
    const std::string rest = lower(file.substr(prefix.size()));
    if (rest == name || rest == "lib" + name) return file;
    others.push_back(file);
  }
  return others.size() == 1 ? others[0] : "";
}

}  // namespace

std::string debian_package(const std::string& library) {
  const std::size_t so = library.find(".so");
  if (!library.starts_with("lib") || so == std::string::npos) return {};
  std::string name = lower(library.substr(0, so));
  std::replace(name.begin(), name.end(), '_', '-');
  const std::string version = library.size() > so + 4 ? library.substr(so + 4) : "";
  if (name.starts_with("libpython")) {  // libpython3.7m.so.1.0 is in libpython3.7
    if (name.ends_with('m')) name.pop_back();
    return name;
  }
  static const std::pair<const char*, const char*> known[] = {
      {"libgl", "libgl1"}, {"libx11", "libx11-6"}, {"libxext", "libxext6"}, {"libjvm", "default-jre-headless"}};
  for (const auto& [prefix, package] : known) {
    if (name == prefix) return package;
  }
  if (version.empty()) return name;
  const std::string major = version.substr(0, version.find('.'));
  const bool digit = std::isdigit(static_cast<unsigned char>(name.back())) != 0;
  return name + (digit ? "-" : "") + major;
}

std::vector<std::string> platforms(const Archive& archive) {
  std::set<std::string> found;
  for (const std::string& file : archive.files()) {
    if (!file.starts_with("binaries/")) continue;
    const std::size_t end = file.find('/', 9);
    if (end != std::string::npos) found.insert(file.substr(9, end - 9));
  }
  return {found.begin(), found.end()};
}

std::string own_platform(const Archive& archive) {
  const std::vector<std::string> offered = platforms(archive);
  for (const char* folder : own_folders) {
    if (std::find(offered.begin(), offered.end(), folder) != offered.end()) return folder;
  }
  return {};
}

// A library whose threads are still running must not be taken away from under them.
Binary::~Binary() {
  if (handle_ == nullptr) return;
  for (const std::string& thread : running_threads()) {
    if (!threads_.contains(thread)) return;
  }
  Death ignored;
  guarded(
      fmu_.c_str(), closing_library, [&] { dlclose(handle_); }, ignored, false);
}

void* Binary::symbol(const std::string& name) const { return dlsym(handle_, name.c_str()); }

std::unique_ptr<Binary> unpack_binary(Archive& archive, const Description& description, Kind kind,
                                      Diagnostics& diagnostics) {
  const Interface* interface = description.interface(kind);
  std::unique_ptr<Binary> binary(new Binary);
  binary->fmu_ = archive.path();
  binary->folder_ = TemporaryFolder::create(diagnostics);
  if (!binary->folder_) return nullptr;
  const std::string platform = own_platform(archive);
  const std::string prefix = "binaries/" + platform + "/";
  std::string relative = prefix + interface->model_identifier + ".so";
  if (!platform.empty() && !archive.has(relative)) {
    const std::string other = similar_library(archive, prefix, interface->model_identifier);
    if (!other.empty()) {
      diagnostics.warning("fmi-library-name", {archive.path(), 0, 0, {}, {}},
                          fmt::format("the archive has no {}; {} is used", relative, other));
      relative = other;
    }
  }
  const bool has_binary = !platform.empty() && archive.has(relative);
  const auto wanted = [&](std::string_view name) {
    if (name.starts_with("documentation/")) return false;
    if (name.starts_with("sources/")) return !has_binary;
    return !name.starts_with("binaries/") || name.starts_with(prefix);
  };
  if (!archive.unpack(binary->folder(), wanted, diagnostics)) return nullptr;
  std::error_code ignored;
  std::filesystem::create_directories(binary->folder() + "/resources", ignored);  // FMUs are told of it in any case
  if (has_binary) {
    binary->library_ = binary->folder() + "/" + relative;
  } else {
    const bool sources = std::any_of(archive.files().begin(), archive.files().end(),
                                     [](const std::string& file) { return file.starts_with("sources/"); });
    if (!sources) {
      std::string offered;
      bool for_32_bits = false;
      for (const std::string& name : platforms(archive)) {
        offered += (offered.empty() ? "" : ", ") + name;
        for_32_bits = for_32_bits || name == "linux32" || name == "x86-linux";
      }
      diagnostics.error("fmi-no-binary", {archive.path(), 0, 0, {}, {}},
                        fmt::format("the FMU has neither a binary for this machine ({}) nor sources; it has: {}",
                                    own_folders[0], offered.empty() ? "none" : offered),
                        for_32_bits ? "libraries for 32 bits cannot be loaded into a program for 64 bits" : "");
      return nullptr;
    }
    binary->library_ = compile_sources(binary->folder(), description, kind, archive.path(), diagnostics);
    if (binary->library_.empty()) return nullptr;
  }
  return binary;
}

// Libraries of compilers get a new number every few years, and FMUs stay as they are.
bool Binary::replace_missing(const std::string& missing, const std::vector<std::string>& together,
                             Diagnostics& diagnostics) {
  const std::string other = other_version(missing);
  if (other.empty()) return false;
  bool replaced = false;
  for (const std::string& library : together) replaced = replace_needed(library, missing, other) || replaced;
  if (!replaced) return false;
  diagnostics.warning(
      "fmi-other-library", {fmu_, 0, 0, {}, {}},
      fmt::format("the FMU needs the shared library {}, which is not on this machine; {} takes its place", missing,
                  other));
  return true;
}

bool Binary::load(Diagnostics& diagnostics) {
  threads_ = running_threads();
  constexpr int most_companions = 64;
  std::string message;
  const std::vector<std::string> together = libraries_beside(library_);
  if (together.size() > 1) {
    for (const std::string& library : together) look_beside(library);
  }
  for (int tries = 0; tries < most_companions; ++tries) {
    handle_ = open_library(library_, fmu_, RTLD_NOW, message, diagnostics);
    if (handle_ != nullptr) return true;
    if (message.empty()) return false;
    if (message.find("executable stack") != std::string::npos) {
      bool changed = false;
      for (const std::string& library : together) changed = leave_stack_alone(library) || changed;
      if (changed) continue;
    }
    const std::string missing = missing_library(message, library_);
    if (missing.empty()) break;
    const std::string companion = find_file(folder(), missing);
    if (companion.empty() && replace_missing(missing, together, diagnostics)) continue;
    if (companion.empty()) break;
    // FMUs bring libraries without telling the loader where: once loaded, they are known by their names. They stay.
    if (open_library(companion, fmu_, RTLD_LAZY, message, diagnostics) == nullptr) break;
  }
  if (message.find("undefined symbol") != std::string::npos) {
    const std::string first = message;
    handle_ = open_library(library_, fmu_, RTLD_LAZY, message, diagnostics);
    if (handle_ != nullptr) {
      diagnostics.warning("fmi-undefined-symbol", {fmu_, 0, 0, {}, {}},
                          fmt::format("the library of the FMU is incomplete: {}", first));
      return true;
    }
  }
  if (!message.empty()) explain_failure(message, library_, fmu_, diagnostics);
  return false;
}

}  // namespace orrery::fmi
