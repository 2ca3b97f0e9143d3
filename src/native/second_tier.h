// SPDX-License-Identifier: Apache-2.0
// C text to a shared object by the machine's C compiler, in the background and through the cache.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace orrery::native {

struct SharedObjectDeleter {
  void operator()(void* handle) const;
};
using SharedObject = std::unique_ptr<void, SharedObjectDeleter>;

// The words of a command ("cc", "ccache gcc"), the first one a path; empty when no such compiler is installed.
// wanted empty: $CC, else cc, gcc, clang as found in $PATH.
std::vector<std::string> find_compiler(const std::string& wanted);

struct CompileJob {
  std::string text;
  std::vector<std::string> command;  // compiler and flags, without input and output
  std::filesystem::path directory;
  std::filesystem::path result;  // in directory; its name is the hash of text, compiler and flags
};

CompileJob make_job(std::string text, bool thorough, const std::vector<std::string>& compiler,
                    const std::filesystem::path& directory);

// A result that an earlier run left; a damaged one is deleted and counts as none.
SharedObject load_cached(const CompileJob& job);

// One compilation in a thread of its own. The destructor stops the compiler.
class BackgroundCompiler {
 public:
  enum class Status { idle, running, ready, failed };

  explicit BackgroundCompiler(CompileJob job) : job_(std::move(job)) {}
  ~BackgroundCompiler();
  BackgroundCompiler(const BackgroundCompiler&) = delete;
  BackgroundCompiler& operator=(const BackgroundCompiler&) = delete;

  void start();
  void wait();
  Status status() const { return status_.load(std::memory_order_acquire); }
  // After `ready`.
  SharedObject take_object() { return std::move(object_); }
  double seconds() const { return seconds_; }
  // After `failed`.
  const std::string& note() const { return note_; }

 private:
  void run();
  bool compile(const std::filesystem::path& source, const std::filesystem::path& output,
               const std::filesystem::path& log);
  int run_child(const std::vector<std::string>& command, const std::filesystem::path& log);

  CompileJob job_;
  std::thread thread_;
  std::atomic<Status> status_{Status::idle};
  std::mutex mutex_;  // guards child_ and stopping_
  std::condition_variable child_ended_;
  pid_t child_ = 0;
  bool stopping_ = false;
  SharedObject object_;
  std::string note_;
  double seconds_ = 0;
};

}  // namespace orrery::native
