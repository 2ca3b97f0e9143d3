// SPDX-License-Identifier: Apache-2.0
// A block that is called with flags, in a run: fills in the structure of vss_block4.h and calls whatever is behind it.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "blocks/custom_blocks/flag_block.h"
#include "foreign/include/vss_block4.h"
#include "program/foreign_kinds.h"

namespace orrery::foreign {

// The structure of a block and all its numbers in one piece of memory. A process that runs the block has its own at the
// same address (it is forked), and both exchange it through a second piece that they share. What comes back from there
// may be anything: only numbers are taken from it, never a pointer or a size.
class FlagMemory {
 public:
  explicit FlagMemory(bool shared) : shared_(shared) {}
  ~FlagMemory();
  FlagMemory(const FlagMemory&) = delete;
  FlagMemory& operator=(const FlagMemory&) = delete;
  // Space for so many bytes, zero; all of it is asked for before reserve() and handed out after it.
  void want(std::size_t bytes) { size_ += (bytes + 15) / 16 * 16; }
  [[nodiscard]] bool reserve();
  void* take(std::size_t bytes);
  template <class T>
  T* take_array(std::size_t count) {
    return static_cast<T*>(take(std::max<std::size_t>(count, 1) * sizeof(T)));
  }
  // The same for what holds pointers and sizes.
  template <class T>
  T* take_structure(std::size_t count) {
    T* structure = take_array<T>(count);
    structures_.emplace_back(used_before_, used_);
    return structure;
  }

  void send() const;       // all of it
  void receive_all();      // by the process of the block
  void receive_numbers();  // by the simulator
  // What the other side has at this place.
  template <class T>
  T received(const T* at) const {
    T copy;
    std::memcpy(&copy, exchange_ + (reinterpret_cast<const char*>(at) - memory_), sizeof copy);
    return copy;
  }

 private:
  bool shared_;
  std::size_t size_ = 0, used_ = 0, used_before_ = 0;
  char *memory_ = nullptr, *exchange_ = nullptr;
  std::vector<std::pair<std::size_t, std::size_t>> structures_;  // from, to; one behind the other
};

// What the block has asked for during a call.
struct FlagAnswer {
  unsigned char stop = 0, cold_restart = 0, discard = 0, failed = 0;  // another process may write any byte
  char message[400] = {};                                             // of an error
  int warnings = 0;                                                   // and notes: lines in `said`
  char said[800] = {};
};

// What a block leaves behind, and where its answers go.
struct FlagOwner {
  FlagAnswer* answer = nullptr;
  std::vector<void*> memory = {};
  std::vector<FILE*> files = {};

  void release() {
    for (FILE* file : files) std::fclose(file);
    for (void* piece : memory) std::free(piece);
    files.clear();
    memory.clear();
  }
};

// What from_settings() reads.
std::vector<program::ForeignSetting> flag_block_settings();

class FlagBlockInstance : public program::ForeignInstance {
 public:
  // Warnings of the block go to the diagnostics while it runs.
  FlagBlockInstance(blocks::FlagShape shape, const program::ForeignRun& run, const Place& place,
                    Diagnostics& diagnostics, bool shared);
  ~FlagBlockInstance() override;

  program::ForeignOutcome open(std::span<double> initial) override;
  program::ForeignEntry entry(int function) override;
  void compute(int function, const void* const* arguments, void* const* results) noexcept override;
  program::ForeignOutcome perform(int procedure, double t, std::span<const double> arguments,
                                  std::span<double> results) override;
  program::ForeignHealth health() noexcept override;
  void report(const Place& place, double t, Diagnostics& diagnostics) override;
  bool save(std::vector<std::byte>& bytes) override;
  bool restore(std::span<const std::byte> bytes) override;

 protected:
  // Calls the block; false, and trouble, when it cannot be called any more.
  virtual bool invoke(int /*flag*/) noexcept { return false; }
  // Where nothing but a function in this process is behind it, that is called instead.
  using BlockFunction = void (*)(vss_block*, int);
  BlockFunction function_ = nullptr;
  // To be called by destructors of kinds, while invoke() is theirs.
  void terminate() noexcept;
  void complain(std::string code, std::string message);

  // The structure and all it points to; false when the machine gives no memory.
  [[nodiscard]] bool allocate();
  vss_block& block() { return *block_; }
  // Where the block is called by another process: to there, taking over there, back there, and back here.
  void send_block() const { memory_->send(); }
  void take_block() { memory_->receive_all(); }
  void take_results();
  FlagAnswer& answer() { return *answer_; }
  const blocks::FlagShape shape_;
  const Place place_;

 private:
  void fill_matrix(vss_matrix& to, const blocks::FlagMatrix& from, bool values);
  std::size_t bytes_of(const blocks::FlagMatrix& m) const;
  bool call(int flag) noexcept;
  // Where an argument goes, in the order of the arguments behind the time; modes are whole numbers there.
  struct Argument {
    void* to = nullptr;
    std::size_t bytes = 0;
    bool modes = false;
  };
  std::vector<Argument> places_of_arguments(bool feedthrough_only) const;
  void place_arguments(const void* const* arguments, const std::vector<Argument>& places) noexcept;
  void take(const double*& next, double* to, std::size_t count) noexcept;
  void take_typed(const double*& next, vss_matrix& to) noexcept;
  void give_results(std::span<double> results, double epoch);
  void set_phase(int phase) noexcept;
  void pass_on() noexcept;
  void set_health(program::ForeignHealth health) noexcept {
    health_ = health;
    surely_well_ = health == program::ForeignHealth::well;
  }
  void find_modes() noexcept;
  void outputs(const void* const* arguments, void* const* results) noexcept;
  void partials(const void* const* arguments, double* slopes) noexcept;
  program::ForeignOutcome procedure(int procedure, double t);

  const program::ForeignRun run_;
  std::unique_ptr<FlagMemory> memory_;
  vss_block* block_ = nullptr;
  FlagAnswer* answer_ = nullptr;
  bool open_ = false, ended_ = false;
  double epoch_ = 0;
  program::ForeignHealth health_ = program::ForeignHealth::well;
  std::string trouble_code_, trouble_;
  std::string label_, file_, name_;
  std::vector<Argument> for_outputs_, for_others_, results_;  // of outputs: where they come from
  std::vector<double> before_;  // values that a procedure was given, to see whether it has changed something
  std::unique_ptr<FlagOwner> owner_;
  Diagnostics& diagnostics_;
  int warnings_ = 0;
};

}  // namespace orrery::foreign
