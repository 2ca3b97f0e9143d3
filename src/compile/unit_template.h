// SPDX-License-Identifier: Apache-2.0
// An atomic super block that is there many times is compiled once: its inside becomes a function of what arrives and of
// its memory, and each instance is one block that calls it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "blocks/unit_body.h"
#include "compile/flat_model.h"
#include "program/function.h"

namespace orrery::compile {

// The inside as a model of its own: block 0 is the clock that stands for whatever activates the unit.
struct UnitTemplate {
  FlatModel inside;
  std::vector<std::uint32_t> arguments;  // by input: its block; no_block: no Input has the number
  std::vector<std::uint32_t> results;    // by output
  std::vector<bool> reads_whole;         // by input
  bool has_event_input = false;
  int line = 0;  // of the super block whose diagram was opened, where each instance has its own; 0: all have the same
};

// A memory of the inside that each instance has for itself.
struct UnitMemory {
  std::string name;
  program::Type type;
  std::vector<double> initial;
  std::uint32_t result = UINT32_MAX;  // of the function: what it becomes; none: it keeps its value
};

// The function for certain types of inputs.
struct UnitFunction {
  std::vector<program::Type> inputs, outputs;
  std::string fault;  // not empty: it cannot be made, and why
  std::shared_ptr<const program::Function> function;
  bool takes_time = false;
  std::size_t periods = 0;           // arguments that are the period of the instance's clock
  std::vector<UnitMemory> memory;    // arguments behind time, periods and inputs
  std::vector<std::uint32_t> given;  // by output: result of the function
  std::vector<bool> used;            // by input: whether it is an argument
};

// Of one template. Not for several threads at once.
class SharedUnit final : public blocks::UnitBody {
 public:
  explicit SharedUnit(std::shared_ptr<const UnitTemplate> source) : source_(std::move(source)) {}
  void refine(blocks::Ports& ports) const override;
  void build(blocks::Block& block) const override;

  const UnitTemplate& source() const { return *source_; }
  // Whether there is a function for the types of this instance, and it gives what its outputs are.
  bool fits(const FlatBlock& instance) const;
  // Whether some instance cannot call it: its types allow no function, or its corners are to be located.
  bool has_failed() const { return failed_; }
  void fail() const { failed_ = true; }
  bool has_corners() const;
  const Diagnostics& warnings() const { return warnings_; }

 private:
  const UnitFunction& function_for(const std::vector<program::Type>& inputs) const;

  std::shared_ptr<const UnitTemplate> source_;
  mutable std::vector<std::unique_ptr<UnitFunction>> functions_;
  mutable bool failed_ = false;
  mutable Diagnostics warnings_;
};

// The instance's own view of it; nullptr for all other blocks.
const SharedUnit* shared_unit_of(const FlatBlock& block);

// Puts the inside of these units, or of all, where the instances are: as if they had never been shared.
void expand_units(FlatModel& model, bool only_failed);
bool has_shared_units(const FlatModel& model);

}  // namespace orrery::compile
