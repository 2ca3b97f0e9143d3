// SPDX-License-Identifier: Apache-2.0
// `orrery oml` as people use it: scripts, errors, hostile input, and the console on a terminal of its own.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/folders_for_tests.h"

namespace {

namespace fs = std::filesystem;

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int k = 0; k < count; ++k) result += text;
  return result;
}

class OmlCommand : public testing::Test {
 protected:
  struct Outcome {
    int code = -1;  // negative: the signal that ended it
    std::string out;
  };

  void SetUp() override {
    folder_ = testing::TempDir() + "orrery_oml_" + std::to_string(::getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const std::string& text) const {
    std::ofstream(file("script.oml"), std::ios::binary) << text;
    return file("script.oml");
  }

  static std::vector<char*> arguments_of(const std::vector<std::string>& arguments) {
    std::vector<char*> argv{const_cast<char*>(orrery::orrery_binary().c_str()), const_cast<char*>("oml")};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    return argv;
  }

  pid_t start(const std::vector<std::string>& arguments, const std::string& input = "/dev/null") const {
    const std::vector<char*> argv = arguments_of(arguments);
    const std::string out = file("out.txt");
    fs::remove(out);
    const pid_t child = ::fork();
    if (child == 0) {
      if (!std::freopen(input.c_str(), "r", stdin) || !std::freopen(out.c_str(), "w", stdout)) ::_exit(127);
      ::dup2(STDOUT_FILENO, STDERR_FILENO);
      ::execv(orrery::orrery_binary().c_str(), argv.data());
      ::_exit(127);
    }
    return child;
  }

  std::string written() const {
    std::stringstream text;
    text << std::ifstream(file("out.txt")).rdbuf();
    return text.str();
  }

  // Whether the script has printed this; waits for it.
  bool prints(const std::string& text) const {
    for (int k = 0; k < 6000; ++k) {
      if (written().find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  // The status of a program; one that does not end is killed, so that its test fails instead of hanging.
  static int wait_for(pid_t child) {
    int status = 0;
    for (int k = 0; k < 6000; ++k) {
      if (::waitpid(child, &status, WNOHANG) == child) {
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    return -SIGKILL;
  }

  Outcome finish(pid_t child) const {
    const int code = wait_for(child);
    return {code, written()};
  }

  Outcome oml(const std::vector<std::string>& arguments) const { return finish(start(arguments)); }
  Outcome script(const std::string& text) const { return oml({write(text)}); }

  std::string folder_;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(OmlCommand, RunsScriptsExpressionsAndStandardInput) {
  EXPECT_EQ(oml({"-e", "x = 6 * 7"}).out, "x = 42\n");
  write("disp(numel(args)); disp(args{2})");
  EXPECT_EQ(oml({file("script.oml"), "3", "fast"}).out, "2\nfast\n");
  EXPECT_EQ(finish(start({}, write("disp(1 + 1)"))).out, "2\n");
  EXPECT_EQ(oml({"-e", "exit(7)"}).code, 7);
  EXPECT_EQ(oml({"-e", "plot(1:3); x = vssIsInLinearization"}).out, "x = 0\n");  // no picture where nobody looks
}

TEST_F(OmlCommand, UncaughtErrorsNameTheirPlace) {
  Outcome outcome = script("x = 1;\nfunction f(y)\n  y(3)\nend\nf(x)\n");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.out, "Error: ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "in function f at line number 3 in file")) << outcome.out;
  outcome = script("disp(1)\nx = [1 2\nif\n");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.out, "Syntax error at line number 3")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "1\nSyntax"));  // nothing runs of a text that cannot be read
  outcome = oml({"/no/such/file.oml"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.out, "/no/such/file.oml"));
}

TEST_F(OmlCommand, RecursionEndsInAnError) {
  for (const char* text :
       {"function f(n), f(n+1); end\nf(1)", "f = @(g, n) g(g, n+1); f(f, 1)", "function f(), eval('f()'); end\nf()",
        "function f(n), cellfun(@(x) f(x), {n}); end\nf(1)", "function f(), try, f(); catch, f(); end, end\nf()"}) {
    const pid_t child = start({write("printf('go');fflush(stdout);\n" + std::string(text))});
    if (contains(text, "try")) {  // each level tries twice: it ends by interrupt, not by itself
      ASSERT_TRUE(prints("go"));
      ::kill(child, SIGINT);
    }
    const Outcome outcome = finish(child);
    EXPECT_TRUE(outcome.code == 1 || outcome.code == 130) << text << "\n" << outcome.code << outcome.out.substr(0, 200);
  }
}

TEST_F(OmlCommand, MemoryIsLimited) {
  for (const char* text :
       {"zeros(1e9)", "x = ones(1e6, 1e6);", "a(1e11) = 1;", "x = repmat('a', 1, 1e11);", "cell(1e10, 1);",
        "x = 1:1e12; y = x + 1;", "c = {}; while true, c{end+1} = ones(1, 1e6); end"}) {
    const Outcome outcome = script(text);
    EXPECT_EQ(outcome.code, 1) << text;
    EXPECT_TRUE(contains(outcome.out, "memory")) << text << "\n" << outcome.out;
  }
}

TEST_F(OmlCommand, EndlessScriptsStopOnCtrlC) {
  const std::string model = file("endless.orr");
  std::ofstream(model) << R"({"orrery": 1, "simulation": {"stop": "1e9"}, "blocks": [
    {"name": "x", "type": "Integral"}, {"name": "s", "type": "SineWaveGenerator"}, {"name": "out", "type": "SignalOut"}],
    "links": [{"from": "s:1", "to": ["x:1"]}, {"from": "x:1", "to": ["out:1"]}]})";
  const std::string scripts[] = {"while true, end", "while true, try, error('x'); catch, end, end",
                                 "function f(), while true, x = 1; end, end\nf()",
                                 "cellfun(@(x) quad(x), {1});\nfunction y = quad(x), while 1, y = x; end, end",
                                 "vssRunSimulation('" + model + "')"};
  for (const std::string& text : scripts) {
    const pid_t child = start({write("printf('go');fflush(stdout);\n" + text)});
    EXPECT_TRUE(prints("go")) << text;
    ::kill(child, SIGINT);
    const Outcome outcome = finish(child);
    EXPECT_EQ(outcome.code, 130) << text << "\n" << outcome.out.substr(0, 300);
  }
}

// Long and deep texts, bytes that are no text: an error with a place, or an answer, never a crash.
TEST_F(OmlCommand, MalformedSourceNeverCrashes) {
  const std::string quote = "'";
  const std::string texts[] = {"x = " + repeated("1+", 200000) + "1",
                               "y = 1; x = " + repeated("y*", 200000) + "1",
                               "x = " + repeated("(", 100000),
                               "x = " + repeated("[", 100000),
                               "x = " + repeated("{", 100000),
                               "x = " + repeated("~", 100000) + "1",
                               "x = 1" + repeated(quote, 100001),
                               "x = 1" + repeated("^2", 100000),
                               repeated("1:", 100000) + "1",
                               "x = " + repeated("1&&", 100000) + "1",
                               repeated("if 1\n", 100000),
                               repeated("function f\n", 20000),
                               "a" + repeated(".b", 100000) + " = 1;",
                               "x = 5; y = x" + repeated("(1)", 100000),
                               "x = " + repeated(".if 1 .then 2 .else ", 20000) + "3",
                               "x = .switch 1 " + repeated(".case 2, 3 ", 20000) + ".otherwise 4 .end",
                               "x = " + repeated("@() ", 100000) + "1",
                               "x(" + repeated("1,", 100000) + "1) = 1",
                               "x = \"\xff\xfe\x80\"; % \xff\xc0\ndisp(numel(x))",
                               "x\xff = 3",
                               "\xef\xbb\xbf"
                               "disp(1)",
                               std::string("\0\1\2\0", 4),
                               "x = 'unfinished",
                               "%{ unfinished",
                               "x = 1e999999999999",
                               "x = [1 2; 3",
                               "end end end",
                               "x = 3;;;,,,;"};
  for (const std::string& text : texts) {
    const Outcome outcome = script(text);
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 1) << outcome.code << " for " << text.substr(0, 40);
    if (outcome.code == 0) continue;
    EXPECT_TRUE(contains(outcome.out, "rror")) << text.substr(0, 40) << "\n" << outcome.out;
  }
}

