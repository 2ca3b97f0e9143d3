// SPDX-License-Identifier: Apache-2.0
// OML scripts beside GNU Octave where that is installed, linear algebra beside LAPACK, and the start of the
// interpreter.
#include <cblas.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <thread>

#include "api/oml_native.h"
#include "base/folders_for_tests.h"
#include "bench.h"
#include "math/lapack.h"
#include "oml/interpreter.h"
#include "oml/recycling.h"
#include "reference_oml.h"

namespace orrery::bench {
namespace {

namespace fs = std::filesystem;

// What a script of bench/oml prints: its CPU seconds and a result to compare.
struct ScriptOutcome {
  double seconds = NAN, result = NAN;
};

ScriptOutcome parsed(const std::string& text) {
  ScriptOutcome o;
  std::istringstream(text) >> o.seconds >> o.result;
  return o;
}

ScriptOutcome run_ours(const fs::path& script, bool native) {
  std::string text;
  oml::InterpreterOptions options;
  static const std::shared_ptr<oml::NativeCompiler> compiler = api::oml_compiler();  // as a console has one
  if (native) options.native = compiler;
  options.output = [&](std::string_view part) { text += part; };
  oml::Interpreter interpreter(options);
  const oml::RunResult r = interpreter.run_file(script.string());
  return r.ok ? parsed(text) : ScriptOutcome();
}

ScriptOutcome run_octave(const fs::path& script) {
  const std::string command = "octave-cli --norc -q '" + script.string() + "' 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 256> part{};
  while (pipe && std::fgets(part.data(), part.size(), pipe.get()) != nullptr) text += part.data();
  return parsed(text);
}

bool has_octave() { return std::system("command -v octave-cli >/dev/null 2>&1") == 0; }

// The best of several runs, as others use the machine. After the first one the C compiler goes on in the background;
// the others find its code in the cache, as every later run of a script in a session does.
Row script_row(const char* file, const char* title, double goal, bool with_peer, double (*in_c)() = nullptr) {
  const fs::path script = fs::path(source_folder()) / "bench" / "oml" / file;
  Row row{.name = title, .unit = "s", .goal_peer = goal, .result = "the same result as Octave"};
  ScriptOutcome ours = run_ours(script, true);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  ScriptOutcome interpreted = run_ours(script, false);
  for (int k = 0; k < 5; ++k) {  // in turn: whoever comes later finds the memory warm
    ours.seconds = std::min(ours.seconds, run_ours(script, true).seconds);
    interpreted.seconds = std::min(interpreted.seconds, run_ours(script, false).seconds);
  }
  row.orrery = ours.seconds;
  row.correct = std::isfinite(ours.result) && ours.result == interpreted.result;
  row.result = fmt::format("the same result as Octave; interpreted {:.4f} s", interpreted.seconds);
  if (in_c != nullptr) {
    row.goal_c = 4;
    double best = INFINITY, value = 0;
    for (int k = 0; k < 5; ++k) {
      const double start = cpu_seconds();
      value = in_c();
      best = std::min(best, cpu_seconds() - start);
    }
    row.c = best;
    row.correct = row.correct && std::abs(value - ours.result) <= 1e-9 * std::abs(value);
  }
  if (with_peer) {
    const ScriptOutcome peer = run_octave(script);
    row.peer = peer.seconds;
    row.correct = row.correct && std::abs(peer.result - ours.result) <= 1e-9 * std::abs(peer.result);
  }
  return row;
}

// The same matrices through OML and straight through BLAS and LAPACK.
Row algebra_row(const char* title, const char* expression, const std::function<void()>& direct) {
  oml::Interpreter interpreter;
  interpreter.run_text("rand('seed', 1); a = rand(600) + 600 * eye(600); b = rand(600, 600); x = rand(600, 1);");
  const std::string statement = std::string("r = ") + expression + ";";
  Row row{.name = title, .unit = "s", .goal_c = 1.2, .result = "600 x 600"};
  const auto timed = [](const std::function<void()>& work) {
    const double start = cpu_seconds();
    work();
    return cpu_seconds() - start;
  };
  const std::vector<double> t =
      medians({[&] { return timed([&] { interpreter.run_text(statement); }); }, [&] { return timed(direct); }});
  row.orrery = t[0];
  row.c = t[1];
  return row;
}

std::vector<double> sample_matrix(int n, double diagonal) {
  std::vector<double> a(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  unsigned state = 1;
  for (double& x : a) x = (state = state * 1664525u + 1013904223u) / 4294967296.0;
  for (int k = 0; k < n; ++k) a[static_cast<std::size_t>(k) * static_cast<std::size_t>(n + 1)] += diagonal;
  return a;
}

}  // namespace

std::vector<Row> oml_rows() {
  print_heading("OML: CPU seconds; the peer is GNU Octave, C calls LAPACK");
  oml::recycle_large_arrays();  // as the program `orrery oml` does
  const bool peer = has_octave();
  std::vector<Row> rows;
  const auto add = [&](Row row) {
    print(row);
    rows.push_back(std::move(row));
  };
  add(script_row("fib.oml", "fib(24)", 20, peer, reference_fib));
  add(script_row("sum.oml", "sum of 1e7 terms in a loop", 20, peer, reference_sum));
  add(script_row("sieve.oml", "sieve up to 1e6", 20, peer, reference_sieve));
  add(script_row("fill.oml", "matrix filled by element", 20, peer, reference_fill));
  add(script_row("mandelbrot.oml", "Mandelbrot, 200 x 300 points", 20, peer, reference_mandelbrot));
  add(script_row("nbody.oml", "five bodies, 20000 steps", 20, peer, reference_nbody));
  add(script_row("vector.oml", "work on vectors of 1e6", 1, peer));
  add(script_row("text.oml", "strings and cells", 1, peer));
  constexpr int n = 600;
  const std::vector<double> a = sample_matrix(n, n), b = sample_matrix(n, 0);
  add(algebra_row("A * B", "a * b", [&] {
    std::vector<double> c(a.size());
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
  }));
  add(algebra_row("A \\ B", "a \\ b", [&] {
    std::vector<double> lu = a, x = b;
    std::vector<int> pivots(n);
    math::lapack_lu(n, n, lu.data(), pivots.data());
    math::lapack_lu_solve(n, n, lu.data(), pivots.data(), x.data());
  }));
  Row start{.name = "start of the interpreter", .unit = "ms", .goal = 20.0, .result = "CPU time"};
  start.orrery = 1000 * seconds_per_call([] { oml::Interpreter().run_text("x = 1;"); });
  add(start);
  return rows;
}

}  // namespace orrery::bench
