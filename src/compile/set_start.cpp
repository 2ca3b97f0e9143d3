// SPDX-License-Identifier: Apache-2.0
// From paths to the states below them, then to a start system.
#include "compile/set_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "equations/add_start.h"
#include "program/print.h"

namespace orrery::compile {
namespace {

using program::ExprId;
using program::SlotId;
using program::SlotKind;

enum class Beginning : std::uint8_t { given, free, rest };

class Choosing {
 public:
  Choosing(program::Program& program, const std::string& file, Diagnostics& diagnostics)
      : program_(program), file_(file), diagnostics_(diagnostics), beginning_(program.states.size()) {}

  bool choose(const std::vector<model::InitialChoice>& choices) {
    // The longest path decides: "/" for all, and another word for one of them.
    std::vector<model::InitialChoice> sorted = choices;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.block.size() < b.block.size(); });
    bool ok = true;
    for (const model::InitialChoice& choice : sorted) ok = choose(choice) && ok;
    return ok;
  }

  equations::StartProblem problem() {
    equations::StartProblem result;
    for (program::StartCheck& check : std::exchange(program_.start_system.checks, {})) {
      const std::string path = program_.origins[check.origin].path;
      result.equations.push_back({check.residual, check.origin, 0, path + ": its input is zero at the start"});
    }
    for (std::size_t k = 0; k < beginning_.size(); ++k) {
      if (beginning_[k] == Beginning::given) continue;
      const SlotId slot = program_.states[k];
      const program::Type type = program_.slots[slot].type;
      for (std::int64_t e = 0; e < type.size(); ++e) result.free.push_back({slot, e, 0, false});
      if (beginning_[k] == Beginning::free) continue;
      result.equations.push_back({program_.derivatives[k], program_.slots[slot].origin, 0,
                                  fmt::format("{} begins at rest", program::slot_name(program_, slot))});
    }
    return result;
  }

 private:
  bool choose(const model::InitialChoice& choice) {
    constexpr std::pair<const char*, Beginning> words[] = {
        {"given", Beginning::given}, {"free", Beginning::free}, {"rest", Beginning::rest}};
    const Place place{file_, choice.line, 0, choice.block, "initial"};
    const auto word =
        std::find_if(std::begin(words), std::end(words), [&](const auto& known) { return choice.text == known.first; });
    if (word == std::end(words)) {
      diagnostics_.error("bad-setting", place, fmt::format("{} is no way to begin", choice.text),
                         "write given, free or rest");
      return false;
    }
    const std::string below = choice.block.ends_with('/') ? choice.block : choice.block + "/";
    bool found = false;
    for (std::size_t k = 0; k < program_.states.size(); ++k) {
      const program::Slot& slot = program_.slots[program_.states[k]];
      const std::string& path = program_.origins[slot.origin].path;
      if (slot.kind != SlotKind::state || (path != choice.block && !path.starts_with(below))) continue;
      beginning_[k] = word->second;
      found = true;
    }
    if (!found) {
      diagnostics_.error("unknown-state", place, "there is no block with continuous states at this path",
                         "name a block such as /Plant/Integral, or a diagram that has some inside it");
    }
    return found;
  }

  program::Program& program_;
  const std::string& file_;
  Diagnostics& diagnostics_;
  std::vector<Beginning> beginning_;  // by state
};

}  // namespace

bool set_start(const std::vector<model::InitialChoice>& choices, const std::string& file, program::Program& program,
               Diagnostics& diagnostics) {
  const bool continued = program.start_system.homotopy != program::no_slot;
  if (choices.empty() && program.start_system.checks.empty() && !continued) return true;
  Choosing choosing(program, file, diagnostics);
  if (!choosing.choose(choices)) return false;
  const equations::StartProblem problem = choosing.problem();
  if (problem.free.empty() && problem.equations.empty() && !continued) return true;
  return equations::add_start(program, problem, diagnostics);
}

}  // namespace orrery::compile
