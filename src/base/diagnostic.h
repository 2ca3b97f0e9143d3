// SPDX-License-Identifier: Apache-2.0
// Errors as data: what is wrong, where, what to do; collected, several at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace orrery {

enum class Severity { note, warning, error };

// Where the user should look: a file position, a place in a diagram, or both.
struct Place {
  std::string file;
  int line = 0;       // 1-based; 0: unknown
  int column = 0;     // 1-based; 0: unknown
  std::string block;  // "/Plant/Mass"
  std::string port;   // "input 1", "activation output 2", "parameter k"
};

struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;  // stable, kebab-case: "algebraic-loop"
  Place place;
  std::string message;  // what is wrong
  std::string help;     // what to do about it; may be empty
  std::vector<std::string> notes;
  std::optional<double> time;  // simulated time, for run-time diagnostics
};

// Collects diagnostics of one job. Passes append and go on as long as that makes sense.
class Diagnostics {
 public:
  Diagnostic& add(Diagnostic diagnostic);
  Diagnostic& error(std::string code, Place place, std::string message, std::string help = {});
  Diagnostic& warning(std::string code, Place place, std::string message, std::string help = {});

  bool has_errors() const { return error_count_ > 0; }
  int error_count() const { return error_count_; }
  const std::vector<Diagnostic>& all() const { return all_; }

 private:
  std::vector<Diagnostic> all_;
  int error_count_ = 0;
};

// "plant.orr:12: error[unknown-block]: /Plant/Mass: no block type is called Masss\n  help: …\n"
std::string to_text(const Diagnostic& diagnostic);
std::string to_text(const Diagnostics& diagnostics);
// A JSON array of objects with the field names of Diagnostic.
std::string to_json(const Diagnostics& diagnostics);

}  // namespace orrery
