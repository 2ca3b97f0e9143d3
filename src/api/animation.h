// SPDX-License-Identifier: Apache-2.0
// What Anim2D blocks show: rows of a run in, the objects of a figure out, and their drawing.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "api/model.h"
#include "picture/svg.h"

namespace orrery::compile {
struct Evaluated;
}
namespace orrery::program {
struct Program;
}

namespace orrery::api {

// One thing to draw. Numbers: x, y of each point; centre and radius; corner, width and height; both ends.
struct FigureObject {
  enum class Kind { polygon, polyline, circle, rectangle, segment };
  Kind kind = Kind::polygon;
  std::vector<double> numbers;
  std::optional<std::array<double, 3>> colour;  // nothing: transparent
};
const char* name_of(FigureObject::Kind kind);                  // "circle"
std::string colour_text(const std::array<double, 3>& colour);  // "#3a6bc4"

// The columns of a figure in a recording: all elements of input 1, column by column, of input 2, …, then `moving` and
// `copies`.
std::size_t figure_columns(const FigureInfo& figure);

// Follows the rows of a run.
class FigureState {
 public:
  explicit FigureState(const FigureInfo& figure) : figure_(&figure) {}
  // True: something is to be drawn anew.
  bool take_row(const double* columns);
  bool begun() const { return !shown_.empty(); }
  const std::vector<double>& shown() const { return shown_; }
  const std::vector<std::vector<double>>& copies() const { return copies_; }

  // In the order in which they are drawn.
  std::vector<FigureObject> objects() const;
  // Parts of it: of a copy, of the present ones that are left out of copies, of the others.
  std::vector<FigureObject> copy(std::size_t number) const;
  std::vector<FigureObject> still() const;
  std::vector<FigureObject> moving() const;

 private:
  const FigureInfo* figure_;
  std::vector<double> shown_;
  std::vector<std::vector<double>> copies_;
  double copied_ = 0;
};

std::string figure_svg(const FigureInfo& figure, const std::vector<FigureObject>& objects, picture::Theme theme);

// The figures of the model's Anim2D blocks.
std::vector<FigureInfo> figures_of(const compile::Evaluated& model, const program::Program& program);

struct AnimationRequest {
  std::string file;
  double time = 0;
  std::string block;  // path; empty: the only one
  picture::Theme theme = picture::Theme::light;
  Capabilities allow = {};
  double script_seconds = 0;  // that its scripts may run; 0: as long as they want
};

// Runs the model up to the time and draws the figure as it is then.
std::optional<std::string> animation_picture(const AnimationRequest& request, Diagnostics& diagnostics);

}  // namespace orrery::api
