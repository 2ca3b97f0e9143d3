// SPDX-License-Identifier: Apache-2.0
// Runs the machine's C compiler without a shell and loads what it made.
#include "native/second_tier.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/environment.h"
#include "native/cache.h"

namespace orrery::native {
namespace {

namespace fs = std::filesystem;

// Both tiers give the same bits on every machine: no contraction, no folding or replacement of libm calls (-fno-builtin
// also keeps sin and cos from becoming sincos), no -march. Only sqrt and fabs are built in, by name, in the text.
constexpr const char* flags[] = {"-x",
                                 "c",
                                 "-std=gnu99",
                                 "-shared",
                                 "-fPIC",
                                 "-pipe",
                                 "-w",
                                 "-ffp-contract=off",
                                 "-fno-fast-math",
                                 "-fno-builtin",
                                 "-fno-math-errno",
                                 "-fno-strict-aliasing",
                                 "-fwrapv"};
constexpr int format_version = 1;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Another version of the compiler has another size or time.
std::string identity_of(const std::string& path) {
  struct stat facts = {};
  if (::stat(path.c_str(), &facts) != 0) return path;
  return fmt::format("{} {} {}.{}", path, static_cast<long long>(facts.st_size),
                     static_cast<long long>(facts.st_mtim.tv_sec), static_cast<long long>(facts.st_mtim.tv_nsec));
}

std::string first_characters(const fs::path& file, std::size_t count) {
  std::ifstream in(file);
  std::string text(count, '\0');
  in.read(text.data(), static_cast<std::streamsize>(count));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

SharedObject load(const fs::path& file) { return SharedObject(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)); }

}  // namespace

void SharedObjectDeleter::operator()(void* handle) const { ::dlclose(handle); }

std::vector<std::string> find_compiler(const std::string& wanted) {
  std::vector<std::string> candidates;
  const char* cc = environment_variable("CC");
  if (!wanted.empty()) {
    candidates = {wanted};
  } else if (cc != nullptr && *cc != '\0') {
    candidates = {cc};
  } else {
    candidates = {"cc", "gcc", "clang"};
  }
  for (const std::string& candidate : candidates) {
    std::vector<std::string> words = words_of(candidate);
    if (words.empty()) continue;
    words[0] = find_program(words[0]);
    if (!words[0].empty()) return words;
  }
  return {};
}

CompileJob make_job(std::string text, bool thorough, const std::vector<std::string>& compiler,
                    const fs::path& directory) {
  CompileJob job;
  job.command = compiler;
  job.command.insert(job.command.end(), std::begin(flags), std::end(flags));
  job.command.push_back(thorough ? "-O2" : "-O1");
  std::string key = fmt::format("{}\n{}\n", format_version, identity_of(compiler.at(0)));
  for (const std::string& word : job.command) key += word + "\n";
  key += text;
  job.text = std::move(text);
  job.directory = fs::absolute(directory);
  job.result = job.directory / (content_hash(key) + ".so");
  return job;
}

SharedObject load_cached(const CompileJob& job) {
  std::error_code error;
  if (!fs::exists(job.result, error)) return nullptr;
  SharedObject object = is_intact(job.result) ? load(job.result) : nullptr;
  if (object == nullptr) {
    fs::remove(job.result, error);
  } else {
    fs::last_write_time(job.result, fs::file_time_type::clock::now(), error);  // the oldest go first
  }
  return object;
}

BackgroundCompiler::~BackgroundCompiler() {
  if (!thread_.joinable()) return;
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    if (child_ > 0) {
      ::kill(-child_, SIGTERM);  // the compiler driver and its children; it deletes its temporary files
      if (!child_ended_.wait_for(lock, std::chrono::seconds(2), [this] { return child_ == 0; })) {
        ::kill(-child_, SIGKILL);
      }
    }
  }
  thread_.join();
}

void BackgroundCompiler::start() {
  if (status() != Status::idle) return;
  status_.store(Status::running, std::memory_order_release);
  thread_ = std::thread([this] { run(); });
}

void BackgroundCompiler::wait() {
  if (thread_.joinable()) thread_.join();
}

void BackgroundCompiler::run() {
  auto begin = std::chrono::steady_clock::now();
  static std::atomic<int> counter{0};
  std::string stem = fmt::format("{}.{}-{}", job_.result.stem().string(), ::getpid(), counter++);
  fs::path source = job_.directory / (stem + ".c");
  fs::path output = job_.directory / (stem + ".part");
  fs::path log = job_.directory / (stem + ".log");
  bool made = compile(source, output, log);
  std::error_code error;
  if (made) fs::rename(output, job_.result, error);  // atomic: processes that race make the same file
  if (made && error) note_ = fmt::format("cannot write {}: {}", job_.result.string(), error.message());
  if (made && !error) {
    object_ = load(job_.result);
    if (object_ == nullptr) {
      const char* reason = ::dlerror();
      note_ = reason != nullptr ? reason : "cannot load the compiled code";
    }
  }
  for (const fs::path& file : {source, output, log}) fs::remove(file, error);
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  status_.store(object_ != nullptr ? Status::ready : Status::failed, std::memory_order_release);
}

bool BackgroundCompiler::compile(const fs::path& source, const fs::path& output, const fs::path& log) {
  std::ofstream out(source, std::ios::binary);
  out << job_.text;
  out.close();
  if (out.fail()) {
    note_ = fmt::format("cannot write {}", source.string());
    return false;
  }
  std::vector<std::string> command = job_.command;
  command.insert(command.end(), {"-o", output.string(), source.string(), "-lm"});
  int status = run_child(command, log);
  if (status != 0) {
    if (note_.empty()) note_ = fmt::format("{} failed: {}", command[0], first_characters(log, 2000));
    return false;
  }
  if (!seal(output)) {
    note_ = fmt::format("cannot write {}", output.string());
    return false;
  }
  return true;
}

// 0 on success. The child leads a process group of its own, so that it can be stopped with all it has started.
int BackgroundCompiler::run_child(const std::vector<std::string>& command, const fs::path& log) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  int error = 0;
  {
    std::lock_guard lock(mutex_);
    error = stopping_ ? ECANCELED
                      : ::posix_spawn(&child, command[0].c_str(), &actions, &attributes, arguments.data(),
                                      environment_for_programs());
    child_ = error == 0 ? child : 0;
  }
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    note_ = fmt::format("cannot start {}: {}", command[0], std::strerror(error));
    return -1;
  }
  // WNOWAIT keeps the process id valid until child_ is cleared, so that the destructor never signals a stranger.
  siginfo_t info;
  while (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  int status = -1;
  {
    std::lock_guard lock(mutex_);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    child_ = 0;
  }
  child_ended_.notify_all();
  return status;
}

}  // namespace orrery::native
