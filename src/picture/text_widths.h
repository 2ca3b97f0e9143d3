// SPDX-License-Identifier: Apache-2.0
// How wide a text is: one table for one font (Inter), so that a picture has the same geometry on every machine.
#pragma once

#include <string>
#include <string_view>

namespace orrery::picture {

double text_width(std::string_view utf8, double size);
// The longest beginning that fits, with an ellipsis where something was cut off.
std::string fit_text(std::string_view utf8, double size, double width);

}  // namespace orrery::picture