// Random bytes and random pieces of the language.
TEST_F(OmlCommand, RandomSourceNeverCrashes) {
  const char* pieces[] = {"if ",   "end\n", "x",      "=",          "(",         ")",    "[",      "]",
                          "{",     "}",     "1",      "'a'",        ",",         ";",    "\n",     "while 0 ",
                          "@(",    ".if ",  ".then ", ".else ",     ".end ",     ":=",   "$",      "'",
                          "+",     "^",     ":",      "for k=1:2 ", "function ", "try ", "catch ", "switch x ",
                          "case ", "end",   "...",    "%",          ".",         "&&",   "~",      "global "};
  std::uint64_t state = 88172645463325252ULL;
  const auto next = [&] {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
  };
  for (int k = 0; k < 60; ++k) {
    std::string text;
    const bool bytes = k % 4 == 0;
    for (int n = 0; n < 60; ++n) {
      text += bytes ? std::string(1, static_cast<char>(next())) : std::string(pieces[next() % std::size(pieces)]);
    }
    const Outcome outcome = script(text);
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 1) << outcome.code << "\n" << text;
  }
}

// A program on a terminal, written to and read from like a person would.
class Console : public OmlCommand {
 protected:
  void open() {
    const std::string history = file("history");
    child_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (child_ == 0) {
      ::signal(SIGINT, SIG_IGN);  // as in a job that a shell started in the background
      ::setenv("ORRERY_HISTORY", history.c_str(), 1);
      ::setenv("TERM", "xterm", 1);
      ::setenv("NO_COLOR", "1", 1);
      ::setenv("LC_ALL", "C", 1);
      const std::vector<char*> argv = arguments_of({});
      if (::chdir(folder_.c_str()) != 0) ::_exit(127);
      ::execv(orrery::orrery_binary().c_str(), argv.data());
      ::_exit(127);
    }
    ASSERT_GT(child_, 0);
  }

