// SPDX-License-Identifier: Apache-2.0
// Ties the tiers together: which code runs now, and when it is replaced.
#include "native/code.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "native/cache.h"
#include "native/emit.h"
#include "native/first_tier.h"
#include "native/second_tier.h"

namespace orrery::native {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Fills `functions`; false when one is missing. `find` gives the address of a symbol or null.
template <class Find>
bool bind_all(const std::vector<std::string>& names, Find find, std::vector<Function>& functions) {
  std::vector<Function> found;
  for (const std::string& name : names) {
    auto function = reinterpret_cast<Function>(find(name));
    if (function == nullptr) return false;
    found.push_back(function);
  }
  functions = std::move(found);
  return true;
}

}  // namespace

struct Code::State {
  std::vector<std::string> names;
  MemoryCode memory_code;
  SharedObject object;
  std::vector<Function> first, second;
  // The rest is guarded by the mutex once the code is shared; `pending` says without it whether there is a compiler.
  std::mutex mutex;
  std::unique_ptr<BackgroundCompiler> background;
  std::atomic<BackgroundCompiler*> pending = nullptr;
  double first_seconds = 0;
  double second_seconds = 0;
  bool from_cache = false;
  std::string messages;  // of libtcc
  std::string note;      // about the second tier
  bool no_folder = false;

  bool bind_object() {
    return object != nullptr &&
           bind_all(
               names, [&](const std::string& name) { return ::dlsym(object.get(), name.c_str()); }, second);
  }
};

Code::Code(std::unique_ptr<State> state) : state_(std::move(state)) {}
Code::~Code() = default;

void Code::use(const std::vector<Function>& functions, Tier tier) {
  table_.store(functions.data(), std::memory_order_release);
  tier_.store(tier, std::memory_order_release);
}

void Code::request_second_tier() {
  const std::lock_guard lock(state_->mutex);
  if (state_->background != nullptr) state_->background->start();
}

bool Code::poll() {
  using Status = BackgroundCompiler::Status;
  if (state_->pending.load(std::memory_order_acquire) == nullptr) return false;
  const std::unique_lock lock(state_->mutex, std::try_to_lock);
  if (!lock.owns_lock() || state_->background == nullptr) return false;  // another thread is at it, or was
  const Status status = state_->background->status();
  if (status == Status::idle || status == Status::running) return false;
  state_->second_seconds = state_->background->seconds();
  bool swapped = false;
  if (status == Status::ready) {
    state_->object = state_->background->take_object();
    swapped = state_->bind_object();
    if (swapped) {
      use(state_->second, Tier::second);
    } else {
      state_->note = "the compiled code lacks a function";
    }
  } else {
    state_->note = state_->background->note();
  }
  state_->background->wait();
  state_->pending.store(nullptr, std::memory_order_release);
  state_->background.reset();
  return swapped;
}

bool Code::wait() {
  request_second_tier();
  if (state_->background != nullptr) state_->background->wait();
  poll();
  return tier() == Tier::second;
}

double Code::first_tier_seconds() const { return state_->first_seconds; }
double Code::second_tier_seconds() const {
  const std::lock_guard lock(state_->mutex);
  return state_->second_seconds;
}
bool Code::from_cache() const { return state_->from_cache; }
std::string Code::first_tier_note() const { return state_->messages; }
bool Code::lacks_cache_folder() const { return state_->no_folder; }
std::string Code::second_tier_note() const {
  const std::lock_guard lock(state_->mutex);
  return state_->note;
}

std::shared_ptr<Code> CodeShelf::find(const std::string& text) {
  const std::lock_guard lock(mutex_);
  for (const auto& [known, code] : items_) {
    if (known != text) continue;
    ++found_;
    return code;
  }
  return nullptr;
}

void CodeShelf::put(std::string text, std::shared_ptr<Code> code) {
  constexpr std::size_t most = 8;
  const std::lock_guard lock(mutex_);
  if (items_.size() == most) items_.erase(items_.begin());
  items_.emplace_back(std::move(text), std::move(code));
}

std::shared_ptr<Code> compile(const program::Program& program, const program::Layout& layout,
                              const std::vector<program::Procedure>& procedures, const CompileOptions& options,
                              Diagnostics& diagnostics) {
  Unit unit = emit_unit(program, layout, procedures, Style::compact);
  if (options.shelf) {
    if (auto known = options.shelf->find(unit.text)) return known;
  }
  auto state = std::make_unique<Code::State>();
  for (const program::Procedure& procedure : procedures) state->names.push_back("orr_" + procedure.name);
  std::shared_ptr<Code> code(new Code(std::move(state)));
  const auto put_on_shelf = [&] {
    if (options.shelf) options.shelf->put(unit.text, code);
  };
  Code::State& s = *code->state_;

  if (options.second_tier) {
    auto directory =
        options.cache_directory.empty() ? default_cache_directory() : std::filesystem::path(options.cache_directory);
    std::vector<std::string> compiler = find_compiler(options.compiler);
    if (compiler.empty()) {
      s.note = "no C compiler was found";
    } else if (std::string why; !prepare_cache(directory, why)) {
      s.no_folder = true;
      s.note = why.empty() ? fmt::format("the cache folder {} cannot be written", directory.string())
                           : fmt::format("the cache folder {} is not safe: {}", directory.string(), why);
    } else {
      auto begin = Clock::now();
      CompileJob job = make_job(unit.text, unit.thorough, compiler, directory);
      prune_cache_once(directory);
      s.object = load_cached(job);
      if (s.bind_object()) {
        s.from_cache = true;
        s.second_seconds = seconds_since(begin);
        code->use(s.second, Tier::second);
        put_on_shelf();
        return code;
      }
      s.background = std::make_unique<BackgroundCompiler>(std::move(job));
      s.pending = s.background.get();
    }
  }

  auto begin = Clock::now();
  s.memory_code = compile_in_memory(unit.text, s.messages);
  bool bound = s.memory_code != nullptr &&
               bind_all(
                   s.names, [&](const std::string& name) { return symbol_of(s.memory_code, name); }, s.first);
  if (bound) code->use(s.first, Tier::first);
  s.first_seconds = seconds_since(begin);
  // Hardened machines may refuse to run code from memory; a shared object still works there.
  bool second = (!bound || options.wait_for_second) && code->wait();
  if (!bound && !second) {
    Diagnostic& error = diagnostics.error("internal", {}, "the generated C code could not be compiled in memory",
                                          "this is a defect of Orrery; please report it with the model");
    error.notes = {s.messages, s.note};
    return nullptr;
  }
  put_on_shelf();
  return code;
}

}  // namespace orrery::native
