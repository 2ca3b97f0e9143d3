// SPDX-License-Identifier: Apache-2.0
// `orrery fmu crosscheck DIR`: every FMU below a folder in a process of its own, which is this program again.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "base/signals.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/limited_process.h"
#include "fmi/unpack.h"
#include "io/number_text.h"
#include "io/output_file.h"
#include "io/text_table.h"

namespace orrery::cli {

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees: return "agrees";
    case Verdict::differs: return "differs";
    case Verdict::no_reference: return "runs, no reference";
    case Verdict::failed: return "failed";
    case Verdict::out_of_time: return "out of time";
    case Verdict::crashed: return "crashed";
    case Verdict::unusable: return "unusable";
  }
  return "";
}

namespace {

const char* word_of(fmi::Kind kind) {
  return kind == fmi::Kind::model_exchange ? "me" : kind == fmi::Kind::co_simulation ? "cs" : "se";
}

// Cells are numbers, true, false, or something that is not compared.
std::optional<io::TimeSeries> read_results(const std::string& path, Diagnostics& diagnostics) {
  io::CsvOptions options;
  options.lenient = true;
  options.gaps = true;
  options.cell = [](const std::vector<std::string>&, std::size_t, const std::string& cell) -> std::optional<double> {
    if (cell == "true" || cell == "True") return 1;
    if (cell == "false" || cell == "False") return 0;
    const auto number = io::parse_number(cell);
    return number ? *number : std::nan("");
  };
  auto series = io::read_csv(path, diagnostics, options);
  if (!series) return series;
  for (std::string& name : series->names) {
    const std::size_t begin = name.find_first_not_of(" \t\""), end = name.find_last_not_of(" \t\"");
    name = begin == std::string::npos ? "" : name.substr(begin, end - begin + 1);
  }
  return series;
}

// The last error a run has printed, else its last line.
std::string last_words(const std::string& path) {
  constexpr std::size_t longest = 400;
  std::ifstream file(path);
  std::string words, error;
  for (std::string line; std::getline(file, line);) {
    if (line.find("error[") != std::string::npos) error = line;
    if (line.find_first_not_of(" \t\r") != std::string::npos) words = line;
  }
  return (error.empty() ? words : error).substr(0, longest);
}

class Crosscheck {
 public:
  Crosscheck(const CrosscheckArguments& arguments, std::string folder)
      : arguments_(arguments),
        rule_{arguments.tolerance, arguments.share, arguments.tube},
        folder_(std::move(folder)) {}

  const io::CompareRule& rule() const { return rule_; }
  std::vector<CrosscheckRow> rows;

