// SPDX-License-Identifier: Apache-2.0
// Linear models as Bode and Nyquist plots and step responses, and as MAT files.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/linearisation_text.h"
#include "math/linear_response.h"
#include "oml/builtins/mat_files.h"
#include "oml/builtins/math_values.h"
#include "oml/error.h"

namespace orrery::api {
namespace {

using math::Index;
using math::LinearModel;
using math::RealMatrix;

// From one input to one output.
LinearModel channel(const LinearisedModel& model, Index input, Index output) {
  return math::state_space(model.a, block(model.b, 0, model.b.rows, input, 1),
                           block(model.c, output, 1, 0, model.c.cols), block(model.d, output, 1, input, 1),
                           model.period);
}

class Drawing {
 public:
  Drawing(io::Chart& chart, std::vector<std::unique_ptr<std::vector<double>>>& room) : chart_(chart), room_(room) {
    chart_.columns = 2;
  }
  std::vector<double>& numbers() { return *room_.emplace_back(std::make_unique<std::vector<double>>()); }
  void add(const std::string& title, const char* x, const char* y, const std::vector<double>& at,
           const std::vector<double>& values) {
    io::Panel panel{title, {}, x, y};
    panel.own_axis = true;
    panel.curves.push_back({title, at.data(), values.data(), at.size(), 1, io::CurveStyle::line});
    chart_.panels.push_back(std::move(panel));
  }

 private:
  io::Chart& chart_;
  std::vector<std::unique_ptr<std::vector<double>>>& room_;
};

}  // namespace

io::Chart linearised_chart(const LinearisedModel& model, std::vector<std::unique_ptr<std::vector<double>>>& room) {
  io::Chart chart;
  Drawing drawing(chart, room);
  for (Index i = 0; i < static_cast<Index>(model.inputs.size()); ++i) {
    for (Index o = 0; o < static_cast<Index>(model.outputs.size()); ++o) {
      const LinearModel one = channel(model, i, o);
      const std::string name =
          fmt::format("{} → {}", model.inputs[static_cast<std::size_t>(i)], model.outputs[static_cast<std::size_t>(o)]);
      const std::vector<double> w = math::default_frequencies(one);
      bool singular = false;
      const std::vector<math::Complex> h = math::frequency_response(one, w, singular);
      std::vector<double>&decades = drawing.numbers(), &decibels = drawing.numbers(), &phase = drawing.numbers(),
      &re = drawing.numbers(), &im = drawing.numbers(), &t = drawing.numbers(), &y = drawing.numbers();
      phase = math::phases_of(h);
      for (std::size_t k = 0; k < w.size(); ++k) {
        decades.push_back(std::log10(w[k]));
        decibels.push_back(20 * std::log10(std::abs(h[k])));
        re.push_back(h[k].real());
        im.push_back(h[k].imag());
      }
      drawing.add("magnitude, " + name, "log10 of the angular frequency", "dB", decades, decibels);
      drawing.add("phase, " + name, "log10 of the angular frequency", "degrees", decades, phase);
      drawing.add("Nyquist, " + name, "real", "imaginary", re, im);
      t = math::default_times(one, 0);
      RealMatrix u(static_cast<Index>(t.size()), 1);
      std::fill(u.data.begin(), u.data.end(), 1.0);
      y = math::simulate(one, t, u, RealMatrix(one.states(), 1), false, [] {}).y.data;
      drawing.add("step, " + name, "t", "", t, y);
    }
  }
  return chart;
}

bool write_linearised_mat(const LinearisedModel& model, const std::string& path, Diagnostics& diagnostics) {
  oml::NamedValues variables;
  variables.emplace_back("A", oml::matrix_value(model.a));
  variables.emplace_back("B", oml::matrix_value(model.b));
  variables.emplace_back("C", oml::matrix_value(model.c));
  variables.emplace_back("D", oml::matrix_value(model.d));
  variables.emplace_back("Ts", oml::Value(model.period));
  variables.emplace_back("x", oml::Value::column(model.state_values));
  variables.emplace_back("u", oml::Value::column(model.input_values));
  variables.emplace_back("y", oml::Value::column(model.output_values));
  variables.emplace_back("states", oml::Value::text_cell(model.states, true));
  variables.emplace_back("inputs", oml::Value::text_cell(model.inputs, true));
  variables.emplace_back("outputs", oml::Value::text_cell(model.outputs, true));
  try {
    oml::write_mat_file(path, variables, oml::MatVersion::v5, false);
  } catch (const oml::OmlError& error) {
    diagnostics.error("output-unwritable", {path, 0, 0, {}, {}}, error.message, "name another file");
    return false;
  }
  return true;
}

}  // namespace orrery::api
