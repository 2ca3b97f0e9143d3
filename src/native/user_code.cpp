// SPDX-License-Identifier: Apache-2.0
// Compiling code that people write.
#include "native/user_code.h"

#include <dlfcn.h>

#include <sstream>

#include "native/cache.h"

namespace orrery::native {
namespace {

// The code with line numbers of its own, without the include of our header, and without all others if so wanted.
std::string without_includes(const UserText& text, bool all) {
  std::istringstream lines(text.code);
  std::string result = "#line 1 \"block\"\n", line;
  while (std::getline(lines, line)) {
    const std::size_t hash = line.find_first_not_of(" \t");
    const bool include = hash != std::string::npos && line.compare(hash, 8, "#include") == 0;
    const bool own = include && line.find(text.header_name) != std::string::npos;
    result += own || (include && all) ? "\n" : line + "\n";
  }
  return result;
}

}  // namespace

void* UserCode::symbol(const std::string& name) const {
  return object ? dlsym(object.get(), name.c_str()) : symbol_of(memory, name);
}

std::unique_ptr<UserCode> compile_user_code(const UserText& text, std::string& messages) {
  auto code = std::make_unique<UserCode>();
  const std::vector<std::string> compiler = find_compiler(text.compiler);
  const std::filesystem::path folder = default_cache_directory();
  std::string why;
  if (!compiler.empty() && prepare_cache(folder, why)) {
    const CompileJob job = make_job(text.header + "\n" + without_includes(text, false), true, compiler, folder);
    code->object = load_cached(job);
    if (code->object == nullptr) {
      BackgroundCompiler compiling(job);
      compiling.start();
      compiling.wait();
      if (compiling.status() == BackgroundCompiler::Status::ready) code->object = compiling.take_object();
      messages = compiling.note();
    }
    if (code->object == nullptr) return nullptr;
    return code;
  }
  code->memory =
      compile_in_memory(text.prelude + text.header + "\n" + without_includes(text, true), messages, text.functions);
  if (code->memory == nullptr) return nullptr;
  return code;
}

}  // namespace orrery::native
