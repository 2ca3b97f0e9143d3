// SPDX-License-Identifier: Apache-2.0
// From numbers to objects to SVG.
#include "api/animation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "api/run.h"
#include "blocks/signal_viewers/signal_viewers.h"
#include "compile/compile.h"
#include "program/program.h"
#include "sim/sink.h"

namespace orrery::api {
namespace {

using Kind = FigureObject::Kind;
using Colour = std::array<double, 3>;

bool is_row_each(int type) { return std::abs(type) > 2; }

Kind kind_of_type(int type) {
  switch (std::abs(type) % 100) {
    case 1: return Kind::polygon;
    case 2: return Kind::polyline;
    case 3: return Kind::circle;
    case 4: return Kind::rectangle;
    default: return Kind::segment;
  }
}

bool drawable(const FigureObject& object) {
  for (const double x : object.numbers)
    if (!std::isfinite(x)) return false;
  if (object.kind == Kind::circle) return object.numbers[2] >= 0;
  if (object.kind == Kind::rectangle) return object.numbers[2] >= 0 && object.numbers[3] >= 0;
  return !object.numbers.empty();
}

enum class Part { all, copied, still };

std::vector<FigureObject> objects_of(const FigureInfo& figure, const std::vector<double>& values, Part part) {
  std::vector<FigureObject> objects;
  std::size_t offset = 0, colour = 0;
  for (const FigureInput& input : figure.inputs) {
    const auto rows = static_cast<std::size_t>(input.rows), cols = static_cast<std::size_t>(input.cols);
    const bool own_colour = std::abs(input.type) > 100;
    const std::size_t numbers = own_colour ? cols - 3 : cols;
    const auto at = [&](std::size_t row, std::size_t col) { return values[offset + col * rows + row]; };
    const auto next_colour = [&]() -> std::optional<Colour> {
      const Colour& found = figure.colours[colour++ % figure.colours.size()];
      if (found[0] < 0 || found[1] < 0 || found[2] < 0) return std::nullopt;
      return found;
    };
    const bool wanted = part == Part::all || (input.type < 0) == (part == Part::still);
    FigureObject object{kind_of_type(input.type), {}, {}};
    if (!is_row_each(input.type)) {
      object.colour = next_colour();
      for (std::size_t row = 0; row < rows; ++row)
        object.numbers.insert(object.numbers.end(), {at(row, 0), at(row, 1)});
      if (wanted && drawable(object)) objects.push_back(std::move(object));
    } else {
      for (std::size_t row = 0; row < rows; ++row) {
        object.numbers.clear();
        for (std::size_t col = 0; col < numbers; ++col) object.numbers.push_back(at(row, col));
        if (own_colour) {
          Colour own{at(row, numbers), at(row, numbers + 1), at(row, numbers + 2)};
          const bool seen = own[0] >= 0 && own[1] >= 0 && own[2] >= 0;  // false also where one is no number
          for (double& x : own) x = std::min(x, 1.0);
          object.colour = seen ? std::optional(own) : std::nullopt;
        } else {
          object.colour = next_colour();
        }
        if (wanted && drawable(object)) objects.push_back(object);
      }
    }
    offset += rows * cols;
  }
  return objects;
}

}  // namespace

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::polygon: return "polygon";
    case Kind::polyline: return "polyline";
    case Kind::circle: return "circle";
    case Kind::rectangle: return "rectangle";
    case Kind::segment: return "segment";
  }
  return "";
}

std::string colour_text(const std::array<double, 3>& colour) {
  std::string text = "#";
  for (const double x : colour) text += fmt::format("{:02x}", static_cast<int>(std::lround(255 * x)));
  return text;
}

std::size_t figure_columns(const FigureInfo& figure) {
  std::size_t count = 2;
  for (const FigureInput& input : figure.inputs)
    count += static_cast<std::size_t>(input.rows) * static_cast<std::size_t>(input.cols);
  return count;
}

bool FigureState::take_row(const double* columns) {
  const std::size_t count = figure_columns(*figure_) - 2;
  const double moving = columns[count], copied = columns[count + 1];
  bool changed = false;
  if (moving > 0 && (!begun() || !std::equal(shown_.begin(), shown_.end(), columns))) {
    shown_.assign(columns, columns + count);
    changed = true;
  }
  for (; copied > copied_; ++copied_) {  // not where it is no number: the block was not activated yet
    if (!begun()) shown_.assign(columns, columns + count);
    copies_.push_back(shown_);
    changed = true;
  }
  return changed;
}

