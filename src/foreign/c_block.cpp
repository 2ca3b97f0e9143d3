// SPDX-License-Identifier: Apache-2.0
// Compiling, loading and calling blocks in C.
#include "foreign/c_block.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/runnable.h"
#include "foreign/flag_block_instance.h"
#include "foreign/safe_block.h"
#include "foreign/vss_block_text.h"
#include "native/user_code.h"

namespace orrery::foreign {
namespace {

using BlockFunction = void (*)(vss_block*, int);

void say_in_memory(vss_block* block, int severity, const char* format, ...) {
  va_list list;
  va_start(list, format);
  block->sim->message(block, severity, format, list);
  va_end(list);
}

// Where there is no C compiler there are no headers either: what blocks may need of them.
constexpr const char* prelude =
    "#define VSS_WITHOUT_HEADERS\n#define NULL ((void*)0)\n#define M_PI 3.14159265358979323846\n"
    "typedef unsigned long size_t;\ntypedef struct orrery_file FILE;\ntypedef void* va_list;\n"
    "double sqrt(double), exp(double), log(double), log10(double), sin(double), cos(double), tan(double), "
    "asin(double), "
    "acos(double), atan(double), sinh(double), cosh(double), tanh(double), floor(double), ceil(double), fabs(double), "
    "pow(double, double), atan2(double, double), hypot(double, double), fmod(double, double);\n"
    "int printf(const char*, ...), fprintf(FILE*, const char*, ...), snprintf(char*, size_t, const char*, ...), "
    "fclose(FILE*), strcmp(const char*, const char*), abs(int);\nFILE* fopen(const char*, const char*);\n"
    "void *malloc(size_t), *calloc(size_t, size_t), *memcpy(void*, const void*, size_t), *memset(void*, int, size_t);\n"
    "void free(void*);\nsize_t strlen(const char*);\n";

template <class Function>
const void* address(Function* function) {
  return reinterpret_cast<const void*>(function);
}

std::span<const native::NamedAddress> functions() {
  static const native::NamedAddress list[] = {
      {"vss_say", address(say_in_memory)},  {"printf", address(std::printf)}, {"fprintf", address(std::fprintf)},
      {"snprintf", address(std::snprintf)}, {"fopen", address(std::fopen)},   {"fclose", address(std::fclose)},
      {"malloc", address(std::malloc)},     {"calloc", address(std::calloc)}, {"free", address(std::free)},
      {"strlen", address(std::strlen)},     {"strcmp", address(std::strcmp)}, {"abs", address<int(int)>(std::abs)}};
  return list;
}

// The code of a block, ready to be called.
struct LoadedBlock {
  std::unique_ptr<native::UserCode> code;
  native::SharedObject library;
  BlockFunction function = nullptr;
};

std::string setting(const blocks::FlagSettings& settings, const char* name) {
  for (const auto& [key, value] : settings) {
    if (key == name) return value;
  }
  return {};
}

std::optional<LoadedBlock> load_block(const blocks::FlagSettings& settings, const std::string& model_file,
                                      const Place& place, Diagnostics& diagnostics) {
  LoadedBlock loaded;
  const std::string name = setting(settings, "function"), source = setting(settings, "source");
  const std::filesystem::path folder = std::filesystem::path(model_file).parent_path();
  std::string code = setting(settings, "code");
  Place where = place;
  void* found = nullptr;
  const std::string named = code.empty() ? source.empty() ? setting(settings, "library") : source : "";
  if (!named.empty() && !can_run(named)) {
    where.port = source.empty() ? "parameter library" : "parameter source";
    diagnostics.error("block-code", where, fmt::format("no code is taken from {}", named), endings_that_run());
    return std::nullopt;
  }
  if (!source.empty()) {
    std::ifstream file(folder / source);
    std::ostringstream text;
    text << file.rdbuf();
    code = text.str();
    if (code.empty()) {
      where.port = "parameter source";
      diagnostics.error("block-code", where, fmt::format("the file {} cannot be read", (folder / source).string()),
                        "paths are relative to the folder of the model's file");
      return std::nullopt;
    }
  }
  if (!code.empty()) {
    where.port = "parameter code";
    std::string messages;
    loaded.code = native::compile_user_code({vss_block_text, "vss_block4.h", code, prelude, functions()}, messages);
    if (!loaded.code) {
      diagnostics.error("block-code", where, "the C code does not compile", "correct what the compiler complains of")
          .notes.push_back(messages);
      return std::nullopt;
    }
    found = loaded.code->symbol(name);
  } else {
    where.port = "parameter library";
    const std::filesystem::path path = folder / setting(settings, "library");
    loaded.library.reset(dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!loaded.library) {
      diagnostics.error("block-code", where, fmt::format("the library cannot be loaded: {}", dlerror()),
                        "paths are relative to the folder of the model's file");
      return std::nullopt;
    }
    found = dlsym(loaded.library.get(), name.c_str());
  }
  if (found == nullptr) {
    where.port = "parameter function";
    diagnostics.error("block-code", where, fmt::format("there is no function {} in it", name),
                      "write VSS_EXPORT void " + name + "(vss_block* block, int flag)");
    return std::nullopt;
  }
  loaded.function = reinterpret_cast<BlockFunction>(found);
  return loaded;
}

class CBlock final : public FlagBlockInstance {
 public:
  CBlock(LoadedBlock loaded, blocks::FlagShape shape, const program::ForeignRun& run, const Place& place,
         Diagnostics& diagnostics)
      : FlagBlockInstance(std::move(shape), run, place, diagnostics, false), loaded_(std::move(loaded)) {
    function_ = loaded_.function;
  }
  ~CBlock() override { terminate(); }

