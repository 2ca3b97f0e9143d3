// SPDX-License-Identifier: Apache-2.0
// Blocks beside the same expression in C, and blocks that call somebody else's code.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "api/session.h"
#include "bench.h"
#include "sim/compiled_program.h"

namespace orrery::bench {
namespace {

namespace fs = std::filesystem;

constexpr int copies = 50;

struct BlockCase {
  const char* type;
  const char* parameters;  // JSON, without braces
  const char* in_c;        // of u, and of v, the input 2
  std::vector<char> inputs = {'u'};
};

// Each copy is driven by a state of its own, and its output is the rate of that state. Fixed steps, so that conditions
// are evaluated as they stand, as C does.
std::string diagram_of(const BlockCase& c, int count) {
  std::string blocks, links;
  for (int k = 0; k < count; ++k) {
    blocks += fmt::format(R"({{"name": "x{}", "type": "Integral", "parameters": {{"x0": "{}"}}}},)", k,
                          0.5 + 0.01 * (k % 37));
  }
  for (int k = 0; k < count; ++k) {
    blocks += fmt::format(R"({}{{"name": "b{}", "type": "{}", "parameters": {{{}}}}})", k == 0 ? "" : ",", k, c.type,
                          c.parameters);
    links += fmt::format(R"({{"from": "b{0}:1", "to": ["x{0}:1"]}},)", k);
    for (std::size_t p = 0; p < c.inputs.size(); ++p) {
      links +=
          fmt::format(R"({{"from": "x{}:1", "to": ["b{}:{}"]}},)", c.inputs[p] == 'u' ? k : (k + 1) % count, k, p + 1);
    }
  }
  links.pop_back();
  return fmt::format(
      R"({{"orrery": 2, "name": "blocks", "simulation": {{"solver": "euler", "step": "0.001", "stop": "1"}}, "blocks": [{}], "links": [{}]}})",
      blocks, links);
}

using BlockRhs = void (*)(const double* x, double* dx);

BlockRhs compile_c(const BlockCase& c, int count, int number) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("orrery-bench-blocks-{}-{}", ::getpid(), number);
  fs::create_directories(folder);
  std::ofstream text(folder / "rhs.c");
  text << "#include <math.h>\n"
          "static double table(double u) {\n"
          "  static const double x[] = {0, 0.1, 0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1}, y[] = {4, 7, 6, 5, 1, 2, 8, 3, "
          "0, 1};\n"
          "  int low = 0, high = 9;\n"
          "  if (u < x[0] || u > x[9]) return 0;\n"
          "  while (high - low > 1) { int middle = (low + high) / 2; if (u >= x[middle]) low = middle; else high = "
          "middle; }\n"
          "  return y[low] + (u - x[low]) / (x[low + 1] - x[low]) * (y[low + 1] - y[low]);\n"
          "}\nvoid rhs(const double* x, double* dx) {\n";
  for (int k = 0; k < count; ++k)
    text << fmt::format("  {{ const double u = x[{}], v = x[{}]; (void)v; dx[{}] = {}; }}\n", k, (k + 1) % count, k,
                        c.in_c);
  text << "}\n";
  text.close();
  const std::string library = folder / "rhs.so";
  const std::string command = fmt::format("cc -O2 -ffp-contract=off -fno-math-errno -fPIC -shared -o {} {} -lm",
                                          library, (folder / "rhs.c").string());
  void* handle = std::system(command.c_str()) == 0 ? dlopen(library.c_str(), RTLD_NOW) : nullptr;
  fs::remove_all(folder);
  return handle == nullptr ? nullptr : reinterpret_cast<BlockRhs>(dlsym(handle, "rhs"));
}

Row block_row(const BlockCase& c, int count, int number) {
  Diagnostics diagnostics;
  const auto model = model::parse(diagram_of(c, count), "blocks.orr", diagnostics);
  auto prepared = model ? api::prepare(*model, {}, diagnostics) : std::nullopt;
  expect_no_errors(diagnostics);
  native::CompileOptions options;
  options.wait_for_second = true;
  const auto machine = sim::CompiledProgram::create(prepared->program, options, diagnostics);
  expect_no_errors(diagnostics);
  std::vector<std::byte> memory = program::initial_memory(machine->program(), machine->layout());
  const BlockRhs in_c = compile_c(c, count, number);
  const auto n = static_cast<std::size_t>(count);
  std::vector<double> x(n), ours(n), theirs(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0.5 + 0.01 * static_cast<double>(i % 37);
  const native::Function function = machine->derivatives();
  const auto seconds =
      medians({[&] { return seconds_per_call([&] { function(0, x.data(), ours.data(), memory.data(), 0); }); },
               [&] { return seconds_per_call([&] { in_c(x.data(), theirs.data()); }); }},
              31);
  Row row{.name = fmt::format("{} {}", c.type, c.in_c), .unit = "ns"};
  row.orrery = seconds[0] * 1e9 / count;
  row.c = seconds[1] * 1e9 / count;
  row.goal_c = 1.1;
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i)
    largest = std::max(largest, std::abs(ours[i] - theirs[i]) / (1 + std::abs(theirs[i])));
  row.correct = largest <= 1e-13;
  row.result = fmt::format("largest difference {:.1e}", largest);
  return row;
}

const BlockCase cases[] = {
    {"Gain", R"("k": "3")", "3 * u"},
    {"Bias", R"("bias": "2")", "u + 2"},
    {"Sum", "", "u + v", {'u', 'v'}},
    {"Sum", R"("signs": "'+-'")", "u - v", {'u', 'v'}},
    {"Product", "", "u * v", {'u', 'v'}},
    {"Product", R"("signs": "'*/'")", "u / v", {'u', 'v'}},
    {"Negate", "", "-u"},
    {"Abs", "", "u >= 0 ? u : -u"},
    {"Sign", "", "u > 0 ? 1.0 : u < 0 ? -1.0 : 0.0"},
    {"MaxMin", "", "u > v ? u : v", {'u', 'v'}},
    {"Saturation", R"("lower": "0.6", "upper": "0.7")", "u > 0.7 ? 0.7 : u < 0.6 ? 0.6 : u"},
    {"Deadzone", R"("lower": "0.6", "upper": "0.7")", "u > 0.7 ? u - 0.7 : u < 0.6 ? u - 0.6 : 0.0"},
    {"Switch2", R"("threshold": "0.7")", "u >= 0.7 ? u : v", {'u', 'u', 'v'}},
    {"Quantization", R"("step": "0.1")", "0.1 * ceil(u / 0.1 - 0.5)"},
    {"Horner", R"("coefficients": "[1 2 3]")", "(1 * u + 2) * u + 3"},
    {"MathFunc", "", "exp(u)"},
    {"MathFunc", R"("function": "'log'")", "log(u)"},
    {"MathFunc", R"("function": "'sqrt'")", "sqrt(u)"},
    {"MathFunc", R"("function": "'square'")", "u * u"},
    {"MathFunc", R"("function": "'reciprocal'")", "1 / u"},
    {"MathFunc", R"("function": "'pow'")", "pow(u, v)", {'u', 'v'}},
    {"MathFunc", R"("function": "'hypot'")", "hypot(u, v)", {'u', 'v'}},
    {"TrigFunc", "", "sin(u)"},
    {"TrigFunc", R"("function": "'tanh'")", "tanh(u)"},
    {"TrigFunc", R"("function": "'atan2'")", "atan2(u, v)", {'u', 'v'}},
    {"MathExpression", R"("inputs": "2", "expression": "'sin(u1)*u2+exp(-u1)'")", "sin(u) * v + exp(-u)", {'u', 'v'}},
    {"LookupTable", R"("x": "[0 0.1 0.3 0.5 0.6 0.7 0.75 0.8 0.9 1]", "y": "[4 7 6 5 1 2 8 3 0 1]")", "table(u)"},
};

// Seconds of CPU of a run of these blocks; the same by other means is what it is compared with.
double run_seconds(const Compiled& compiled) {
  api::Run run = compiled.start();
  const double start = cpu_seconds();
  run.run();
  return cpu_seconds() - start;
}

// A thousand formulas that may lack a value, watched, beside the same made of blocks that nobody watches.
Row watched_row() {
  const auto model = [](bool watched) {
    std::string blocks, links;
    for (int k = 0; k < 1000; ++k) {
      const char* comma = k == 0 ? "" : ",";
      blocks += fmt::format(R"({}{{"name": "x{}", "type": "Integral", "parameters": {{"x0": "{}"}}}},)", comma, k,
                            0.5 + 0.001 * k);
      if (watched) {
        blocks += fmt::format(
            R"({{"name": "e{}", "type": "MathExpression", "parameters": {{"expression": "'-u1/(1+u1*u1)'"}}}})", k);
        links += fmt::format(R"({0}{{"from": "x{1}:1", "to": ["e{1}:1"]}},{{"from": "e{1}:1", "to": ["x{1}:1"]}})",
                             comma, k);
      } else {
        blocks += fmt::format(
            R"({{"name": "s{0}", "type": "MathExpression", "parameters": {{"expression": "'1+u1*u1'"}}}},)"
            R"({{"name": "n{0}", "type": "Negate"}},{{"name": "q{0}", "type": "Product", "parameters": {{"signs": "'*/'"}}}})",
            k);
        links +=
            fmt::format(R"({0}{{"from": "x{1}:1", "to": ["s{1}:1", "n{1}:1"]}},{{"from": "n{1}:1", "to": ["q{1}:1"]}},)"
                        R"({{"from": "s{1}:1", "to": ["q{1}:2"]}},{{"from": "q{1}:1", "to": ["x{1}:1"]}})",
                        comma, k);
      }
    }
    return fmt::format(
        R"({{"orrery": 2, "name": "many", "simulation": {{"solver": "dopri", "stop": "40"}}, "blocks": [{}], "links": [{}]}})",
        blocks, links);
  };
  const Compiled with = compile_diagram(model(true), {}, {"/x0"}), without = compile_diagram(model(false), {}, {"/x0"});
  const auto seconds = medians({[&] { return run_seconds(with); }, [&] { return run_seconds(without); }});
  Row row{.name = "1000 MathExpressions, watched for NaN", .unit = "ms"};
  row.orrery = seconds[0] * 1e3;
  row.c = seconds[1] * 1e3;
  row.goal_c = 1.05;
  row.result = "beside blocks that are not watched";
  return row;
}

// What one call costs more than the block of the library that does the same.
Row call_row(const std::string& name, const std::string& block, double steps, double goal) {
  const std::string settings = fmt::format(R"("solver": "euler", "step": "1e-6", "stop": "{}")", steps * 1e-6);
  const auto model = [&](const std::string& b) {
    return fmt::format(
        R"({{"orrery": 2, "name": "call", "simulation": {{{}}}, "blocks": [{{"name": "x", "type": "Integral", "parameters": {{"x0": "1"}}}},{}],
        "links": [{{"from": "x:1", "to": ["b:1"]}}, {{"from": "b:1", "to": ["x:1"]}}]}})",
        settings, b);
  };
  const Compiled called = compile_diagram(model(block), {}, {"/x"});
  const Compiled plain =
      compile_diagram(model(R"({"name": "b", "type": "Gain", "parameters": {"k": "-1"}})"), {}, {"/x"});
  const auto seconds = medians({[&] { return run_seconds(called); }, [&] { return run_seconds(plain); }}, 7);
  Row row{.name = name, .unit = "ns/call"};
  row.orrery = (seconds[0] - seconds[1]) / steps * 1e9;
  row.goal = goal;
  row.result = "above the same block of the library";
  return row;
}

