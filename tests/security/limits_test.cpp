// SPDX-License-Identifier: Apache-2.0
// Time and memory: scripts that do not end, tables and descriptions of any size, devices for files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zip.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "hostile_model.h"

namespace orrery::tests::limits_test {
namespace {

class Limits : public HostileModel {
 protected:
  using Clock = std::chrono::steady_clock;
  // Ends with an error that says so, without a crash and within the memory.
  void expect_refused(const std::vector<std::string>& words, const std::string& part) {
    const pid_t child = start(words);
    int status = 0;
    rusage used = {};
    ::wait4(child, &status, 0, &used);
    const std::string err = read(file("stderr.txt")) + read(file("stdout.txt"));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << words.back() << ": " << status << err;
    EXPECT_TRUE(contains(err, part)) << err;
    EXPECT_LT(used.ru_maxrss, 3'000'000) << words.back() << ": kB";
  }
};

TEST_F(Limits, ScriptsOfModelsEnd) {
  for (const std::string line :
       {"while 1, end", "for k = 1:1e12, x = k; end", "f = @(g) g(g); while true, x = sin(1); end",
        "try, while 1, end, catch e, end", "x = cellfun(@(k) endless(k), {1});", "pause(1e9);",
        "x = 1; while true, x = eval('x + 1'); end"}) {
    const std::vector<std::string> lines = {"function y = endless(k)", "y = 0; while true, y = y + 1; end", "end",
                                            line};
    const auto begin = Clock::now();
    const Outcome outcome = orrery({"check", model(lines), "--script-time", "0.5"});
    EXPECT_EQ(outcome.code, 1) << line;
    EXPECT_TRUE(contains(outcome.err, "error[script-limit]")) << line << outcome.err;
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(20)) << line;
  }
}

// Functions of libraries and long sums ask nobody: then the process ends itself.
TEST_F(Limits, FunctionsThatLookAtNoClockEnd) {
  for (const std::string line :
       {"x = conv(ones(1, 1e7), ones(1, 1e7));", "x = filter(ones(1, 1e6), 1, ones(1, 1e7));",
        "x = polyval(ones(1, 1e7), ones(1, 1e7));", "[q, r] = deconv(ones(1, 2e6), ones(1, 1e6));",
        "x = roots(ones(1, 5000));", "x = hankel(1:8000) \\ ones(8000, 1);", "x = nchoosek(1:40, 8);"}) {
    const auto begin = Clock::now();
    const Outcome outcome = orrery({"check", model({line}), "--script-time", "0.5"});
    EXPECT_EQ(outcome.code, 1) << line << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "error[script-limit]") || contains(outcome.err, "memory")) << line << outcome.err;
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(30)) << line;
  }
  // Also of a specification, and of check with units.
  const std::string endless = model({"while 1, end"});
  EXPECT_TRUE(contains(orrery({"check", "--units", endless, "--script-time", "0.5"}).err, "script-limit"));
  write("model/f.oml", "function y = f(x), while 1, end, end\n");
  const std::string search = write("model/s.opt", "model s.orr\nvariable a = 1\nminimise f(final(/C))\nscript f.oml\n");
  model({"a = 1;"}, {}, "s.orr");
  const pid_t child = start({"optimise", search, "--quiet"});
  let_compute(child, 0.5);
  EXPECT_EQ(terminate(child, SIGINT).code, 130);
}

