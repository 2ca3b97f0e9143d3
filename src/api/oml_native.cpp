// SPDX-License-Identifier: Apache-2.0
// Both tiers give the same bits: no contraction, no builtins of their own, libm of the machine (src/native).
#include "api/oml_native.h"

#include <dlfcn.h>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "native/cache.h"
#include "native/first_tier.h"
#include "native/second_tier.h"

namespace orrery::api {
namespace {

constexpr double worth_compiling = 0.0005;  // seconds in the first tier
constexpr std::size_t most_known = 256;     // texts

class TieredCode {
 public:
  TieredCode(native::MemoryCode first, native::SharedObject cached, std::optional<native::CompileJob> job)
      : first_(std::move(first)), second_(std::move(cached)) {
    if (second_) function_ = dlsym(second_.get(), "hot");
    if (function_ == nullptr && first_) function_ = native::symbol_of(first_, "hot");
    if (job && !second_) compiler_ = std::make_unique<native::BackgroundCompiler>(std::move(*job));
  }

  void* function(double seconds) {
    if (!compiler_) return function_;
    seconds_ += seconds;
    using Status = native::BackgroundCompiler::Status;
    switch (compiler_->status()) {
      case Status::idle:
        if (seconds_ > worth_compiling) compiler_->start();
        break;
      case Status::running: break;
      case Status::ready:
        second_ = compiler_->take_object();
        if (void* const faster = second_ ? dlsym(second_.get(), "hot") : nullptr) function_ = faster;
        compiler_.reset();
        break;
      case Status::failed: compiler_.reset(); break;
    }
    return function_;
  }
  bool is_final() const { return !compiler_; }
  bool is_compiling() const { return compiler_ && compiler_->status() == native::BackgroundCompiler::Status::running; }
  bool exists() const { return function_ != nullptr; }

 private:
  native::MemoryCode first_;
  native::SharedObject second_;
  std::unique_ptr<native::BackgroundCompiler> compiler_;
  void* function_ = nullptr;
  double seconds_ = 0;
};

// What one loop or function holds of the code of its text.
class SharedCode final : public oml::NativeCode {
 public:
  explicit SharedCode(std::shared_ptr<TieredCode> code) : code_(std::move(code)) {}
  void* function(double seconds) override { return code_->function(seconds); }
  bool is_final() const override { return code_->is_final(); }

 private:
  std::shared_ptr<TieredCode> code_;
};

class OmlCompiler final : public oml::NativeCompiler {
 public:
  std::unique_ptr<oml::NativeCode> compile(const std::string& text) override {
    const auto found = known_.find(text);
    const std::shared_ptr<TieredCode> code = found != known_.end() ? found->second : made(text);
    if (found == known_.end()) {
      forget_unused();
      known_.emplace(text, code);
    }
    return code->exists() ? std::make_unique<SharedCode>(code) : nullptr;
  }

 private:
  // Once, and only when something is hot.
  void look_around() {
    if (looked_) return;
    looked_ = true;
    command_ = native::find_compiler("");
    folder_ = native::default_cache_directory();
    std::string refusal;
    has_cache_ = !folder_.empty() && native::prepare_cache(folder_, refusal);
  }

  std::shared_ptr<TieredCode> made(const std::string& text) {
    look_around();
    std::optional<native::CompileJob> job;
    native::SharedObject cached;
    if (!command_.empty() && has_cache_) {
      job = native::make_job(text, true, command_, folder_);
      cached = native::load_cached(*job);
    }
    std::string messages;
    native::MemoryCode first;
    if (!cached) first = native::compile_in_memory(text, messages);
    return std::make_shared<TieredCode>(std::move(first), std::move(cached), std::move(job));
  }

  // Keeps a session that makes ever new texts within bounds; what runs or is being compiled stays.
  void forget_unused() {
    if (known_.size() <= most_known) return;
    std::erase_if(known_,
                  [](const auto& entry) { return entry.second.use_count() == 1 && !entry.second->is_compiling(); });
  }

  // A script that runs again in a session finds its code loaded, or still being compiled.
  std::unordered_map<std::string, std::shared_ptr<TieredCode>> known_;
  bool looked_ = false, has_cache_ = false;
  std::vector<std::string> command_;
  std::filesystem::path folder_;
};

}  // namespace

std::shared_ptr<oml::NativeCompiler> oml_compiler() { return std::make_shared<OmlCompiler>(); }

}  // namespace orrery::api