// A signal with 100 000 samples under way.
Row delay_row() {
  constexpr double ticks = 300'000;
  const auto model = [&](const char* block) {
    return fmt::format(
        R"({{"orrery": 2, "name": "delay", "simulation": {{"stop": "{}"}}, "blocks": [
        {{"name": "c", "type": "SampleClock"}}, {{"name": "n", "type": "Counter"}}, {}],
        "links": [{{"event": "c:1", "to": ["n:1"]}}, {{"from": "n:1", "to": ["b:1"]}}]}})",
        ticks - 1, block);
  };
  const Compiled longer = compile_diagram(
      model(R"({"name": "b", "type": "ShiftRegister", "parameters": {"length": "100000"}})"), {}, {"/b"});
  const Compiled shorter = compile_diagram(model(R"({"name": "b", "type": "DiscreteDelay"})"), {}, {"/b"});
  const auto seconds = medians({[&] { return run_seconds(longer); }, [&] { return run_seconds(shorter); }}, 7);
  Row row{.name = "delay of 100000 samples", .unit = "ns/tick"};
  row.orrery = seconds[0] / ticks * 1e9;
  row.c = seconds[1] / ticks * 1e9;
  row.goal_c = 2;
  row.result = "beside a delay of one sample";
  return row;
}

}  // namespace

