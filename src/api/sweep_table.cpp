// SPDX-License-Identifier: Apache-2.0
// Rows out of the store, in order; numbers about columns.
#include "api/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "io/csv.h"
#include "io/mtsf.h"
#include "math/statistics.h"

namespace orrery::api {
namespace {

constexpr std::size_t rows_at_once = 4096;

// Where rows go: a text with a line for each, or HDF5 in the layout of results, with the number of the run as time and
// 1 in the column "failed" instead of a code.
class TableFile {
 public:
  static std::unique_ptr<TableFile> open(const std::string& path, const std::vector<std::string>& names,
                                         Diagnostics& diagnostics) {
    if (!io::can_be_written(path, diagnostics)) return nullptr;
    auto file = io::OutputFile::open(path, diagnostics);
    return file ? std::unique_ptr<TableFile>(new TableFile(std::move(*file), names)) : nullptr;
  }

  bool row(std::size_t run, const std::string& failure, const std::vector<double>& values) {
    if (!stream_) {
      io::CsvWriter csv(file_);
      csv.number(static_cast<double>(run + 1));
      csv.text(failure);
      for (const double value : values) {
        if (std::isnan(value)) {
          csv.text("");
        } else {
          csv.number(value);
        }
      }
      csv.end_row();
      return file_.error() == 0;
    }
    time_.push_back(static_cast<double>(run + 1));
    numbers_.push_back(failure.empty() ? 0 : 1);
    numbers_.insert(numbers_.end(), values.begin(), values.end());
    return time_.size() < rows_at_once || hand_out(false);
  }

  bool end(Diagnostics& diagnostics) {
    if (stream_ && (!hand_out(true) || !stream_->close("sweep"))) file_.fail(stream_->error());
    return file_.commit(diagnostics);
  }

 private:
  TableFile(io::OutputFile file, const std::vector<std::string>& names) : file_(std::move(file)) {
    if (!io::is_mtsf_name(file_.path())) {
      io::CsvWriter csv(file_);
      csv.text("run");
      csv.text("failure");
      for (const std::string& name : names) csv.text(name);
      csv.end_row();
      return;
    }
    io::MtsfContent head;
    head.tool = "Orrery";
    head.dated = false;
    head.variables.push_back({.name = "failed", .place = 0});
    for (const std::string& name : names) head.variables.push_back({.name = name, .place = head.variables.size()});
    head.numbers_per_row = head.variables.size();
    stream_ = std::make_unique<io::MtsfStream>(file_.place_to_write(), std::move(head));
  }

  bool hand_out(bool last) {
    const bool good = stream_->append(time_, numbers_.data(), last);
    time_.clear();
    numbers_.clear();
    return good;
  }

  io::OutputFile file_;
  std::unique_ptr<io::MtsfStream> stream_;
  std::vector<double> time_, numbers_;
};

// What is told about a column, in memory that does not grow with the number of runs: quantiles and pictures are those
// of every second, fourth, … value where there are more than a million.
class ColumnNumbers {
 public:
  void add(double value) {
    if (!std::isfinite(value)) {
      ++strange_;
      return;
    }
    ++count_;
    const double before = value - mean_;
    mean_ += before / static_cast<double>(count_);
    squares_ += before * (value - mean_);
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
    if ((count_ - 1) % stride_ != 0) return;
    sample_.push_back(value);
    if (sample_.size() < most_kept) return;
    for (std::size_t k = 0; 2 * k < sample_.size(); ++k) sample_[k] = sample_[2 * k];
    sample_.resize((sample_.size() + 1) / 2);
    stride_ *= 2;
  }

  SweepStatistics statistics(const std::string& name) const {
    SweepStatistics about;
    about.name = name;
    about.count = count_;
    about.strange = strange_;
    if (count_ == 0) return about;
    std::vector<double> sorted = sample_;
    std::sort(sorted.begin(), sorted.end());
    about.mean = mean_;
    about.deviation = count_ > 1 ? std::sqrt(squares_ / static_cast<double>(count_ - 1)) : 0;
    about.least = least_;
    about.most = most_;
    constexpr int linear = 7;  // between neighbours, as most programs do
    about.low = math::quantile(sorted, 0.05, linear);
    about.median = math::quantile(sorted, 0.5, linear);
    about.high = math::quantile(sorted, 0.95, linear);
    return about;
  }

  std::vector<double> take_sample() { return std::move(sample_); }

