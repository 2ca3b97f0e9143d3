// SPDX-License-Identifier: Apache-2.0
// Both tiers give the same bits: no contraction, no builtins of their own, libm of the machine (src/native).
#include "api/oml_native.h"

#include <dlfcn.h>

#include <memory>
#include <optional>
#include <vector>

#include "native/cache.h"
#include "native/first_tier.h"
#include "native/second_tier.h"

namespace orrery::api {
namespace {

constexpr double worth_compiling = 0.0005;  // seconds in the first tier

// Compilations whose script has ended: they go on, and the next run finds what they made in the cache.
class Unfinished {
 public:
  void keep(std::unique_ptr<native::BackgroundCompiler> compiler) {
    std::erase_if(compilers_, [](const auto& c) { return c->status() != native::BackgroundCompiler::Status::running; });
    compilers_.push_back(std::move(compiler));
  }

 private:
  std::vector<std::unique_ptr<native::BackgroundCompiler>> compilers_;
};

class TieredCode final : public oml::NativeCode {
 public:
  TieredCode(native::MemoryCode first, native::SharedObject cached, std::optional<native::CompileJob> job,
             std::shared_ptr<Unfinished> unfinished)
      : first_(std::move(first)), second_(std::move(cached)), unfinished_(std::move(unfinished)) {
    if (second_) function_ = dlsym(second_.get(), "hot");
    if (function_ == nullptr && first_) function_ = native::symbol_of(first_, "hot");
    if (job && !second_) compiler_ = std::make_unique<native::BackgroundCompiler>(std::move(*job));
  }
  ~TieredCode() override {
    if (compiler_ && compiler_->status() == native::BackgroundCompiler::Status::running)
      unfinished_->keep(std::move(compiler_));
  }
  TieredCode(const TieredCode&) = delete;
  TieredCode& operator=(const TieredCode&) = delete;

  void* function(double seconds) override {
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
  bool is_final() const override { return !compiler_; }
  bool exists() const { return function_ != nullptr; }

 private:
  native::MemoryCode first_;
  native::SharedObject second_;
  std::unique_ptr<native::BackgroundCompiler> compiler_;
  std::shared_ptr<Unfinished> unfinished_;
  void* function_ = nullptr;
  double seconds_ = 0;
};

class OmlCompiler final : public oml::NativeCompiler {
 public:
  std::unique_ptr<oml::NativeCode> compile(const std::string& text) override {
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
    auto code = std::make_unique<TieredCode>(std::move(first), std::move(cached), std::move(job), unfinished_);
    if (!code->exists()) return nullptr;
    return code;
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

  std::shared_ptr<Unfinished> unfinished_ = std::make_shared<Unfinished>();
  bool looked_ = false, has_cache_ = false;
  std::vector<std::string> command_;
  std::filesystem::path folder_;
};

}  // namespace

std::shared_ptr<oml::NativeCompiler> oml_compiler() { return std::make_shared<OmlCompiler>(); }

}  // namespace orrery::api
