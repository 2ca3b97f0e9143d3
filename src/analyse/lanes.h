// SPDX-License-Identifier: Apache-2.0
// Several runs of one model at once, one in each lane of the machine's vectors: steps of Dormand and Prince, each lane
// with a step size of its own. A lane that has come to its end takes the next run, so that none waits for another. What
// a lane computes is bit for bit what the solver dopri computes for the same run alone.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "native/user_code.h"
#include "sim/compiled_program.h"
#include "sim/options.h"

namespace orrery::analyse {

constexpr int lane_count = 4;  // doubles in a vector of AVX2

// Code for all lanes, made by the machine's C compiler.
class LaneCode {
 public:
  // `probes` are to be shown at accepted points. Nothing, and why, where the model or the machine has no lanes: events,
  // equations that are to be solved, signals that are no numbers, another solver.
  static std::shared_ptr<const LaneCode> make(const sim::CompiledProgram& compiled, const sim::RunOptions& options,
                                              const std::vector<std::uint32_t>& probes, std::string& why);

 private:
  friend class LaneRuns;
  using Lanes = double[lane_count];
  // Takes over the lanes of the last attempt that are marked, then tries a step in all: see the text in lanes_text.cpp.
  using Attempt = void (*)(const Lanes* t, const Lanes* h, const Lanes* t_new, const std::int64_t* take, Lanes* work,
                           const double* absolute, double relative, double share, Lanes* squared, void* memory);
  using Evaluate = void (*)(const Lanes* t, const Lanes* x, Lanes* y, void* memory);

  std::unique_ptr<native::UserCode> code_;
  Attempt attempt_ = nullptr;
  Evaluate rates_ = nullptr, shown_ = nullptr;
  int states_ = 0;
  std::size_t shown_count_ = 0, words_ = 0;  // of the memory of one run
  std::vector<double> absolute_;             // tolerance by state
  double relative_ = 0, largest_ = 0;
  solve::StepLimits limits_;
};

// The C text, and nothing where an operation has no form for lanes.
std::string lanes_text(const sim::CompiledProgram& compiled, const std::vector<program::ExprId>& shown,
                       program::Program& program, std::string& why);

// The lanes of one thread.
class LaneRuns {
 public:
  LaneRuns(const LaneCode& code, double start, double stop);

  enum class Event : std::uint8_t { none, stepped, finished, failed };

  // A run begins in this lane; `memory` is that of a run at its start.
  void begin(int lane, const std::byte* memory);
  bool is_busy(int lane) const { return busy_[static_cast<std::size_t>(lane)]; }
  // One attempt in all lanes, and what became of each.
  const std::array<Event, lane_count>& advance();
  double time(int lane) const { return t_[lane]; }
  // The shown signals of all lanes where they are now: number k of a lane is at [k][lane].
  const double (*show())[lane_count];

 private:
  void choose_first_step(int lane);
  double* column(int vector, int state) {
    return work_[static_cast<std::size_t>(vector * code_.states_ + state)].value;
  }

  struct alignas(32) Line {
    double value[lane_count];
  };
  using Lanes = LaneCode::Lanes;
  static Lanes* lanes(std::vector<Line>& lines) { return reinterpret_cast<Lanes*>(lines.data()); }

  const LaneCode& code_;
  double start_, stop_;
  std::vector<Line> work_;    // state, end, seven slopes
  std::vector<Line> memory_;  // word by word
  std::vector<Line> shown_, at_;
  alignas(32) double t_[lane_count] = {}, h_[lane_count] = {}, t_new_[lane_count] = {}, squared_[lane_count] = {};
  alignas(32) std::int64_t take_[lane_count] = {};
  struct Control {
    double next = 0, wanted = 0, log_error = 0;
    bool fresh = false, rejected = false, last = false;
  };
  std::array<Control, lane_count> control_{};
  std::array<bool, lane_count> busy_{};
  std::array<Event, lane_count> events_{};
};

}  // namespace orrery::analyse
