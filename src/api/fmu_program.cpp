// SPDX-License-Identifier: Apache-2.0
// A diagram of one block, compiled as every other. Its parameters are literals, so no scripting language is needed.
#include "api/fmu_program.h"

#include <cstdlib>

#include "compile/compile.h"

namespace orrery::api {
namespace {

class OneModel final : public blocks::ForeignModels {
 public:
  explicit OneModel(const blocks::ForeignModel& model) : model_(std::make_shared<blocks::ForeignModel>(model)) {}
  std::shared_ptr<const blocks::ForeignModel> fmu(const blocks::ForeignRequest&) const override { return model_; }

 private:
  std::shared_ptr<const blocks::ForeignModel> model_;
};

// Numbers, quoted texts and [].
class Literals final : public compile::Evaluator {
 public:
  void push_scope(const std::vector<compile::GivenVariable>&, Diagnostics&) override {}
  void pop_scope() override {}
  void run(const std::vector<std::string>&, const Place&, Diagnostics&) override {}
  void pin(const std::string&, std::string_view, const Place&, Diagnostics&) override {}
  std::optional<compile::Value> evaluate(std::string_view text, const Place&, Diagnostics&) override {
    if (text.starts_with('\'')) return compile::Value::string(std::string(text.substr(1, text.size() - 2)));
    if (text == "[]") return compile::Value{};
    return compile::Value::number(std::strtod(std::string(text).c_str(), nullptr));
  }
  void set(const std::string&, compile::Value) override {}
  std::shared_ptr<const blocks::Tracer> tracer() override { return nullptr; }
};

}  // namespace

std::optional<program::Program> fmu_program(const std::string& file, const blocks::ForeignModel& model,
                                            Diagnostics& diagnostics) {
  model::Model diagram;
  diagram.file = file;
  model::BlockInstance block;
  block.name = "FMU";
  block.type = "FMU";
  block.parameters.push_back({"fmu", "'FMU'", 0});
  diagram.root.blocks.push_back(std::move(block));
  Literals literals;
  const auto evaluated = compile::evaluate(diagram, literals, {}, diagnostics, {std::make_shared<OneModel>(model)});
  if (!evaluated) return std::nullopt;
  compile::CompileOptions options;
  if (!model.outputs.empty()) options.watch = {"/FMU:1"};
  auto program = compile::compile(*evaluated, options, diagnostics);
  if (!program) return std::nullopt;
  for (program::Probe& probe : program->probes) probe.bent = false;  // rows are where they were asked for
  return program;
}

}  // namespace orrery::api
