// SPDX-License-Identifier: Apache-2.0
// How often a surface crosses: whether its crossings accumulate at an instant (Zeno) or do not end (chattering).
#pragma once

#include <limits>

namespace orrery::sim {

// Six numbers, so that a run can save it as such.
struct Rhythm {
  double last = -std::numeric_limits<double>::infinity();  // crossing
  double interval = std::numeric_limits<double>::infinity();
  double shrinking = 0;  // so many intervals in a row were shorter than the one before
  double window = -std::numeric_limits<double>::infinity();
  double in_window = 0;
  double crawling = 0;  // so many intervals in a row were less than a millionth of the horizon

  enum class Verdict { fine, accumulates, chatters };
  struct Answer {
    Verdict verdict = Verdict::fine;
    double limit = 0;  // where crossings accumulate
    double ratio = 0;  // of the last two intervals
    double crossings = 0, within = 0;
  };

  static constexpr double least_shrinking = 8;
  static constexpr double most_in_window = 1000;

  // A crossing at t, in a run over `horizon`. Crossings accumulate when intervals have been shrinking for long and all
  // that are still to come fit into a ten-thousand-millionth of the horizon; they chatter when a thousand fit into a
  // ten-millionth.
  Answer add(double t, double horizon) {
    const double now = t - last;
    const double ratio = now / interval;
    shrinking = now > 0 && ratio < 0.9999 ? shrinking + 1 : 0;
    crawling = now < 1e-6 * horizon ? crawling + 1 : 0;
    last = t;
    interval = now;
    if (t - window > 1e-7 * horizon) {
      window = t;
      in_window = 0;
    }
    const double rest = now * ratio / (1 - ratio);
    if (shrinking >= least_shrinking && rest <= 1e-10 * horizon) return {Verdict::accumulates, t + rest, ratio, 0, 0};
    if (++in_window > most_in_window) return {Verdict::chatters, t, ratio, in_window, t - window};
    return {};
  }
};

}  // namespace orrery::sim
