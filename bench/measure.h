// SPDX-License-Identifier: Apache-2.0
// CPU time of interleaved candidates, and the table of results.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace orrery::bench {

// Of this process, in seconds. Other work on the machine does not count.
double cpu_seconds();

struct Row {
  std::string name;
  std::string unit;
  std::optional<double> orrery = {}, c = {}, peer = {};
  std::optional<double> goal_c = {};     // orrery / c at most
  std::optional<double> goal_peer = {};  // peer / orrery at least
  std::optional<double> goal = {};       // orrery at most
  std::string result = {};               // what was checked
  bool correct = true;

  std::optional<double> ratio_c() const;
  std::optional<double> ratio_peer() const;
  bool reached() const;
};

// Medians of the seconds each candidate reports, run in turn so that all see the same machine. At least three rounds,
// at most `rounds`, and not much longer than a few seconds in all.
std::vector<double> medians(const std::vector<std::function<double()>>& candidates, int rounds = 15);

// CPU seconds of one call, called as often as it takes to be measurable.
double seconds_per_call(const std::function<void()>& call);

void print(const Row& row);
void print_heading(const std::string& title);
bool write_json(const std::vector<Row>& rows, const std::string& file);

}  // namespace orrery::bench
