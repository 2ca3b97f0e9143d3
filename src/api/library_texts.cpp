// SPDX-License-Identifier: Apache-2.0
// Blocks and solvers: what each is for and which settings it heeds.
#include "api/library_texts.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "api/new_block.h"
#include "api/oml_evaluator.h"
#include "api/picture_sink.h"
#include "api/session.h"
#include "base/check.h"
#include "blocks/block.h"
#include "blocks/book_names.h"
#include "blocks/example_model.h"
#include "blocks/manual.h"
#include "io/svg_plot.h"
#include "io/text_table.h"
#include "model/closest_name.h"
#include "solve/dae.h"

namespace orrery::api {
namespace {

namespace fs = std::filesystem;
using solve::SolverInfo;

constexpr const char* about_auto = "The default: chooses one of these for the model and says why (--stats).";

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

const char* kind(const SolverInfo& info) { return solve::find_dae_solver(info.name) == nullptr ? "ODE" : "ODE, DAE"; }

const char* stiffness(const SolverInfo& info) {
  switch (info.stiffness) {
    case solve::Stiffness::non_stiff: return "non-stiff";
    case solve::Stiffness::mild: return "mildly stiff";
    case solve::Stiffness::stiff: return "stiff";
    case solve::Stiffness::any: return "any";
  }
  return "";
}

const char* steps(const SolverInfo& info) { return info.fixed_step ? "fixed" : "variable"; }

std::string constraints(const SolverInfo& info) { return info.projects ? "kept by projection" : "refused"; }

nlohmann::ordered_json to_json(const SolverInfo& info) {
  return {{"name", info.name},
          {"title", info.title},
          {"aliases", info.aliases},
          {"ode", true},
          {"dae", solve::find_dae_solver(info.name) != nullptr},
          {"fixed_step", info.fixed_step},
          {"multistep", info.multistep},
          {"implicit", info.implicit},
          {"order", info.order},
          {"stiffness", stiffness(info)},
          {"constraints", info.projects},
          {"options", info.options},
          {"summary", info.summary}};
}

std::string solver_table() {
  io::TextTable table{{"name", "kind", "step", "order", "models", "options", "about"},
                      {io::Align::left, io::Align::left, io::Align::left, io::Align::right},
                      {}};
  table.rows.push_back(
      {"auto", "ODE, DAE", "variable", "", "any", joined(solve::solver(solve::Method::dopri).options), about_auto});
  for (const SolverInfo& info : solve::solvers()) {
    table.rows.push_back({info.name, kind(info), steps(info), fmt::format("{}", info.order), stiffness(info),
                          joined(info.options), info.summary});
  }
  return io::to_text(table) +
         "\nNames may be written in any case, with blanks, - or _; `orrery show solvers NAME` tells more about one.\n";
}

std::string one_text(const SolverInfo& info) {
  io::TextTable table;
  table.rows = {{"name", info.name},
                {"also called", joined(info.aliases)},
                {"kind", kind(info)},
                {"step", steps(info)},
                {"history", info.multistep ? "multistep" : "single step"},
                {"formula", info.implicit ? "implicit" : "explicit"},
                {"order", fmt::format("{}", info.order)},
                {"models", stiffness(info)},
                {"constraints", constraints(info)},
                {"options", joined(info.options)}};
  return fmt::format("{}\n{}\n\n{}", info.title, info.summary, io::to_text(table, "  "));
}

// Defaults of parameters as values.
class Defaults {
 public:
  blocks::TextEvaluator evaluate() {
    return [this](std::string_view text) {
      Diagnostics ignored;  // a default without a value shows as such on the page
      return evaluator_.evaluate(text, {}, ignored);
    };
  }