 private:
  LoadedBlock loaded_;
};

// The code is loaded in the other process only: nothing of it runs here.
class SafeCBlock final : public FlagBlockInstance {
 public:
  SafeCBlock(blocks::FlagSettings settings, std::string model_file, blocks::FlagShape shape,
             const program::ForeignRun& run, const Place& place, Diagnostics& diagnostics)
      : FlagBlockInstance(std::move(shape), run, place, diagnostics, true),
        settings_(std::move(settings)),
        model_file_(std::move(model_file)) {}
  ~SafeCBlock() override { terminate(); }

  [[nodiscard]] bool start(Diagnostics& diagnostics) {
    // Mistakes in the code are found here, by compiling it, where they can be told. Loading a library would run it.
    const bool is_library = setting(settings_, "code").empty() && setting(settings_, "source").empty();
    if (!is_library && !load_block(settings_, model_file_, place_, diagnostics)) return false;
    if (!allocate()) return false;
    return process_.start([this]() -> SafeBlock::Invoke {
      Diagnostics ignored;
      auto loaded = std::make_shared<std::optional<LoadedBlock>>(load_block(settings_, model_file_, place_, ignored));
      if (!*loaded) return {};
      return [this, loaded](int flag) {
        take_block();
        (*loaded)->function(&block(), flag);
        send_block();
      };
    });
  }

 protected:
  bool invoke(int flag) noexcept override {
    std::string death;
    send_block();
    if (process_.call(flag, death)) {
      take_results();
      return true;
    }
    complain("block-crash", death);
    return false;
  }

 private:
  blocks::FlagSettings settings_;
  std::string model_file_;
  SafeBlock process_;
};

}  // namespace

program::ForeignKind c_block_kind(std::string model_file) {
  using enum program::ForeignSetting::Type;
  std::vector<program::ForeignSetting> known = flag_block_settings();
  known.insert(known.end(), {{"code", text}, {"source", text}, {"library", text}, {"function", text}, {"safe", flag}});
  return {"c_block", std::move(known),
          [model_file = std::move(model_file)](const program::ForeignObject& object, const program::ForeignRun& run,
                                               const Place& place,
                                               Diagnostics& diagnostics) -> std::unique_ptr<program::ForeignInstance> {
            blocks::FlagShape shape = blocks::from_settings(object.settings);
            if (!setting(object.settings, "safe").empty()) {
              auto block =
                  std::make_unique<SafeCBlock>(object.settings, model_file, std::move(shape), run, place, diagnostics);
              if (!block->start(diagnostics)) return nullptr;
              return block;
            }
            auto loaded = load_block(object.settings, model_file, place, diagnostics);
            if (!loaded) return nullptr;
            return std::make_unique<CBlock>(std::move(*loaded), std::move(shape), run, place, diagnostics);
          },
          Capability::native};
}

}  // namespace orrery::foreign
