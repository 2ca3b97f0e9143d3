// SPDX-License-Identifier: Apache-2.0
// A linear model as a text for people, as JSON, as pictures and as a MAT file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/linearise.h"
#include "io/chart.h"

namespace orrery::api {

// Names, matrices with their rows and columns named, poles.
std::string linearised_text(const LinearisedModel& model);
std::string linearised_json(const LinearisedModel& model);
// From every input to every output: magnitude, phase, Nyquist plot, step. `room` holds the numbers and must outlive the
// chart.
io::Chart linearised_chart(const LinearisedModel& model, std::vector<std::unique_ptr<std::vector<double>>>& room);
// A, B, C, D, the values at the point and the names as a MAT file. False, and a diagnostic, when it cannot be written.
[[nodiscard]] bool write_linearised_mat(const LinearisedModel& model, const std::string& path,
                                        Diagnostics& diagnostics);

}  // namespace orrery::api
