// SPDX-License-Identifier: Apache-2.0
// From a model to a Python package.
#include "api/export_python.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/signals.h"
#include "export/python_files.h"
#include "fmi/run_compiler.h"
#include "native/second_tier.h"

namespace orrery::api {
namespace {

namespace fs = std::filesystem;

// As NAME/build_library.py does it, which is there for other machines.
bool build_python_library(const fs::path& package, const std::string& name, Diagnostics& diagnostics) {
  std::vector<std::string> words = native::find_compiler("");
  const fs::path sources = package / "sources", log = package / "compiler.txt", part = package / (name + ".so.part");
  if (words.empty()) {
    diagnostics.warning("python-sources-only", {package.string(), 0, 0, {}, {}},
                        "there is no C compiler: the package has sources and no library",
                        "importing it compiles them where there is one, or set CC");
    return true;
  }
  words.insert(words.end(),
               {"-std=c99", "-O2", "-w", "-shared", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-fno-builtin",
                "-fno-math-errno", "-fno-strict-aliasing", "-fwrapv", "-I", sources.string(), "-o", part.string()});
  for (const std::string& file : {std::string("orrery_py.c"), name + ".c", std::string("orrery_rt.c")})
    words.push_back((sources / file).string());
  words.emplace_back("-lm");
  const fmi::CompilerEnd end = fmi::run_compiler(words, log.string());
  std::string said;
  {
    std::ifstream file(log, std::ios::binary);
    said.assign(std::istreambuf_iterator<char>(file), {});
  }
  std::error_code ignored;
  fs::remove(log, ignored);
  if (end == fmi::CompilerEnd::good) {
    fs::rename(part, package / (name + ".so"), ignored);  // at once: nobody loads half of it
    if (!ignored) return true;
    said = ignored.message();
  }
  if (end_requested().load()) return false;
  diagnostics.error("python-compile", {package.string(), 0, 0, {}, {}},
                    fmt::format("the C compiler does not make the library: {}", said.substr(0, 500)),
                    "set CC to a C compiler that works");
  return false;
}

}  // namespace

std::optional<std::string> export_python(const ExportRequest& request, Diagnostics& diagnostics) {
  ExportRequest named = request;
  if (named.name.empty())
    named.name = fs::path(request.block.empty() ? request.run.file : request.block).stem().string();
  named.name = code_export::module_name(named.name);
  const auto model = c_model_of(named, diagnostics);
  if (!model) return std::nullopt;
  const auto files = code_export::python_package(*model, model->about);
  const auto names = write_files(request.out, files, diagnostics);
  if (!names || !build_python_library(fs::path(request.out) / model->name, model->name, diagnostics))
    return std::nullopt;
  return names;
}

}  // namespace orrery::api
