// SPDX-License-Identifier: Apache-2.0
// The commands of one text, for the files that carry them out.
#pragma once

#include "api/acsl_session.h"
#include "text/source.h"

namespace orrery::api {

inline constexpr int deepest_procedure = 20;  // calls of procedures and files within each other

struct AcslSession::Commands {
  AcslSession& session;
  const text::Source& source;
  Diagnostics& diagnostics;
  bool strict = false;
  bool good = true;

  // acsl_session.cpp
  void run(const std::vector<Line>& lines);
  void one(const Line& line);
  void error(const cssl::Token& at, std::string message, std::string help = {}, const char* code = "bad-command");
  static bool is(const Line& line, const char* word, const char* other = nullptr) {
    return !line.empty() && (line[0].is_name(word) || (other != nullptr && line[0].is_name(other)));
  }
  // Names, and options 'KEY'=value, whose keys are in capitals.
  struct Items {
    std::vector<std::string> names;
    std::map<std::string, std::string> options;
    bool good = true;
  };
  Items items(const Line& line);
  std::optional<double> number_of(const Line& line, const Items& items, const char* option);
  // Recorded columns by name; nothing: reported.
  std::optional<std::vector<std::size_t>> columns(const Line& line, std::vector<std::string> names);
  void choose(const Line& line, std::vector<std::string>& list);
  void load(const Line& line);

  // acsl_set.cpp: what the next run is given.
  void set(const Line& line);
  bool set_one(const Line& line, std::size_t& k);
  bool set_title(const Line& line, std::size_t& k);
  void set_constant(const std::string& name, std::vector<double> values);
  void weigh_errors(const Line& line);
  void act(const Line& line);
  void set_initial(const Line& line, const std::function<std::optional<double>(const std::string& state)>& value_of);
  void reinitialise(const Line& line);
  void save(const Line& line);
  void restore(const Line& line);

  // acsl_runs.cpp: START, CONTIN, ANALYZ.
  void start(const Line& line);
  void go_on(const Line& line);
  void simulate(const Line& line);
  std::optional<double> last_time();
  void settle(const Line& line, const std::string& frozen);
  void analyse(const Line& line);

  // acsl_show.cpp: what a run has given.
  void table(const std::vector<std::size_t>& wanted, std::size_t every);
  void print(const Line& line);
  void display(const Line& line);
  void range(const Line& line);
  void plot(const Line& line);
};

}  // namespace orrery::api
