// SPDX-License-Identifier: Apache-2.0
// From a model to an archive.
#include "api/export_fmu.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "api/pictures.h"
#include "base/environment.h"
#include "base/signals.h"
#include "export/fmu_description.h"
#include "export/fmu_files.h"
#include "fmi/pack.h"
#include "fmi/run_compiler.h"
#include "fmi/unpack.h"
#include "io/output_file.h"
#include "io/png.h"
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
  fmi::CompilerLimits limits;
  limits.seconds = 600;  // our own sources, which a busy machine may take long for
  const fmi::CompilerEnd end = fmi::run_compiler(words, words_of_compiler.string(), limits);
  if (end == fmi::CompilerEnd::good) return file_bytes(result);
  if (end_requested().load()) return std::nullopt;
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

// FMI 3.0 only, and without anything between the ticks.
bool can_be_scheduled(const code_export::CModel& model, Diagnostics& diagnostics) {
  const program::Program& program = model.program;
  const std::string& file = program.origins[0].path;
  bool good = true;
  std::set<std::string> said;
  const auto refuse = [&](program::OriginId origin, const char* what) {
    good = false;
    const program::Origin& where = program.origins[origin];
    const std::string path = origin == 0 ? "" : where.path;
    if (!said.insert(path + what).second) return;
    diagnostics.error("not-exportable", {file, where.line, 0, path, {}},
                      fmt::format("{}, and Scheduled Execution has nothing between its ticks", what),
                      "export it as Co-Simulation or Model Exchange (--kind), or sample it with a clock");
  };
  for (const program::SlotId state : program.states) refuse(program.slots[state].origin, "it has a continuous state");
  for (const program::Surface& surface : program.surfaces) refuse(surface.origin, "it waits for a zero-crossing");
  for (const program::Source& source : program.sources) {
    if (source.kind == program::SourceKind::step) refuse(source.origin, "it runs after each step of a solver");
  }
  return good;
}

bool is_possible(const FmuRequest& request, Diagnostics& diagnostics) {
  if (request.version == 3 || (!request.scheduled && !request.clocks)) return true;
  diagnostics.error("fmi-bad-option", {request.model.run.file, 0, 0, {}, {}},
                    "FMI 2.0 has neither clocks nor Scheduled Execution", "add --fmi 3");
  return false;
}

struct Bodies {
  std::optional<code_export::CModel> cosimulation, exchange, scheduled;
  code_export::FmuPlan plan;
};

// The models that go into the archive, and what it is to say of them.
bool make_bodies(const FmuRequest& request, Bodies& bodies, Diagnostics& diagnostics) {
  FmuRequest named = request;
  named.model.jacobian = !request.scheduled;
  if (named.model.name.empty() && named.model.block.empty())
    named.model.name = fs::path(request.model.run.file).stem().string();
  if (request.scheduled) {
    bodies.scheduled = exchange_body(named, diagnostics);
    if (!bodies.scheduled || !can_be_scheduled(*bodies.scheduled, diagnostics)) return false;
  }
  if (request.cosimulation) {
    bodies.cosimulation = c_model_of(named.model, diagnostics);
    if (!bodies.cosimulation) return false;
    if (named.model.name.empty()) named.model.name = bodies.cosimulation->name;
  }
  const bool shared = bodies.cosimulation && !bodies.cosimulation->program.fixed_step;
  if (request.exchange && !shared) {
    Diagnostics other;
    bodies.exchange = exchange_body(named, request.cosimulation ? other : diagnostics);
    if (!bodies.exchange && request.cosimulation) {
      for (const Diagnostic& d : other.all()) diagnostics.add(d);
    }
    if (!bodies.exchange) return false;
  }
  code_export::FmuPlan& plan = bodies.plan;
  plan.version = request.version;
  plan.scheduled = bodies.scheduled ? &*bodies.scheduled : nullptr;
  plan.cosimulation = bodies.cosimulation ? &*bodies.cosimulation : nullptr;
  plan.exchange = !request.exchange ? nullptr : bodies.exchange ? &*bodies.exchange : plan.cosimulation;
  plan.ticks = request.clocks || request.scheduled;
  if (has_complex_interface(plan.first(), diagnostics)) return false;
  plan.settings = plan.cosimulation != nullptr ? plan.cosimulation->settings : plan.first().settings;
  plan.identifier = plan.cosimulation != nullptr ? plan.cosimulation->name : plan.first().name;
  plan.name = named.model.name.empty() ? plan.identifier : named.model.name;
  plan.tool = "Orrery";
  return true;
}

