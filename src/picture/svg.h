// SPDX-License-Identifier: Apache-2.0
// A scene as SVG text: only colours and strokes are decided here.
#pragma once

#include <string>

#include "picture/scene.h"

namespace orrery::picture {

enum class Theme { light, dark };

std::string svg(const Scene& scene, Theme theme);
// The drawing without the <svg> around it, for pages that put several into one.
std::string svg_body(const Scene& scene);
std::string svg_style(Theme theme);
// "12.5": two decimals at most.
std::string svg_number(double x);

}  // namespace orrery::picture
