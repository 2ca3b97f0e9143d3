// SPDX-License-Identifier: Apache-2.0
// What a linear model, or a point of rest, is asked of: a model compiled and run to a point, and the slots behind the
// names of states, inputs and outputs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyse/sampled.h"
#include "api/linearise.h"
#include "program/variables.h"
#include "sim/simulation.h"

namespace orrery::api {

// One input or output.
struct LinearPort {
  std::string name;  // in the results
  std::string path;  // of the block in the Program
};

class LinearQuestion {
 public:
  LinearQuestion(const program::Program& program, Diagnostics& diagnostics);

  // False: something cannot be found, or is not a double.
  [[nodiscard]] bool ask(const std::vector<LinearPort>& inputs, const std::vector<LinearPort>& outputs);

  const analyse::LinearRequest& request() const { return linear_; }
  // The same with the signals at the points behind the outputs: inputs that are LinearisationPoint blocks open loops.
  analyse::LinearRequest with_points() const;
  // Of states and memories, by element.
  std::vector<std::string> names_of(const std::vector<program::SlotId>& slots) const;
  std::vector<std::string> state_names() const { return names_of(linear_.states); }
  const std::vector<std::string>& input_names() const { return input_names_; }
  const std::vector<std::string>& output_names() const { return output_names_; }

 private:
  Place place(std::string block) const { return {program_.origins[0].path, 0, 0, std::move(block), {}}; }
  void add_input(const LinearPort& port);
  void add_output(const LinearPort& port);

  const program::Program& program_;
  program::VariableNames names_;
  Diagnostics& diagnostics_;
  int errors_;
  analyse::LinearRequest linear_;
  struct Point {
    std::size_t input;
    program::SlotId closed;
  };
  std::vector<Point> points_;
  std::vector<std::string> input_paths_, input_names_, output_names_;
};

// A model that was run to the point of a request.
struct ModelAtPoint {
  std::string prefix;  // of what belongs to the super block, or "/"
  Prepared prepared;   // without its Program
  sim::RunOptions options;
  std::shared_ptr<const sim::CompiledProgram> compiled;
  std::unique_ptr<LinearQuestion> question;
  std::unique_ptr<sim::Simulation> run;
  analyse::SampleTimes samples;  // no memories: the linear model is one of continuous time
};

// With `hold`, what events have left counts as constant; else the model is a sampled system where anything reads it,
// or, where `continuous` is asked for, it is an error.
std::optional<ModelAtPoint> run_to_point(model::Model model, const LinearisationRequest& request,
                                         const std::shared_ptr<OmlEvaluator>& evaluator, Diagnostics& diagnostics);

}  // namespace orrery::api