// What grows by itself is bounded before it is large.
TEST_F(Limits, TextsThatGrow) {
  std::string macros = "PROGRAM\n";
  for (int k = 0; k < 40; ++k)
    macros += fmt::format("MACRO A{0}(y)\n{1}MACRO END\n", k,
                          k == 0 ? std::string("y = 1.0\n") : fmt::format("A{0}(y)\nA{0}(y)\n", k - 1));
  const std::string deck = write("deck.csl", macros + "DERIVATIVE\nA39(z)\nEND\nEND\n");
  expect_refused({"check", deck}, "bad-macro");
  std::string variables = "model s.orr\nminimise final(/C)\npopulation 1000000000\nevaluations nan\n";
  for (int k = 0; k < 100'000; ++k) variables += fmt::format("variable k{} = 1\n", k);
  expect_refused({"optimise", write("many.opt", variables)}, "bad-specification");
  expect_refused({"check", model({"x = strsplit(repmat('a,', 1, 1e8), ',');"})}, "memory");
}

// Also while it runs, a call of a block's function, and what a picture evaluates.
TEST_F(Limits, FunctionsOfBlocksAndPicturesEnd) {
  const std::string block =
      R"({"name": "B", "type": "OmlCustomBlock", "parameters": {"code": "function f(block, flag)\nwhile 1, end\nend", "insizes": "[]", "outsizes": "[1 1]"}})";
  const std::string name = model({}, block);
  const Outcome run = orrery({"run", name, "--quiet", "--script-time", "0.5"});
  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_TRUE(contains(run.err, "error[script-limit]")) << run.err;
  const pid_t child = start({"run", name, "--quiet"});
  let_compute(child, 0.3);
  EXPECT_EQ(terminate(child, SIGINT).code, 130);
  const Outcome picture = orrery({"picture", model({"while 1, end"}), "-o", file("picture.svg")});
  EXPECT_EQ(picture.code, 0) << picture.err;
}

TEST_F(Limits, CtrlCEndsTextsOfSweeps) {
  const std::string name = model({}), endless = "sum(cellfun(@(x) sum(primes(1e6)), repmat({1}, 1, 1e6)))";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"sweep", name, "--quiet", "--vary", "a=" + endless},
        {"sweep", name, "--quiet", "--vary", "a=1:2", "--keep", "max(/C) + " + endless}}) {
    const pid_t child = start(words);
    let_compute(child, 0.5);
    const auto begin = Clock::now();
    EXPECT_EQ(terminate(child, SIGINT).code, 130) << words.back();
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(10)) << words.back();
  }
}

TEST_F(Limits, CtrlCEndsScriptsOfModels) {
  for (const char* command : {"check", "run"}) {
    const pid_t child = start({command, model({"while 1, end"})});
    let_compute(child, 0.3);
    const auto begin = Clock::now();
    EXPECT_EQ(terminate(child, SIGINT).code, 130) << command;
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5)) << command;
  }
}

