// SPDX-License-Identifier: Apache-2.0
// libtcc with no headers and no libraries: every function that emitted code may call is handed over by address.
#include "native/first_tier.h"

#include <libtcc.h>

#include <cmath>
#include <cstring>
#include <mutex>

namespace orrery::native {
namespace {

// libtcc keeps global state while it compiles, links and deletes.
std::mutex& tcc_mutex() {
  static std::mutex mutex;
  return mutex;
}

struct Symbol {
  const char* name;
  const void* address;
};

const void* address_of(double (*function)(double)) { return reinterpret_cast<const void*>(function); }
const void* address_of(double (*function)(double, double)) { return reinterpret_cast<const void*>(function); }

// libtcc may call memcpy, memset and memmove on its own account.
void add_symbols(TCCState* state) {
  const Symbol symbols[] = {
      {"sqrt", address_of(::sqrt)},
      {"exp", address_of(::exp)},
      {"log", address_of(::log)},
      {"log10", address_of(::log10)},
      {"sin", address_of(::sin)},
      {"cos", address_of(::cos)},
      {"tan", address_of(::tan)},
      {"asin", address_of(::asin)},
      {"acos", address_of(::acos)},
      {"atan", address_of(::atan)},
      {"sinh", address_of(::sinh)},
      {"cosh", address_of(::cosh)},
      {"tanh", address_of(::tanh)},
      {"asinh", address_of(::asinh)},
      {"acosh", address_of(::acosh)},
      {"atanh", address_of(::atanh)},
      {"floor", address_of(::floor)},
      {"ceil", address_of(::ceil)},
      {"round", address_of(::round)},
      {"trunc", address_of(::trunc)},
      {"fabs", address_of(::fabs)},
      {"pow", address_of(::pow)},
      {"atan2", address_of(::atan2)},
      {"hypot", address_of(::hypot)},
      {"fmod", address_of(::fmod)},
      {"memcpy", reinterpret_cast<const void*>(::memcpy)},
      {"memset", reinterpret_cast<const void*>(::memset)},
      {"memmove", reinterpret_cast<const void*>(::memmove)},
  };
  for (const Symbol& symbol : symbols) tcc_add_symbol(state, symbol.name, symbol.address);
}

void collect_message(void* messages, const char* text) {
  auto& all = *static_cast<std::string*>(messages);
  if (all.size() < 4000) all.append(text).append("\n");
}

}  // namespace

void MemoryCodeDeleter::operator()(TCCState* state) const {
  std::lock_guard lock(tcc_mutex());
  tcc_delete(state);
}

MemoryCode compile_in_memory(const std::string& text, std::string& messages, std::span<const NamedAddress> more) {
  std::unique_lock lock(tcc_mutex());
  TCCState* state = tcc_new();
  if (state == nullptr) {
    messages = "libtcc could not be started";
    return nullptr;
  }
  tcc_set_error_func(state, &messages, collect_message);
  tcc_set_options(state, "-nostdlib -nostdinc -w");
  tcc_set_output_type(state, TCC_OUTPUT_MEMORY);
  add_symbols(state);
  for (const NamedAddress& symbol : more) tcc_add_symbol(state, symbol.name, symbol.address);
  bool compiled = tcc_compile_string(state, text.c_str()) == 0 && tcc_relocate(state, TCC_RELOCATE_AUTO) >= 0;
  // `messages` belongs to the caller and may be gone when the code is deleted.
  tcc_set_error_func(state, nullptr, [](void*, const char*) {});
  if (compiled) return MemoryCode(state);
  tcc_delete(state);
  if (messages.empty()) messages = "libtcc could not make the code executable";
  return nullptr;
}

void* symbol_of(const MemoryCode& code, const std::string& name) {
  std::lock_guard lock(tcc_mutex());
  return tcc_get_symbol(code.get(), name.c_str());
}

}  // namespace orrery::native
