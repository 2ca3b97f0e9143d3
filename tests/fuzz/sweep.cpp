// SPDX-License-Identifier: Apache-2.0
// Requests of sweeps, a text a line (v: --vary, s: --sample, k: --keep, the rest is a table), and what an earlier sweep
// may have left.
#include "api/sweep_texts.h"

#include "analyse/sweep_store.h"
#include "fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  static const FuzzFolder folder;
  api::SweepRequest request;
  std::vector<std::string> keeps;
  std::string table;
  for (std::string_view rest = text_of(data, size); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with("v "))
      request.vary.push_back(line.substr(2));
    else if (line.starts_with("s "))
      request.samples.push_back(line.substr(2));
    else if (line.starts_with("k "))
      keeps.push_back(line.substr(2));
    else
      table += line + "\n";
  }
  const auto bytes = [](const std::string& text) { return reinterpret_cast<const std::uint8_t*>(text.data()); };
  if (!table.empty()) {
    folder.write("table.csv", bytes(table), table.size());
    request.tables.push_back(folder.path() + "/table.csv");
  }
  request.samples_each = request.samples.empty() ? 0 : 4;
  Diagnostics diagnostics;
  const auto plan = api::plan_of(request, diagnostics);
  if (!plan && !diagnostics.has_errors()) __builtin_trap();
  if (plan) {
    std::vector<double> values;
    for (const std::size_t run : {std::size_t{0}, plan->runs() / 2, plan->runs() - 1}) {
      plan->values(run, values);
      if (values.size() != plan->names().size()) __builtin_trap();
    }
  }
  Diagnostics others;
  const auto kept = api::keeps_of(keeps, others);
  if (!kept && !others.has_errors()) __builtin_trap();
  if (kept) static_cast<void>(api::check_keeps(*kept, others));
  folder.write("store", data, size);
  Diagnostics stored;
  const auto store = analyse::SweepStore::open(folder.path() + "/store", "what", 3, 2, stored);
  analyse::SweepOutcome outcome;
  for (std::size_t run = 0; store && run < 3; ++run) {
    if (store->read(run, outcome) && outcome.kept.size() != 2) __builtin_trap();
  }
  return 0;
}