std::vector<FigureObject> FigureState::copy(std::size_t number) const {
  return objects_of(*figure_, copies_[number], Part::copied);
}
std::vector<FigureObject> FigureState::still() const {
  return begun() ? objects_of(*figure_, shown_, Part::still) : std::vector<FigureObject>();
}
std::vector<FigureObject> FigureState::moving() const {
  return begun() ? objects_of(*figure_, shown_, Part::copied) : std::vector<FigureObject>();
}

std::vector<FigureObject> FigureState::objects() const {
  std::vector<FigureObject> all = still();
  const auto add = [&](std::vector<FigureObject> more) {
    std::move(more.begin(), more.end(), std::back_inserter(all));
  };
  for (std::size_t k = 0; k < copies_.size(); ++k) add(copy(k));
  add(moving());
  return all;
}

std::string figure_svg(const FigureInfo& figure, const std::vector<FigureObject>& objects, picture::Theme theme) {
  const double zoom = figure.zoom, width = figure.canvas[2] * zoom, height = figure.canvas[3] * zoom;
  const bool dark = theme == picture::Theme::dark;
  const auto x = [&](double v) { return fmt::format("{:.6g}", (v - figure.canvas[0]) * zoom); };
  const auto y = [&](double v) { return fmt::format("{:.6g}", height - (v - figure.canvas[1]) * zoom); };
  const auto length = [&](double v) { return fmt::format("{:.6g}", v * zoom); };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.6g}\" height=\"{1:.6g}\" viewBox=\"0 0 {0:.6g} "
      "{1:.6g}\">\n"
      "<rect width=\"{0:.6g}\" height=\"{1:.6g}\" fill=\"{2}\"/>\n<g stroke-linejoin=\"round\" "
      "stroke-linecap=\"round\">\n",
      width, height, dark ? "#14171c" : "#ffffff");
  const std::string outline = dark ? "#dfe4ec" : "#1d2430";
  for (const FigureObject& object : objects) {
    const std::vector<double>& n = object.numbers;
    const bool line = object.kind == Kind::polyline || object.kind == Kind::segment;
    if (line && !object.colour) continue;
    const std::string style =
        line ? fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"2\"", colour_text(*object.colour))
             : fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"1\"",
                           object.colour ? colour_text(*object.colour) : "none", outline);
    switch (object.kind) {
      case Kind::polygon:
      case Kind::polyline: {
        svg += object.kind == Kind::polygon ? "<polygon points=\"" : "<polyline points=\"";
        for (std::size_t k = 0; k + 1 < n.size(); k += 2) svg += (k > 0 ? " " : "") + x(n[k]) + "," + y(n[k + 1]);
        svg += "\" " + style + "/>\n";
        break;
      }
      case Kind::circle:
        svg += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n", x(n[0]), y(n[1]), length(n[2]), style);
        break;
      case Kind::rectangle:
        svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n", x(n[0]), y(n[1] + n[3]),
                           length(n[2]), length(n[3]), style);
        break;
      case Kind::segment:
        svg += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", x(n[0]), y(n[1]), x(n[2]), y(n[3]),
                           style);
        break;
    }
  }
  return svg + "</g>\n</svg>\n";
}

