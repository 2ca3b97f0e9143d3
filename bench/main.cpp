// SPDX-License-Identifier: Apache-2.0
// `make bench`: measures, prints a table and writes JSON.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>

#include "bench.h"

namespace {

constexpr const char* usage =
    "usage: orrery_bench [--json FILE] [--pictures FOLDER] [models] [code] [blocks] [stiff] [precision] [scipy] [heat] "
    "[oml] [fmu] [equations] [pictures] [edits] [start] [runs] [sweeps] [languages] [no-xcos]\n"
    "Without a group all are measured. Exit code 1: a result was wrong. Missed goals are marked, not failures.\n";

}  // namespace

int main(int count, char** words) {
  using namespace orrery::bench;
  std::vector<std::string> groups(words + 1, words + count);
  if (groups.size() == 2 && groups[0] == "--start") return measure_start(groups[1]);
  std::string file, pictures;
  for (const auto& [option, value] : {std::pair("--json", &file), std::pair("--pictures", &pictures)}) {
    const auto at = std::find(groups.begin(), groups.end(), option);
    if (at == groups.end() || at + 1 == groups.end()) continue;
    *value = *(at + 1);
    groups.erase(at, at + 2);
  }
  const auto named = [&](const char* group) { return std::find(groups.begin(), groups.end(), group) != groups.end(); };
  const std::string known[] = {"models", "code", "blocks", "stiff",     "precision", "scipy",
                               "heat",   "oml",  "fmu",    "equations", "pictures",  "edits",
                               "start",  "runs", "sweeps", "languages", "no-xcos"};
  for (const std::string& group : groups) {
    if (std::find(std::begin(known), std::end(known), group) == std::end(known)) {
      fmt::print(stderr, "{}", usage);
      return 2;
    }
  }
  const bool all = groups.empty() || (groups.size() == 1 && named("no-xcos"));
  // A cache of its own, so that what ran before does not matter.
  const auto cache = std::filesystem::temp_directory_path() / fmt::format("orrery-bench-cache-{}", getpid());
  setenv("ORRERY_CACHE", cache.c_str(), 1);
  std::vector<Row> rows;
  const auto add = [&rows](std::vector<Row> more) {
    rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  if (all || named("models")) add(model_rows(named("no-xcos") ? Peers{} : run_xcos()));
  if (all || named("code")) add(code_rows());
  if (all || named("blocks")) add(block_rows());
  if (all || named("stiff")) add(stiff_rows());
  if (all || named("precision")) add(precision_rows(pictures));
  if (all || named("scipy")) add(scipy_rows());
  if (all || named("heat")) add(heat_rows());
  if (all || named("oml")) add(oml_rows());
  if (all || named("fmu")) add(fmu_rows());
  if (all || named("equations")) add(equation_rows());
  if (all || named("pictures")) add(picture_rows());
  if (all || named("edits")) add(edit_rows());
  if (all || named("start")) add(start_rows());
  if (all || named("runs")) add(run_rows());
  if (all || named("languages")) add(language_rows());
  if (all || named("sweeps")) add(sweep_rows());
  std::filesystem::remove_all(cache);
  const auto missed = std::count_if(rows.begin(), rows.end(), [](const Row& row) { return !row.reached(); });
  const auto wrong = std::count_if(rows.begin(), rows.end(), [](const Row& row) { return !row.correct; });
  fmt::print("\n{} measurements, {} goals missed, {} wrong results\n", rows.size(), missed, wrong);
  if (!file.empty() && !write_json(rows, file)) {
    fmt::print(stderr, "cannot write {}\n", file);
    return 1;
  }
  return wrong > 0 ? 1 : 0;
}
