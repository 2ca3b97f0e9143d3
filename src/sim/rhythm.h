// SPDX-License-Identifier: Apache-2.0
// How often a surface crosses: whether its crossings accumulate at an instant (Zeno) or do not end (chattering).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::sim {

// Numbers alone, so that a run can save it as such.
struct Rhythm {
  double last = -std::numeric_limits<double>::infinity();  // crossing
  double interval = std::numeric_limits<double>::infinity();
  double shrinking = 0;  // so many intervals in a row were shorter than the one before
  double window = -std::numeric_limits<double>::infinity();
  double in_window = 0;
  double crawling = 0;  // so many intervals in a row were less than a millionth of the horizon
  // Where intervals that shrank fast would have ended, the shortest of them, and how many have come behind that point
  // without growing again: errors of the solver keep alive what should have come to rest.
  double end = std::numeric_limits<double>::infinity();
  double shortest = 0;
  double behind = 0;
  double crawling_since = 0;
  double crossings = 0;    // in all
  double below = 0;        // so many looks in a row found it crossing by less than the tolerance
  double turned_back = 0;  // so many crossings in a row led to a mode whose motion leads back

  enum class Verdict { fine, accumulates, chatters };
  struct Answer {
    Verdict verdict = Verdict::fine;
    double limit = 0;  // where crossings accumulate
    double ratio = 0;  // of the last two intervals
    double crossings = 0, within = 0;
  };

  static constexpr double least_shrinking = 8;
  static constexpr double most_in_window = 1000;
  static constexpr double most_behind = 100;
  static constexpr double most_turned_back = 200;

  // The ratio of successive intervals where those since crawling_since have shrunk like a geometric series, however
  // slowly (a ball that hardly loses speed): the last one is far shorter than their mean. 1: they have not.
  double slow_ratio(double t) const {
    const double last_to_mean = interval * crawling / (t - crawling_since);
    if (!(last_to_mean < 0.01)) return 1;
    double ratio = 0.99;  // last / mean = n (1 - ratio) ratio^n
    for (int k = 0; k < 50; ++k)
      ratio = std::min(0.99999, std::pow(last_to_mean / (crawling * (1 - ratio)), 1 / crawling));
    return ratio;
  }

  // A crossing at t, in a run over `horizon`. Crossings accumulate when intervals have been shrinking for long and all
  // that are still to come fit into a ten-thousand-millionth of the horizon; they chatter when a thousand fit into a
  // ten-millionth.
  Answer add(double t, double horizon) {
    const double now = t - last;
    const double ratio = now / interval;
    shrinking = now > 0 && ratio < 0.9999 ? shrinking + 1 : 0;
    ++crossings;
    if (crawling == 0) crawling_since = last;
    crawling = now < 1e-6 * horizon ? crawling + 1 : 0;
    last = t;
    interval = now;
    if (t - window > 1e-7 * horizon) {
      window = t;
      in_window = 0;
    }
    const double rest = now * ratio / (1 - ratio);
    if (shrinking >= least_shrinking && ratio < 0.95) {
      end = t + rest;
      shortest = now;
      behind = 0;
    } else if (now > 8 * shortest) {
      end = std::numeric_limits<double>::infinity();
    } else if (t > end) {
      ++behind;
    }
    if (shrinking >= least_shrinking && rest <= 1e-10 * horizon) return {Verdict::accumulates, t + rest, ratio, 0, 0};
    if (++in_window > most_in_window) return {Verdict::chatters, t, ratio, in_window, t - window};
    return {};
  }
};

}  // namespace orrery::sim
