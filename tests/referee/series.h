// SPDX-License-Identifier: Apache-2.0
// Power series of signals about an instant, and where they change their sign.
#pragma once

#include <array>
#include <optional>

namespace orrery::referee {

constexpr int order = 14;
using Series = std::array<double, order + 1>;

double at(const Series& s, double h);
double slope_at(const Series& s, double h);
Series difference(const Series& a, const Series& b);
Series shifted(Series s, double by);
Series derivative(const Series& s);
Series about(const Series& s, double h);  // the same function about another point
// The largest contribution of the last terms at h, relative to the largest term: small where the series can be trusted.
double tail(const Series& s, double h);

struct Crossing {
  std::optional<double> at;  // the first point in (0, h] from which on the series has the other sign
  bool touches = false;      // it comes to zero, to within roundings, and turns back
  bool grazes = false;       // it comes so near to zero that nobody can tell
};
Crossing first_crossing(const Series& s, int side, double h);

}  // namespace orrery::referee
