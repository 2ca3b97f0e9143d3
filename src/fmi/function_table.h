// SPDX-License-Identifier: Apache-2.0
// The functions of an FMI library, each with the name it is told by; the lists of api/ make a table of each version.
#pragma once

#include <string>
#include <vector>

#include "fmi/load_binary.h"

namespace orrery::fmi {

// Required: 0 of nobody, 1 of all, 2 of Model Exchange, 3 of Co-Simulation.
template <class Signature>
struct Entry {
  const char* name;
  int required;
  Signature* function = nullptr;
  explicit operator bool() const { return function != nullptr; }
};

// A table with a member for each line of a list, and each(visit) over all of them.
#define ORRERY_FUNCTION_TABLE(table, list, entry) \
  struct table {                                  \
    list(entry) template <class Visit>            \
    void each(Visit&& visit) {                    \
      list(ORRERY_VISIT_ENTRY)                    \
    }                                             \
  };
#define ORRERY_VISIT_ENTRY(required, result, name, arguments) visit(name);

// Looks all of them up, with and without the model identifier as a prefix: 1.0 has it, later ones in static libraries
// only, and FMUs do it the other way round. Returns the required ones that are not there.
template <class Functions>
std::vector<std::string> load_functions(const Binary& binary, const std::string& identifier, Kind kind, bool prefixed,
                                        Functions& functions) {
  const int wanted = kind == Kind::model_exchange ? 2 : 3;
  std::vector<std::string> missing;
  functions.each([&]<class Signature>(Entry<Signature>& entry) {
    const std::string plain = entry.name, longer = identifier + "_" + plain;
    void* symbol = binary.symbol(prefixed ? longer : plain);
    if (symbol == nullptr) symbol = binary.symbol(prefixed ? plain : longer);
    entry.function = reinterpret_cast<Signature*>(symbol);
    const bool needed = entry.required == 1 || (entry.required == wanted && kind != Kind::scheduled_execution);
    if (symbol == nullptr && needed) missing.push_back(prefixed ? longer : plain);
  });
  return missing;
}

}  // namespace orrery::fmi