// The bytes of a picture, or nothing where PNGs cannot be made.
std::string png_bytes(const fs::path& folder, const std::string& svg) {
  Diagnostics ignored;
  const fs::path file = folder / "picture.png";
  return io::write_png(file.string(), svg, ignored) ? file_bytes(file) : std::string();
}

constexpr const char* port_picture =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"16\" height=\"16\"><path d=\"M2 2l12 6-12 6z\" "
    "fill=\"#333\"/></svg>\n";

// Documentation, icon and, in FMI 3.0, terminals. Pictures are there where they can be made.
void add_pages(const FmuRequest& request, const code_export::FmuPlan& plan, const code_export::FmuFiles& files,
               const fs::path& folder, std::vector<fmi::PackedFile>& packed) {
  PictureRequest wanted;
  wanted.file = request.model.run.file;
  if (!request.model.block.empty()) wanted.diagram = request.model.block;
  Diagnostics ignored;
  const auto picture = picture_of(wanted, ignored);
  const bool two = request.version == 2;
  packed.push_back(
      {"documentation/index.html",
       code_export::fmu_page_text(plan, files.variables,
                                  picture ? "<p><img src=\"diagram.svg\" alt=\"the diagram\"/></p>\n" : "")});
  if (picture) packed.push_back({"documentation/diagram.svg", *picture});
  std::string icon = png_bytes(folder, files.icon), port = two ? std::string() : png_bytes(folder, port_picture);
  if (two && !icon.empty()) packed.push_back({"model.png", std::move(icon)});
  if (two) return;
  const bool pictures = !icon.empty() && !port.empty();
  packed.push_back(
      {"terminalsAndIcons/terminalsAndIcons.xml", code_export::fmu_terminals_text(files.variables, pictures)});
  if (!pictures) return;
  packed.push_back({"terminalsAndIcons/icon.svg", files.icon});
  packed.push_back({"terminalsAndIcons/icon.png", std::move(icon)});
  packed.push_back({"terminalsAndIcons/port.svg", port_picture});
  packed.push_back({"terminalsAndIcons/port.png", std::move(port)});
}

// A binary for each machine that there is a compiler for; the names of their folders.
std::optional<std::vector<std::string>> add_binaries(const FmuRequest& request, const code_export::FmuFiles& files,
                                                     const std::string& identifier, const fs::path& folder,
                                                     std::vector<fmi::PackedFile>& packed, Diagnostics& diagnostics) {
  std::vector<std::string> made;
  for (const Platform& platform : platforms()) {
    if (!request.binaries) break;
    if (platform.compiler.empty()) {
      diagnostics.warning("fmu-sources-only", {request.model.out, 0, 0, {}, {}},
                          "there is no C compiler: the FMU has sources and no binary",
                          "importers with a compiler can use it; set CC to add a binary");
      continue;
    }
    auto bytes = compiled(platform, folder, request, files.compiled, identifier, diagnostics);
    if (!bytes) return std::nullopt;
    const std::string& where = request.version == 2 ? platform.folder_2 : platform.folder_3;
    packed.push_back({fmt::format("binaries/{}/{}{}", where, identifier, platform.extension), std::move(*bytes)});
    made.push_back(where);
  }
  return made;
}

}  // namespace

std::optional<std::vector<std::string>> export_fmu(const FmuRequest& request, Diagnostics& diagnostics) {
  Bodies bodies;
  if (!is_possible(request, diagnostics) || !make_bodies(request, bodies, diagnostics)) return std::nullopt;
  auto file = io::OutputFile::open(request.model.out, diagnostics);  // before the work of compilers
  const auto folder = fmi::TemporaryFolder::create(diagnostics);
  if (!file || !folder) return std::nullopt;
  const code_export::FmuFiles files = code_export::fmu_files(bodies.plan, native::content_hash);
  std::vector<fmi::PackedFile> packed = {{"modelDescription.xml", files.description}};
  for (const code_export::ExportedFile& text : files.sources) {
    packed.push_back({"sources/" + text.name, text.text});
    std::ofstream(fs::path(folder->path()) / text.name, std::ios::binary) << text.text;
  }
  add_pages(request, bodies.plan, files, folder->path(), packed);
  const auto made = add_binaries(request, files, bodies.plan.identifier, folder->path(), packed, diagnostics);
  if (!made) return std::nullopt;
  const auto archive = fmi::pack_archive(packed);
  if (!archive) return std::nullopt;
  file->write(*archive);
  if (!file->commit(diagnostics)) return std::nullopt;
  return made;
}

}  // namespace orrery::api