// Inside long builtins: a twentieth of a second on a free machine (docs/security.md); here it only must not be what the
// work takes, which is minutes.
TEST_F(Limits, CtrlCEndsLongFunctions) {
  const char* asked = std::getenv("ORRERY_PATIENCE");  // seconds
  const double patience = asked != nullptr ? std::atof(asked) : 5;
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  // Somebody has it open, and writes nothing.
  const int writer = ::open(file("pipe").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(writer, 0);
  struct Work {
    std::string before, line;
  };
  for (const Work& work : std::vector<Work>{{"A = rand(3000);", "s = svd(A);"},
                                            {"A = rand(3000);", "[u, s, v] = svd(A);"},
                                            {"A = rand(3000);", "e = eig(A);"},
                                            {"A = rand(3000);", "[v, d] = eig(A, A');"},
                                            {"A = rand(5000);", "for k = 1:100, B = A*A; end"},
                                            {"A = rand(5000);", "x = A \\ A;"},
                                            {"A = rand(2000);", "x = expm(A);"},
                                            {"x = rand(1, 3e7);", "for k = 1:100, y = sort(x); end"},
                                            {"x = rand(1, 3e7);", "s = sprintf('%d,%d\n', x);"},
                                            {"x = rand(1, 4e5);", "r = xcorr(x, x);"},
                                            {"f = fopen('/dev/zero');", "l = fgetl(f);"},
                                            {"", "x = fileread('/dev/zero');"},
                                            {"x = rand(1, 2e7);", "for k = 1:1000, y = fft(x); end"},
                                            {"x = repmat('a', 1, 4e7);", "x = regexprep(x, 'a', 'bb');"},
                                            {"", "pause(100);"},
                                            {"f = fopen('" + file("pipe") + "');", "l = fgetl(f);"}}) {
    fs::remove(file("stdout.txt"));
    // It says so before it begins, in a file that gets nothing until it is told; the memory it needs then is not part
    // of what is measured.
    const pid_t child =
        start({"oml", "-e", "setenv('X', '1'); " + work.before + " disp('on'); fflush(1); " + work.line});
    while (seconds_computed(child) < INFINITY && !contains(read(file("stdout.txt")), "on"))
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const bool over = seconds_computed(child) == INFINITY;
    const auto begin = Clock::now();
    const Outcome outcome = terminate(child, SIGINT);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    // Some may have come to the end of their memory before.
    EXPECT_TRUE(outcome.code == 130 || (over && outcome.code == 1)) << work.line << outcome.code << outcome.err;
    EXPECT_LT(seconds, patience) << work.line;
    if (asked != nullptr) std::fprintf(stderr, "%6.3f s, code %d: %s\n", seconds, outcome.code, work.line.c_str());
  }
  ::close(writer);
}

TEST_F(Limits, TextsAndFilesObeyTheMemoryOfScripts) {
  std::string widths;
  for (int k = 0; k < 40; ++k) widths += "%99999999d";
  for (const std::string& line :
       {std::string("x = repmat('a', 1, 3e9);"), std::string("x = ones(1e5, 1e5);"),
        std::string("x = sprintf('%d,', ones(1, 1e8), ones(1, 1e8), ones(1, 1e8));"),
        "x = sprintf('" + widths + "', ones(1, 40));",
        std::string("x = sprintf('%s', repmat('%99999999d', 1, 40)); y = sprintf(x, ones(1, 40));"),
        std::string("x = strrep(repmat('a', 1, 1e7), 'a', repmat('b', 1, 1000));"),
        std::string("x = regexprep(repmat('a', 1, 1e6), 'a', repmat('b', 1, 10000));"),
        std::string("x = regexprep(repmat('a', 1, 1e6), 'a+', repmat('$0', 1, 1e5));"),
        std::string("x = strfind(repmat('a', 1, 5e8), 'a');"), std::string("x = regexp(repmat('a', 1, 3e8), 'a');")}) {
    expect_refused({"oml", "-e", line}, "memory");
  }
  for (const char* line :
       {"x = sprintf('%2000000000d', 1);", "x = sprintf('%.2000000000f', 1);", "x = sprintf('%*d', 2e9, 1);"}) {
    expect_refused({"oml", "-e", line}, "");
  }
  expect_refused({"oml", "-e", "x = fileread('/dev/zero');"}, "memory");
}

TEST_F(Limits, DevicesForFiles) {
  expect_refused({"run", example("bouncing_ball"), "--quiet", "--input", "/dev/zero"}, "file-too-large");
  expect_refused({"oml", "/dev/zero"}, "cannot read");
  expect_refused({"run", test_fmu_folder() + "/input_integral_2.fmu", "--quiet", "--input", "/dev/zero"},
                 "file-too-large");
  expect_refused({"fmu", "info", "/dev/zero"}, "fmi-bad-archive");
  expect_refused({"fmu", "replay", "/dev/zero"}, "fmi-bad-recording");
}

// Read, shown and refused to run without an abort: 900 000 variables of 260 bytes each in the description.
TEST_F(Limits, FmusOfAnySize) {
  std::string xml =
      "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"big\" guid=\"{1}\">"
      "<CoSimulation modelIdentifier=\"big\"/><ModelVariables>";
  for (int k = 0; k < 900'000; ++k) {
    xml += fmt::format(
        "<ScalarVariable name=\"variable_{0}\" valueReference=\"{0}\" causality=\"output\" "
        "description=\"number {0} of many, with a description as tools write it\">"
        "<Real start=\"1\" unit=\"m/s\" min=\"-1e10\" max=\"1e10\"/></ScalarVariable>",
        k);
  }
  xml += "</ModelVariables><ModelStructure/></fmiModelDescription>";
  int code = 0;
  zip* archive = zip_open(file("big.fmu").c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  zip_file_add(archive, "modelDescription.xml", zip_source_buffer(archive, xml.data(), xml.size(), 0), 0);
  ASSERT_EQ(zip_close(archive), 0);
  const std::string name = model({}, fmu_block(file("big.fmu")));
  for (const std::vector<std::string>& words : {std::vector<std::string>{"fmu", "info", file("big.fmu")},
                                                {"run", file("big.fmu"), "--quiet"},
                                                {"check", name, "--allow", "native"}}) {
    const pid_t child = start(words);
    int status = 0;
    rusage used = {};
    ::wait4(child, &status, 0, &used);
    const std::string err = read(file("stderr.txt"));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1) << words[0] << ": " << status << err;
    EXPECT_TRUE(WEXITSTATUS(status) == 0 || contains(err, "error[")) << err;
    EXPECT_LT(used.ru_maxrss, 3'000'000) << words[0] << ": kB";
  }
}

TEST_F(Limits, TablesOfAnyWidth) {
  write("wide.csv", "time" + std::string(100'000'000, ',') + "\n");
  expect_refused({"run", example("bouncing_ball"), "--quiet", "--input", file("wide.csv")}, "csv-columns");
}

}  // namespace
}  // namespace orrery::tests::limits_test