std::vector<FigureInfo> figures_of(const compile::Evaluated& model, const program::Program& program) {
  std::vector<FigureInfo> figures;
  for (const compile::FlatBlock& block : model.flat.blocks) {
    if (block.type != &blocks::anim2d) continue;
    FigureInfo figure;
    figure.block = block.path;
    const std::vector<double>& types = block.parameters.value("types").real;
    const std::vector<double>& canvas = block.parameters.value("canvas").real;
    const program::Value& colours = block.parameters.value("colours");
    // Inputs come first among what the block records; their sizes are known once the model is compiled.
    std::vector<program::Type> recorded;
    for (const program::Probe& probe : program.probes) {
      if (program.origins[probe.origin].path == block.path && !probe.counts)
        recorded.push_back(program.slots[probe.slot].type);
    }
    const std::size_t inputs = block.inputs.size();
    if (recorded.size() != inputs + 2 || types.empty() || canvas.size() != 4) continue;
    for (std::size_t k = 0; k < inputs; ++k) {
      const double type = types.size() == 1 ? types[0] : types[k];
      figure.inputs.push_back({static_cast<int>(type), recorded[k].rows, recorded[k].cols});
    }
    std::copy(canvas.begin(), canvas.end(), figure.canvas.begin());
    const auto rows = static_cast<std::size_t>(colours.rows);
    for (std::size_t row = 0; row < rows; ++row)
      figure.colours.push_back({colours.real[row], colours.real[rows + row], colours.real[2 * rows + row]});
    figure.zoom = block.parameters.value("zoom").real[0];
    figures.push_back(std::move(figure));
  }
  return figures;
}

namespace {

// Hands the columns of one block to its figure.
class FigureSink final : public sim::Sink {
 public:
  explicit FigureSink(const FigureInfo& figure) : figure_(figure), state_(figure) {}

  [[nodiscard]] bool begin(const sim::StreamHead& head) override {
    state_ = FigureState(figure_);
    columns_.clear();
    for (std::size_t k = 0; k < head.columns.size(); ++k) {
      const program::Probe& probe = head.program.probes[head.columns[k].probe];
      if (head.program.origins[probe.origin].path == figure_.block && !probe.counts) columns_.push_back(k);
    }
    row_.resize(columns_.size());
    return columns_.size() == figure_columns(figure_);
  }
  [[nodiscard]] bool rows(const sim::Block& block) override {
    for (std::size_t row = 0; row < block.rows(); ++row) {
      for (std::size_t k = 0; k < columns_.size(); ++k) row_[k] = block.row(row)[columns_[k]];
      state_.take_row(row_.data());
    }
    return true;
  }
  const FigureState& state() const { return state_; }

 private:
  const FigureInfo& figure_;
  FigureState state_;
  std::vector<std::size_t> columns_;
  std::vector<double> row_;
};

}  // namespace

std::optional<std::string> animation_picture(const AnimationRequest& request, Diagnostics& diagnostics) {
  const auto model = Model::open(request.file, diagnostics);
  if (!model) return std::nullopt;
  CompileOptions options;
  options.allow = request.allow;
  options.script_seconds = request.script_seconds;
  const Place place{request.file, 0, 0, {}, {}};
  for (;; ++options.counter) {
    const auto compiled = model->compile(options, diagnostics);
    if (!compiled) return std::nullopt;
    const std::vector<FigureInfo>& figures = compiled->figures();
    const FigureInfo* figure = figures.size() == 1 && request.block.empty() ? figures.data() : nullptr;
    std::string names;
    for (const FigureInfo& one : figures) {
      if (one.block == request.block) figure = &one;
      names += (names.empty() ? "" : ", ") + one.block;
    }
    if (figure == nullptr) {
      diagnostics.error("no-animation", place,
                        figures.empty()         ? "the model has no Anim2D block"
                        : request.block.empty() ? "the model has several Anim2D blocks"
                                                : "there is no Anim2D block " + request.block,
                        figures.empty() ? "add one, or leave out --anim" : "name one of them with --block: " + names);
      return std::nullopt;
    }
    RunSettings settings = compiled->settings();
    if (!(request.time >= settings.start)) {
      diagnostics.error(
          "bad-time", place,
          fmt::format("the run starts at {} and is asked for its figure at {}", settings.start, request.time));
      return std::nullopt;
    }
    FigureSink sink(*figure);
    settings.stop = request.time;
    settings.sinks = {&sink};
    Run run = compiled->start(settings);
    RunState state = run.run();
    while (state == RunState::paused) state = run.run();  // a pause is for those who look
    if (state == RunState::restart && options.counter < 10000) continue;
    for (const Diagnostic& diagnostic : run.diagnostics().all()) diagnostics.add(diagnostic);
    if (state == RunState::failed || state == RunState::cancelled) return std::nullopt;
    return figure_svg(*figure, sink.state().objects(), request.theme);
  }
}

}  // namespace orrery::api