  // All of them, some side by side; interrupted, those that have ended.
  void run(const std::vector<fmi::CollectedRun>& runs) {
    for (const fmi::CollectedRun& item : runs) rows.push_back({item});
    std::size_t next = 0;
    while ((next < rows.size() || !working_.empty()) && !end_requested()) {
      while (next < rows.size() && static_cast<int>(working_.size()) < std::max(1, arguments_.jobs)) start(next++);
      for (auto at = working_.begin(); at != working_.end();) at = step(at);
      if (!working_.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (end_requested()) rows.resize(done_in_order());
  }

 private:
  struct Work {
    std::size_t row = 0;
    std::string place;
    std::unique_ptr<LimitedProcess> process;
  };

  std::size_t done_in_order() const {
    std::size_t first = rows.size();
    for (const Work& work : working_) first = std::min(first, work.row);
    for (std::size_t k = 0; k < first; ++k) {
      if (rows[k].seconds == 0 && rows[k].verdict != Verdict::unusable) return k;
    }
    return first;
  }

  void start(std::size_t number) {
    CrosscheckRow& row = rows[number];
    if (!row.run.unusable.empty()) {
      row.verdict = Verdict::unusable;
      row.message = row.run.unusable;
      return;
    }
    const std::string place = folder_ + "/" + std::to_string(number);
    std::error_code none;
    std::filesystem::create_directories(place, none);
    std::vector<std::string> words{arguments_.program.empty() ? "/proc/self/exe" : arguments_.program,
                                   "run",
                                   row.run.fmu,
                                   "--kind",
                                   word_of(row.run.kind),
                                   "--quiet",
                                   "--out",
                                   place + "/results.csv"};
    if (!arguments_.input_point.empty()) words.insert(words.end(), {"--input-at", arguments_.input_point});
    if (arguments_.safe) words.insert(words.end(), {"--safe", "--time-limit", io::number_text(arguments_.time_limit)});
    const ProcessLimits limits{arguments_.time_limit,
                               static_cast<std::uint64_t>(std::max(arguments_.memory_limit, 0.0) * 1048576)};
    working_.push_back({number, place, std::make_unique<LimitedProcess>(words, place, place + "/words.txt", limits)});
  }

  std::vector<Work>::iterator step(std::vector<Work>::iterator work) {
    const ProcessEnd end = work->process->look();
    if (end.kind == ProcessEnd::Kind::running) return work + 1;
    CrosscheckRow& row = rows[work->row];
    row.seconds = work->process->seconds();
    judge(end, work->place, row);
    std::error_code none;
    std::filesystem::remove_all(work->place, none);
    return working_.erase(work);
  }

  void judge(const ProcessEnd& end, const std::string& place, CrosscheckRow& row) const {
    row.message = last_words(place + "/words.txt");
    if (end.kind == ProcessEnd::Kind::out_of_time) {
      row.verdict = Verdict::out_of_time;
      row.message = fmt::format("more than {} s", arguments_.time_limit);
    } else if (end.kind != ProcessEnd::Kind::exited) {
      row.verdict = Verdict::crashed;
      row.message = end.kind == ProcessEnd::Kind::killed ? strsignal(end.code) : "the run could not be started";
    } else if (end.code == exit_ok) {
      row.message.clear();
      compare(place + "/results.csv", row);
    } else {
      row.verdict = row.message.find("[fmi-crash]") != std::string::npos ? Verdict::crashed : Verdict::failed;
    }
  }

  void compare(const std::string& path, CrosscheckRow& row) const {
    if (row.run.reference.empty()) {
      row.verdict = Verdict::no_reference;
      return;
    }
    Diagnostics diagnostics;
    auto reference = read_results(row.run.reference, diagnostics);
    auto results = reference ? read_results(path, diagnostics) : std::nullopt;
    row.verdict = Verdict::failed;
    if (!results) {
      row.message = diagnostics.all().empty() ? "no results" : diagnostics.all().front().message;
      return;
    }
    row.columns = io::compare_series(*reference, *results, rule_);
    const bool all = std::all_of(row.columns.begin(), row.columns.end(),
                                 [](const io::ColumnComparison& column) { return column.agrees; });
    row.verdict = all && !row.columns.empty() ? Verdict::agrees : Verdict::differs;
    if (row.verdict == Verdict::agrees) return;
    row.reference = std::move(*reference);
    row.results = std::move(*results);
  }

  const CrosscheckArguments& arguments_;
  io::CompareRule rule_;
  std::string folder_;  // for results
  std::vector<Work> working_;
};

// What is wrong, in a cell of the table.
std::string remark(const CrosscheckRow& row) {
  if (row.verdict != Verdict::differs) return row.message;
  const io::ColumnComparison* worst = nullptr;
  for (const io::ColumnComparison& column : row.columns) {
    if (!column.found) return column.name + " is not among the results";
    if (!column.agrees && (worst == nullptr || column.worst > worst->worst)) worst = &column;
  }
  if (worst == nullptr) return "the reference has no columns";
  return fmt::format("{}: {} of {} points within, {:.3g} % of the range off at t = {}", worst->name, worst->within,
                     worst->points, 100 * worst->worst, io::short_number(worst->worst_time));
}

std::string table_of(const std::vector<CrosscheckRow>& rows) {
  using io::Align;
  io::TextTable table{
      {"FMU", "kind", "verdict", "s", ""}, {Align::left, Align::left, Align::left, Align::right, Align::left}, {}};
  for (const CrosscheckRow& row : rows) {
    table.rows.push_back(
        {row.run.name, word_of(row.run.kind), name_of(row.verdict), fmt::format("{:.2f}", row.seconds), remark(row)});
  }
  return io::to_text(table);
}

}  // namespace

int fmu_crosscheck_command(const Arguments& arguments) {
  const EndWatch watch;
  const CrosscheckArguments& asked = arguments.crosscheck;
  Diagnostics diagnostics;
  std::vector<fmi::CollectedRun> runs = fmi::find_fmus(arguments.request.file, diagnostics);
  std::erase_if(runs, [&](const fmi::CollectedRun& run) { return run.name.find(asked.only) == std::string::npos; });
  std::optional<io::OutputFile> report;
  if (!asked.report.empty()) {
    if (auto file = io::OutputFile::open(asked.report, diagnostics)) report.emplace(std::move(*file));
  }
  const auto folder = fmi::TemporaryFolder::create(diagnostics);
  if (diagnostics.has_errors() || !folder) {
    print_diagnostics(diagnostics, arguments.json_diagnostics);
    return exit_failed;
  }
  Crosscheck check(asked, folder->path());
  check.run(runs);
  const auto count = [&](auto&& counts) { return std::count_if(check.rows.begin(), check.rows.end(), counts); };
  const auto agreeing = count([](const CrosscheckRow& row) { return row.verdict == Verdict::agrees; });
  const auto referenced = count([](const CrosscheckRow& row) { return !row.run.reference.empty(); });
  const auto broken = count(
      [](const CrosscheckRow& row) { return row.verdict != Verdict::agrees && row.verdict != Verdict::no_reference; });
  print(table_of(check.rows));
  print(fmt::format("\n{} of {} with a reference agree; {} runs\n", agreeing, referenced, check.rows.size()));
  if (report) {
    report->write(crosscheck_page(arguments.request.file, check.rule(), check.rows));
    if (report->commit(diagnostics)) print(asked.report + ": the report\n");
  }
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  if (end_requested()) return exit_interrupted;
  const bool good = asked.at_least >= 0 ? agreeing >= asked.at_least : broken == 0;
  return good && !diagnostics.has_errors() ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
