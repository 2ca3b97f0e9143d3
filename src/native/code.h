// SPDX-License-Identifier: Apache-2.0
// Procedures as callable machine code: libtcc at once, the machine's C compiler in the background.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "program/procedure.h"

namespace orrery::native {

// t: time; x: continuous states (may be a trial point outside memory); y: output vector of the procedure, if it has
// one; memory: the run's block, laid out by program::Layout; tick: base tick of the clock domain (clock_active). Code
// is shared between runs by content, so the way to foreign functions is in the memory (Layout::foreign).
using Function = void (*)(double t, const double* x, double* y, std::byte* memory, std::int64_t tick);

enum class Tier { first, second };  // libtcc, cc

class Code;

// Code that was made before, for Programs that are made again and again, as those of a model that restarts: where all
// that has changed is the values of parameters the text is the same, and so is the code.
class CodeShelf {
 public:
  // nullptr: there is none of this text.
  std::shared_ptr<Code> find(const std::string& text);
  void put(std::string text, std::shared_ptr<Code> code);
  int found() const { return found_; }  // how often

 private:
  std::mutex mutex_;
  std::vector<std::pair<std::string, std::shared_ptr<Code>>> items_;  // the oldest first
  int found_ = 0;
};

struct CompileOptions {
  bool second_tier = true;  // allow cc at all; it starts with request_second_tier(), a cached result is used at once
  bool wait_for_second = false;                // tests and benchmarks: block until the second tier is ready
  std::string cache_directory;                 // empty: $ORRERY_CACHE/native, else XDG cache/orrery/native
  std::string compiler;                        // empty: $CC, else cc, gcc, clang as found
  std::shared_ptr<CodeShelf> shelf = nullptr;  // of who compiles with these options again
};

// Temporaries of a procedure live on its stack up to 64 KiB. Programs that need more get a region at the end of the
// run's memory: this call appends it to the layout (Layout::workspace) and belongs before emit_c, compile and the
// allocation of memory. Without it such procedures use the stack all the same.
void reserve_workspace(const program::Program& program, const std::vector<program::Procedure>& procedures,
                       program::Layout& layout);

// C text of all procedures: what is compiled and what people read. One `void orr_<name>(…)` each, chunked.
// y must not overlap x or the memory; x may be the beginning of the memory.
std::string emit_c(const program::Program& program, const program::Layout& layout,
                   const std::vector<program::Procedure>& procedures);

// Code of one program, for any number of threads. Functions are found by index of the procedure; the table of pointers
// is replaced as a whole when the second tier arrives, and only when someone calls poll() (a step boundary). Functions
// of the first tier stay callable.
class Code {
 public:
  ~Code();
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  Function function(std::size_t procedure) const { return table_.load(std::memory_order_acquire)[procedure]; }
  Tier tier() const { return tier_.load(std::memory_order_acquire); }
  // Starts the C compiler in the background unless it runs already or the code came from the cache.
  void request_second_tier();
  // Swaps in the second tier if it is ready. Cheap: one atomic read or two. True when the functions changed.
  bool poll();
  // Blocks until the second tier is there or has failed; false when it is not available.
  bool wait();
  double first_tier_seconds() const;
  double second_tier_seconds() const;  // 0 while unknown; cache hits are counted as loaded
  bool from_cache() const;
  // What libtcc said when it refused the code and the second tier had to take its place.
  std::string first_tier_note() const;
  // Why there is no second tier (no compiler, unwritable cache, the compiler's messages); empty when nothing went
  // wrong.
  std::string second_tier_note() const;
  bool lacks_cache_folder() const;  // there is no second tier because the folder of its cache cannot be written

 private:
  friend std::shared_ptr<Code> compile(const program::Program&, const program::Layout&,
                                       const std::vector<program::Procedure>&, const CompileOptions&, Diagnostics&);
  struct State;
  explicit Code(std::unique_ptr<State> state);
  void use(const std::vector<Function>& functions, Tier tier);
  std::atomic<const Function*> table_ = nullptr;
  std::atomic<Tier> tier_ = Tier::first;
  std::unique_ptr<State> state_;
};

std::shared_ptr<Code> compile(const program::Program& program, const program::Layout& layout,
                              const std::vector<program::Procedure>& procedures, const CompileOptions& options,
                              Diagnostics& diagnostics);

}  // namespace orrery::native
