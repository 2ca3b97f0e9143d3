// SPDX-License-Identifier: Apache-2.0
// Tables, strict and lenient.
#include "io/csv.h"

#include "fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  for (const bool lenient : {false, true}) {
    Diagnostics diagnostics;
    io::CsvOptions options;
    options.lenient = lenient;
    options.gaps = lenient;
    const auto table = io::parse_csv(text_of(data, size), "fuzz.csv", diagnostics, options);
    if (!table && !diagnostics.has_errors()) __builtin_trap();
    if (!table) continue;
    for (const auto& column : table->columns) {
      if (column.size() != table->time.size()) __builtin_trap();
    }
  }
  return 0;
}