 private:
  OmlEvaluator evaluator_;
};

std::string preformatted(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return result;
}

// Examples write and read files where they run: a folder of their own, for as long as this lives.
class OwnFolder {
 public:
  OwnFolder() : before_(fs::current_path()) {
    std::string name = (fs::temp_directory_path() / "orrery_manual_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return;
    own_ = name;
    fs::current_path(own_);
  }
  ~OwnFolder() {
    std::error_code ignored;
    fs::current_path(before_, ignored);
    if (!own_.empty()) fs::remove_all(own_, ignored);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

 private:
  fs::path before_, own_;
};

// A compiler runs for some seconds.
bool takes_long(const blocks::BlockType& type) { return type.name == "FMU"; }

// What has to be there before the example of a type runs.
std::string before_example(const blocks::BlockType& type) {
  if (type.name != "CppBlock") return {};
  std::string code = block_skeleton(type.name);
  for (std::size_t at = code.find("NAME"); at != std::string::npos; at = code.find("NAME", at))
    code.replace(at, 4, "my_block");
  return fmt::format(
      "<p><code>orrery new block --kind cpp my_block</code> writes this block, <code>make -C "
      "my_block</code> compiles it:</p>\n<pre>{}</pre>\n",
      preformatted(code));
}

// What a run of the example shows, and the model to copy.
std::string example_html(const blocks::BlockType& type, const blocks::TextEvaluator& evaluate) {
  auto model = blocks::example_model(type, evaluate);
  if (!model) return {};
  const std::string before = before_example(type);
  if (!before.empty()) {
    return fmt::format(
        "<div class=\"example\">\n<h3>Example</h3>\n{}<details><summary>The model</summary><pre>{}</pre>"
        "</details>\n</div>\n",
        before, preformatted(model::write(*model)));
  }
  OmlEvaluator evaluator(Consent::everything(), {});  // the models are ours
  PictureSink picture;
  RunRequest request;
  request.allow = Capabilities::all();
  request.tier = TierChoice::first;
  request.sinks = {&picture};
  const std::string text = model::write(*model);
  const RunResult result = run(*model, request, evaluator);
  if (result.failed()) return {};
  return fmt::format(
      "<div class=\"example\">\n<h3>Example</h3>\n{}\n<details><summary>The model</summary>"
      "<pre>{}</pre></details>\n</div>\n",
      io::svg_plot(picture.chart()), preformatted(text));
}

std::string help_for(const std::string& name, const std::vector<std::string_view>& names, const char* otherwise) {
  std::string help = model::did_you_mean(name, names);
  return help.empty() ? otherwise : help;
}

}  // namespace

std::string block_list(TextForm form) {
  if (form == TextForm::plain) return blocks::list_blocks();
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const blocks::BlockType* type : blocks::library()) {
    nlohmann::ordered_json block = {{"name", type->name}, {"palette", type->palette}, {"summary", type->summary}};
    block["parameters"] = nlohmann::ordered_json::array();
    for (const blocks::ParameterSpec& spec : type->parameters) {
      nlohmann::ordered_json parameter = {{"name", spec.name}, {"default", spec.value}, {"about", spec.about}};
      if (!spec.choices.empty()) parameter["choices"] = spec.choices;
      block["parameters"].push_back(std::move(parameter));
    }
    block["also_called"] = nlohmann::ordered_json::array();
    for (const blocks::OtherName& other : blocks::other_names()) {
      if (other.ours == type->name && other.name != type->name) block["also_called"].push_back(other.name);
    }
    list.push_back(std::move(block));
  }
  return list.dump(2) + "\n";
}

std::string other_block_names() {
  io::TextTable table{{"other name", "here", "note"}, {}, {}};
  for (const blocks::OtherName& other : blocks::other_names()) {
    table.rows.push_back({other.name, other.ours.empty() ? "-" : other.ours, other.note});
  }
  return io::to_text(table);
}

std::string manual_page(const std::string& opened) {
  Defaults defaults;
  const OwnFolder folder;
  const blocks::TextEvaluator evaluate = defaults.evaluate();
  return blocks::manual_html(evaluate, [&](const blocks::BlockType& type) {
    const bool wanted = opened.empty() || opened == type.name || !takes_long(type);
    return wanted ? example_html(type, evaluate) : std::string();
  });
}

std::optional<std::string> block_example(const std::string& name, Diagnostics& diagnostics) {
  Defaults defaults;
  if (!block_page(name, diagnostics)) return std::nullopt;
  const auto model = blocks::example_model(*blocks::find_type(name), defaults.evaluate());
  ORRERY_CHECK(model);  // ManualExamples: every type has one
  return model::write(*model);
}

std::optional<std::string> block_page(const std::string& name, Diagnostics& diagnostics) {
  Defaults defaults;
  if (const blocks::BlockType* type = blocks::find_type(name))
    return blocks::describe_block(*type, defaults.evaluate());
  std::vector<std::string_view> names;
  for (const blocks::BlockType* type : blocks::library()) names.push_back(type->name);
  diagnostics.error("unknown-block", {}, "no block type is called " + name,
                    help_for(name, names, "`orrery show blocks` lists them all"));
  return std::nullopt;
}

std::string solver_list(TextForm form) {
  if (form == TextForm::plain) return solver_table();
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const SolverInfo& info : solve::solvers()) list.push_back(to_json(info));
  return list.dump(2) + "\n";
}

std::optional<std::string> solver_page(const std::string& name, TextForm form, Diagnostics& diagnostics) {
  if (const SolverInfo* info = solve::find_solver(name))
    return form == TextForm::json ? to_json(*info).dump(2) + "\n" : one_text(*info);
  std::vector<std::string_view> names;
  for (const SolverInfo& known : solve::solvers()) {
    names.push_back(known.name);
    names.insert(names.end(), known.aliases.begin(), known.aliases.end());
  }
  diagnostics.error("unknown-solver", {}, "there is no solver called " + name,
                    help_for(name, names, "`orrery show solvers` lists them all"));
  return std::nullopt;
}

}  // namespace orrery::api
