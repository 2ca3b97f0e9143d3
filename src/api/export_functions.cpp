// SPDX-License-Identifier: Apache-2.0
// Code out from scripts: f(m, block, options), where m is a model of bdeOpenModel and block the path of a super block.
#include "api/export_functions.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "api/edit_functions.h"
#include "api/export_custom_block.h"
#include "api/export_fmu.h"
#include "api/export_python.h"
#include "api/model_functions.h"
#include "edit/find.h"
#include "edit/model_files.h"
#include "export/python_files.h"
#include "model/items.h"
#include "native/second_tier.h"
#include "oml/interpreter.h"

namespace orrery::api {
namespace {

namespace fs = std::filesystem;
using oml::Call;
using oml::Value;

std::string temporary_folder(const edit::Document& document) {
  const std::string name = fs::path(document.model().file).stem().string();
  const fs::path folder =
      fs::temp_directory_path() / fmt::format("orrery-{}", ::getuid()) / (name.empty() ? std::string("model") : name);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) oml::fail("the folder " + folder.string() + " cannot be made: " + error.message());
  return folder.string();
}

// A file with the model as it stands now: its own where it was saved.
std::string file_of(const edit::Document& document) {
  const std::string& own = document.model().file;
  std::ifstream saved(own, std::ios::binary);
  if (!own.empty() && std::string(std::istreambuf_iterator<char>(saved), {}) == document.text()) return own;
  const std::string name = own.empty() ? std::string("model.orr") : fs::path(own).filename().string();
  const std::string path = (fs::path(temporary_folder(document)) / name).string();
  Diagnostics diagnostics;
  if (!edit::write_model_file(document.model(), path, diagnostics)) raise_errors(diagnostics);
  return path;
}

std::string block_argument(const Call& c) {
  std::string block;
  if (c.has(1)) {
    block = c.text(1);
  } else {
    const std::vector<std::string> selected = selected_paths(c.oml);
    if (selected.size() != 1) oml::fail("which super block? Give its path, or select it in the editor");
    block = selected[0];
  }
  return block.starts_with('/') ? block : "/" + block;
}

const Value* option(const Call& c, const char* name) {
  if (!c.has(2)) return nullptr;
  if (!c[2].is_struct() || c[2].structure_ref().dims.numel() != 1) oml::fail_argument(3, "must be a struct of options");
  return c[2].structure_ref().get(name);
}

bool truth(const Value& v) {
  for (const double number : oml::to_vector(v)) {
    if (number == 0) return false;
  }
  return true;
}

bool flag_option(const Call& c, const char* name, bool otherwise) {
  const Value* given = option(c, name);
  return given == nullptr ? otherwise : truth(*given);
}

std::string text_option(const Call& c, const char* name, const std::string& otherwise) {
  const Value* given = option(c, name);
  return given == nullptr || given->is_empty() ? otherwise : oml::to_string(*given);
}

ExportRequest request_of(const Call& c) {
  ExportRequest request;
  request.run.file = file_of(document_argument(c));
  request.run.allow = c.oml.options().consent.allowed;
  request.block = block_argument(c);
  request.name = fs::path(request.block).filename().string();
  return request;
}

// The block in C takes the place of the super block; bdeUndo brings it back.
void replace_block(Call& c, const ExportRequest& request) {
  edit::Document& document = document_argument(c);
  Diagnostics diagnostics;
  auto made = with_custom_block(model::copy_of(document.model()), request, diagnostics);
  if (!made) raise_errors(diagnostics);
  const edit::BlockPath path = edit::block_path(request.block);
  const model::Diagram* around = edit::diagram_at(*made, path.diagram);
  const auto index = edit::index_of(*around, path.name);
  const std::string text = model::item_text(around->blocks[*index]);
  const auto command = [&](edit::Edit& e) { e.splice(path.diagram, "blocks", *index, 1, {text}); };
  if (!document.perform(std::string(c.name), command, diagnostics)) raise_errors(diagnostics);
  c.ret(Value::text(request.block));
}

void generate_c_block(Call& c) {
  ExportRequest request;
  request.run.allow = c.oml.options().consent.allowed;
  request.block = block_argument(c);
  replace_block(c, request);
}

void compile_to_inlined_c(Call& c) {
  ExportRequest request;
  request.run.allow = c.oml.options().consent.allowed;
  request.block = block_argument(c);
  request.atomic = flag_option(c, "setatomic", true);
  request.comments = flag_option(c, "comments", true);
  request.always = flag_option(c, "setinputsdept", false);
  replace_block(c, request);
}

void compile_to_standalone(Call& c) {
  ExportRequest request = request_of(c);
  request.out = text_option(c, "folder", (fs::path(temporary_folder(document_argument(c))) / request.name).string());
  request.comments = flag_option(c, "comments", true);
  Diagnostics diagnostics;
  if (!export_c(request, diagnostics)) raise_errors(diagnostics);
  c.ret(Value::text(request.out));
}

void generate_fmu(Call& c) {
  FmuRequest request;
  request.model = request_of(c);
  const Value* kind = option(c, "mecs");
  const double mecs = kind == nullptr ? 0 : oml::to_double(*kind);
  if (mecs != 0 && mecs != 1 && mecs != 2) oml::fail("mecs must be 0 (model exchange), 1 (co-simulation) or 2 (both)");
  request.exchange = mecs != 1;
  request.cosimulation = mecs != 0;
  const std::string beside =
      (fs::path(document_argument(c).model().file).parent_path() / (request.model.name + ".fmu")).string();
  request.model.out = text_option(c, "fmufile", text_option(c, "fmufilename", beside));
  c.require(Capability::native);
  Diagnostics diagnostics;
  if (!export_fmu(request, diagnostics)) raise_errors(diagnostics);
  c.ret(Value::text(request.model.out));
}

Value port_struct(const std::string& name, const char* kind, const program::Type& type) {
  Value port = Value::structure();
  oml::StructArray& s = port.edit_structure();
  s.set("name", Value::text(name));
  s.set("kind", Value::text(kind));
  s.set("type", Value::text(program::name_of(type.scalar)));
  s.set("size", Value::row({static_cast<double>(type.rows), static_cast<double>(type.cols)}));
  return port;
}

Value ports_of(const code_export::CModel& model) {
  std::vector<Value> ports;
  const program::Program& program = model.program;
  for (const program::InputPort& port : program.inputs) {
    const bool event = port.value == program::no_slot;
    ports.push_back(port_struct(port.name, event ? "activation" : "input",
                                event ? program::Type{} : program.slots[port.value].type));
  }
  for (const program::OutputPort& port : program.outputs)
    ports.push_back(port_struct(port.name, port.activation ? "activation output" : "output",
                                program.slots[program.probes[port.probe].slot].type));
  for (const program::Parameter& parameter : program.parameters)
    ports.push_back(port_struct(parameter.name, "parameter", program.slots[parameter.slot].type));
  return Value::cell_row(ports);
}

void generate_simple_solver(Call& c) {
  ExportRequest request = request_of(c);
  if (!flag_option(c, "python", true)) oml::fail("python must be true: other languages are not there");
  request.name = code_export::module_name(text_option(c, "modulename", request.name));
  request.out = text_option(c, "folder", (fs::path(temporary_folder(document_argument(c))) / "solver").string());
  c.require(Capability::native);
  Diagnostics diagnostics;
  const auto model = c_model_of(request, diagnostics);
  if (!model || !export_python(request, diagnostics)) raise_errors(diagnostics);
  c.ret(ports_of(*model));
  Value used = Value::structure();
  used.edit_structure().set("folder", Value::text(request.out));
  used.edit_structure().set("modulename", Value::text(request.name));
  c.ret(used);
}

void generate_body(Call& c) {
  ExportRequest request = request_of(c);
  request.comments = flag_option(c, "comments", true);
  request.atomic = flag_option(c, "setatomic", false);
  Diagnostics diagnostics;
  const auto model = c_model_of(request, diagnostics);
  if (!model) raise_errors(diagnostics);
  Value body = Value::structure();
  oml::StructArray& s = body.edit_structure();
  s.set("name", Value::text(model->name));
  s.set("header", Value::text(model->header));
  s.set("source", Value::text(model->source));
  s.set("inouts", ports_of(*model));
  c.ret(body);
}

void model_folder(Call& c) { c.ret(Value::text(temporary_folder(document_argument(c)))); }

void compiler_name(Call& c) {
  const std::vector<std::string> words = native::find_compiler("");
  c.ret(Value::text(words.empty() ? "" : words[0]));
}

constexpr oml::Needs writes_and_asks() {
  oml::Needs needs(Capability::write);
  needs.by_argument = true;
  return needs;
}

constexpr oml::Builtin export_table[] = {
    {"vssGenerateCBlock", 1, 2, generate_c_block,
     "path = vssGenerateCBlock(m, block): a CCustomBlock with generated code takes the place of the super block; "
     "bdeUndo "
     "brings it back. Without block: the one that is selected in the editor."},
    {"vssCompileToInlinedC", 1, 3, compile_to_inlined_c,
     "path = vssCompileToInlinedC(m, block, options): the same; options is a struct: setatomic (true: as a unit, the "
     "default), setinputsdept (true: all inputs are continuous), comments."},
    {"vssCompileToStandalone",
     1,
     3,
     compile_to_standalone,
     "folder = vssCompileToStandalone(m, block, options): the super block as a C project (options: folder, comments).",
     {},
     Capability::write},
    {"vssGenerateFMUBlock",
     1,
     3,
     generate_fmu,
     "file = vssGenerateFMUBlock(m, block, options): the super block as an FMU; options: mecs (0 model exchange, 1 "
     "co-simulation, 2 both), fmufile.",
     {},
     writes_and_asks()},
    {"vssPProjExportToFMU",
     1,
     3,
     generate_fmu,
     "file = vssPProjExportToFMU(m, block, options): as vssGenerateFMUBlock.",
     {},
     writes_and_asks()},
    {"vssGenerateSimpleSolver",
     1,
     3,
     generate_simple_solver,
     "[inouts, outparams] = vssGenerateSimpleSolver(m, block, params): the super block as a Python package; params: "
     "python, folder, modulename. inouts is a cell of structs (name, kind, type, size).",
     {},
     writes_and_asks()},
    {"vssGeneratePProjectBody", 1, 3, generate_body,
     "res = vssGeneratePProjectBody(m, block, options): the C texts of the super block: name, header, source, inouts."},
    {"bdeGetModelTempDir",
     1,
     1,
     model_folder,
     "folder = bdeGetModelTempDir(m): a folder for files that are made from the model.",
     {},
     Capability::write},
    {"vssGetCompilerName", 0, 0, compiler_name,
     "vssGetCompilerName(): the C compiler that is used; empty: there is none."},
};

}  // namespace

oml::BuiltinFamily export_builtins() { return export_table; }

}  // namespace orrery::api
