// SPDX-License-Identifier: Apache-2.0
// From a model to an archive.
#include "api/export_fmu.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/environment.h"
#include "export/fmu_description.h"
#include "export/fmu_files.h"
#include "fmi/pack.h"
#include "fmi/run_compiler.h"
#include "fmi/unpack.h"
#include "io/output_file.h"
#include "native/cache.h"
#include "native/second_tier.h"
#include "solve/integrator.h"

namespace orrery::api {
namespace {

namespace fs = std::filesystem;

struct Platform {
  std::string folder_2, folder_3, extension;
  std::vector<std::string> compiler;  // empty: there is none
};

std::vector<Platform> platforms() {
  utsname machine = {};
  uname(&machine);
  const std::string kind = machine.machine;
  std::vector<Platform> list;
  list.push_back({kind == "x86_64" ? "linux64" : kind + "-linux", kind + "-linux", ".so", native::find_compiler("")});
  const auto cross = [&](const char* program, const char* two, const char* three, const char* extension) {
    const std::string found = find_program(program);
    if (!found.empty()) list.push_back({two, three, extension, {found}});
  };
  cross("x86_64-w64-mingw32-gcc", "win64", "x86_64-windows", ".dll");
  if (kind != "aarch64") cross("aarch64-linux-gnu-gcc", "aarch64-linux", "aarch64-linux", ".so");
  return list;
}

std::string file_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The bits of the simulation: no contraction, no functions of the compiler's own.
std::optional<std::string> compiled(const Platform& platform, const fs::path& sources, const FmuRequest& request,
                                    const std::vector<std::string>& files, const std::string& name,
                                    Diagnostics& diagnostics) {
  const fs::path result = sources / (name + platform.extension), words_of_compiler = sources / "compiler.txt";
  std::vector<std::string> words = platform.compiler;
  words.insert(words.end(),
               {"-std=c99", "-O2", "-w", "-shared", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-fno-builtin",
                "-fno-math-errno", "-fno-strict-aliasing", "-fwrapv", "-I", sources.string(), "-o", result.string()});
  for (const std::string& file : files) words.push_back((sources / file).string());
  words.emplace_back("-lm");
  const fmi::CompilerEnd end = fmi::run_compiler(words, words_of_compiler.string());
  if (end == fmi::CompilerEnd::good) return file_bytes(result);
  diagnostics.error("fmu-compile", {request.model.out, 0, 0, {}, {}},
                    fmt::format("the C compiler does not make the binary for {}: {}", platform.folder_3,
                                file_bytes(words_of_compiler).substr(0, 500)),
                    "set CC to a C compiler that works, or write the sources only with --no-binary");
  return std::nullopt;
}

// With modes and a variable step whatever the model's own solver is: the importer has its own.
std::optional<code_export::CModel> exchange_body(const FmuRequest& request, Diagnostics& diagnostics) {
  ExportRequest own = request.model;
  own.run.settings.solver.text = "dopri";
  own.run.settings.step.text.clear();
  if (request.cosimulation) own.name += "_me";  // beside the body with fixed steps
  return c_model_of(own, diagnostics);
}

bool has_complex_interface(const code_export::CModel& model, Diagnostics& diagnostics) {
  const program::Program& program = model.program;
  bool any = false;
  const auto check = [&](program::SlotId slot, const std::string& name) {
    if (slot == program::no_slot || program.slots[slot].type.scalar != program::Scalar::c128) return;
    diagnostics.error("export-refused", {program.origins[0].path, 0, 0, {}, {}},
                      fmt::format("{} is complex, which FMI does not have", name),
                      "give real and imaginary part ports of their own");
    any = true;
  };
  for (const program::InputPort& port : program.inputs) check(port.value, port.name);
  for (const program::OutputPort& port : program.outputs) check(program.probes[port.probe].slot, port.name);
  for (const program::Parameter& parameter : program.parameters) check(parameter.slot, parameter.name);
  return any;
}

}  // namespace

std::optional<std::vector<std::string>> export_fmu(const FmuRequest& request, Diagnostics& diagnostics) {
  std::optional<code_export::CModel> cosimulation, exchange;
  FmuRequest named = request;
  if (named.model.name.empty()) named.model.name = fs::path(request.model.run.file).stem().string();
  if (request.cosimulation) {
    cosimulation = c_model_of(named.model, diagnostics);
    if (!cosimulation) return std::nullopt;
  }
  const bool shared = cosimulation && !cosimulation->program.fixed_step;
  if (request.exchange && !shared) {
    Diagnostics other;
    exchange = exchange_body(named, request.cosimulation ? other : diagnostics);
    if (!exchange && request.cosimulation) {
      for (const Diagnostic& d : other.all()) diagnostics.add(d);
    }
    if (!exchange) return std::nullopt;
  }
  code_export::FmuPlan plan;
  plan.version = request.version;
  plan.cosimulation = cosimulation ? &*cosimulation : nullptr;
  plan.exchange = !request.exchange ? nullptr : exchange ? &*exchange : plan.cosimulation;
  if (has_complex_interface(plan.first(), diagnostics)) return std::nullopt;
  plan.settings = plan.cosimulation != nullptr ? plan.cosimulation->settings : plan.exchange->settings;
  plan.name = named.model.name;
  plan.identifier = cosimulation ? cosimulation->name : exchange->name;
  plan.tool = "Orrery";
  const code_export::FmuFiles files = code_export::fmu_files(plan, native::content_hash);
  const auto folder = fmi::TemporaryFolder::create(diagnostics);
  if (!folder) return std::nullopt;
  std::vector<fmi::PackedFile> packed = {{"modelDescription.xml", files.description}};
  for (const code_export::ExportedFile& file : files.sources) {
    packed.push_back({"sources/" + file.name, file.text});
    std::ofstream(fs::path(folder->path()) / file.name, std::ios::binary) << file.text;
  }
  std::vector<std::string> made;
  for (const Platform& platform : platforms()) {
    if (!request.binaries) break;
    if (platform.compiler.empty()) {
      diagnostics.warning("fmu-sources-only", {request.model.out, 0, 0, {}, {}},
                          "there is no C compiler: the FMU has sources and no binary",
                          "importers with a compiler can use it; set CC to add a binary");
      continue;
    }
    auto bytes = compiled(platform, folder->path(), request, files.compiled, plan.identifier, diagnostics);
    if (!bytes) return std::nullopt;
    const std::string& where = request.version == 2 ? platform.folder_2 : platform.folder_3;
    packed.push_back({fmt::format("binaries/{}/{}{}", where, plan.identifier, platform.extension), std::move(*bytes)});
    made.push_back(where);
  }
  const auto archive = fmi::pack_archive(packed);
  auto file = io::OutputFile::open(request.model.out, diagnostics);
  if (!archive || !file) return std::nullopt;
  file->write(*archive);
  if (!file->commit(diagnostics)) return std::nullopt;
  return made;
}

}  // namespace orrery::api