 private:
  static constexpr std::size_t most_kept = std::size_t{1} << 20;
  std::size_t count_ = 0, strange_ = 0, stride_ = 1;
  double mean_ = 0, squares_ = 0;
  double least_ = std::numeric_limits<double>::infinity(), most_ = -std::numeric_limits<double>::infinity();
  std::vector<double> sample_;
};

}  // namespace

std::size_t SweepResult::failed() const {
  std::size_t sum = 0;
  for (const auto& [code, count] : failures) sum += count;
  return sum;
}

bool write_sweep_table(const std::string& path, const analyse::SweepPlan& plan, const std::vector<std::string>& kept,
                       const analyse::SweepStore& store, SweepResult& result, Diagnostics& diagnostics) {
  std::vector<std::string> names = plan.names();
  result.varied = names.size();
  names.insert(names.end(), kept.begin(), kept.end());
  std::unique_ptr<TableFile> table;
  if (!path.empty()) {
    table = TableFile::open(path, names, diagnostics);
    if (!table) return false;
  }
  std::vector<ColumnNumbers> columns(names.size());
  std::map<std::string, std::size_t> failures;
  std::vector<double> values;
  analyse::SweepOutcome outcome;
  for (std::size_t run = 0; run < plan.runs(); ++run) {
    if (!store.read(run, outcome)) continue;
    plan.values(run, values);
    values.insert(values.end(), outcome.kept.begin(), outcome.kept.end());
    if (table && !table->row(run, outcome.failure, values)) break;
    if (!outcome.failure.empty()) {
      ++failures[outcome.failure];
      continue;
    }
    for (std::size_t k = 0; k < values.size(); ++k) columns[k].add(values[k]);
  }
  result.failures.assign(failures.begin(), failures.end());
  for (std::size_t k = 0; k < names.size(); ++k) {
    result.statistics.push_back(columns[k].statistics(names[k]));
    result.columns.push_back(columns[k].take_sample());
  }
  return !table || table->end(diagnostics);
}

std::string sweep_text(const SweepResult& result) {
  std::string text = fmt::format("{} runs", result.runs);
  if (result.earlier > 0) text += fmt::format(" ({} of them were there)", result.earlier);
  const double made = static_cast<double>(result.runs - result.earlier);
  text += fmt::format(" in {:.3g} s", result.seconds);
  if (result.seconds > 0 && made > 0) text += fmt::format(", {:.3g} a second", made / result.seconds);
  text += "\n";
  if (!result.failures.empty()) {
    text += fmt::format("{} failed:", result.failed());
    for (const auto& [code, count] : result.failures) text += fmt::format(" {} {}", count, code);
    text += "\n";
  }
  std::size_t width = 8;
  for (const SweepStatistics& about : result.statistics)
    width = std::max(width, std::min<std::size_t>(about.name.size(), 40));
  text += fmt::format("\n{:<{}} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12}\n", "", width, "mean", "deviation",
                      "min", "5 %", "median", "95 %", "max");
  for (const SweepStatistics& about : result.statistics) {
    if (about.count == 0) continue;
    text += fmt::format("{:<{}}", about.name, width);
    for (const double number :
         {about.mean, about.deviation, about.least, about.low, about.median, about.high, about.most})
      text += fmt::format(" {:>12.6g}", number);
    text += "\n";
  }
  for (const SweepStatistics& about : result.statistics) {
    if (about.strange > 0)
      text += fmt::format("{}: {} of {} values are infinite or no numbers, and not counted\n", about.name,
                          about.strange, about.strange + about.count);
  }
  return text;
}

io::Chart sweep_chart(const SweepResult& result, std::vector<std::vector<double>>& room) {
  io::Chart chart;
  chart.columns = 2;
  room.clear();
  room.reserve(2 * result.statistics.size());
  for (std::size_t k = result.varied; k < result.statistics.size(); ++k) {
    const SweepStatistics& about = result.statistics[k];
    if (about.count == 0) continue;
    // Square root of the number of values, as spreadsheets do: a picture, not an estimate.
    const auto bins = static_cast<std::size_t>(std::clamp(std::sqrt(static_cast<double>(about.count)), 5.0, 60.0));
    const double width = about.most > about.least ? (about.most - about.least) / static_cast<double>(bins) : 1;
    std::vector<double> edges, counts(bins + 1, 0);
    for (std::size_t b = 0; b <= bins; ++b) edges.push_back(about.least + width * static_cast<double>(b));
    for (const double value : result.columns[k])
      ++counts[std::min(bins - 1, static_cast<std::size_t>((value - about.least) / width))];
    room.push_back(std::move(edges));
    room.push_back(std::move(counts));
    const auto &x = room[room.size() - 2], &y = room.back();
    io::Panel panel;
    panel.title = about.name;
    panel.y_label = "runs";
    panel.own_axis = true;
    panel.curves.push_back({about.name, x.data(), y.data(), x.size(), 1, io::CurveStyle::stairs, 1});
    chart.panels.push_back(std::move(panel));
  }
  return chart;
}

}  // namespace orrery::api