  void type(const std::string& keys) {
    ASSERT_EQ(::write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }

  // Reads until the text appears; what was read so far is searched from the last match on.
  bool shows(const std::string& text) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (;;) {
      const std::size_t at = seen_.find(text, searched_);
      if (at != std::string::npos) {
        searched_ = at + text.size();
        return true;
      }
      pollfd waiting{terminal_, POLLIN, 0};
      if (std::chrono::steady_clock::now() > deadline || ::poll(&waiting, 1, 1000) < 0) return false;
      char buffer[4096];
      if ((waiting.revents & POLLIN) == 0) {
        if (waiting.revents & (POLLHUP | POLLERR)) return false;
        continue;
      }
      const ssize_t n = ::read(terminal_, buffer, sizeof buffer);
      if (n <= 0) return false;
      seen_.append(buffer, static_cast<std::size_t>(n));
    }
  }

  int close() {
    shows("nothing shows this text");  // drains the terminal until the program ends
    const int code = wait_for(child_);
    ::close(terminal_);
    return code;
  }

  pid_t child_ = -1;
  int terminal_ = -1;
  std::string seen_;
  std::size_t searched_ = 0;
};

TEST_F(Console, EvaluatesInterruptsCompletesAndRemembers) {
  open();
  ASSERT_TRUE(shows("> ")) << seen_;
  type("alpha = 2 + 3\n");
  EXPECT_TRUE(shows("alpha = 5")) << seen_;
  type("for k = 1:2\n");
  type("  disp(10 * k)\nend\n");
  EXPECT_TRUE(shows("20")) << seen_;
  type("undefined_name\n");
  EXPECT_TRUE(shows("Unknown function: undefined_name")) << seen_;
  type("disp(6 * 7), while true, end\n");
  EXPECT_TRUE(shows("42")) << seen_;
  type("\x03");
  EXPECT_TRUE(shows("interrupted")) << seen_;
  type("beta = alp\t * 2\n");
  EXPECT_TRUE(shows("beta = 10")) << seen_;
  type("help sqrt\n");
  EXPECT_TRUE(shows("sqrt(")) << seen_;
  type("plot([1 3 2])\n");
  EXPECT_TRUE(shows("*")) << seen_;
  EXPECT_TRUE(shows("+----")) << seen_;
  type("exit\n");
  EXPECT_EQ(close(), 0);
  std::stringstream history;
  history << std::ifstream(file("history")).rdbuf();
  EXPECT_TRUE(contains(history.str(), "alpha")) << history.str();
}

TEST_F(Console, CtrlCDropsTheLineAndCtrlDEnds) {
  open();
  ASSERT_TRUE(shows("> ")) << seen_;
  type("gamma = 1 + (");
  EXPECT_TRUE(shows("1 + (")) << seen_;
  type("\x03");
  ASSERT_TRUE(shows("> ")) << seen_;
  type("delta = 4\n");
  EXPECT_TRUE(shows("delta = 4")) << seen_;
  type("exist('gamma', 'var')\n");
  EXPECT_TRUE(shows("ans = 0")) << seen_;
  type("\x04");
  EXPECT_EQ(close(), 0);
}

}  // namespace