std::vector<Row> block_rows() {
  std::vector<Row> rows;
  const auto add = [&rows](Row row) {
    print(row);
    rows.push_back(std::move(row));
  };
  print_heading("Blocks beside the same expression in C, second tier");
  int number = 0;
  for (const BlockCase& c : cases) add(block_row(c, copies, number++));
  add(block_row(
      {"MathExpression", R"("inputs": "2", "expression": "'sin(u1)*u2+exp(-u1)'")", "sin(u) * v + exp(-u)", {'u', 'v'}},
      1000, number));
  print_heading("Watching and calling");
  add(watched_row());
  add(delay_row());
  add(call_row(
      "CCustomBlock",
      R"({"name": "b", "type": "CCustomBlock", "parameters": {"code": "#include \"vss_block4.h\"\nVSS_EXPORT void block(vss_block* b, int flag) { if (flag == VssFlag_OutputUpdate) *GetRealOutPortPtrs(b, 1) = -*GetRealInPortPtrs(b, 1); }", "insizes": "[1 1]", "outsizes": "[1 1]"}})",
      1e6, 10));
  add(call_row(
      "OmlCustomBlock",
      R"({"name": "b", "type": "OmlCustomBlock", "parameters": {"code": "function f(block, flag)\n if flag == vssBlockOutputUpdateFlag\n vssSetOutputData(block, 1, -vssGetInputData(block, 1));\n end\nend", "insizes": "[1 1]", "outsizes": "[1 1]"}})",
      1e4, 1e5));
  return rows;
}

}  // namespace orrery::bench
