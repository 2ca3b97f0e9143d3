// SPDX-License-Identifier: Apache-2.0
// Figures of Anim2D blocks: poses over time for the page, and drawings.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "api/animation.h"
#include "io/number_text.h"
#include "server/figure_json.h"
#include "server/open_document.h"
#include "server/run_info.h"

namespace orrery::server {
namespace {

constexpr std::size_t most_copies = 2000;

HttpResponse figure_failure(unsigned status, const char* code, const std::string& message) {
  return {status, "application/json", dump({{"error", diagnostic_json(make_error(code, message))}})};
}

// A recording as the rows of one figure.
class FigureRows {
 public:
  FigureRows(const RunRecording& recording, const api::FigureInfo& figure) : recording_(recording) {
    for (std::size_t k = 0; k < recording.columns().size(); ++k)
      if (recording.columns()[k].block == figure.block) columns_.push_back(k);
    good_ = columns_.size() == api::figure_columns(figure);
    row_.resize(columns_.size());
  }
  bool good() const { return good_; }
  const double* row(std::size_t number) {
    for (std::size_t k = 0; k < columns_.size(); ++k) row_[k] = recording_.value(number, columns_[k]);
    return row_.data();
  }

 private:
  const RunRecording& recording_;
  std::vector<std::size_t> columns_;
  std::vector<double> row_;
  bool good_ = false;
};

}  // namespace

HttpResponse OpenDocument::animation(const HttpRequest& request) {
  const auto number = [&](const char* name, double fallback) {
    return io::parse_number(query_text(request, name)).value_or(fallback);
  };
  const auto found = runs_.find(static_cast<std::uint32_t>(std::clamp(number("run", 0), 0.0, 4e9)));
  if (found == runs_.end()) return figure_failure(404, "no-such-run", "there is no such run");
  RunInfo& run = *found->second;
  const std::string block = query_text(request, "block");
  const auto figure = std::find_if(run.figures.begin(), run.figures.end(),
                                   [&](const api::FigureInfo& one) { return one.block == block; });
  if (figure == run.figures.end()) return figure_failure(404, "no-animation", "the run has no Anim2D block " + block);
  FigureRows rows(run.recording, *figure);
  const std::vector<double>& time = run.recording.time();
  if (!rows.good()) return figure_failure(404, "no-animation", "the run has not begun to record " + block);
  const double last = time.empty() ? 0 : time.back(), from = number("from", time.empty() ? 0 : time.front()),
               to = std::min(number("to", last), last);
  if (request.path == "/animation.svg") {
    api::FigureState state(*figure);
    const double at = number("t", last);
    for (std::size_t k = 0; k < time.size() && time[k] <= at; ++k) state.take_row(rows.row(k));
    const picture::Theme theme = query_text(request, "theme") == "dark" ? picture::Theme::dark : picture::Theme::light;
    return {200, "image/svg+xml", api::figure_svg(*figure, state.objects(), theme)};
  }
  const auto count = static_cast<std::size_t>(std::clamp(number("frames", 600), 1.0, 5000.0));
  api::FigureState state(*figure);
  Json frames = Json::array();
  std::string still_told = "-";
  bool changed = false;
  const auto tell = [&](double t) {
    changed = false;
    if (!state.begun()) return;
    Json frame{{"t", number_json(t)}, {"moving", objects_json(state.moving())}};
    frame["copies"] = std::min(state.copies().size(), most_copies);
    Json still = objects_json(state.still());
    if (std::string text = dump(still); text != still_told) {
      still_told = std::move(text);
      frame["still"] = std::move(still);
    }
    frames.push_back(std::move(frame));
  };
  // The pose at evenly spaced times, where it differs from the one before.
  std::size_t next = 0;
  const auto due = [&](std::size_t k) {
    return count == 1 ? to : from + (to - from) * static_cast<double>(k) / static_cast<double>(count - 1);
  };
  for (std::size_t k = 0; k < time.size() && time[k] <= to; ++k) {
    for (; next < count && due(next) < time[k]; ++next)
      if (changed) tell(due(next));
    changed = state.take_row(rows.row(k)) || changed;
  }
  if (changed || frames.empty()) tell(to);
  Json copies = Json::array();
  for (std::size_t k = 0; k < std::min(state.copies().size(), most_copies); ++k)
    copies.push_back(objects_json(state.copy(k)));
  return {200, "application/json",
          dump({{"run", found->first},
                {"block", block},
                {"from", number_json(from)},
                {"to", number_json(to)},
                {"canvas", figure->canvas},
                {"zoom", figure->zoom},
                {"frames", std::move(frames)},
                {"copies", std::move(copies)},
                {"all_copies", state.copies().size()}})};
}

}  // namespace orrery::server
