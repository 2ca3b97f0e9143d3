// SPDX-License-Identifier: Apache-2.0
// The run-time commands of ACSL: a model in memory, commands in, texts out.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/model.h"
#include "api/run.h"
#include "base/diagnostic.h"
#include "cssl/lexer.h"
#include "cssl/program.h"

namespace orrery::api {

class AcslSession {
 public:
  using Say = std::function<void(const std::string& text)>;

  // Nothing when the model cannot be read.
  static std::optional<AcslSession> open(const std::string& file, Say say, Diagnostics& diagnostics);

  // The commands of a text, one after the other; `file` is for messages. Mistakes are reported and the next command is
  // carried out, unless `strict`: then the rest is left. False: there was a mistake.
  bool execute(const std::string& text, const std::string& file, bool strict, Diagnostics& diagnostics);
  bool has_stopped() const { return stopped_; }

 private:
  using Line = std::vector<cssl::Token>;
  struct Commands;  // acsl_commands.h

  AcslSession(std::string text, std::string file, Say say)
      : text_(std::move(text)), file_(std::move(file)), say_(std::move(say)) {}

  std::string text_, file_;
  Say say_;
  std::map<std::string, std::vector<double>> constants_;  // as they are for the next run; arrays column by column
  std::vector<Setting> set_;                              // what SET has changed
  std::vector<cssl::Action> actions_;                     // what ACTION asks for
  double relative_error_ = 0, absolute_error_ = 0;        // of MERROR and XERROR; 0: of the program
  // The run that CONTIN goes on with: its constants, what has happened to it since, when it has ended.
  std::map<std::string, std::vector<double>> run_constants_;
  std::vector<Setting> run_set_;
  std::vector<cssl::Action> run_actions_;
  double run_end_ = 0;
  std::vector<std::string> prepared_, printed_;  // empty: everything
  int print_every_ = 1;
  std::string title_;
  std::map<std::string, std::vector<Line>> procedures_;
  Results results_;
  double seconds_ = 0;
  bool stopped_ = false;
  int depth_ = 0;
};

}  // namespace orrery::api
